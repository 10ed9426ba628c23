// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid attribute for each constraint.

// expected-error@+1 {{axis "x" of 0 devices}}
sdy.mesh @m = <["x"=0]>

// -----

// expected-error@+1 {{a mesh has two axes named "x"}}
sdy.mesh @m = <["x"=2, "x"=2]>

// -----

// expected-error@+1 {{a mesh has more than 2^63 - 1 devices}}
sdy.mesh @m = <["x"=4294967296, "y"=4294967296]>

// -----

// expected-error@+1 {{a mesh without axes has at most one device id}}
sdy.mesh @m = <[], device_ids=[0, 1]>

// -----

// expected-error@+1 {{device ids of a mesh of 2 devices must be a permutation of 0 to 1}}
sdy.mesh @m = <["x"=2], device_ids=[0, 0]>

// -----

// expected-error@+1 {{expected `#sdy.mesh`}}
sdy.mesh @m = #sdy.sharding<@m, []>

// -----

// expected-error@+1 {{a sub-axis is (0)2, expected a pre-size >= 1 and a size >= 2}}
func.func @part() attributes {a = #sdy.sharding<@m, [{"x":(0)2}]>} { return }

// -----

// expected-error@+1 {{expected `}` after `?`}}
func.func @open() attributes {a = #sdy.sharding<@m, [{?, "x"}]>} { return }

// -----

// expected-error@+1 {{expected a priority such as `p1`, got `p01`}}
func.func @priority() attributes {a = #sdy.sharding<@m, [{"x"}p01]>} { return }

// -----

// expected-error@+1 {{expected `sum`, `max` or `min`, got `mean`}}
func.func @reduction() attributes {a = #sdy.sharding<@m, [], unreduced=mean{"x"}>} { return }

// -----

// expected-error@+1 {{expected 'unreduced'}}
func.func @unknownList() attributes {a = #sdy.sharding<@m, [], reduced={"x"}>} { return }

// -----

// expected-error@+1 {{expected the names of factors, `i` to `z`, `z_1` …}}
func.func @factor() attributes {a = #sdy.op_sharding_rule<([a])->([i]) {i=2}>} { return }

// -----

// expected-error@+1 {{expected the size of factor `i`}}
func.func @sizes() attributes {a = #sdy.op_sharding_rule<([i])->([i]) {j=2}>} { return }

// -----

// expected-error@+1 {{expected the name of one factor}}
func.func @several() attributes {a = #sdy.op_sharding_rule<([i])->([i]) {ij=2}>} { return }

// -----

// expected-error@+1 {{unknown attribute `shard` in dialect `sdy`}}
func.func @unknown() attributes {a = #sdy.shard<@m, []>} { return }

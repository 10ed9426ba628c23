// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on custom calls, composites and tuples.

// Calls by the typed convention need a dictionary as configuration.
func.func @custom_call_i4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(custom_call_i4)}}
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = "x"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Layouts must be given for both operands and results, or for neither.
func.func @custom_call_layout(%a: tensor<4xf32>) {
  // expected-error@+1 {{(custom_call_layout)}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A layout must list all dimensions.
func.func @custom_call_layout(%a: tensor<4xf32>) {
  // expected-error@+1 {{(custom_call_layout)}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<1> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The alias must refer to an existing operand.
func.func @custom_call_alias(%a: tensor<4xf32>) {
  // expected-error@+1 {{(custom_call_alias)}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Aliases must have the same type.
func.func @custom_call_alias(%a: tensor<4xf32>) {
  // expected-error@+1 {{(custom_call_alias)}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// Pin must return a buffer.
func.func @custom_call_buffer(%a: tensor<4xf32>) {
  // expected-error@+1 {{(custom_call_buffer)}}
  %0 = stablehlo.custom_call @Pin(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The elements of the tuple must have the operands' types.
func.func @tuple_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(tuple_c1)}}
  %0 = "stablehlo.tuple"(%a) : (tensor<4xf32>) -> tuple<tensor<5xf32>>
  return
}

// -----

// The index must be within the tuple.
func.func @get_tuple_element_c1(%a: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{(get_tuple_element_c1)}}
  %0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

// The result must have the element's type.
func.func @get_tuple_element_c2(%a: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{(get_tuple_element_c2)}}
  %0 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<4xf32>>) -> tensor<5xf32>
  return
}

// -----

// The name must have a namespace.
func.func @composite_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(composite_c1)}}
  %0 = stablehlo.composite "f" %a {decomposition = @composite_c1} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The decomposition must be a function of the program.
func.func @composite_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(composite_c2)}}
  %0 = stablehlo.composite "my.f" %a {decomposition = @nothing} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The operands must have the types of the function's arguments.
func.func @composite_c3(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{(composite_c3)}}
  stablehlo.composite "my.f" %a {decomposition = @composite_c3} : (tensor<4xf32>) -> ()
  return
}

// -----

// The results must have the types of the function's results.
func.func @composite_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(composite_c4)}}
  %0 = stablehlo.composite "my.f" %a {decomposition = @composite_c4} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

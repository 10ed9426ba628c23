// Custom calls computed by LAPACK: `lapack_*_ffi`, to which JAX lowers linear algebra for CPUs, and
// `Qr` and `ProductOfElementaryHouseholderReflectors`, to which JAX lowers it if no platform is
// given.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"
#include "drumlin/runtime/calls/MatrixCall.h"

#include <map>
#include <optional>
#include <string>

namespace drumlin {

using LapackCode = Status (*)(MatrixCall &call);
using LapackTargets = std::map<std::string, LapackCode>; // maps a target's name to code

// Adds the targets that solve linear systems, or that compute factorizations in a fixed number of
// steps (LapackFactorizations.cpp).
void addLapackFactorizations(LapackTargets &targets);
// Adds the targets that compute eigenvalues, singular values, and the matrix reductions for them
// (LapackSpectra.cpp).
void addLapackSpectra(LapackTargets &targets);

// Returns the target of a routine for a type, such as `lapack_sgetrf_ffi`.
std::string lapackTarget(char letter, const std::string &routine);

// Returns the code for this name, or nothing if LAPACK computes no such call.
std::optional<RuntimeCode> findLapackCall(const std::string &name);

// Whether the machine has a LAPACK that is optimized for its processors.
bool isLapackFast();

// Whether the runtime, computing one matrix per thread, is faster for a call than a LAPACK that
// computes one matrix after another with all threads.
bool prefersOwnLapackCall(const HostCall &call, unsigned threads);

} // namespace drumlin

// The custom calls that LAPACK computes: `lapack_*_ffi`, as JAX lowers linear algebra to on
// processors, and `Qr` and `ProductOfElementaryHouseholderReflectors`, as it does without a
// platform.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"
#include "drumlin/runtime/calls/MatrixCall.h"

#include <map>
#include <optional>
#include <string>

namespace drumlin {

using LapackCode = Status (*)(MatrixCall &call);
using LapackTargets = std::map<std::string, LapackCode>; // by the name of a target

// Solutions of linear systems, and factorizations that take a fixed number of steps
// (LapackFactorizations.cpp).
void addLapackFactorizations(LapackTargets &targets);
// Eigenvalues and singular values, and what reduces matrices for them (LapackSpectra.cpp).
void addLapackSpectra(LapackTargets &targets);

// The target of a routine for a type: `lapack_sgetrf_ffi`.
std::string lapackTarget(char letter, const std::string &routine);

// Nothing where LAPACK computes no call of this name.
std::optional<RuntimeCode> findLapackCall(const std::string &name);

// Whether the machine has a LAPACK that is written for its processors.
bool isLapackFast();

// Whether a call is better made here, matrix by matrix on as many threads, than by a LAPACK that
// computes one matrix after the other on all of them.
bool prefersOwnLapackCall(const HostCall &call, unsigned threads);

} // namespace drumlin

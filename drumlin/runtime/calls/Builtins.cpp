#include "drumlin/runtime/calls/Builtins.h"

#include "drumlin/runtime/calls/JaxCalls.h"
#include "drumlin/runtime/calls/LapackCalls.h"

namespace drumlin {

std::optional<RuntimeCode> findBuiltin(const std::string &name) {
  if (name == "tridiagonal_solve_perturbed_ffi") {
    return solveTridiagonal;
  }
  if (name == "cpu_csr_sparse_dense_ffi") {
    return multiplySparse;
  }
  return findLapackCall(name);
}

bool isBuiltinUsable(const std::string &name) { return !findLapackCall(name) || isLapackFast(); }

bool isBuiltinChosenBySizes(const std::string &name) { return findLapackCall(name).has_value(); }

bool prefersBuiltin(const HostCall &call, unsigned threads) {
  return prefersOwnLapackCall(call, threads);
}

} // namespace drumlin

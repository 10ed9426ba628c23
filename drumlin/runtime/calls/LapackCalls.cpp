#include "drumlin/runtime/calls/LapackCalls.h"

#include "drumlin/runtime/calls/LapackLibrary.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <algorithm>

namespace drumlin {

std::string lapackTarget(char letter, const std::string &routine) {
  return "lapack_" + std::string(1, letter) + routine + "_ffi";
}

static const LapackTargets &targets() {
  static const LapackTargets made = [] {
    LapackTargets targets;
    addLapackFactorizations(targets);
    addLapackSpectra(targets);
    return targets;
  }();
  return made;
}

static Status run(LapackCode code, const HostCall &call, HostBuffers operands, HostBuffers results,
                  const HostRun &hostRun) {
  Result<const LapackLibrary *> library = LapackLibrary::get();
  if (!library) {
    return library.error();
  }
  auto onOneThread = [&](MatrixCall &part) {
    LapackLibrary::OneThread oneThread(**library);
    return code(part);
  };
  return MatrixCall::run(onOneThread, call, operands, results, hostRun.pool);
}

// Returns the code for a call whose target's name contains no type: the LAPACK routine for the type
// of the call's first operand.
static LapackCode codeByType(const HostCall &call, const std::string &real,
                             const std::string &complex) {
  if (call.operands.empty() || !call.operands.front().type) {
    return nullptr;
  }
  switch (*call.operands.front().type) {
  case ElementType::F32:
    return targets().at(lapackTarget('s', real));
  case ElementType::F64:
    return targets().at(lapackTarget('d', real));
  case ElementType::C64:
    return targets().at(lapackTarget('c', complex));
  case ElementType::C128:
    return targets().at(lapackTarget('z', complex));
  default:
    return nullptr;
  }
}

static RuntimeCode callerByType(const std::string &real, const std::string &complex) {
  return [real, complex](const HostCall &call, HostBuffers operands, HostBuffers results,
                         const HostRun &hostRun) -> Status {
    if (LapackCode code = codeByType(call, real, complex)) {
      return run(code, call, operands, results, hostRun);
    }
    return diagnose(errors::HostCallFailed,
                    "`@" + call.target +
                        "`: operand 0 isn't of `f32`, `f64`, `complex<f32>` or `complex<f64>`");
  };
}

std::optional<RuntimeCode> findLapackCall(const std::string &name) {
  if (name == "Qr") {
    return callerByType("geqrf", "geqrf");
  }
  if (name == "ProductOfElementaryHouseholderReflectors") {
    return callerByType("orgqr", "ungqr");
  }
  auto found = targets().find(name);
  if (found == targets().end()) {
    return std::nullopt;
  }
  return [code = found->second](const HostCall &call, HostBuffers operands, HostBuffers results,
                                const HostRun &hostRun) {
    return run(code, call, operands, results, hostRun);
  };
}

bool isLapackFast() {
  Result<const LapackLibrary *> library = LapackLibrary::get();
  return library && (*library)->isFast();
}

// The number of rows from which LAPACK's own threads pay off: they share the GEMMs of a
// factorization's blocks. In smaller matrices, distributing a GEMM takes about as long as computing
// it, and longer if other programs use the processors.
static constexpr int64_t leastRowsOfThreads = 512;

bool prefersOwnLapackCall(const HostCall &call, unsigned threads) {
  int64_t matrices = 0, rows = 0;
  for (const HostValue &operand : call.operands) {
    if (size_t rank = operand.shape.size(); rank >= 2) {
      matrices = elementCount(std::span(operand.shape).first(rank - 2)).value_or(0);
      rows = std::max(rows, std::min(operand.shape[rank - 2], operand.shape[rank - 1]));
    }
  }
  return matrices >= threads || rows < leastRowsOfThreads;
}

} // namespace drumlin

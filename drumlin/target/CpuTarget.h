// What a CPU is: its instructions as LLVM names them, and the sizes that kernels are shaped by.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/Numerics.h"

#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

struct CpuTarget {
  std::string
      name; // `x86-64-v4`, `x86-64-v3`, `x86-64`: levels of the x86-64 psABI, with additions
  std::vector<std::string>
      features; // as LLVM names them, sorted: what the code may use and an image requires
  bool hasFma = false;
  bool hasF16Conversion = false;
  bool hasAvx2 = false;
  bool hasAvx512 = false;
  bool hasBf16Dot = false; // AVX512-BF16
  bool hasInt8Dot = false; // AVX512-VNNI
  Numerics numerics = Numerics::Default;
  int64_t l1Bytes = 32 * 1024; // data caches of one core
  int64_t l2Bytes = 1024 * 1024;

  // Elements of a vector register, of so many bytes each; and how many registers there are.
  int64_t registerLanes(int64_t elementBytes) const {
    return (hasAvx512 ? 64 : hasAvx2 ? 32 : 16) / elementBytes;
  }
  int64_t vectorRegisters() const { return hasAvx512 ? 32 : 16; }

  // The features as LLVM's target machine takes them: `+avx2,+fma`.
  std::string featureString() const;
};

// `native`, `avx512`, `avx2`, `baseline`; or the psABI's names. `native` is the best of the known
// levels that this machine has, so that two machines of one level make the same code.
// Strict numerics leave the bf16 dot instruction out of the target, so that no code can use it and
// every kernel is compiled under a key of its own.
Result<CpuTarget> cpuTargetFromName(std::string_view name, Numerics numerics = Numerics::Default);

} // namespace drumlin

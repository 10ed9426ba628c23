// Describes a CPU: its instructions by LLVM's names, the sizes that determine kernel shapes, and
// its assumed speed (cpu/X86Models.def, cpu/Aarch64Models.def).
#pragma once

#include "drumlin/support/Architecture.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/ComputeUnit.h"
#include "drumlin/target/Target.h"

#include <map>
#include <span>

namespace drumlin {

class CpuTarget : public Target {
public:
  // Creates a target without features; cpuTargetFromName() makes complete targets.
  CpuTarget() : Target(Kind::Cpu, "") {}
  static bool classof(const Target *target) { return target->kind() == Kind::Cpu; }

  std::vector<TargetUnit> units() const override;
  std::string_view use() const override { return "code"; }

  bool has(std::string_view feature) const;
  bool has(ComputeUnit unit) const;
  // Each function returns whether the CPU has certain instructions or registers, in this order:
  // fused multiply-adds; multiply-adds by a single element of a register; conversions between f32
  // and f16; separate registers for lane masks; masked loads and stores of elements of `bits` bits
  // as single instructions.
  bool hasFma() const { return has("fma") || has("neon"); }
  bool multipliesByElement() const { return has("neon"); }
  bool convertsHalves() const { return has("f16c") || has("neon"); }
  bool hasMaskRegisters() const { return has("avx512bw"); }
  bool hasMaskedAccess(int64_t bits) const {
    return hasMaskRegisters() || (has("avx2") && bits >= 32);
  }
  // Returns the features in the form that LLVM's target machine takes: `+avx2,+fma`.
  std::string featureString() const;

  // Return the number of lanes of a vector register, the bytes of a vector register, and the number
  // of vector registers.
  int64_t registerLanes(int64_t elementBytes) const { return registerBytes() / elementBytes; }
  int64_t registerBytes() const;
  int64_t vectorRegisters() const;
  // Returns the rate of the unit in one core. A multiply-add of the unit's operands counts as two
  // operations.
  double operationsPerSecond(ComputeUnit unit) const;

  Architecture architecture = Architecture::X86_64;
  std::vector<std::string> features; // features that code may use and images require; sorted
  std::string tunedFor;              // LLVM CPU whose latencies guide scheduling; may be empty
  int64_t l1Bytes = 0, l2Bytes = 0;  // data caches of one core
  int64_t ports = 1;                 // full-register multiply-adds that can start per cycle
  double gigahertz = 0;
  int64_t l3Bytes = 0; // one L3 cache, which `coresPerL3` cores share
  int64_t coresPerL3 = 1;
  double socketBytesPerSecond = 0;           // rate at which all cores of a socket read main memory
  std::map<ComputeUnit, double> unitFactors; // rates relative to f32, if not ComputeUnits.def's
  // Whether vector code with bit-identical results replaces tile units, for tests on processors
  // without tile units. Costs still assume the speed of real tile units.
  bool emulatesTiles = false;
};

// Makes a target from a level (`avx512`, `avx2`, `baseline`, or the psABI's names), `native`, or
// one of LLVM's CPUs, followed by features to add or remove: `znver4,-avx512bf16`. `native`, the
// default, is the highest level that this machine supports, so that machines of the same level get
// the same code. `+emulated-tiles` emulates tile units that the CPU lacks. Fails with UnknownTarget
// for unknown CPUs or features; `others` are further names for the error's suggestion.
Result<CpuTarget> cpuTargetFromName(std::string_view name,
                                    std::span<const std::string> others = {});

// Returns the levels, then LLVM's 64-bit CPUs.
std::vector<std::string> cpuNames();
// Returns LLVM's features that code may use, without system instructions.
std::vector<std::string_view> knownFeatures(Architecture architecture);

} // namespace drumlin

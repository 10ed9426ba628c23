// What a CPU is: its instructions as LLVM names them, the sizes that kernels are shaped by, and how
// fast it is assumed to be (cpu/X86Models.def, cpu/Aarch64Models.def).
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
  // Of no features: cpuTargetFromName() makes whole ones.
  CpuTarget() : Target(Kind::Cpu, "") {}
  static bool classof(const Target *target) { return target->kind() == Kind::Cpu; }

  std::vector<TargetUnit> units() const override;
  std::string_view use() const override { return "code"; }

  bool has(std::string_view feature) const;
  bool has(ComputeUnit unit) const;
  // Whether a multiply-add that rounds once is an instruction, and one by a single element of a
  // register for all of another's; whether conversions between f32 and f16 are;
  // whether masks of lanes have registers of their own; and whether loads and stores of some of a
  // register's lanes, of elements of so many bits, are instructions, or else some for each lane.
  bool hasFma() const { return has("fma") || has("neon"); }
  bool multipliesByElement() const { return has("neon"); }
  bool convertsHalves() const { return has("f16c") || has("neon"); }
  bool hasMaskRegisters() const { return has("avx512bw"); }
  bool hasMaskedAccess(int64_t bits) const {
    return hasMaskRegisters() || (has("avx2") && bits >= 32);
  }
  // The same as LLVM's target machine takes them: `+avx2,+fma`.
  std::string featureString() const;

  // Elements of a vector register, of so many bytes each; and how many registers there are.
  int64_t registerLanes(int64_t elementBytes) const { return registerBytes() / elementBytes; }
  int64_t registerBytes() const;
  int64_t vectorRegisters() const;
  // Of one core: a multiply-add of f32, or of what the unit takes, counts as two.
  double operationsPerSecond(ComputeUnit unit) const;

  Architecture architecture = Architecture::X86_64;
  std::vector<std::string> features; // sorted: what the code may use, and an image requires
  std::string tunedFor;             // LLVM's CPU whose latencies code is scheduled by; may be empty
  int64_t l1Bytes = 0, l2Bytes = 0; // data caches of one core
  int64_t ports = 1;                // multiply-adds of whole registers that begin each cycle
  double gigahertz = 0;
  std::map<ComputeUnit, double> unitFactors; // to f32's rate, where it isn't the unit's speed
  // Units of tiles run in plain vector code that gives the same bits: for tests on processors that
  // haven't them. They count as fast as they are.
  bool emulatesTiles = false;
};

// A level (`avx512`, `avx2`, `baseline`, or the psABI's names), `native`, or one of LLVM's CPUs;
// behind it features that are added and left out: `znver4,-avx512bf16`. `native` is the highest
// level that this machine has, so that two machines of one level make the same code; it stands for
// a name that is left out. `+emulated-tiles` emulates units of tiles that aren't there.
// UnknownTarget where there is no such CPU or feature; `others` are names that may have been meant
// as well.
Result<CpuTarget> cpuTargetFromName(std::string_view name,
                                    std::span<const std::string> others = {});

// Levels, then LLVM's CPUs of 64 bits.
std::vector<std::string> cpuNames();
// The features of LLVM's that code may use; system instructions aren't among them.
std::vector<std::string_view> knownFeatures(Architecture architecture);

} // namespace drumlin

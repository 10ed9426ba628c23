// The machine that a program is compiled or planned for, made once from its command-line name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// A unit of the target that multiplies and accumulates.
struct TargetUnit {
  std::string name;     // `bf16_pairs`
  std::string operands; // the operands' element types, in words
  // The sizes of one instruction's operands, in elements: rows × depth, and depth × columns.
  int64_t rows = 0, columns = 0, depth = 0;
  double operationsPerSecond = 0; // rate of one core; a multiply-add counts as two
};

// A machine that programs are compiled or planned for. There are three kinds: CpuTarget,
// TensorEngine and GpuTarget (use `llvm::dyn_cast`).
class Target {
public:
  enum class Kind : uint8_t { Cpu, TensorEngine, Gpu };

  Target(Kind kind, std::string name) : name(std::move(name)), targetKind(kind) {}
  virtual ~Target() = default;
  Target(const Target &) = default;
  Target &operator=(const Target &) = default;
  Target(Target &&) = default;
  Target &operator=(Target &&) = default;

  Kind kind() const { return targetKind; }
  // Returns the units; empty if Drumlin knows only the vendor's library for this target.
  virtual std::vector<TargetUnit> units() const = 0;
  // Returns what Drumlin makes for the target, for example `plans and costs`.
  virtual std::string_view use() const = 0;

  std::string name;
  double bytesPerSecond = 0; // rate at which one core reads main memory; 0: unknown

private:
  Kind targetKind;
};
using TargetPtr = std::shared_ptr<const Target>;

} // namespace drumlin

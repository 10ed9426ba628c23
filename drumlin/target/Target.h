// What a program is compiled or planned for, made once from the name that the command line gives.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// One way in which a target multiplies and adds.
struct TargetUnit {
  std::string name;     // `bf16_pairs`
  std::string operands; // element types, in words
  // Of what one instruction multiplies: rows × depth by depth × columns, in elements.
  int64_t rows = 0, columns = 0, depth = 0;
  double operationsPerSecond = 0; // of one core; a multiply-add counts as two
};

// The kinds are CpuTarget, TensorEngine and GpuTarget: `llvm::dyn_cast` tells them apart.
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
  // What multiplies on it; empty where only a vendor's library is known.
  virtual std::vector<TargetUnit> units() const = 0;
  // What drumlin makes for it: `plans and costs`.
  virtual std::string_view use() const = 0;

  std::string name;
  double bytesPerSecond = 0; // one core reads from main memory; 0: unknown

private:
  Kind targetKind;
};
using TargetPtr = std::shared_ptr<const Target>;

} // namespace drumlin

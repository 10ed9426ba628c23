// Infers one instruction's shape. Private to ResultShapes*.cpp, which group the rules by families
// of opcodes.
#pragma once

#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/support/FloatFormats.h"

#include <span>

namespace drumlin::hlo {

using Dimensions = List<Dimension>;

Shape arrayOf(const Text &element, Dimensions dimensions);
Shape tupleOf(List<Shape> elements);
bool contains(std::span<const int64_t> numbers, size_t number);
// Returns the dimension `from` with its size replaced by `size`; nullopt if `size` is negative or
// exceeds 64 bits. Returns an unbounded dimension unchanged.
std::optional<Dimension> sized(const Dimension &from, __int128 size);
// Returns the element type of a complex type's real part.
ElementType partOf(ElementType type);

// The parameters of a window along one dimension.
struct WindowDimension {
  int64_t size = 1, stride = 1, low = 0, high = 0, baseDilation = 1, windowDilation = 1;
};

// Infers one instruction's shape. If the shape can't be inferred, the functions call `fail` and
// return nullopt.
class Inference {
public:
  explicit Inference(const Instruction &instruction) : instruction(instruction) {}

  std::optional<Shape> infer(InferenceRule rule);
  std::string reason;

private:
  using Result = std::optional<Shape>;

  std::nullopt_t fail(const std::string &why);
  size_t operandCount() const { return instruction.operands.size(); }
  const Shape &operand(size_t number) const {
    return instruction.operands[number].instruction->shape;
  }
  // Returns the numbers of a required attribute.
  std::optional<std::vector<int64_t>> numbers(std::string_view attribute);
  std::optional<std::vector<int64_t>> numbersOrNone(std::string_view attribute);
  std::optional<int64_t> number(std::string_view attribute);
  // Returns the attribute `dimensions`, which must be one dimension of the first operand.
  std::optional<size_t> dimension();
  // Returns the shape of the root of the first computation that an attribute names.
  Result rootOf(std::string_view attribute);
  std::optional<std::vector<WindowDimension>> window();
  std::optional<Dimension> windowed(const Dimension &base, const WindowDimension &window);

  Result wider(size_t begin, size_t end);
  Result predicate();
  Result realPart();
  Result complex();
  Result tuple(size_t end);
  Result element();
  Result topK();
  Result dynamicSize();
  Result broadcast();
  Result transpose();
  Result concatenate();
  Result pad();
  Result reduce();
  Result reduceWindow();
  Result scan();
  Result dot();
  Result convolution();
  Result fft();
  Result gather();
  Result map();
  Result batchNorm();

  const Instruction &instruction;
};

} // namespace drumlin::hlo

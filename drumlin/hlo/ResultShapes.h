// The inference of one instruction's shape, whose rules lie in files by families. For the
// ResultShapes*.cpp alone.
#pragma once

#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/support/FloatFormats.h"

#include <span>

namespace drumlin::hlo {

using Dimensions = List<Dimension>;

Shape arrayOf(const Text &element, Dimensions dimensions);
Shape tupleOf(List<Shape> elements);
bool contains(std::span<const int64_t> numbers, size_t number);
// A size that is counted; nothing where it is no size. Sizes without a bound stay so.
std::optional<Dimension> sized(const Dimension &from, __int128 size);
// Of a complex number.
ElementType partOf(ElementType type);

// What one dimension of a window says.
struct WindowDimension {
  int64_t size = 1, stride = 1, low = 0, high = 0, baseDilation = 1, windowDilation = 1;
};

// Infers one instruction's shape. Its functions give nothing after `fail`.
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
  // Of an attribute that must be there.
  std::optional<std::vector<int64_t>> numbers(std::string_view attribute);
  std::optional<std::vector<int64_t>> numbersOrNone(std::string_view attribute);
  std::optional<int64_t> number(std::string_view attribute);
  // One that is a dimension of the first operand.
  std::optional<size_t> dimension();
  // The root's shape of the computation that an attribute names, of several the first.
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

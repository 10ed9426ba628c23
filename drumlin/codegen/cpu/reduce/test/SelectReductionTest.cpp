// Tests native code of reductions that select an element, such as argmax.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

// The reducer of JAX's argmax and argmin: NaN wins over numbers, then the better value wins, then
// the lower position.
static const std::string canonicalSelection = R"(
    %better = stablehlo.compare DIRECTION, %v, %w : (tensor<V>, tensor<V>) -> tensor<i1>
    %nan = stablehlo.compare NE, %v, %v : (tensor<V>, tensor<V>) -> tensor<i1>
    %wins = stablehlo.or %better, %nan : tensor<i1>
    %equal = stablehlo.compare EQ, %v, %w : (tensor<V>, tensor<V>) -> tensor<i1>
    %lower = stablehlo.compare LT, %p, %q : (tensor<P>, tensor<P>) -> tensor<i1>
    %tie = stablehlo.and %equal, %lower : tensor<i1>
    %first = stablehlo.or %wins, %tie : tensor<i1>
    %a = stablehlo.select %wins, %v, %w : tensor<i1>, tensor<V>
    %b = stablehlo.select %first, %p, %q : tensor<i1>, tensor<P>
)";
// The later element wins unless the earlier element compares better. So the later element also wins
// if the elements are equal or one is NaN, and the order of the elements determines the result.
static const std::string orderedSelection = R"(
    %wins = stablehlo.compare DIRECTION, %v, %w : (tensor<V>, tensor<V>) -> tensor<i1>
    %a = stablehlo.select %wins, %v, %w : tensor<i1>, tensor<V>
    %b = stablehlo.select %wins, %p, %q : tensor<i1>, tensor<P>
)";

static void checkSelection(const Shape &shape, int64_t dimension, ElementType value,
                           ElementType position, const std::string &body,
                           const std::string &direction, Values values,
                           const std::vector<std::string> &targets = nativeOnly) {
  Shape kept = shape;
  kept.erase(kept.begin() + dimension);
  std::string text = R"(func.func @main(%x: INPUT, %v0: tensor<V>) -> OUT {
  %i = stablehlo.iota dim = DIMENSION : POSITIONS
  %p0 = stablehlo.constant dense<0> : tensor<P>
  %r:2 = stablehlo.reduce(%x init: %v0), (%i init: %p0) across dimensions = [DIMENSION] : (INPUT, POSITIONS, tensor<V>, tensor<P>) -> (VALUES, OUT)
   reducer(%v: tensor<V>, %w: tensor<V>) (%p: tensor<P>, %q: tensor<P>) {BODY
    stablehlo.return %a, %b : tensor<V>, tensor<P>
  }
  return %r#1 : OUT
})";
  replaceAll(text, "BODY", body);
  replaceAll(text, "DIRECTION", direction);
  replaceAll(text, "DIMENSION", std::to_string(dimension));
  replaceAll(text, "INPUT", tensorType(shape, value));
  replaceAll(text, "POSITIONS", tensorType(shape, position));
  replaceAll(text, "VALUES", tensorType(kept, value));
  replaceAll(text, "OUT", tensorType(kept, position));
  replaceAll(text, "tensor<V>", tensorType({}, value));
  replaceAll(text, "tensor<P>", tensorType({}, position));
  Tensor init(value, {});
  setElement(init, 0, direction == "GT" ? (isUnsigned(value) ? 0 : -100) : 100);
  check(text, {drawTensor(value, shape, values, 7), init}, targets);
}

TEST(SelectReduction, EveryType) {
  for (ElementType type : nativeTypes) {
    if (isBoolean(type)) {
      continue;
    }
    for (const char *direction : {"GT", "LT"}) {
      checkSelection({3, 83}, 1, type, ElementType::SI32, canonicalSelection, direction,
                     Values::Special);
    }
  }
  for (ElementType position : {ElementType::SI64, ElementType::UI8, ElementType::UI32}) {
    checkSelection({2, 77}, 1, ElementType::F32, position, canonicalSelection, "GT",
                   Values::Special, everyTarget);
  }
}

TEST(SelectReduction, Lengths) {
  for (int64_t length : {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 1000}) {
    for (const std::string &body : {canonicalSelection, orderedSelection}) {
      for (Values values : {Values::Few, Values::Special}) {
        checkSelection({5, length}, 1, ElementType::F32, ElementType::SI32, body, "GT", values);
      }
    }
    checkSelection({length}, 0, ElementType::BF16, ElementType::SI32, canonicalSelection, "LT",
                   Values::Few);
  }
}

TEST(SelectReduction, Dimensions) {
  for (int64_t dimension : {0, 1, 2}) {
    checkSelection({17, 9, 35}, dimension, ElementType::F32, ElementType::SI32, canonicalSelection,
                   "GT", Values::Special, everyTarget);
  }
}

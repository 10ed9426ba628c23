// Tests lgamma, digamma, the Bessel function, zeta and polygamma of narrow types: unary functions
// with every bit pattern of types of up to 16 bits, and binary functions with every pair of bit
// patterns of types of up to 8 bits.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

static Tensor allBitPatterns(ElementType type) {
  int64_t count = int64_t{1} << info(type).bits;
  Tensor tensor(type, {count});
  size_t size = storageBytes(type);
  for (int64_t pattern = 0; pattern < count; ++pattern) {
    std::memcpy(tensor.data() + pattern * static_cast<int64_t>(size), &pattern, size);
  }
  return tensor;
}

static std::vector<ElementType> narrowFloats(unsigned most) {
  std::vector<ElementType> types;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    if (isFloat(type) && info(type).bits <= most) {
      types.push_back(type);
    }
  }
  return types;
}

// Returns a program that computes functions of numbers of type `from`, converted to type `in`.
static std::string programOf(const std::vector<std::string> &functions, const Shape &argument,
                             const Shape &shape, unsigned operands, ElementType from,
                             ElementType in) {
  std::string narrow = tensorType(shape, from), wide = tensorType(shape, in);
  std::string given = tensorType(argument, from);
  std::string text = "func.func @main(%x: " + given + ", %y: " + given + ") -> (";
  std::string body, names, types;
  for (const char *name : {"x", "y"}) {
    std::string dimension = shape.size() == 1 || *name == 'x' ? "0" : "1";
    body += std::string("  %b") + name + " = stablehlo.broadcast_in_dim %" + name + ", dims = [" +
            dimension + "] : (" + given + ") -> " + narrow + "\n  %c" + name +
            " = stablehlo.convert %b" + name + " : (" + narrow + ") -> " + wide + "\n";
  }
  for (const std::string &function : functions) {
    body += "  %w" + function + " = chlo." + function +
            (operands == 1 ? " %cx : " + wide : " %cx, %cy : " + wide + ", " + wide) + " -> " +
            wide + "\n  %" + function + " = stablehlo.convert %w" + function + " : (" + wide +
            ") -> " + narrow + "\n";
    names += (names.empty() ? "%" : ", %") + function;
    types += (types.empty() ? "" : ", ") + narrow;
  }
  return text + types + ") {\n" + body + "  return " + names + " : " + types + "\n}";
}

// Compares functions of a narrow type with a program that explicitly computes in f32 and rounds.
// For scale types, there is no such program, since results too small for f32 become the smallest
// scale.
static void checkNarrow(const std::vector<std::string> &functions, unsigned operands,
                        ElementType type) {
  int64_t count = int64_t{1} << info(type).bits;
  Shape argument = {count}, shape = operands == 1 ? Shape{count} : Shape{count, count};
  bool isScale = info(type).specials == FloatSpecials::ScaleOnly;
  ElementType in = isScale ? type : ElementType::F32;
  Tensor patterns = allBitPatterns(type);
  checkAgainst(programOf(functions, argument, shape, operands, type, in),
               programOf(functions, argument, shape, operands, type, type), {patterns, patterns},
               everyTarget);
}

TEST(SlowSpecialFunctions, OfOneNarrowNumber) {
  for (ElementType type : narrowFloats(16)) {
    checkNarrow({"lgamma", "digamma", "bessel_i1e"}, 1, type);
  }
}

TEST(SlowSpecialFunctions, OfTwoNarrowNumbers) {
  for (ElementType type : narrowFloats(8)) {
    checkNarrow({"zeta", "polygamma"}, 2, type);
  }
}

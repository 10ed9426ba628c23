// Tests values of which one row is kept in memory during the row's traversal (keptInRows()). Each
// value is computed once and must be correct in every lane, for every user. Functions are tested
// with arguments for which they are exact: the exponential of 0 and -infinity, and the hyperbolic
// tangent of infinities.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

namespace {
// Draws one of `values` for each element.
Tensor drawn(ElementType type, const Shape &shape, std::initializer_list<double> values,
             uint64_t seed) {
  Tensor tensor(type, shape);
  std::mt19937_64 generator(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    setElement(tensor, i, values.begin()[generator() / 7 % values.size()]);
  }
  return tensor;
}

// Builds the text of operations on one shape.
class Rows {
public:
  Rows(ElementType element, const Shape &shape)
      : type(tensorType(shape, element)), outer(shape.begin(), shape.end() - 1),
        last(static_cast<int64_t>(outer.size())),
        scalar("tensor<" + std::string(name(element)) + ">"), ofRow(tensorType(outer, element)) {
    for (int64_t d = 0; d < last; ++d) {
      outerDims.push_back(d);
    }
  }

  Rows &constant(const std::string &made, const std::string &value) {
    return line(made, "stablehlo.constant dense<" + value + "> : " + scalar);
  }
  Rows &splat(const std::string &made, const std::string &value) {
    return line(made, "stablehlo.constant dense<" + value + "> : " + type);
  }
  Rows &operation(const std::string &made, const std::string &op, const std::string &operands) {
    return line(made, "stablehlo." + op + " " + operands + " : " + type);
  }
  // Reduces each row and broadcasts the result to the row's elements.
  Rows &alongRow(const std::string &made, const std::string &reducer, const std::string &init,
                 const std::string &from) {
    line(made + "_row", "stablehlo.reduce(" + from + " init: " + init + ") applies stablehlo." +
                            reducer + " across dimensions = [" + std::to_string(last) + "] : (" +
                            type + ", " + scalar + ") -> " + ofRow);
    return line(made, "stablehlo.broadcast_in_dim " + made + "_row, dims = [" + list(outerDims) +
                          "] : (" + ofRow + ") -> " + type);
  }
  Rows &reversed(const std::string &made, const std::string &from) {
    return line(made,
                "stablehlo.reverse " + from + ", dims = [" + std::to_string(last) + "] : " + type);
  }
  std::string returning(const std::vector<std::string> &results) const {
    std::string values, types;
    for (const std::string &result : results) {
      values += (values.empty() ? "" : ", ") + result;
      types += (types.empty() ? "" : ", ") + type;
    }
    return "func.func @main(%x: " + type + ") -> (" + types + ") {\n" + body + "  return " +
           values + " : " + types + "\n}\n";
  }

private:
  Rows &line(const std::string &made, const std::string &by) {
    body += "  " + made + " = " + by + "\n";
    return *this;
  }

  std::string type;
  Shape outer;
  int64_t last;
  std::string scalar, ofRow, body;
  std::vector<int64_t> outerDims;
};
} // namespace

static const std::vector<Shape> shapes = {{33},     {1, 34},   {3, 64},       {5, 128},
                                          {2, 65},  {4, 130},  {2, 3, 77},    {2, 1, 3, 39},
                                          {1, 700}, {40, 128}, {2, 5, 1, 257}};

// Checks sums of exponentials that are 0 or 1. Sums up to 256 are exact in bf16.
static void checkSums(ElementType type, const Shape &shape, bool returnsBoth) {
  Rows rows(type, shape);
  rows.constant("%zero", "0.0")
      .operation("%e", "exponential", "%x")
      .alongRow("%s", "add", "%zero", "%e")
      .operation("%r", "subtract", "%s, %e");
  std::string text = rows.returning(returnsBoth ? std::vector<std::string>{"%r", "%e"}
                                                : std::vector<std::string>{"%r"});
  check(text, {drawn(type, shape, {0, 0, -INFINITY}, 3)});
}

TEST(KeptRows, AreRightInEveryLane) {
  for (const Shape &shape : shapes) {
    checkSums(ElementType::F32, shape, false);
    checkSums(ElementType::F32, shape, true);
  }
}

TEST(KeptRows, OfEveryTypeOfNumbers) {
  for (ElementType type : {ElementType::F64, ElementType::BF16, ElementType::F16}) {
    for (const Shape &shape : {Shape{3, 64}, Shape{2, 65}, Shape{3, 130}}) {
      checkSums(type, shape, false);
    }
  }
}

// One kept value is computed from another kept value, which two reductions and the results use as
// well.
TEST(KeptRows, OfOneAnother) {
  for (const Shape &shape : shapes) {
    Rows rows(ElementType::F32, shape);
    rows.constant("%zero", "0.0")
        .constant("%low", "0xFF800000")
        .constant("%high", "0x7F800000")
        .operation("%t", "tanh", "%x")
        .alongRow("%largest", "maximum", "%low", "%t")
        .alongRow("%least", "minimum", "%high", "%t")
        .operation("%d", "subtract", "%t, %largest")
        .splat("%far", "1.0e30")
        .operation("%n", "multiply", "%d, %far")
        .operation("%e", "exponential", "%n")
        .alongRow("%s", "add", "%zero", "%e")
        .operation("%p", "multiply", "%e, %s")
        .operation("%q", "add", "%p, %least")
        .operation("%r", "subtract", "%q, %t");
    check(rows.returning({"%r"}), {drawn(ElementType::F32, shape, {INFINITY, -INFINITY}, 5)});
  }
}

// An element that is needed at an index other than the row's is recomputed for that index.
TEST(KeptRows, ThatAreWantedElsewhereToo) {
  for (const Shape &shape : shapes) {
    Rows rows(ElementType::F32, shape);
    rows.constant("%zero", "0.0")
        .operation("%e", "exponential", "%x")
        .alongRow("%s", "add", "%zero", "%e")
        .reversed("%back", "%e")
        .operation("%m", "multiply", "%s, %back")
        .operation("%r", "subtract", "%m, %e");
    check(rows.returning({"%r"}), {drawn(ElementType::F32, shape, {0, 0, -INFINITY}, 7)});
  }
}

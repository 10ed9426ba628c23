// Tests reductions that are computed in the kernel of their consumer: in other reductions, in
// windows, in rows with a partial last register, and in dimensions of one element.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

static Tensor floats(const Shape &shape, uint64_t seed) {
  return drawTensor(ElementType::F32, shape, Values::Few, seed);
}

static std::string reduced(std::string_view name, std::string_view from, std::string_view reducer,
                           const std::vector<int64_t> &dimensions, const Shape &shape,
                           const Shape &result) {
  return "  %" + std::string(name) + " = stablehlo.reduce(%" + std::string(from) +
         " init: %zero) applies stablehlo." + std::string(reducer) + " across dimensions = [" +
         list(dimensions) + "] : (" + tensorType(shape, ElementType::F32) + ", tensor<f32>) -> " +
         tensorType(result, ElementType::F32) + "\n";
}

static std::string broadcast(std::string_view name, std::string_view from,
                             const std::vector<int64_t> &dimensions, const Shape &shape,
                             const Shape &result) {
  return "  %" + std::string(name) + " = stablehlo.broadcast_in_dim %" + std::string(from) +
         ", dims = [" + list(dimensions) + "] : (" + tensorType(shape, ElementType::F32) + ") -> " +
         tensorType(result, ElementType::F32) + "\n";
}

static std::string program(const Shape &argument, const std::string &body, const Shape &result) {
  std::string type = tensorType(result, ElementType::F32);
  return "func.func @main(%x: " + tensorType(argument, ElementType::F32) + ") -> " + type +
         " {\n  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" + body +
         "  return %r : " + type + "\n}\n";
}

// A reduction whose result only some active lanes request is computed with all lanes.
TEST(Reductions, OfAReduction) {
  for (const char *reducer : {"minimum", "maximum", "add"}) {
    for (int64_t size : {2, 5, 16, 33}) {
      for (int64_t times : {2, 3, 17, 40}) {
        check(program({size},
                      reduced("a", "x", reducer, {0}, {size}, {}) +
                          broadcast("b", "a", {}, {}, {times}) +
                          reduced("r", "b", reducer, {0}, {times}, {}),
                      {}),
              {floats({size}, 1)});
      }
    }
  }
}

TEST(Reductions, OfRowsOfAReduction) {
  for (int64_t rows : {1, 3, 18}) {
    for (int64_t columns : {1, 2, 19, 33}) {
      // In one kernel: the minimum of all elements is subtracted from each element, and the
      // differences are summed by rows.
      check(program({rows, columns},
                    reduced("a", "x", "minimum", {0, 1}, {rows, columns}, {}) +
                        broadcast("b", "a", {}, {}, {rows, columns}) +
                        "  %s = stablehlo.subtract %x, %b : " +
                        tensorType({rows, columns}, ElementType::F32) + "\n" +
                        reduced("r", "s", "add", {1}, {rows, columns}, {rows}),
                    {rows}),
            {floats({rows, columns}, 2)});
      // A reduction by rows, a reduction of its results, and a computation that reads the results
      // of both.
      check(program({rows, columns},
                    reduced("a", "x", "maximum", {1}, {rows, columns}, {rows}) +
                        reduced("b", "a", "minimum", {0}, {rows}, {}) +
                        broadcast("c", "b", {}, {}, {rows, columns}) +
                        broadcast("d", "a", {0}, {rows}, {rows, columns}) +
                        "  %s = stablehlo.subtract %x, %c : " +
                        tensorType({rows, columns}, ElementType::F32) +
                        "\n  %r = stablehlo.multiply %s, %d : " +
                        tensorType({rows, columns}, ElementType::F32) + "\n",
                    {rows, columns}),
            {floats({rows, columns}, 3)});
    }
  }
}

static const char *windowBody =
    R"(({ ^bb0(%p: tensor<f32>, %q: tensor<f32>): %s = stablehlo.maximum %p, %q : tensor<f32> stablehlo.return %s : tensor<f32> }))";

// Tests windows over the results of a reduction. The windows are partly out of bounds.
TEST(Reductions, InWindows) {
  check(
      program(
          {33, 1},
          reduced("a", "x", "add", {0}, {33, 1}, {1}) +
              R"(  %r = "stablehlo.reduce_window"(%a, %zero) )" + windowBody +
              R"( {window_dimensions = array<i64: 1>, window_dilations = array<i64: 2>, padding = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<1xf32>, tensor<f32>) -> tensor<3xf32>
)",
          {3}),
      {floats({33, 1}, 4)});
  check(
      program(
          {33, 20},
          reduced("a", "x", "minimum", {0}, {33, 20}, {20}) +
              R"(  %r = "stablehlo.reduce_window"(%a, %zero) )" + windowBody +
              R"( {window_dimensions = array<i64: 5>, padding = dense<[[2, 2]]> : tensor<1x2xi64>} : (tensor<20xf32>, tensor<f32>) -> tensor<20xf32>
)",
          {20}),
      {floats({33, 20}, 5)});
}

// In a dimension of one element, all lanes have the same index, whatever offsets were added to the
// index.
TEST(Reductions, OfDimensionsOfOneElement) {
  check(
      program(
          {1, 8},
          R"(  %a = stablehlo.slice %x [0:1, 7:8] : (tensor<1x8xf32>) -> tensor<1x1xf32>
)" + reduced("b", "a", "add", {0}, {1, 1}, {1}) +
              R"(  %r = stablehlo.pad %b, %zero, low = [2], high = [2], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<5xf32>
)",
          {5}),
      {floats({1, 8}, 6)});
  check(
      program(
          {1, 1},
          R"(  %a = "stablehlo.reduce_window"(%x, %zero) )" + std::string(windowBody) +
              R"( {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[2, 2], [0, 1]]> : tensor<2x2xi64>} : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
  %r = "stablehlo.reduce_window"(%a, %zero) )" +
              windowBody +
              R"( {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[2, 0], [0, 2]]> : tensor<2x2xi64>} : (tensor<1x1xf32>, tensor<f32>) -> tensor<3x1xf32>
)",
          {3, 1}),
      {floats({1, 1}, 7)});
  check(
      program(
          {2},
          R"(  %a = "stablehlo.reduce_window"(%x, %zero) )" + std::string(windowBody) +
              R"( {window_dimensions = array<i64: 3>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  %r = "stablehlo.reduce_window"(%a, %zero) )" +
              windowBody +
              R"( {window_dimensions = array<i64: 1>, padding = dense<[[1, 2]]> : tensor<1x2xi64>} : (tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
)",
          {4}),
      {floats({2}, 8)});
  // All lanes have the same index in reads through a concatenation and an update, too.
  check(
      program(
          {3, 1},
          reduced("a", "x", "add", {0}, {3, 1}, {1}) +
              R"(  %b = stablehlo.concatenate %a, %a, %a, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %b, %a, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
)",
          {3}),
      {floats({3, 1}, 9)});
}

// At each position out of the operand's bounds, a window reads the initial value, which may be any
// number. This also holds for windows of sums that would be computed as prefix sums if the initial
// value were 0.
TEST(Reductions, InWindowsFromAnyInitialValue) {
  auto check2D = [](const char *reducer, const Shape &shape, const Shape &result,
                    const std::string &attributes) {
    std::string from = tensorType(shape, ElementType::F32);
    std::string to = tensorType(result, ElementType::F32);
    check("func.func @main(%x: " + from + ", %init: tensor<f32>) -> " + to +
              " {\n  %r = \"stablehlo.reduce_window\"(%x, %init) ({ ^bb0(%p: tensor<f32>, %q: "
              "tensor<f32>): %s = " +
              reducer + " %p, %q : tensor<f32> stablehlo.return %s : tensor<f32> }) {" +
              attributes + "} : (" + from + ", tensor<f32>) -> " + to + "\n  return %r : " + to +
              "\n}\n",
          {floats(shape, 10), tensorOf<float>(ElementType::F32, {}, {2.0f})});
  };
  for (const char *reducer : {"stablehlo.add", "stablehlo.minimum", "stablehlo.maximum"}) {
    check2D(reducer, {5, 18}, {7, 18},
            "window_dimensions = array<i64: 2, 3>, padding = dense<[[1, 2], [1, 1]]> : "
            "tensor<2x2xi64>");
    check2D(reducer, {5, 18}, {5, 18},
            "window_dimensions = array<i64: 5, 1>, padding = dense<[[4, 0], [0, 0]]> : "
            "tensor<2x2xi64>");
    check2D(reducer, {5, 18}, {9, 35},
            "window_dimensions = array<i64: 1, 1>, base_dilations = array<i64: 2, 2>");
    // There is only padding; the operand has no elements to dilate.
    check2D(reducer, {3, 0}, {3, 20},
            "window_dimensions = array<i64: 1, 2>, base_dilations = array<i64: 1, 3>, padding = "
            "dense<[[0, 0], [1, 20]]> : tensor<2x2xi64>");
    check2D(reducer, {0, 18}, {2, 18},
            "window_dimensions = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : "
            "tensor<2x2xi64>");
  }
  check(
      R"(func.func @main(%x: tensor<20xf32>, %y: tensor<20xi32>, %a: tensor<f32>, %b: tensor<i32>) -> (tensor<20xf32>, tensor<20xi32>) {
  %r:2 = "stablehlo.reduce_window"(%x, %y, %a, %b) ({ ^bb0(%p: tensor<f32>, %i: tensor<i32>, %q: tensor<f32>, %j: tensor<i32>):
    %s = stablehlo.subtract %p, %q : tensor<f32>
    %t = stablehlo.add %i, %j : tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32> }) {window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<20xf32>, tensor<20xi32>, tensor<f32>, tensor<i32>) -> (tensor<20xf32>, tensor<20xi32>)
  return %r#0, %r#1 : tensor<20xf32>, tensor<20xi32>
})",
      {floats({20}, 11), drawTensor(ElementType::SI32, {20}, Values::Few, 12),
       tensorOf<float>(ElementType::F32, {}, {2.0f}),
       tensorOf<int32_t>(ElementType::SI32, {}, {7})});
}

// Each result of a prefix window is computed from the previous result. This is the specification's
// order if combining the initial value with itself gives the initial value.
TEST(Reductions, InPrefixesOfAnyBody) {
  struct Case {
    Shape shape;
    size_t dimension;
  };
  for (const Case &test : {Case{{37}, 0}, {{1}, 0}, {{5, 18}, 0}, {{5, 18}, 1}, {{3, 7, 33}, 1}}) {
    for (ElementType type : {ElementType::F32, ElementType::BF16, ElementType::F64}) {
      for (bool fromLast : {false, true}) {
        std::string of = tensorType(test.shape, type), scalar = tensorType({}, type);
        std::string windows, padding;
        for (size_t d = 0; d < test.shape.size(); ++d) {
          int64_t size = d == test.dimension ? test.shape[d] : 1;
          std::string outside = std::to_string(size - 1);
          windows += (d == 0 ? "" : ", ") + std::to_string(size);
          padding += (d == 0 ? "[" : ", [") + (fromLast ? "0, " + outside : outside + ", 0") + "]";
        }
        check("func.func @main(%x: " + of + ") -> " + of +
                  " {\n  %z = stablehlo.constant dense<0.0> : " + scalar +
                  "\n  %r = \"stablehlo.reduce_window\"(%x, %z) ({ ^bb0(%p: " + scalar +
                  ", %q: " + scalar + "):\n    %h = stablehlo.constant dense<0.5> : " + scalar +
                  "\n    %s = stablehlo.multiply %p, %h : " + scalar +
                  "\n    %t = stablehlo.add %s, %q : " + scalar +
                  "\n    stablehlo.return %t : " + scalar +
                  "\n  }) {window_dimensions = array<i64: " + windows + ">, padding = dense<[" +
                  padding + "]> : tensor<" + std::to_string(test.shape.size()) + "x2xi64>} : (" +
                  of + ", " + scalar + ") -> " + of + "\n  return %r : " + of + "\n}\n",
              {drawTensor(type, test.shape, Values::Few, 13)}, everyTarget);
      }
    }
  }
}

// A sum that lanes compute for the results and the same sum computed inside another reduction are
// bitwise equal.
TEST(Reductions, ASumIsTheSameInEachLoop) {
  for (auto [a, b, c] : {std::array<int64_t, 3>{2, 3, 2}, {4, 7, 5}, {3, 9, 16}, {5, 33, 4}}) {
    std::string input = tensorType({a, b, c}, ElementType::F32);
    std::string sums = tensorType({a, c}, ElementType::F32);
    std::string rows = tensorType({a}, ElementType::F32);
    std::string flags = tensorType({a, c}, ElementType::I1);
    std::string text =
        "func.func @main(%x: " + input + ") -> (" + flags + ", " + flags +
        ") {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %least = stablehlo.constant "
        "dense<0xFF800000> : tensor<f32>\n  %s = stablehlo.reduce(%x init: %z) applies "
        "stablehlo.add across dimensions = [1] : (" +
        input + ", tensor<f32>) -> " + sums +
        "\n  %m = stablehlo.reduce(%s init: %least) applies stablehlo.maximum across dimensions = "
        "[1] : (" +
        sums + ", tensor<f32>) -> " + rows +
        "\n  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (" + rows + ") -> " + sums +
        "\n  %d = stablehlo.subtract %s, %b : " + sums +
        "\n  %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> " + sums +
        "\n  %above = stablehlo.compare GT, %d, %zeros, FLOAT : (" + sums + ", " + sums + ") -> " +
        flags + "\n  %equal = stablehlo.compare EQ, %d, %zeros, FLOAT : (" + sums + ", " + sums +
        ") -> " + flags + "\n  return %above, %equal : " + flags + ", " + flags + "\n}";
    check(text, {drawTensor(ElementType::F32, {a, b, c}, Values::Many, 7)}, everyTarget);
  }
}

// Sums of many positive numbers have errors of a few units in the last place, whichever dimensions
// are reduced. With a single accumulator for 65,536 addends, the error would be fifty units.
TEST(Reductions, LongSumsAreExactToAFewUnits) {
  struct Sum {
    Shape shape;
    std::vector<int64_t> dimensions;
    Shape result;
  };
  for (const Sum &sum : {Sum{{65536, 20}, {0}, {20}}, Sum{{64, 33, 31, 17}, {0, 1, 2}, {17}},
                         Sum{{4099, 2, 20}, {0, 1}, {20}}, Sum{{5, 4099, 3}, {1}, {5, 3}},
                         Sum{{3, 70001}, {1}, {3}}, Sum{{300, 301}, {0, 1}, {}}}) {
    Tensor x(ElementType::F32, sum.shape);
    std::mt19937 generator(13);
    for (int64_t i = 0; i < x.elements(); ++i) {
      x.as<float>()[i] = 1.0f + static_cast<float>(generator() >> 8) * 0x1p-24f;
    }
    checkWith(program(sum.shape, reduced("r", "x", "add", sum.dimensions, sum.shape, sum.result),
                      sum.result),
              {x}, everyTarget,
              [](const std::vector<Tensor> &got, const std::vector<Tensor> &expected) {
                for (int64_t i = 0; i < expected[0].elements(); ++i) {
                  float wanted = expected[0].as<float>()[i];
                  EXPECT_NEAR(got[0].as<float>()[i], wanted, wanted * 0x1p-21) << "element " << i;
                }
              });
  }
}

// Compares native code of select_and_scatter with the interpreter.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

struct WindowCase {
  Shape operand, source;
  std::vector<int64_t> window, strides;
  std::vector<std::pair<int64_t, int64_t>> padding;
};

static std::string windowProgram(const WindowCase &c, ElementType type,
                                 const std::string &direction, std::string scatterBody) {
  replaceAll(scatterBody, "<T>", "<" + std::string(name(type)) + ">");
  std::string operand = tensorType(c.operand, type), source = tensorType(c.source, type);
  std::string element = tensorType({}, type);
  std::ostringstream out;
  out << "func.func @main(%x: " << operand << ", %s: " << source << ", %i: " << element << ") -> "
      << operand
      << " {\n  %r = \"stablehlo.select_and_scatter\"(%x, %s, %i) <{window_dimensions = array<i64: "
      << list(c.window) << ">, window_strides = array<i64: " << list(c.strides)
      << ">, padding = dense<[";
  for (size_t i = 0; i < c.padding.size(); ++i) {
    out << (i == 0 ? "" : ", ") << "[" << c.padding[i].first << ", " << c.padding[i].second << "]";
  }
  out << "]> : tensor<" << c.padding.size() << "x2xi64>}> ({\n  ^bb0(%a: " << element
      << ", %b: " << element << "):\n    %p = stablehlo.compare " << direction << ", %a, %b : ("
      << element << ", " << element
      << ") -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }, {\n  ^bb0(%a: " << element
      << ", %b: " << element << "):\n"
      << scatterBody << "  }) : (" << operand << ", " << source << ", " << element << ") -> "
      << operand << "\n  return %r : " << operand << "\n}\n";
  return out.str();
}

static void checkWindow(const WindowCase &c, ElementType type, const std::string &direction,
                        const std::string &body, Values values = Values::Few,
                        const std::vector<std::string> &targets = nativeOnly) {
  check(windowProgram(c, type, direction, body),
        {drawTensor(type, c.operand, values, 1), drawTensor(type, c.source, Values::Many, 2),
         drawTensor(type, {}, Values::Few, 3)},
        targets);
}

static const std::vector<std::pair<int64_t, int64_t>> noPadding2 = {{0, 0}, {0, 0}},
                                                      noPadding4(4, {0, 0});
// Channels last (lanes run along channels), and channels first.
static const WindowCase channelsLast = {
    {2, 6, 8, 19}, {2, 3, 4, 19}, {1, 2, 2, 1}, {1, 2, 2, 1}, noPadding4};
static const WindowCase channelsFirst = {
    {2, 3, 6, 8}, {2, 3, 3, 4}, {1, 1, 2, 2}, {1, 1, 2, 2}, noPadding4};

TEST(WindowKernel, EveryType) {
  for (ElementType type : nativeTypes) {
    const std::string &body = isBoolean(type) ? setBody : addBody;
    checkWindow(channelsLast, type, "GE", body);
    checkWindow(channelsFirst, type, "GE", body);
  }
  checkWindow(channelsLast, ElementType::F32, "GE", addBody, Values::Few, everyTarget);
  checkWindow(channelsFirst, ElementType::F32, "GE", addBody, Values::Few, everyTarget);
}

// `>=` keeps the first of equal elements, `>` the last; NaN is never kept.
TEST(WindowKernel, SelectionOrder) {
  for (const char *direction : {"GE", "GT", "LE", "LT", "NE"}) {
    checkWindow(channelsLast, ElementType::F32, direction, addBody, Values::Special);
    checkWindow(channelsFirst, ElementType::F32, direction, generalBody, Values::Special);
  }
}

TEST(WindowKernel, Shapes) {
  const WindowCase cases[] = {
      // Overlapping windows.
      {{9, 9}, {7, 7}, {3, 3}, {1, 1}, noPadding2},
      // Padding on both sides, with some windows that contain only padding.
      {{9, 9}, {5, 5}, {3, 3}, {2, 2}, {{1, 1}, {1, 1}}},
      {{5, 4}, {6, 4}, {2, 2}, {2, 2}, {{3, 4}, {2, 2}}},
      // Negative padding removes elements.
      {{9, 9}, {3, 3}, {2, 2}, {2, 2}, {{-1, -1}, {-2, 0}}},
      // Strides larger than windows.
      {{10, 10}, {3, 4}, {2, 1}, {4, 3}, noPadding2},
      // One dimension, with windows of two elements and of one.
      {{30}, {15}, {2}, {2}, {{0, 0}}},
      {{30}, {30}, {1}, {1}, {{0, 0}}},
      // Padding in dimensions along which lanes don't run, and windows that extend along the last
      // dimension.
      {{7, 5, 33}, {4, 3, 33}, {3, 3, 1}, {2, 2, 1}, {{1, 1}, {1, 1}, {0, 0}}},
      {{3, 5, 33}, {3, 3, 17}, {1, 3, 3}, {1, 2, 2}, {{0, 0}, {1, 1}, {1, 1}}},
      // A short last dimension.
      {{4, 8, 2}, {4, 4, 2}, {1, 2, 1}, {1, 2, 1}, {{0, 0}, {0, 0}, {0, 0}}},
      // Many windows, which make several tiles.
      {{64, 40, 40}, {64, 20, 20}, {1, 2, 2}, {1, 2, 2}, {{0, 0}, {0, 0}, {0, 0}}},
      // No windows, no elements.
      {{3, 2}, {0, 1}, {4, 2}, {1, 1}, noPadding2},
      {{0, 4}, {0, 2}, {1, 2}, {1, 2}, noPadding2},
  };
  for (const WindowCase &c : cases) {
    checkWindow(c, ElementType::F32, "GE", addBody);
    checkWindow(c, ElementType::SI32, "GE", generalBody);
  }
}

// Without the attributes for strides and padding, strides are one and there is no padding.
TEST(WindowKernel, Defaults) {
  check(R"(
func.func @main(%x: tensor<4x20xf32>, %s: tensor<3x20xf32>, %i: tensor<f32>) -> tensor<4x20xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %n = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<4x20xf32>, tensor<3x20xf32>, tensor<f32>) -> tensor<4x20xf32>
  return %r : tensor<4x20xf32>
}
)",
        {drawTensor(ElementType::F32, {4, 20}, Values::Few, 1),
         drawTensor(ElementType::F32, {3, 20}, Values::Many, 2),
         drawTensor(ElementType::F32, {}, Values::Few, 3)});
}

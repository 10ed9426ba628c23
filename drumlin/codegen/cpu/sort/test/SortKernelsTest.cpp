// Compares native code of sorts and top_k with the interpreter.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

// Returns a program that sorts by one key. It also sorts the elements' positions, which show
// whether equal elements keep their order. In the comparator, T is the element type.
static std::string sortProgram(const Shape &shape, ElementType type, int64_t dimension,
                               std::string comparator) {
  replaceAll(comparator, "<T>", "<" + std::string(name(type)) + ">");
  std::string keys = tensorType(shape, type), places = tensorType(shape, ElementType::SI32);
  std::string element = tensorType({}, type);
  return "func.func @main(%keys: " + keys + ", %places: " + places + ") -> (" + keys + ", " +
         places + ") {\n" +
         "  %r:2 = \"stablehlo.sort\"(%keys, %places) <{dimension = " + std::to_string(dimension) +
         " : i64, is_stable = true}> ({\n  ^bb0(%a: " + element + ", %b: " + element +
         ", %c: tensor<i32>, %d: tensor<i32>):\n" + comparator + "  }) : (" + keys + ", " + places +
         ") -> (" + keys + ", " + places + ")\n  return %r#0, %r#1 : " + keys + ", " + places +
         "\n}\n";
}

static std::string comparison(const std::string &direction, const std::string &type = "") {
  return "    %p = stablehlo.compare " + direction + ", %a, %b" +
         (type.empty() ? "" : ", " + type) +
         " : (tensor<T>, tensor<T>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n";
}

static std::vector<Tensor> sortArguments(const Shape &shape, ElementType type, Values values) {
  Tensor places(ElementType::SI32, shape);
  for (int64_t i = 0; i < places.elements(); ++i) {
    places.as<int32_t>()[i] = static_cast<int32_t>(i);
  }
  return {drawTensor(type, shape, values, 7), places};
}

// Tests small and large keys of every type in both directions, with many equal keys.
TEST(SortKernel, EveryTypeAscendingAndDescending) {
  for (ElementType type : nativeTypes) {
    for (const char *direction : {"LT", "GT"}) {
      check(sortProgram({3, 70}, type, 1, comparison(direction)),
            sortArguments({3, 70}, type, Values::Few));
    }
    check(sortProgram({90}, type, 0, comparison("LT")), sortArguments({90}, type, Values::Many));
  }
}

// The total order is -NaN, -infinity, ..., -0, +0, ..., infinity, NaN.
TEST(SortKernel, TotalOrder) {
  for (ElementType type : nativeTypes) {
    if (!isFloat(type)) {
      continue;
    }
    check(sortProgram({2, 100}, type, 1, comparison("LT", "TOTALORDER")),
          sortArguments({2, 100}, type, Values::Special));
    check(sortProgram({20}, type, 0, comparison("GT", "TOTALORDER")),
          sortArguments({20}, type, Values::Special));
  }
}

// In the natural order, the two zeros are equal, so the sort must keep their order.
TEST(SortKernel, ZerosOfBothSigns) {
  std::vector<float> zeros;
  for (int i = 0; i < 40; ++i) {
    zeros.push_back(i % 3 == 0 ? 0.0f : i % 3 == 1 ? -0.0f : static_cast<float>(i % 2) - 0.5f);
  }
  std::vector<Tensor> arguments = sortArguments({40}, ElementType::F32, Values::Few);
  arguments[0] = tensorOf<float>(ElementType::F32, {40}, zeros);
  check(sortProgram({40}, ElementType::F32, 0, comparison("LT")), arguments);
  check(sortProgram({40}, ElementType::F32, 0, comparison("GT")), arguments);
}

// Tests lengths around three limits: the maximum for insertion sorts, full registers, and the
// minimum for wide digits.
TEST(SortKernel, Lengths) {
  for (int64_t length : {0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 5000}) {
    check(sortProgram({length}, ElementType::F32, 0, comparison("LT")),
          sortArguments({length}, ElementType::F32, Values::Few));
  }
  for (ElementType type : {ElementType::F32, ElementType::F64, ElementType::UI16}) {
    check(sortProgram({40000}, type, 0, comparison("GT")),
          sortArguments({40000}, type, Values::Many));
  }
}

// Tests rows along any dimension: many rows, few rows, and none.
TEST(SortKernel, Dimensions) {
  for (int64_t dimension : {0, 1, 2, -1}) {
    check(sortProgram({5, 40, 7}, ElementType::SI32, dimension, comparison("LT")),
          sortArguments({5, 40, 7}, ElementType::SI32, Values::Few));
  }
  check(sortProgram({3000, 9}, ElementType::F32, 1, comparison("LT")),
        sortArguments({3000, 9}, ElementType::F32, Values::Few));
  check(sortProgram({0, 9}, ElementType::F32, 1, comparison("LT")),
        sortArguments({0, 9}, ElementType::F32, Values::Few));
  check(sortProgram({9, 0}, ElementType::F32, 1, comparison("LT")),
        sortArguments({9, 0}, ElementType::F32, Values::Few));
}

TEST(SortKernel, EveryTarget) {
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::F16, ElementType::SI8}) {
    check(sortProgram({3, 100}, type, 1, comparison("GT")),
          sortArguments({3, 100}, type, Values::Few), everyTarget);
  }
}

// JAX's comparator: zeros of both signs are equal; all NaNs are equal and last.
static const char *canonicalComparator = R"(
    %zero = stablehlo.constant dense<0.0> : tensor<T>
    %nan = stablehlo.constant dense<NAN> : tensor<T>
    %a0 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<T>, tensor<T>) -> tensor<i1>
    %a1 = stablehlo.select %a0, %zero, %a : tensor<i1>, tensor<T>
    %a2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<T>, tensor<T>) -> tensor<i1>
    %a3 = stablehlo.select %a2, %nan, %a1 : tensor<i1>, tensor<T>
    %b0 = stablehlo.compare EQ, %b, %zero, FLOAT : (tensor<T>, tensor<T>) -> tensor<i1>
    %b1 = stablehlo.select %b0, %zero, %b : tensor<i1>, tensor<T>
    %b2 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<T>, tensor<T>) -> tensor<i1>
    %b3 = stablehlo.select %b2, %nan, %b1 : tensor<i1>, tensor<T>
    %p = stablehlo.compare LT, %a3, %b3, TOTALORDER : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
)";

TEST(SortKernel, CanonicalKeys) {
  const std::pair<ElementType, const char *> nans[] = {{ElementType::F32, "0x7FC00000"},
                                                       {ElementType::BF16, "0x7FC0"},
                                                       {ElementType::F64, "0x7FF8000000000000"}};
  for (auto [type, nan] : nans) {
    std::string comparator = canonicalComparator;
    replaceAll(comparator, "NAN", nan);
    check(sortProgram({200}, type, 0, comparator), sortArguments({200}, type, Values::Special));
  }
}

// Tests comparisons with the right-hand element first, and computed keys.
TEST(SortKernel, SwappedAndComputedKeys) {
  check(sortProgram({60}, ElementType::SI32, 0, R"(
    %p = stablehlo.compare GT, %b, %a : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
)"),
        sortArguments({60}, ElementType::SI32, Values::Few));
  check(sortProgram({60}, ElementType::SI32, 0, R"(
    %x = stablehlo.abs %a : tensor<T>
    %y = stablehlo.abs %b : tensor<T>
    %p = stablehlo.compare LT, %y, %x : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
)"),
        sortArguments({60}, ElementType::SI32, Values::Few));
  // A key computed from two operands.
  check(sortProgram({60}, ElementType::SI32, 0, R"(
    %x = stablehlo.multiply %a, %c : tensor<T>
    %y = stablehlo.multiply %b, %d : tensor<T>
    %p = stablehlo.compare LT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
)"),
        sortArguments({60}, ElementType::SI32, Values::Few));
  // There is no single key, because the two sides are computed differently.
  check(sortProgram({60}, ElementType::SI32, 0, R"(
    %x = stablehlo.add %a, %a : tensor<T>
    %y = stablehlo.add %b, %a : tensor<T>
    %p = stablehlo.compare LT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
)"),
        sortArguments({60}, ElementType::SI32, Values::Few));
}

// Tests comparators that must run on pairs of elements: with two keys, and `<=`, which reverses the
// order of equal elements.
TEST(SortKernel, GeneralComparators) {
  const char *twoKeys = R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %eq = stablehlo.compare EQ, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>
    %lt = stablehlo.compare LT, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>
    %x = stablehlo.remainder %c, %two : tensor<i32>
    %y = stablehlo.remainder %d, %two : tensor<i32>
    %gt = stablehlo.compare GT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = stablehlo.select %eq, %gt, %lt : tensor<i1>, tensor<i1>
    stablehlo.return %p : tensor<i1>
)";
  for (ElementType type : nativeTypes) {
    check(sortProgram({2, 61}, type, 1, twoKeys), sortArguments({2, 61}, type, Values::Few));
  }
  for (int64_t length : {0, 1, 2, 7, 8, 9, 16, 17, 1000}) {
    check(sortProgram({length, 2}, ElementType::F32, 0, twoKeys),
          sortArguments({length, 2}, ElementType::F32, Values::Few));
    check(sortProgram({length}, ElementType::F32, 0, comparison("LE")),
          sortArguments({length}, ElementType::F32, Values::Few));
  }
  check(sortProgram({100}, ElementType::F32, 0, twoKeys),
        sortArguments({100}, ElementType::F32, Values::Few), everyTarget);
}

// A comparator that isn't an order still yields a permutation.
TEST(SortKernel, AlwaysTrueComparator) {
  check(sortProgram({50}, ElementType::F32, 0, R"(
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
)"),
        sortArguments({50}, ElementType::F32, Values::Few));
}

// Only the sorted positions are used. One operand is a constant, and the comparator captures a
// value from outside.
TEST(SortKernel, UnusedResultsConstantsAndCaptures) {
  check(R"(
func.func @main(%keys: tensor<50xi32>, %places: tensor<50xi32>, %s: tensor<i32>) -> (tensor<50xi32>, tensor<50xf32>) {
  %c = stablehlo.constant dense<2.5> : tensor<50xf32>
  %r:3 = "stablehlo.sort"(%keys, %places, %c) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>, %f: tensor<f32>, %g: tensor<f32>):
    %x = stablehlo.xor %a, %s : tensor<i32>
    %y = stablehlo.xor %b, %s : tensor<i32>
    %p = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<50xi32>, tensor<50xi32>, tensor<50xf32>) -> (tensor<50xi32>, tensor<50xi32>, tensor<50xf32>)
  return %r#1, %r#2 : tensor<50xi32>, tensor<50xf32>
}
)",
        [] {
          std::vector<Tensor> arguments = sortArguments({50}, ElementType::SI32, Values::Few);
          arguments.push_back(tensorOf<int32_t>(ElementType::SI32, {}, {3}));
          return arguments;
        }());
}

//===- top_k ----------------------------------------------------------------===//

static std::string topProgram(Shape shape, ElementType type, int64_t k) {
  std::string operand = tensorType(shape, type);
  shape.back() = k;
  std::string values = tensorType(shape, type), places = tensorType(shape, ElementType::SI32);
  return "func.func @main(%x: " + operand + ") -> (" + values + ", " + places +
         ") {\n  %v, %i = chlo.top_k(%x, k = " + std::to_string(k) + ") : " + operand + " -> (" +
         values + ", " + places + ")\n  return %v, %i : " + values + ", " + places + "\n}\n";
}

// Tests k from 0 to the row's length, rows of a single element, and no rows.
TEST(TopKKernel, EdgeCases) {
  for (auto [length, k] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {7, 0}, {7, 7}, {40, 1}, {40, 40}, {33, 5}, {0, 0}}) {
    check(topProgram({3, length}, ElementType::F32, k),
          {drawTensor(ElementType::F32, {3, length}, Values::Special, 3)});
  }
  check(topProgram({0, 9}, ElementType::F32, 2),
        {drawTensor(ElementType::F32, {0, 9}, Values::Few, 3)});
  check(topProgram({60}, ElementType::F32, 9),
        {drawTensor(ElementType::F32, {60}, Values::Special, 3)});
}

TEST(TopKKernel, EveryType) {
  for (ElementType type : nativeTypes) {
    for (Values values : {Values::Few, Values::Special, Values::Many}) {
      for (int64_t k : {7, 20}) { // 7: minima algorithm if words have 64 bits; 20: radix
        check(topProgram({2, 50}, type, k), {drawTensor(type, {2, 50}, values, 5)});
      }
    }
  }
}

// Tests the minima algorithm, which extracts few elements with one pass each, with rows that fill
// registers and rows that don't.
TEST(TopKKernel, Minima) {
  for (int64_t length : {1, 15, 16, 17, 64, 1003, 5003}) {
    int64_t k = std::min<int64_t>(length, 11);
    for (Values values : {Values::Few, Values::Special}) {
      check(topProgram({3, length}, ElementType::F32, k),
            {drawTensor(ElementType::F32, {3, length}, values, 5)}, everyTarget);
    }
  }
}

// Tests long rows from which the best elements are selected without sorting the row: random, equal
// and ascending elements (the worst case), with full registers and remainders.
TEST(TopKKernel, Selection) {
  for (ElementType type : {ElementType::F32, ElementType::F64, ElementType::BF16, ElementType::SI8,
                           ElementType::UI64}) {
    for (Values values : {Values::Few, Values::Special, Values::Many}) {
      check(topProgram({2, 5003}, type, 20), {drawTensor(type, {2, 5003}, values, 5)});
    }
  }
  Tensor rising(ElementType::F32, {20000}), equal(ElementType::F32, {20000});
  for (int64_t i = 0; i < 20000; ++i) {
    rising.as<float>()[i] = static_cast<float>(i);
  }
  for (int64_t k : {1, 16, 1500}) {
    check(topProgram({20000}, ElementType::F32, k), {rising});
    check(topProgram({20000}, ElementType::F32, k), {equal});
  }
  check(topProgram({2, 5003}, ElementType::F32, 20),
        {drawTensor(ElementType::F32, {2, 5003}, Values::Many, 5)}, everyTarget);
}

// Sorts, top_k, scatters and select_and_scatter compiled to native code against the interpreter,
// bit for bit.
#include "drumlin/driver/Compiler.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/FloatFormats.h"
#include "gtest/gtest.h"

#include <limits>
#include <random>
#include <sstream>

using namespace drumlin;

//===- values ---------------------------------------------------------------===//

// What elements of a tensor are drawn from.
enum class Values {
  Few,     // a handful of numbers, so that many are equal
  Special, // those, zeros of both signs, infinities and NaNs of both signs
  Many,    // numbers that are rarely equal
};

static void setElement(Tensor &tensor, int64_t i, double value) {
  std::byte *element = tensor.data() + i * storageBytes(tensor.type());
  if (isFloat(tensor.type())) {
    encodeRun(tensor.type(), &value, element, 1);
    return;
  }
  int64_t bits = isBoolean(tensor.type()) ? value > 0 : static_cast<int64_t>(value);
  std::memcpy(element, &bits, storageBytes(tensor.type()));
}

static Tensor drawTensor(ElementType type, const Shape &shape, Values values, uint64_t seed) {
  static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1, -1};
  Tensor tensor(type, shape);
  std::mt19937_64 generator(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    uint64_t bits = generator();
    double number = static_cast<double>(bits % 5) - (isUnsigned(type) ? 0 : 2);
    if (values == Values::Many) {
      number = (static_cast<double>(bits >> 11) * 0x1p-53 - (isUnsigned(type) ? 0 : 0.5)) *
               (isFloat(type) ? 8 : 0x1p40);
    } else if (values == Values::Special && isFloat(type) && bits % 3 == 0) {
      number = special[bits / 16 % 8];
    }
    setElement(tensor, i, number);
  }
  return tensor;
}

template <typename T>
static Tensor tensorOf(ElementType type, Shape shape, const std::vector<T> &values) {
  Tensor tensor(type, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.as<T>());
  return tensor;
}

//===- programs -------------------------------------------------------------===//

static std::string tensorType(const Shape &shape, ElementType type) {
  std::ostringstream out;
  out << "tensor<";
  for (int64_t size : shape) {
    out << size << "x";
  }
  out << name(type) << ">";
  return out.str();
}

static std::string list(const std::vector<int64_t> &numbers) {
  std::ostringstream out;
  for (size_t i = 0; i < numbers.size(); ++i) {
    out << (i == 0 ? "" : ", ") << numbers[i];
  }
  return out.str();
}

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The same elements: NaNs of any payload are one.
static void expectSame(const Tensor &got, const Tensor &expected) {
  ASSERT_EQ(got.type(), expected.type());
  ASSERT_EQ(got.shape(), expected.shape());
  int64_t size = storageBytes(got.type());
  for (int64_t i = 0; i < got.elements(); ++i) {
    const std::byte *x = got.data() + i * size, *y = expected.data() + i * size;
    if (std::memcmp(x, y, static_cast<size_t>(size)) == 0) {
      continue;
    }
    double gotNumber = toDouble(got.type(), x), expectedNumber = toDouble(got.type(), y);
    ASSERT_TRUE(isFloat(got.type()) && std::isnan(gotNumber) && std::isnan(expectedNumber))
        << "element " << i << ": got " << gotNumber << ", expected " << expectedNumber;
  }
}

static std::vector<std::string> nativeOnly = {"native"};
static std::vector<std::string> everyTarget = {"native", "avx2", "baseline"};

// Compiles the program for each target and compares its results with the interpreter's.
static void check(const std::string &text, const std::vector<Tensor> &arguments,
                  const std::vector<std::string> &targets = nativeOnly) {
  SCOPED_TRACE(text);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registry.insert<plan::PlanDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(text, "test.mlir", context);
  ASSERT_TRUE(module) << module.error().str();
  auto expected = interpret(**module, arguments);
  ASSERT_TRUE(expected) << expected.error().str();
  for (const std::string &target : targets) {
    SCOPED_TRACE(target);
    mlir::OwningOpRef<mlir::ModuleOp> copy = mlir::cast<mlir::ModuleOp>((*module)->clone());
    CompileOptions options;
    options.useCache = false;
    options.targetCpu = target;
    options.threads = 1;
    auto compiled = compile(*copy, "test", options);
    ASSERT_TRUE(compiled) << compiled.error().str();
    LoadOptions load;
    load.threads = 2;
    auto executable = Executable::loadFromMemory(
        std::as_bytes(std::span<const char>(compiled->image)), "test", load);
    ASSERT_TRUE(executable) << executable.error().str();
    auto got = (*executable)->call(arguments);
    ASSERT_TRUE(got) << got.error().str();
    ASSERT_EQ(got->size(), expected->size());
    for (size_t i = 0; i < expected->size(); ++i) {
      SCOPED_TRACE("result " + std::to_string(i));
      expectSame((*got)[i], (*expected)[i]);
    }
  }
}

static const std::vector<ElementType> nativeTypes = {
    ElementType::I1,   ElementType::SI8,      ElementType::SI16,   ElementType::SI32,
    ElementType::SI64, ElementType::UI8,      ElementType::UI16,   ElementType::UI32,
    ElementType::UI64, ElementType::BF16,     ElementType::F16,    ElementType::F32,
    ElementType::F64,  ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F8E4M3FNUZ};

//===- sort -----------------------------------------------------------------===//

// A sort of one key with the position of each element: shows whether equal elements keep their
// order. T stands for the element type in the comparator.
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

// Small keys, large ones and both comparison orders of every type, with many equal keys.
TEST(SortKernel, EveryTypeAscendingAndDescending) {
  for (ElementType type : nativeTypes) {
    for (const char *direction : {"LT", "GT"}) {
      check(sortProgram({3, 70}, type, 1, comparison(direction)),
            sortArguments({3, 70}, type, Values::Few));
    }
    check(sortProgram({90}, type, 0, comparison("LT")), sortArguments({90}, type, Values::Many));
  }
}

// In the total order -NaN comes first, then -infinity, ... -0, +0, ... infinity, NaN.
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

// In the natural order the two zeros are equal: they keep their order.
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

// Lengths around the limits of insertion, of whole registers and of wide digits.
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

// Rows along any dimension, many and few, and none.
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

// JAX's comparator: zeros of both signs are equal, so are all NaNs, which come last.
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

// The right-hand element first in the comparison, and keys that are computed.
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
  // A key of two operands.
  check(sortProgram({60}, ElementType::SI32, 0, R"(
    %x = stablehlo.multiply %a, %c : tensor<T>
    %y = stablehlo.multiply %b, %d : tensor<T>
    %p = stablehlo.compare LT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
)"),
        sortArguments({60}, ElementType::SI32, Values::Few));
  // Not one key: the two sides are computed in different ways.
  check(sortProgram({60}, ElementType::SI32, 0, R"(
    %x = stablehlo.add %a, %a : tensor<T>
    %y = stablehlo.add %b, %a : tensor<T>
    %p = stablehlo.compare LT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
)"),
        sortArguments({60}, ElementType::SI32, Values::Few));
}

// Comparators that are run on pairs: two keys, and `<=`, which turns the order of equal elements
// around.
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

// A comparator that is no order at all still leaves a permutation.
TEST(SortKernel, AlwaysTrueComparator) {
  check(sortProgram({50}, ElementType::F32, 0, R"(
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
)"),
        sortArguments({50}, ElementType::F32, Values::Few));
}

// Only the positions are wanted; one operand is a constant and the comparator uses a value from
// outside.
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

// k from none to all, rows of one element, no rows.
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
      check(topProgram({2, 50}, type, 7), {drawTensor(type, {2, 50}, values, 5)});
    }
  }
}

// Long rows are selected from without being sorted: equal elements, rising ones (the worst case),
// whole registers and remainders.
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

//===- scatter --------------------------------------------------------------===//

struct ScatterCase {
  Shape input, indices, updates;
  std::string numbers; // of #stablehlo.scatter
  int64_t indexRange;  // indices are drawn from [-2, indexRange)
};

static const std::string addBody =
    "    %n = stablehlo.add %a, %b : tensor<T>\n    stablehlo.return %n : tensor<T>\n";
static const std::string setBody = "    stablehlo.return %b : tensor<T>\n";
static const std::string generalBody = "    %m = stablehlo.maximum %a, %b : tensor<T>\n"
                                       "    %n = stablehlo.add %m, %b : tensor<T>\n"
                                       "    stablehlo.return %n : tensor<T>\n";

static std::string scatterProgram(const ScatterCase &c, ElementType type, ElementType indexType,
                                  std::string body) {
  replaceAll(body, "<T>", "<" + std::string(name(type)) + ">");
  std::string input = tensorType(c.input, type), indices = tensorType(c.indices, indexType);
  std::string updates = tensorType(c.updates, type), element = tensorType({}, type);
  return "func.func @main(%x: " + input + ", %i: " + indices + ", %u: " + updates + ") -> " +
         input +
         " {\n  %r = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = "
         "#stablehlo.scatter<" +
         c.numbers + ">}> ({\n  ^bb0(%a: " + element + ", %b: " + element + "):\n" + body +
         "  }) : (" + input + ", " + indices + ", " + updates + ") -> " + input +
         "\n  return %r : " + input + "\n}\n";
}

static void checkScatter(const ScatterCase &c, ElementType type, const std::string &body,
                         ElementType indexType = ElementType::SI32,
                         const std::vector<std::string> &targets = nativeOnly) {
  Tensor indices(indexType, c.indices);
  std::mt19937_64 generator(11);
  for (int64_t i = 0; i < indices.elements(); ++i) {
    int64_t index = static_cast<int64_t>(generator() % static_cast<uint64_t>(c.indexRange + 2)) - 2;
    setElement(indices, i, static_cast<double>(index));
  }
  check(scatterProgram(c, type, indexType, body),
        {drawTensor(type, c.input, Values::Few, 1), indices,
         drawTensor(type, c.updates, Values::Many, 2)},
        targets);
}

// Rows of a table, with indices outside of it and rows that are hit more than once.
static const ScatterCase rowsOfTable = {{9, 37},
                                        {20, 1},
                                        {20, 37},
                                        "update_window_dims = [1], inserted_window_dims = [0], "
                                        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                                        11};

TEST(ScatterKernel, RowsOfEveryType) {
  for (ElementType type : nativeTypes) {
    checkScatter(rowsOfTable, type, setBody);
    if (!isBoolean(type)) {
      checkScatter(rowsOfTable, type, addBody);
      checkScatter(rowsOfTable, type, generalBody);
    }
  }
  checkScatter(rowsOfTable, ElementType::F32, addBody, ElementType::SI32, everyTarget);
}

TEST(ScatterKernel, IndexTypes) {
  for (ElementType type : {ElementType::SI8, ElementType::SI64, ElementType::UI8, ElementType::UI32,
                           ElementType::UI64}) {
    checkScatter(rowsOfTable, ElementType::F32, addBody, type);
  }
  std::string program = scatterProgram(rowsOfTable, ElementType::F32, ElementType::SI64, addBody);
  Tensor indices(ElementType::SI64, {20, 1});
  indices.as<int64_t>()[0] = std::numeric_limits<int64_t>::min();
  indices.as<int64_t>()[1] = std::numeric_limits<int64_t>::max();
  indices.as<int64_t>()[2] = 5;
  check(program, {drawTensor(ElementType::F32, {9, 37}, Values::Few, 1), indices,
                  drawTensor(ElementType::F32, {20, 37}, Values::Many, 2)});
}

TEST(ScatterKernel, Shapes) {
  const ScatterCase cases[] = {
      // Single elements, by one and by two indices.
      {{30},
       {50, 1},
       {50},
       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       32},
      {{6, 7},
       {50, 2},
       {50},
       "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1",
       8},
      // Indices without a dimension of their own, and with it in front.
      {{30},
       {50},
       {50},
       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       32},
      {{6, 7},
       {2, 5, 3},
       {5, 3},
       "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0",
       8},
      // Windows that reach over the edge: only the part inside counts.
      {{40},
       {5, 1},
       {5, 20},
       "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       44},
      {{12, 40},
       {5, 2},
       {5, 4, 20},
       "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1",
       42},
      // Whole inner dimensions are one row; the outer one is cut at the edge.
      {{12, 3, 5},
       {5, 1},
       {5, 4, 3, 5},
       "update_window_dims = [1, 2, 3], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       14},
      {{12, 3, 50},
       {5, 1},
       {5, 4, 2, 50},
       "update_window_dims = [1, 2, 3], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       14},
      // The window before the scattered dimensions, and between them.
      {{12, 20},
       {7, 1},
       {4, 20, 7},
       "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       14},
      {{12, 20},
       {7, 3, 2},
       {7, 4, 3, 10},
       "update_window_dims = [1, 3], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2",
       16},
      // One index vector for the whole window.
      {{12, 20},
       {2},
       {4, 20},
       "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], "
       "index_vector_dim = 0",
       4},
      // Batching dimensions, in another order than the input's.
      {{4, 10},
       {4, 3, 1},
       {4, 3},
       "inserted_window_dims = [1], input_batching_dims = [0], "
       "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
       "index_vector_dim = 2",
       12},
      {{4, 3, 10, 16},
       {3, 1, 4, 5},
       {3, 4, 5, 16},
       "update_window_dims = [3], inserted_window_dims = [2], input_batching_dims = [0, 1], "
       "scatter_indices_batching_dims = [2, 0], scatter_dims_to_operand_dims = [2], "
       "index_vector_dim = 1",
       12},
      // Nothing to scatter, nothing to scatter into.
      {{6, 20},
       {0, 1},
       {0, 20},
       "update_window_dims = [1], inserted_window_dims = [0], "
       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       4},
      {{0, 20},
       {3, 1},
       {3, 20},
       "update_window_dims = [1], inserted_window_dims = [0], "
       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       4},
  };
  for (const ScatterCase &c : cases) {
    for (const std::string &body : {addBody, setBody}) {
      checkScatter(c, ElementType::F32, body);
      checkScatter(c, ElementType::SI8, body);
    }
  }
}

// Two inputs that are updated together, of which one is wanted; the update computation uses a value
// from outside.
TEST(ScatterKernel, SeveralInputs) {
  const char *both = R"(
func.func @main(%x: tensor<9x20xf32>, %y: tensor<9x20xi32>, %i: tensor<12x1xi32>, %u: tensor<12x20xf32>,
                %v: tensor<12x20xi32>, %s: tensor<f32>) -> RESULT {
  %r:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.multiply %c, %s : tensor<f32>
    %e = stablehlo.select %p, %m, %a : tensor<i1>, tensor<f32>
    %f = stablehlo.maximum %b, %d : tensor<i32>
    stablehlo.return %e, %f : tensor<f32>, tensor<i32>
  }) : (tensor<9x20xf32>, tensor<9x20xi32>, tensor<12x1xi32>, tensor<12x20xf32>, tensor<12x20xi32>)
      -> (tensor<9x20xf32>, tensor<9x20xi32>)
  RETURN
}
)";
  Tensor indices(ElementType::SI32, {12, 1});
  for (int i = 0; i < 12; ++i) {
    indices.as<int32_t>()[i] = i % 5 * 2;
  }
  std::vector<Tensor> arguments = {drawTensor(ElementType::F32, {9, 20}, Values::Many, 1),
                                   drawTensor(ElementType::SI32, {9, 20}, Values::Few, 2),
                                   indices,
                                   drawTensor(ElementType::F32, {12, 20}, Values::Many, 3),
                                   drawTensor(ElementType::SI32, {12, 20}, Values::Few, 4),
                                   tensorOf<float>(ElementType::F32, {}, {1.5f})};
  for (auto [result, returned] : std::vector<std::pair<std::string, std::string>>{
           {"(tensor<9x20xf32>, tensor<9x20xi32>)",
            "return %r#0, %r#1 : tensor<9x20xf32>, tensor<9x20xi32>"},
           {"tensor<9x20xf32>", "return %r#0 : tensor<9x20xf32>"},
           {"(tensor<9x20xi32>, tensor<9x20xf32>)",
            "return %r#1, %r#0 : tensor<9x20xi32>, tensor<9x20xf32>"}}) {
    std::string program = both;
    replaceAll(program, "RESULT", result);
    replaceAll(program, "RETURN", returned);
    check(program, arguments);
  }
}

// Inputs that nobody else needs: the results take over their memory, and nothing is copied.
TEST(ScatterKernel, InPlace) {
  const std::string text = R"(
func.func @main(%x: tensor<9x20xf32>, %y: tensor<9x20xf32>, %i: tensor<12x1xi32>,
                %u: tensor<12x20xf32>) -> (tensor<9x20xf32>, tensor<9x20xf32>) {
  %x2 = stablehlo.dot_general %x, %u, contracting_dims = [1] x [1] : (tensor<9x20xf32>, tensor<12x20xf32>) -> tensor<9x12xf32>
  %x3 = stablehlo.slice %x2 [0:9, 0:12] : (tensor<9x12xf32>) -> tensor<9x12xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %x4 = stablehlo.pad %x3, %z, low = [0, 0], high = [0, 8], interior = [0, 0] : (tensor<9x12xf32>, tensor<f32>) -> tensor<9x20xf32>
  %y2 = stablehlo.negate %y : tensor<9x20xf32>
  %r:2 = "stablehlo.scatter"(%x4, %y2, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %e = stablehlo.add %a, %d : tensor<f32>
    %f = stablehlo.maximum %b, %c : tensor<f32>
    stablehlo.return %e, %f : tensor<f32>, tensor<f32>
  }) : (tensor<9x20xf32>, tensor<9x20xf32>, tensor<12x1xi32>, tensor<12x20xf32>, tensor<12x20xf32>)
      -> (tensor<9x20xf32>, tensor<9x20xf32>)
  %s = stablehlo.negate %r#0 : tensor<9x20xf32>
  %t = stablehlo.add %r#1, %r#1 : tensor<9x20xf32>
  return %s, %t : tensor<9x20xf32>, tensor<9x20xf32>
}
)";
  Tensor indices(ElementType::SI32, {12, 1});
  for (int i = 0; i < 12; ++i) {
    indices.as<int32_t>()[i] = i % 5 * 2;
  }
  // Small whole numbers, so that the order of the dot's sums doesn't show.
  check(text, {drawTensor(ElementType::F32, {9, 20}, Values::Few, 1),
               drawTensor(ElementType::F32, {9, 20}, Values::Few, 2), indices,
               drawTensor(ElementType::F32, {12, 20}, Values::Few, 3)});
}

// Inputs and updates that are constants of one value.
TEST(ScatterKernel, Constants) {
  check(R"(
func.func @main(%i: tensor<12x1xi32>) -> tensor<30xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<30xf32>
  %u = stablehlo.constant dense<0.5> : tensor<12xf32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %n = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<30xf32>, tensor<12x1xi32>, tensor<12xf32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}
)",
        {drawTensor(ElementType::SI32, {12, 1}, Values::Few, 1)});
}

//===- select_and_scatter -----------------------------------------------------===//

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
// Channels last (lanes run along them), and channels first.
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

// The first of equal elements stays with `>=`, the last with `>`; NaN is held by neither.
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
      // Padding on either side, also so much that some windows have nothing else.
      {{9, 9}, {5, 5}, {3, 3}, {2, 2}, {{1, 1}, {1, 1}}},
      {{5, 4}, {6, 4}, {2, 2}, {2, 2}, {{3, 4}, {2, 2}}},
      // Negative padding leaves elements out.
      {{9, 9}, {3, 3}, {2, 2}, {2, 2}, {{-1, -1}, {-2, 0}}},
      // Steps larger than windows.
      {{10, 10}, {3, 4}, {2, 1}, {4, 3}, noPadding2},
      // One dimension, with and without windows; a scalar.
      {{30}, {15}, {2}, {2}, {{0, 0}}},
      {{30}, {30}, {1}, {1}, {{0, 0}}},
      // Lanes with padding in the other dimensions, and a last dimension that a window crosses.
      {{7, 5, 33}, {4, 3, 33}, {3, 3, 1}, {2, 2, 1}, {{1, 1}, {1, 1}, {0, 0}}},
      {{3, 5, 33}, {3, 3, 17}, {1, 3, 3}, {1, 2, 2}, {{0, 0}, {1, 1}, {1, 1}}},
      // A short last dimension.
      {{4, 8, 2}, {4, 4, 2}, {1, 2, 1}, {1, 2, 1}, {{0, 0}, {0, 0}, {0, 0}}},
      // Many windows: several tiles.
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

// Strides of one and no padding, where the program says nothing.
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

//===- reductions that select -----------------------------------------------===//

// As JAX writes argmax and argmin: NaN wins, then the better value, then the lower position.
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
// NaN loses here, and what comes later wins: only the order of the elements gives the result.
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

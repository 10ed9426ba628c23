#include "drumlin/interpreter/kernels/EvaluateReduce.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/EvaluateWindow.h"
#include "drumlin/interpreter/kernels/Index.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"

using namespace drumlin;
using namespace drumlin::interpreter;
using enum drumlin::ElementType;

static const KernelOptions options;

// Make the same body in two forms: as a known operation, and as a function that is called.
static ReductionBody known(BinaryOperation operation, ElementType type) {
  ReductionBody body;
  body.types = {type};
  body.operation = operation;
  return body;
}

static ReductionBody called(BinaryOperation operation, ElementType type) {
  ReductionBody body;
  body.types = {type};
  body.call = [=](std::span<const Tensor> arguments) -> Result<std::vector<Tensor>> {
    Result<Tensor> result = binary(operation, arguments[0], arguments[1]);
    if (!result) {
      return result.error();
    }
    return std::vector<Tensor>{*result};
  };
  return body;
}

static Result<Tensor> reduceOne(const Tensor &input, const Tensor &initial,
                                std::vector<int64_t> dimensions, const ReductionBody &body,
                                const KernelOptions &kernelOptions = options) {
  std::vector<Tensor> inputs{input};
  std::vector<Tensor> initials{initial};
  Result<std::vector<Tensor>> results = reduce(inputs, initials, dimensions, body, kernelOptions);
  return results ? Result<Tensor>(results->front()) : results.error();
}

TEST(Reduce, AlongEachDimension) {
  Tensor input = make(SI64, {2, 3}, {0, 1, 2, 3, 4, 5});
  for (auto body : {known, called}) {
    ReductionBody add = body(BinaryOperation::Add, SI64);
    expectTensor(reduceOne(input, make(SI64, {}, {10}), {1}, add), SI64, {2}, {13, 22});
    expectTensor(reduceOne(input, make(SI64, {}, {0}), {0}, add), SI64, {3}, {3, 5, 7});
    expectTensor(reduceOne(input, make(SI64, {}, {0}), {0, 1}, add), SI64, {}, {15});
    expectTensor(reduceOne(input, make(SI64, {}, {1}), {}, add), SI64, {2, 3}, {1, 2, 3, 4, 5, 6});
    expectTensor(reduceOne(make(SI64, {2, 0}, {}), make(SI64, {}, {7}), {1}, add), SI64, {2},
                 {7, 7});
    expectTensor(reduceOne(make(SI64, {}, {5}), make(SI64, {}, {7}), {}, add), SI64, {}, {12});
  }
}

TEST(Reduce, KnownOperations) {
  Tensor input = make(F32, {4}, {1, quietNan, -0.0, 3});
  expectElements(reduceOne(input, make(F32, {}, {-inf}), {0}, known(BinaryOperation::Maximum, F32)),
                 {quietNan});
  Tensor numbers = make(F32, {3}, {2, 3, 4});
  expectElements(reduceOne(numbers, make(F32, {}, {1}), {0}, known(BinaryOperation::Multiply, F32)),
                 {24});
  expectElements(
      reduceOne(numbers, make(F32, {}, {inf}), {0}, known(BinaryOperation::Minimum, F32)), {2});
  Tensor bits = make(I1, {3}, {0, 1, 1});
  expectElements(reduceOne(bits, make(I1, {}, {1}), {0}, known(BinaryOperation::And, I1)), {0});
  expectElements(reduceOne(bits, make(I1, {}, {0}), {0}, known(BinaryOperation::Or, I1)), {1});
  expectElements(reduceOne(make(SI8, {2}, {100, 100}), make(SI8, {}, {0}), {0},
                           known(BinaryOperation::Add, SI8)),
                 {-56});
}

// Sums of narrow types stay wide inside one reduction. Without wideAccumulation each partial sum is
// rounded.
TEST(Reduce, WidthOfAccumulation) {
  Tensor ones = make(BF16, {1024}, std::vector<double>(1024, 1));
  Tensor zero = make(BF16, {}, {0});
  KernelOptions narrow;
  narrow.wideAccumulation = false;
  expectElements(reduceOne(ones, zero, {0}, known(BinaryOperation::Add, BF16)), {1024});
  expectElements(reduceOne(ones, zero, {0}, known(BinaryOperation::Add, BF16), narrow), {256});
  expectElements(reduceOne(ones, zero, {0}, called(BinaryOperation::Add, BF16), narrow), {256});
}

// The body computes in a wider type than the inputs.
TEST(Reduce, ConvertsToTheBodysType) {
  expectTensor(reduceOne(make(SI8, {2}, {100, 100}), make(SI8, {}, {0}), {0},
                         known(BinaryOperation::Add, SI32)),
               SI32, {}, {200});
}

// argmax: two inputs and a body of several operations.
TEST(Reduce, SeveralInputs) {
  ReductionBody body;
  body.types = {F32, SI32};
  body.call = [](std::span<const Tensor> a) -> Result<std::vector<Tensor>> {
    Result<Tensor> first = compare(ComparisonDirection::GE, ComparisonType::Natural, a[0], a[2]);
    return std::vector<Tensor>{*select(*first, a[0], a[2]), *select(*first, a[1], a[3])};
  };
  std::vector<Tensor> inputs{make(F32, {2, 3}, {1, 5, 5, 9, 2, 3}),
                             make(SI32, {2, 3}, {0, 1, 2, 0, 1, 2})};
  std::vector<Tensor> initial{make(F32, {}, {-inf}), make(SI32, {}, {0})};
  std::vector<int64_t> dimensions{1};
  Result<std::vector<Tensor>> results = reduce(inputs, initial, dimensions, body, options);
  ASSERT_TRUE(bool(results));
  expectElements((*results)[0], {5, 9});
  expectElements((*results)[1], {1, 0});
}

static Result<Tensor> windowOne(const Tensor &input, const Tensor &initial,
                                const ReductionWindow &window, const ReductionBody &body) {
  std::vector<Tensor> inputs{input};
  std::vector<Tensor> initials{initial};
  Result<std::vector<Tensor>> results = reduceWindow(inputs, initials, window, body, options);
  return results ? Result<Tensor>(results->front()) : results.error();
}

// The specification's example.
TEST(ReduceWindow, SpecificationExample) {
  ReductionWindow window{{2, 1}, {4, 1}, {2, 1}, {3, 1}, {2, 0}, {1, 0}};
  Tensor input = make(SI64, {3, 2}, {1, 2, 3, 4, 5, 6});
  for (auto body : {known, called}) {
    expectTensor(windowOne(input, make(SI64, {}, {0}), window, body(BinaryOperation::Add, SI64)),
                 SI64, {2, 2}, {0, 0, 3, 4});
  }
}

TEST(ReduceWindow, PoolingWithPadding) {
  ReductionWindow window{{2}, {1}, {1}, {1}, {1}, {0}};
  Tensor input = make(F32, {3}, {3, 1, 2});
  for (auto body : {known, called}) {
    expectElements(
        windowOne(input, make(F32, {}, {-inf}), window, body(BinaryOperation::Maximum, F32)),
        {3, 3, 2});
  }
  ReductionWindow wide{{5}, {1}, {1}, {1}, {0}, {0}};
  expectTensor(windowOne(input, make(F32, {}, {0}), wide, known(BinaryOperation::Add, F32)), F32,
               {0}, {});
}

// Reduces each window separately, element by element, from the first to the last.
static Tensor oneByOne(const Tensor &input, const Tensor &initial, const ReductionWindow &window,
                       ReductionBody body) {
  size_t rank = input.shape().size();
  Shape counts(rank), strides = rowMajorStrides(input.shape());
  for (size_t d = 0; d < rank; ++d) {
    counts[d] =
        ((input.shape()[d] - 1) * window.baseDilations[d] + 1 + window.paddingLow[d] +
         window.paddingHigh[d] - (window.dimensions[d] - 1) * window.windowDilations[d] - 1) /
            window.strides[d] +
        1;
  }
  Tensor result = *allocate(input.type(), counts, options);
  std::vector<double> numbers = elements(input);
  double start = elements(initial).front();
  int64_t count = 0;
  forEachIndex(counts, [&](const Index &place) {
    std::vector<double> ofWindow;
    forEachIndex(window.dimensions, [&](const Index &element) {
      Index at(rank);
      bool isElement = true;
      for (size_t d = 0; d < rank; ++d) {
        at[d] = place[d] * window.strides[d] + element[d] * window.windowDilations[d] -
                window.paddingLow[d];
        isElement &= at[d] % window.baseDilations[d] == 0;
        at[d] /= window.baseDilations[d];
      }
      bool lies = isElement && inBounds(at, input.shape());
      ofWindow.push_back(lies ? numbers[static_cast<size_t>(linearIndex(at, strides))] : start);
    });
    Tensor line = make(input.type(), {static_cast<int64_t>(ofWindow.size())}, ofWindow);
    setElement(result, count++, *reduceOne(line, initial, {0}, body));
  });
  return result;
}

// Windows that all begin at or before the first element give the same bits as separate sums. The
// cases have strides, gaps, padding behind the elements, outer and inner dimensions, and initial
// values that change the sum each time that padding is added.
TEST(ReduceWindow, CumulativeWindows) {
  const ReductionWindow windows[] = {
      {{1, 9, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 8, 0}, {0, 0, 0}},
      {{1, 9, 2}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {0, 8, 1}, {0, 3, 0}},
      {{1, 17, 2}, {2, 3, 1}, {1, 2, 1}, {1, 1, 2}, {0, 16, 0}, {0, 0, 1}},
      {{3, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {2, 0, 0}, {0, 0, 0}},
      {{3, 9, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {2, 8, 0}, {0, 0, 0}},
      {{1, 9, 1}, {1, 1, 1}, {1, 1, 1}, {1, 2, 1}, {0, 8, 0}, {0, 8, 0}},
      {{1, 4, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 8, 0}, {0, 0, 0}},
      // Windows that reach from each element to the end.
      {{1, 9, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 8, 0}},
      {{1, 10, 2}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 9, 0}},
  };
  std::vector<double> numbers(3 * 9 * 4);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::sin(static_cast<double>(i * i)) * 100;
  }
  for (const ReductionWindow &window : windows) {
    bool fromLast = window.paddingLow[1] < 8 && window.paddingHigh[1] >= 8;
    for (auto [operation, type, initial] :
         {std::tuple(BinaryOperation::Add, F32, 0.0), std::tuple(BinaryOperation::Add, F32, 0.3),
          std::tuple(BinaryOperation::Multiply, F32, 1.0),
          std::tuple(BinaryOperation::Multiply, F32, 0.5),
          std::tuple(BinaryOperation::Add, BF16, 0.0), std::tuple(BinaryOperation::Add, F64, 0.0),
          std::tuple(BinaryOperation::Maximum, F32, -inf),
          std::tuple(BinaryOperation::Add, SI8, 0.0), std::tuple(BinaryOperation::Add, SI8, 3.0),
          std::tuple(BinaryOperation::Multiply, SI8, 1.0)}) {
      bool reordered = fromLast && operation != BinaryOperation::Maximum && type != SI8;
      Tensor input = make(type, {3, 9, 4}, numbers), start = make(type, {}, {initial});
      for (auto body : {known, called}) {
        ReductionBody made = body(operation, type);
        Result<Tensor> got = windowOne(input, start, window, made);
        ASSERT_TRUE(bool(got));
        Tensor want = oneByOne(input, start, window, made);
        ASSERT_EQ(got->shape(), want.shape());
        if (!reordered || !made.operation) {
          EXPECT_EQ(std::memcmp(got->data(), want.data(), static_cast<size_t>(want.bytes())), 0);
          continue;
        }
        double tolerance = type == F64 ? 1e-15 : type == F32 ? 1e-6 : 1e-2;
        std::vector<double> had = elements(*got), wanted = elements(want);
        for (size_t i = 0; i < had.size(); ++i) {
          // The error of an f64 sum grows with the magnitude of the addends. For other types, the
          // tolerance is relative to the result.
          EXPECT_NEAR(had[i], wanted[i], tolerance * (type == F64 ? 2000 : std::abs(wanted[i])));
        }
      }
    }
  }
}

// A million windows of up to a million elements take one step per element.
TEST(ReduceWindow, LongCumulativeWindows) {
  constexpr int64_t count = 1'000'000;
  Tensor ones = make(F32, {count}, std::vector<double>(count, 1)), zero = make(F32, {}, {0});
  for (bool fromLast : {false, true}) {
    int64_t low = fromLast ? 0 : count - 1;
    ReductionWindow window{{count}, {1}, {1}, {1}, {low}, {count - 1 - low}};
    Result<Tensor> sums = windowOne(ones, zero, window, known(BinaryOperation::Add, F32));
    ASSERT_TRUE(bool(sums));
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(sums->as<float>()[i], static_cast<float>(fromLast ? count - i : i + 1));
    }
  }
}

// The specification's example. With GE, ties keep the first element.
TEST(SelectAndScatter, SpecificationExample) {
  Tensor operand = make(SI64, {4, 2}, {1, 5, 2, 5, 3, 6, 4, 4});
  Tensor source = make(SI64, {2, 2}, {5, 6, 7, 8});
  ReductionWindow window{{3, 1}, {2, 1}, {1, 1}, {1, 1}, {0, 0}, {1, 0}};
  ComparisonBody simple;
  simple.simple =
      ComparisonBody::Simple{0, false, ComparisonDirection::GE, ComparisonType::Natural};
  ComparisonBody general;
  general.call = [](std::span<const Tensor> a) -> Result<std::vector<Tensor>> {
    return std::vector<Tensor>{
        *compare(ComparisonDirection::GE, ComparisonType::Natural, a[0], a[1])};
  };
  for (const ComparisonBody &select : {simple, general}) {
    for (auto body : {known, called}) {
      expectTensor(selectAndScatter(operand, source, make(SI64, {}, {0}), window, select,
                                    body(BinaryOperation::Add, SI64), options),
                   SI64, {4, 2}, {0, 0, 0, 0, 5, 14, 7, 0});
    }
  }
}

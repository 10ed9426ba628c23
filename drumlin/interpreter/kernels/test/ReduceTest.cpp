#include "drumlin/interpreter/kernels/Reduce.h"
#include "drumlin/interpreter/kernels/Window.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"

using namespace drumlin;
using namespace drumlin::interpreter;
using enum drumlin::ElementType;

static const KernelOptions options;

// The same body as a known operation and as a function that is called.
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

// Sums of short types stay wide inside one reduction; without the option each partial sum is
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

// A body in a wider type than its inputs.
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

// The specification's example; ties keep the first element with GE.
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

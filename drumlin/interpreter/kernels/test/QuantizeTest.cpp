#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/interpreter/kernels/EvaluateQuantize.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"
#include "drumlin/support/FloatFormats.h"

namespace drumlin::interpreter {

static const KernelOptions options;

TEST(Quantize, RoundsToEvenAndClamps) {
  Quantization q;
  q.scales = {0.5};
  q.zeroPoints = {10};
  Tensor x = make(ElementType::F32, {0.25, 0.75, -100, 100, quietNan});
  Result<Tensor> stored = quantize(x, q, options);
  // 10.5 and 11.5 are ties.
  expectElements(stored, {10, 12, -128, 127, 0});
  expectElements(dequantize(*stored, q, options), {0, 1, -69, 58.5, -5});
}

TEST(Quantize, BlocksHaveTheirOwnScales) {
  Quantization q;
  q.scales = {1, 10};
  q.zeroPoints = {0, 1};
  q.blockSizes = {2, 2};
  Tensor x = make(ElementType::F32, {2, 4}, {1, 2, 10, 20, 3, 4, 30, 40});
  Result<Tensor> stored = quantize(x, q, options);
  expectElements(stored, {1, 2, 2, 3, 3, 4, 4, 5});
  expectElements(dequantize(*stored, q, options), {1, 2, 10, 20, 3, 4, 30, 40});
}

// Returns all numbers of types of up to 16 bits. For wider types, returns numbers around the zero
// point and around both ends of the stored range.
static Tensor numbersOf(ElementType type, const Quantization &q) {
  std::vector<double> numbers{inf, -inf, quietNan, -0.0};
  if (info(type).bits <= 16) {
    for (uint64_t pattern = 0; pattern < uint64_t{1} << info(type).bits; ++pattern) {
      numbers.push_back(decode(type, pattern));
    }
    return make(type, numbers);
  }
  for (int64_t stored : {q.storageMin, q.zeroPoints[0], q.storageMax}) {
    for (int eighths = -80; eighths <= 80; ++eighths) {
      double from = static_cast<double>(stored - q.zeroPoints[0]);
      numbers.push_back((from + eighths / 8.0) * q.scales[0]);
    }
  }
  return make(type, numbers);
}

// Computes the specification's formula operation by operation, each rounding to the expressed type.
// If that type can't represent the bounds, the result is clamped as an integer at the end.
static Tensor byFormula(const Tensor &x, const Quantization &q) {
  auto constant = [&](double value) { return make(q.expressed, {}, {value}); };
  Tensor y = *binary(BinaryOperation::Divide, x, constant(q.scales[0]));
  y = *binary(BinaryOperation::Add, y, constant(static_cast<double>(q.zeroPoints[0])));
  auto least = static_cast<double>(q.storageMin), most = static_cast<double>(q.storageMax);
  if (double low = roundTo(q.expressed, least); !std::isnan(low)) {
    y = *binary(BinaryOperation::Maximum, y, constant(low));
  }
  if (double high = roundTo(q.expressed, most); !std::isnan(high)) {
    y = *binary(BinaryOperation::Minimum, y, constant(high));
  }
  y = *convert(*unary(UnaryOperation::RoundNearestEven, y), q.storage);
  return *clamp(make(q.storage, {}, {least}), y, make(q.storage, {}, {most}));
}

static void compareWithFormula(const Quantization &q) {
  Tensor x = numbersOf(q.expressed, q);
  Result<Tensor> stored = quantize(x, q, options);
  ASSERT_TRUE(stored) << stored.error().str();
  std::vector<double> numbers = elements(x), got = elements(*stored),
                      expected = elements(byFormula(x, q));
  size_t differ = 0, first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    first = got[i] != expected[i] && differ == 0 ? i : first;
    differ += got[i] != expected[i];
  }
  EXPECT_EQ(differ, 0U) << name(q.expressed) << " as " << name(q.storage) << ", scale "
                        << q.scales[0] << ", zero point " << q.zeroPoints[0] << ": "
                        << numbers[first] << " becomes " << got[first] << ", not "
                        << expected[first];
}

TEST(Quantize, IsTheFormulaForAllNumbersOfAllTypes) {
  for (size_t e = 0; e < elementTypeCount(); ++e) {
    for (size_t s = 0; s < elementTypeCount(); ++s) {
      auto expressed = static_cast<ElementType>(e), storage = static_cast<ElementType>(s);
      unsigned bits = info(storage).bits;
      if (!isFloat(expressed) || !isInteger(storage) || bits > 32) {
        continue;
      }
      Quantization q;
      q.expressed = expressed;
      q.storage = storage;
      q.storageMin = isSigned(storage) ? -(int64_t{1} << (bits - 1)) : 0;
      q.storageMax = q.storageMin + (int64_t{1} << bits) - 1;
      for (double scale : {0.5, 1.0, 3.0}) {
        for (int64_t zero : {q.storageMin, int64_t{0}, int64_t{1}, q.storageMax}) {
          q.scales = {scale};
          q.zeroPoints = {zero};
          compareWithFormula(q);
        }
      }
      q.storageMin += 1;
      q.storageMax -= 1;
      q.zeroPoints = {q.storageMax};
      compareWithFormula(q);
    }
  }
}

} // namespace drumlin::interpreter

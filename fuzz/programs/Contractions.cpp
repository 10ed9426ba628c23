// Dots and convolutions. In an exact program the operands are integers whose dot products are exact
// in the accumulator type.
#include "Generator.h"
#include "PrintedProgram.h"

#include <algorithm>
#include <cmath>

namespace drumlin::fuzz {

static constexpr double maxProducts = 400000; // maximum MACs; the interpreter is slow

static Facts productFacts(const Value &left, const Value &right, double terms, ElementType result) {
  Facts facts = madeOf({&left, &right});
  if (!isFloat(result)) {
    return {-1, false, false};
  }
  double sum = left.bound * right.bound * terms;
  if (left.isIntegral() && right.isIntegral() && sum <= accumulationLimit(left.type.element)) {
    facts.bound = sum > exactLimit(result) ? sum * 1.25 : sum;
  } else {
    facts.isRounded = facts.mayBeNan = true;
  }
  return facts;
}

Value Generator::exactFactor(Value value, double terms) {
  if (!isExact || !isFloat(value.type.element)) {
    return value;
  }
  double limit = std::sqrt(accumulationLimit(value.type.element) / std::max(terms, 1.0));
  return integers(value, std::min(limit, std::max(value.bound, 3.0)));
}

// Returns an allowed result type for operands of this type.
static ElementType productType(Random &random, ElementType operand) {
  if (random.chance(60) || isBoolean(operand)) {
    return operand;
  }
  if (isFloat(operand)) {
    return operand == ElementType::F64 ? operand : ElementType::F32;
  }
  return info(operand).bits < 32 && isSigned(operand) ? ElementType::SI32 : operand;
}

static std::string precisionText(Random &random) {
  if (random.chance(70)) {
    return "";
  }
  std::string all[2];
  for (std::string &each : all) {
    each = random.pick<std::string>({"DEFAULT", "HIGH", "HIGHEST"});
  }
  return ", precision = [" + all[0] + ", " + all[1] + "]";
}

bool Generator::dot() {
  auto isFactor = [&](const Value &each) {
    return each.type.shape.size() >= 1 && (exactLimit(each.type.element) > 0 || !isExact);
  };
  Value left = findOrMake(isFactor, [&] {
    return TensorType{random.chance(80) ? floatElement() : integerElement(), anyShape(2)};
  });
  size_t rank = left.type.shape.size();
  // Each dimension of lhs becomes a batch, contracting or free dimension.
  std::vector<int64_t> leftBatch, leftContracting, free;
  double terms = 1;
  for (int64_t i : permutation(rank)) {
    bool mustContract = leftContracting.empty() && leftBatch.size() + free.size() + 1 == rank;
    int kind = mustContract ? 1 : random.weighted<int>({{rank > 2 ? 30 : 6, 0}, {40, 1}, {50, 2}});
    if (kind == 1) {
      leftContracting.push_back(i);
      terms *= static_cast<double>(left.type.shape[static_cast<size_t>(i)]);
    } else {
      (kind == 0 ? leftBatch : free).push_back(i);
    }
  }
  std::sort(free.begin(), free.end());
  // rhs has the same batch and contracting dimensions and its own free dimensions, in any order.
  struct Dimension {
    int64_t size = 0;
    int kind = 0;
    size_t number = 0;
  };
  std::vector<Dimension> dimensions;
  for (size_t i = 0; i < leftBatch.size(); ++i) {
    dimensions.push_back({left.type.shape[static_cast<size_t>(leftBatch[i])], 0, i});
  }
  for (size_t i = 0; i < leftContracting.size(); ++i) {
    dimensions.push_back({left.type.shape[static_cast<size_t>(leftContracting[i])], 1, i});
  }
  TensorType rightType = {left.type.element, {}};
  for (int64_t more = random.weighted<int64_t>({{12, 0}, {75, 1}, {13, 2}});
       more > 0 && dimensions.size() < 5; --more) {
    dimensions.push_back({anySize(), 2, 0});
  }
  if (random.chance(75)) {
    random.shuffle(dimensions);
  }
  std::vector<int64_t> rightBatch(leftBatch.size()), rightContracting(leftContracting.size());
  TensorType type = {productType(random, left.type.element), {}};
  for (int64_t i : leftBatch) {
    type.shape.push_back(left.type.shape[static_cast<size_t>(i)]);
  }
  for (int64_t i : free) {
    type.shape.push_back(left.type.shape[static_cast<size_t>(i)]);
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const Dimension &dimension = dimensions[i];
    rightType.shape.push_back(dimension.size);
    if (dimension.kind == 2) {
      type.shape.push_back(dimension.size);
    } else {
      (dimension.kind == 0 ? rightBatch : rightContracting)[dimension.number] =
          static_cast<int64_t>(i);
    }
  }
  if (!fits(rightType.shape) || !fits(type.shape) || type.shape.size() > 5 ||
      terms * static_cast<double>(type.elements()) > maxProducts) {
    return false;
  }
  // Mixes two 8-bit operand types; the result has one of them or a wider type.
  bool isMixed =
      isFloat(left.type.element) && info(left.type.element).bits == 8 && random.chance(25);
  if (isMixed) {
    rightType.element = random.pick({ElementType::F8E4M3FN, ElementType::F8E5M2});
  }
  Value right = ofType(rightType);
  left = exactFactor(left, terms);
  right = exactFactor(right, terms);
  Facts facts = productFacts(left, right, terms, type.element);
  std::string batches =
      leftBatch.empty() ? ""
                        : ", batching_dims = " + listText(leftBatch) + " x " + listText(rightBatch);
  emit(type,
       "stablehlo.dot_general " + left.name + ", " + right.name + batches +
           ", contracting_dims = " + listText(leftContracting) + " x " +
           listText(rightContracting) + precisionText(random) + " : (" + left.type.text() + ", " +
           right.type.text() + ") -> " + type.text(),
       facts);
  return true;
}

// Contracts the last dimension of a value with a matrix that has `columns` columns; returns nothing
// if interpreting it would take too long.
std::optional<Value> Generator::matrixProduct(Value left, int64_t columns) {
  auto last = static_cast<int64_t>(left.type.shape.size()) - 1;
  TensorType matrix = {left.type.element, {left.type.shape.back(), columns}};
  bool isTransposed = random.chance(40);
  if (isTransposed) {
    std::swap(matrix.shape[0], matrix.shape[1]);
  }
  auto terms = static_cast<double>(left.type.shape.back());
  TensorType type = {productType(random, left.type.element), left.type.shape};
  type.shape.back() = columns;
  if (!fits(matrix.shape) || !fits(type.shape) ||
      terms * static_cast<double>(type.elements()) > maxProducts) {
    return std::nullopt;
  }
  Value right = exactFactor(ofType(matrix), terms);
  left = exactFactor(left, terms);
  return emit(type,
              "stablehlo.dot_general " + left.name + ", " + right.name + ", contracting_dims = [" +
                  std::to_string(last) + "] x [" + (isTransposed ? "1" : "0") + "] : (" +
                  left.type.text() + ", " + right.type.text() + ") -> " + type.text(),
              productFacts(left, right, terms, type.element));
}

bool Generator::convolving() {
  auto spatial = static_cast<size_t>(random.weighted<int64_t>({{6, 0}, {40, 1}, {44, 2}, {10, 3}}));
  size_t rank = spatial + 2;
  ElementType element = random.chance(85) ? floatElement()
                        : isExact         ? integerElement()
                                          : anyElement();
  int64_t groups = random.chance(25) ? random.between(2, 3) : 1;
  bool groupsBatch = groups > 1 && random.chance(30);
  int64_t inputPerGroup = random.between(1, 5), outputPerGroup = random.between(1, 6);
  int64_t features = groupsBatch ? inputPerGroup : inputPerGroup * groups;
  int64_t batch = random.between(1, 3) * (groupsBatch ? groups : 1);
  std::vector<int64_t> window, input, output, strides, inputDilations, windowDilations;
  std::vector<bool> isReversed;
  std::string padding, reversal;
  double terms = static_cast<double>(inputPerGroup);
  for (size_t i = 0; i < spatial; ++i) {
    input.push_back(random.between(1, 9));
    window.push_back(random.between(1, 4));
    strides.push_back(random.chance(70) ? 1 : random.between(2, 3));
    inputDilations.push_back(random.chance(85) ? 1 : 2);
    windowDilations.push_back(random.chance(85) ? 1 : 2);
    int64_t low = random.between(-1, 2), high = random.between(-1, 2);
    bool reverses = random.chance(10);
    padding += (i ? ", [" : "[") + std::to_string(low) + ", " + std::to_string(high) + "]";
    reversal += std::string(i ? ", " : "") + (reverses ? "true" : "false");
    int64_t padded = low + high + (input.back() - 1) * inputDilations.back() + 1;
    int64_t reach = (window.back() - 1) * windowDilations.back() + 1;
    output.push_back(padded < reach ? 0 : (padded - reach) / strides.back() + 1);
    if (padded < 0) {
      return false;
    }
    terms *= static_cast<double>(window.back());
  }
  // Draws an order of the dimensions and returns it as the letters that StableHLO's text uses.
  auto lay = [&](const std::string &first, int64_t firstSize, const std::string &second,
                 int64_t secondSize, const std::vector<int64_t> &sizesOfSpace, Shape &shape) {
    std::string letters;
    for (int64_t number : random.chance(50) ? permutation(rank) : [&] {
           // Uses the usual orders, b01f and 01io.
           std::vector<int64_t> order;
           order.push_back(0);
           for (size_t i = 2; i < rank; ++i) {
             order.push_back(static_cast<int64_t>(i));
           }
           order.push_back(1);
           return order;
         }()) {
      letters += letters.empty() ? "" : ", ";
      letters += number == 0 ? first : number == 1 ? second : std::to_string(number - 2);
      shape.push_back(number == 0   ? firstSize
                      : number == 1 ? secondSize
                                    : sizesOfSpace[static_cast<size_t>(number - 2)]);
    }
    return "[" + letters + "]";
  };
  TensorType leftType = {element, {}}, rightType = {element, {}};
  TensorType type = {productType(random, element), {}};
  int64_t outputs = outputPerGroup * groups;
  int64_t outputBatch = groupsBatch ? batch / groups : batch;
  std::string numbers = lay("b", batch, "f", features, input, leftType.shape) + "x" +
                        lay("o", outputs, "i", inputPerGroup, window, rightType.shape) + "->" +
                        lay("b", outputBatch, "f", outputs, output, type.shape);
  if (!fits(leftType.shape) || !fits(rightType.shape) || !fits(type.shape) ||
      terms * static_cast<double>(type.elements()) > maxProducts) {
    return false;
  }
  Value left = exactFactor(ofType(leftType), terms), right = exactFactor(ofType(rightType), terms);
  Facts facts = productFacts(left, right, terms, type.element);
  // If dilation inserts zeros, the specification leaves open whether they are multiplied with NaN
  // or infinity (docs/numerics.md).
  bool isDilated = std::any_of(inputDilations.begin(), inputDilations.end(),
                               [](int64_t dilation) { return dilation > 1; });
  if (isDilated && (left.mayBeNan || right.mayBeNan)) {
    if (isExact) {
      return false;
    }
    facts.isRounded = facts.mayBeNan = true;
  }
  emit(type,
       "stablehlo.convolution(" + left.name + ", " + right.name + ") dim_numbers = " + numbers +
           ", window = {stride = " + listText(strides) + ", pad = [" + padding +
           "], lhs_dilate = " + listText(inputDilations) +
           ", rhs_dilate = " + listText(windowDilations) + ", reverse = [" + reversal +
           "]} {batch_group_count = " + std::to_string(groupsBatch ? groups : 1) +
           " : i64, feature_group_count = " + std::to_string(groupsBatch ? 1 : groups) +
           " : i64} : (" + left.type.text() + ", " + right.type.text() + ") -> " + type.text(),
       facts);
  return true;
}

} // namespace drumlin::fuzz

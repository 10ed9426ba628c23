// Decomposes Einstein summations. Gives each operand one dimension per label, sums over the labels
// that only one operand has, and computes the remaining contraction as a dot_general.
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/EinsumOp.h"
#include "drumlin/ir/stablehlo/UnaryEinsumOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/stablehlo/Einsum.h"

#include <map>

using namespace mlir;

namespace drumlin {

namespace {
// A tensor whose dimensions have distinct labels.
struct Labeled {
  Value value;
  SmallVector<int> labels;

  bool has(int label) const { return llvm::is_contained(labels, label); }
  int64_t dimensionOf(int label) const { return llvm::find(labels, label) - labels.begin(); }
  SmallVector<int64_t> dimensionsOf(ArrayRef<int> some) const {
    return llvm::map_to_vector(some, [this](int label) { return dimensionOf(label); });
  }
};

class Summation {
public:
  Summation(Operation *op, const stablehlo::Einsum &einsum) : b(op), result(einsum.result) {
    for (auto [labels, operand] : llvm::zip_equal(einsum.operands, op->getOperands())) {
      for (auto [label, size] : llvm::zip_equal(labels, shapeOf(operand))) {
        int64_t &known = sizes.try_emplace(label, 1).first->second;
        known = size == 1 ? known : size;
      }
    }
    for (auto [labels, operand] : llvm::zip_equal(einsum.operands, op->getOperands())) {
      operands.push_back(oneDimensionEach({operand, labels}));
    }
  }

  Value run() {
    Type element = TensorBuilder::elementOf(operands[0].value);
    bool isSummedFirst = false;
    for (Labeled &operand : operands) {
      isSummedFirst |= !labelsOfOneAlone(operand).empty();
    }
    // Sums of narrow numbers are rounded once, after the dot.
    bool isWidened = operands.size() > 1 && isSummedFirst && isNarrow(element);
    for (Labeled &operand : operands) {
      if (isWidened) {
        operand.value = b.convert(operand.value, b.operations().getF32Type());
      }
      sumOver(operand, labelsOfOneAlone(operand));
    }
    Labeled made = operands.size() == 1 ? operands[0] : product();
    made.value = b.convert(made.value, element);
    return spread(made);
  }

private:
  static bool isNarrow(Type element) {
    return isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 16;
  }

  // Drops dimensions of size 1 whose label has a larger size elsewhere, and merges dimensions with
  // equal labels by taking the diagonal.
  Labeled oneDimensionEach(const Labeled &given) {
    Labeled made;
    SmallVector<int64_t> shape;
    for (auto [label, size] : llvm::zip_equal(given.labels, shapeOf(given.value))) {
      bool isRepeated = size == 1 && (sizes[label] != 1 || llvm::is_contained(made.labels, label));
      if (!isRepeated) {
        made.labels.push_back(label);
        shape.push_back(size);
      }
    }
    made.value = b.reshape(given.value, shape);
    for (size_t d = 0; d < made.labels.size(); ++d) {
      size_t other = d + 1;
      while (other < made.labels.size()) {
        if (made.labels[other] == made.labels[d]) {
          takeDiagonal(made, d, other);
        } else {
          ++other;
        }
      }
    }
    return made;
  }

  // Takes the diagonal of n × n contiguous elements: every (n + 1)-th element.
  void takeDiagonal(Labeled &operand, size_t first, size_t second) {
    SmallVector<int64_t> order, shape;
    SmallVector<int> labels;
    for (size_t d = 0; d < operand.labels.size(); ++d) {
      if (d != first && d != second) {
        order.push_back(static_cast<int64_t>(d));
        shape.push_back(shapeOf(operand.value)[d]);
        labels.push_back(operand.labels[d]);
      }
    }
    order.append({static_cast<int64_t>(first), static_cast<int64_t>(second)});
    int64_t size = shapeOf(operand.value)[first];
    shape.push_back(size * size);
    int label = operand.labels[first];
    Value flat = b.reshape(b.transpose(operand.value, order), shape);
    SmallVector<int64_t> start(shape.size(), 0), strides(shape.size(), 1);
    strides.back() = size + 1;
    operand.value = b.slice(flat, start, shape, strides);
    // The diagonal replaces the first of the two dimensions.
    auto last = static_cast<int64_t>(labels.size());
    auto place = static_cast<int64_t>(first);
    SmallVector<int64_t> back;
    for (int64_t d = 0; d <= last; ++d) {
      back.push_back(d == place ? last : d - (d > place ? 1 : 0));
    }
    operand.value = b.transpose(operand.value, back);
    labels.insert(labels.begin() + place, label);
    operand.labels = labels;
  }

  bool isInResult(int label) const { return llvm::is_contained(result, label); }

  SmallVector<int> labelsOfOneAlone(const Labeled &operand) const {
    SmallVector<int> alone;
    for (int label : operand.labels) {
      bool isShared = llvm::any_of(
          operands, [&](const Labeled &other) { return &other != &operand && other.has(label); });
      if (!isShared && !isInResult(label)) {
        alone.push_back(label);
      }
    }
    return alone;
  }

  void sumOver(Labeled &operand, ArrayRef<int> labels) {
    if (labels.empty()) {
      return;
    }
    operand.value = b.sum(operand.value, operand.dimensionsOf(labels));
    llvm::erase_if(operand.labels, [&](int label) { return llvm::is_contained(labels, label); });
  }

  Labeled product() {
    const Labeled &lhs = operands[0], &rhs = operands[1];
    SmallVector<int> batch, contracted;
    Labeled made;
    for (int label : lhs.labels) {
      if (rhs.has(label)) {
        (isInResult(label) ? batch : contracted).push_back(label);
      }
    }
    made.labels = batch;
    SmallVector<int64_t> shape;
    for (const Labeled *operand : {&lhs, &rhs}) {
      for (int label : operand->labels) {
        if (!llvm::is_contained(batch, label) && !llvm::is_contained(contracted, label)) {
          made.labels.push_back(label);
        }
      }
    }
    for (int label : made.labels) {
      shape.push_back(sizes[label]);
    }
    auto numbers = stablehlo::DotDimensionNumbersAttr::get(
        b.operations().getContext(), lhs.dimensionsOf(batch), rhs.dimensionsOf(batch),
        lhs.dimensionsOf(contracted), rhs.dimensionsOf(contracted));
    made.value = stablehlo::DotGeneralOp::create(
        b.operations(), b.location(), TensorBuilder::typeOf(lhs.value).clone(shape), lhs.value,
        rhs.value, numbers, ArrayAttr(), stablehlo::DotAlgorithmAttr());
    return made;
  }

  // Returns the result with its dimensions in the order of the labels.
  Value spread(const Labeled &made) { return b.transpose(made.value, made.dimensionsOf(result)); }

  TensorBuilder b;
  SmallVector<int> result;
  std::map<int, int64_t> sizes;
  SmallVector<Labeled> operands;
};
} // namespace

Replacements decomposeEinsum(Operation *op) {
  StringRef config;
  if (auto einsum = dyn_cast<stablehlo::EinsumOp>(op)) {
    config = einsum.getEinsumConfig();
  } else if (auto unary = dyn_cast<stablehlo::UnaryEinsumOp>(op)) {
    config = unary.getEinsumConfig();
  } else {
    return std::nullopt;
  }
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  bool isOfOneType = llvm::all_of(op->getOperandTypes(),
                                  [&](Type type) { return getElementTypeOrSelf(type) == element; });
  SmallVector<int64_t> ranks = llvm::map_to_vector(
      op->getOperands(), [](Value value) { return static_cast<int64_t>(shapeOf(value).size()); });
  std::optional<stablehlo::Einsum> einsum = stablehlo::parseEinsum(config, ranks);
  if (!isOfOneType || !einsum) {
    return std::nullopt;
  }
  return SmallVector<Value>{Summation(op, *einsum).run()};
}

} // namespace drumlin

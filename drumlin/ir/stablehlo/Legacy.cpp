// Verifiers of operations in older programs, and the parser of einsum texts.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/Einsum.h"
#include "drumlin/ir/stablehlo/LegacyOps.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Legacy.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addLegacyOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Legacy.cpp.inc"
      >();
}

LogicalResult BroadcastOp::verify() {
  auto emit = [&] { return emitOpError(); };
  SmallVector<int64_t> expected(getBroadcastSizes());
  llvm::append_range(expected, shapeOf(getOperand()));
  return success(
      succeeded(checkAtLeast(emit, "broadcast", "broadcast sizes", getBroadcastSizes(), 0)) &&
      succeeded(
          checkElementType(emit, "broadcast", "the result", getType(), getOperand().getType())) &&
      succeeded(checkShape(emit, "broadcast", "the result", getType().getShape(), expected)));
}

//===-- einsum --------------------------------------------------------------------------------===//

// Reads the labels of one tensor. `...` is replaced by labels for all dimensions that the letters
// do not cover. These labels are numbered from the end, so that the labels of two operands are
// aligned at the right.
static bool readLabels(StringRef text, int64_t rank, SmallVectorImpl<int> &labels) {
  text = text.trim();
  int64_t letters = llvm::count_if(text, llvm::isAlpha);
  size_t dots = text.find("...");
  int64_t hidden = rank - letters;
  if (hidden < 0 || (dots == StringRef::npos && hidden != 0)) {
    return false;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == dots) {
      for (int64_t k = hidden; k > 0; --k) {
        labels.push_back(static_cast<int>(-k));
      }
      i += 2;
    } else if (llvm::isAlpha(text[i])) {
      labels.push_back(text[i]);
    } else if (text[i] != ' ') {
      return false;
    }
  }
  return true;
}

// Returns the largest number of dimensions that `...` covers in any of the operands.
static int64_t maxHidden(ArrayRef<SmallVector<int>> operands) {
  int64_t most = 0;
  for (ArrayRef<int> labels : operands) {
    most = std::max<int64_t>(most, llvm::count_if(labels, [](int label) { return label < 0; }));
  }
  return most;
}

std::optional<Einsum> parseEinsum(StringRef config, ArrayRef<int64_t> ranks) {
  auto [from, to] = config.split("->");
  SmallVector<StringRef> texts;
  from.split(texts, ',');
  if (config.find("->") == StringRef::npos || texts.size() != ranks.size()) {
    return std::nullopt;
  }
  Einsum einsum;
  for (auto [text, rank] : llvm::zip_equal(texts, ranks)) {
    if (!readLabels(text, rank, einsum.operands.emplace_back())) {
      return std::nullopt;
    }
  }
  int64_t hidden = to.contains("...") ? maxHidden(einsum.operands) : 0;
  int64_t resultRank = llvm::count_if(to, llvm::isAlpha) + hidden;
  if (!readLabels(to, resultRank, einsum.result)) {
    return std::nullopt;
  }
  llvm::SmallSet<int, 8> seen;
  for (int label : einsum.result) {
    bool known = llvm::any_of(
        einsum.operands, [&](ArrayRef<int> labels) { return llvm::is_contained(labels, label); });
    if (!known || !seen.insert(label).second) {
      return std::nullopt;
    }
  }
  return einsum;
}

// Checks that all dimensions with the same label have the same size, except for sizes of 1 that are
// broadcast, and that the result has the sizes of its labels.
static LogicalResult verifyEinsum(Operation *op, StringRef config) {
  auto emit = [&] { return op->emitOpError(); };
  SmallVector<int64_t> ranks = llvm::map_to_vector(
      op->getOperands(), [](Value value) { return static_cast<int64_t>(shapeOf(value).size()); });
  std::optional<Einsum> einsum = parseEinsum(config, ranks);
  if (!einsum) {
    return emit()
           << "expects a configuration such as `ab,bc->ac` whose labels fit the operands, got `"
           << config << "` (einsum)";
  }
  llvm::DenseMap<int, int64_t> sizes;
  for (auto [labels, operand] : llvm::zip_equal(einsum->operands, op->getOperands())) {
    for (auto [label, size] : llvm::zip_equal(labels, shapeOf(operand))) {
      auto [known, isNew] = sizes.try_emplace(label, size);
      if (isNew || known->second == 1 || isDynamic(known->second)) {
        known->second = size == 1 && !isNew ? known->second : size;
      } else if (size != 1 && !areCompatible(size, known->second)) {
        return emit() << "expects one size for each label of `" << config << "`, got "
                      << known->second << " and " << size << " (einsum)";
      }
    }
  }
  SmallVector<int64_t> expected =
      llvm::map_to_vector(einsum->result, [&](int label) { return sizes.lookup(label); });
  return checkShape(emit, "einsum", "the result", shapeOf(op->getResult(0)), expected);
}

LogicalResult EinsumOp::verify() { return verifyEinsum(*this, getEinsumConfig()); }

LogicalResult UnaryEinsumOp::verify() { return verifyEinsum(*this, getEinsumConfig()); }

//===-- map -----------------------------------------------------------------------------------===//

LogicalResult MapOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // map_c2
  if (getInputs().empty()) {
    return emitOpError() << "expects at least one input (map_c2)";
  }
  // map_c1
  for (Value input : getInputs()) {
    if (failed(checkShape(emit, "map_c1", "each input", shapeOf(input), getType().getShape()))) {
      return failure();
    }
  }
  // map_c3
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, getType().getRank()));
  if (getDimensions() != ArrayRef<int64_t>(all)) {
    return emitOpError() << "expects dimensions " << str(all) << ", got " << str(getDimensions())
                         << " (map_c3)";
  }
  // map_c4
  auto scalar = [](Type type) -> Type {
    return RankedTensorType::get({}, getElementTypeOrSelf(type));
  };
  SmallVector<Type> arguments = llvm::map_to_vector(getInputs().getTypes(), scalar);
  FailureOr<OperandRange> returned =
      returnedValues(emit, "map_c4", "the computation", getComputation());
  return success(succeeded(returned) &&
                 succeeded(checkTypes(emit, "map_c4", "the computation's arguments",
                                      getComputation().getArgumentTypes(), arguments)) &&
                 succeeded(checkTypes(emit, "map_c4", "the computation's results",
                                      returned->getTypes(), scalar(getType()))));
}

//===-- torch_index_select --------------------------------------------------------------------===//

// Checks result[.. batch .., .. outer .., .. index .., .. inner ..] = operand[.. batch .., .. outer
// .., index[.. batch .., .. index ..], .. inner ..].
LogicalResult TorchIndexSelectOp::verify() {
  auto emit = [&] { return emitOpError(); };
  ArrayRef<int64_t> operand = shapeOf(getOperand()), index = shapeOf(getIndex());
  int64_t dim = getDim(), batch = getBatchDims();
  if (failed(checkInRange(emit, "torch_index_select", "dim", dim, operand.size())) ||
      failed(checkInRange(emit, "torch_index_select", "batch_dims", batch,
                          std::min<int64_t>(dim, index.size()) + 1)) ||
      failed(checkElementType(emit, "torch_index_select", "the result", getType(),
                              getOperand().getType()))) {
    return failure();
  }
  SmallVector<int64_t> expected(operand.take_front(dim));
  llvm::append_range(expected, index.drop_front(batch));
  llvm::append_range(expected, operand.drop_front(dim + 1));
  return checkShape(emit, "torch_index_select", "the result", getType().getShape(), expected);
}

//===-- indexing ------------------------------------------------------------------------------===//

IndexingMap BroadcastOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  for (size_t d = 0; d < shapeOf(getOperand()).size(); ++d) {
    made.at(d) = made.dim(getBroadcastSizes().size() + d);
  }
  return made.finish();
}

// A label that occurs in the result stands for a dimension of the map. Every other label stands for
// a symbol.
static IndexingMap einsumIndexing(OpOperand &operand, unsigned result, StringRef config) {
  Operation *op = operand.getOwner();
  SmallVector<int64_t> ranks;
  for (Value each : op->getOperands()) {
    ranks.push_back(static_cast<int64_t>(shapeOf(each).size()));
  }
  std::optional<Einsum> einsum = parseEinsum(config, ranks);
  if (!einsum) {
    return indexingByDefault(operand, result);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  llvm::SmallDenseMap<int, AffineExpr> ofLabel;
  for (auto [d, label] : llvm::enumerate(einsum->result)) {
    ofLabel[label] = made.dim(d);
  }
  for (auto [d, label] : llvm::enumerate(einsum->operands[operand.getOperandNumber()])) {
    int64_t size = shapeOf(operand.get())[d];
    AffineExpr &index = ofLabel[label];
    if (!index) {
      index = made.all(size);
    }
    made.at(d) = size == 1 ? made.constant(0) : index;
  }
  return made.finish();
}

IndexingMap EinsumOp::indexingOf(OpOperand &operand, unsigned result) {
  return einsumIndexing(operand, result, getEinsumConfig());
}

IndexingMap UnaryEinsumOp::indexingOf(OpOperand &operand, unsigned result) {
  return einsumIndexing(operand, result, getEinsumConfig());
}

IndexingMap MapOp::indexingOf(OpOperand &operand, unsigned result) {
  return IndexingMap::identity(shapeOf(operand.get()), getContext());
}

IndexingMap TorchIndexSelectOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  size_t along = getDim(), batches = getBatchDims(), rank = shapeOf(getIndex()).size();
  SmallVector<AffineExpr> at;
  for (size_t d = 0; d < rank; ++d) {
    at.push_back(made.dim(d < batches ? d : along + d - batches));
  }
  if (operand.getOperandNumber() == 1) {
    for (auto [d, index] : llvm::enumerate(at)) {
      made.at(d) = index;
    }
    return made.finish();
  }
  for (auto [d, size] : llvm::enumerate(shapeOf(getOperand()))) {
    made.at(d) = d < along   ? made.dim(d)
                 : d > along ? made.dim(d + rank - batches - 1)
                             : made.load(getIndex(), at, size);
  }
  return made.finish();
}

} // namespace drumlin::stablehlo

// Replaces operations of older programs by their more general successors.
#include "drumlin/ir/stablehlo/BroadcastOp.h"
#include "drumlin/ir/stablehlo/CrossReplicaSumOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/DotOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/GetTupleElementOp.h"
#include "drumlin/ir/stablehlo/TorchIndexSelectOp.h"
#include "drumlin/ir/stablehlo/TupleOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

using namespace mlir;

namespace drumlin {

// dot(a, b) = dot_general(a, b) that contracts a's last dimension with b's first dimension
static Value dotOf(TensorBuilder &b, stablehlo::DotOp op) {
  auto rank = static_cast<int64_t>(shapeOf(op.getLhs()).size());
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(op.getContext(), {}, {}, {rank - 1}, {0});
  return stablehlo::DotGeneralOp::create(b.operations(), b.location(), op.getType(), op.getLhs(),
                                         op.getRhs(), numbers, op.getPrecisionConfigAttr(),
                                         stablehlo::DotAlgorithmAttr());
}

// broadcast(x) = broadcast_in_dim(x) in which x's dimensions come last
static Value broadcastOf(TensorBuilder &b, stablehlo::BroadcastOp op) {
  auto from = static_cast<int64_t>(op.getBroadcastSizes().size());
  auto to = static_cast<int64_t>(shapeOf(op.getResult()).size());
  return b.broadcast(op.getOperand(), shapeOf(op.getResult()),
                     llvm::to_vector(llvm::seq(from, to)));
}

// torch_index_select(x, i) = gather(x, i) of slices of size 1 along `dim`
static Value selectionOf(TensorBuilder &b, stablehlo::TorchIndexSelectOp op) {
  auto dim = static_cast<int64_t>(op.getDim()), batch = static_cast<int64_t>(op.getBatchDims());
  auto rank = static_cast<int64_t>(shapeOf(op.getOperand()).size());
  auto indexRank = static_cast<int64_t>(shapeOf(op.getIndex()).size());
  SmallVector<int64_t> offsets, sizes(shapeOf(op.getOperand()));
  SmallVector<int64_t> batching = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  for (int64_t d = 0; d < rank; ++d) {
    bool isSlice = d >= batch && d != dim;
    if (isSlice) {
      offsets.push_back(d < dim ? d : d + indexRank - batch - 1);
    } else {
      sizes[d] = 1;
    }
  }
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(op.getContext(), offsets, {dim},
                                                            batching, batching, {dim}, indexRank);
  return stablehlo::GatherOp::create(
      b.operations(), b.location(), op.getType(), op.getOperand(), op.getIndex(), numbers,
      b.operations().getDenseI64ArrayAttr(sizes), b.operations().getBoolAttr(false));
}

// cross-replica-sum(x) = x, if the group is the single process of a compiled program
static bool sumsAlone(stablehlo::CrossReplicaSumOp op) {
  auto groups = dyn_cast<DenseIntElementsAttr>(op.getReplicaGroupsAttr());
  return groups && groups.getNumElements() <= 1 &&
         llvm::all_of(groups.getValues<APInt>(), [](const APInt &id) { return id.isZero(); });
}

bool decomposeTuple(Operation *op) {
  if (isa<stablehlo::TupleOp>(op) && op->use_empty()) {
    op->erase();
    return true;
  }
  auto element = dyn_cast<stablehlo::GetTupleElementOp>(op);
  auto tuple = element ? element.getOperand().getDefiningOp<stablehlo::TupleOp>() : nullptr;
  if (!tuple || tuple.getVal()[element.getIndex()].getType() != element.getType()) {
    return false;
  }
  element.replaceAllUsesWith(tuple.getVal()[element.getIndex()]);
  element.erase();
  if (tuple.use_empty()) {
    tuple.erase();
  }
  return true;
}

Replacements decomposeLegacy(Operation *op) {
  TensorBuilder b(op);
  if (auto sum = dyn_cast<stablehlo::CrossReplicaSumOp>(op)) {
    return sumsAlone(sum) ? Replacements(SmallVector<Value>{sum.getOperand()}) : std::nullopt;
  }
  if (auto dot = dyn_cast<stablehlo::DotOp>(op)) {
    return SmallVector<Value>{dotOf(b, dot)};
  }
  if (auto broadcast = dyn_cast<stablehlo::BroadcastOp>(op)) {
    return SmallVector<Value>{broadcastOf(b, broadcast)};
  }
  auto select = dyn_cast<stablehlo::TorchIndexSelectOp>(op);
  // A dimension without elements has no slices of size 1.
  bool canGather = select && !llvm::is_contained(shapeOf(select.getOperand()), 0);
  if (canGather) {
    return SmallVector<Value>{selectionOf(b, select)};
  }
  if (select) {
    return SmallVector<Value>{
        b.zero(TensorBuilder::elementOf(select.getOperand()), shapeOf(select.getResult()))};
  }
  return std::nullopt;
}

} // namespace drumlin

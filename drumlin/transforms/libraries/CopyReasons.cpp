#include "drumlin/transforms/libraries/CopyReasons.h"

#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/target/LibraryTable.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace drumlin {

// Returns the positions in `input` of the elements of `value`. Returns nothing if the value isn't
// computed from the input by data movement, conversions and scales, or if strides don't describe
// the movement.
static std::optional<StridedView> viewFrom(Value value, BlockArgument input,
                                           llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (value == input) {
    return rowMajorView(shapeOf(input));
  }
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(op).second) {
    return std::nullopt;
  }
  if (std::optional<IndexingMap> move = dataMovementIndexing(op)) {
    std::optional<StridedView> view = viewFrom(op->getOperand(0), input, seen);
    return view ? viewThrough(*move, *view) : std::nullopt;
  }
  if (classify(op) == OperationClass::Pointwise) {
    for (Value operand : op->getOperands()) {
      if (std::optional<StridedView> view = viewFrom(operand, input, seen)) {
        return view;
      }
    }
  }
  return std::nullopt;
}

// Returns the view that the operand would have in memory before the transpose. Returns nothing if
// the operand's dimensions aren't dimensions of the input.
static std::optional<StridedView> viewBefore(StridedView view, ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> before(shape.size());
  for (auto [to, from] : llvm::enumerate(permutation)) {
    before[static_cast<size_t>(from)] = shape[to];
  }
  StridedView now = rowMajorView(shape), then = rowMajorView(before);
  for (StridedDimension &dimension : view.dimensions) {
    for (StridedFactor &factor : dimension) {
      auto found = llvm::find(now.dimensions, StridedDimension{factor});
      if (found == now.dimensions.end()) {
        return std::nullopt;
      }
      int64_t from = permutation[static_cast<size_t>(found - now.dimensions.begin())];
      factor = then.dimensions[static_cast<size_t>(from)].front();
    }
  }
  return view;
}

static std::string apart(const char *dimensions) {
  return std::string("its ") + dimensions +
         " dimensions have no common stride, but the library takes only one";
}

static std::string reasonOf(const StridedView &view, const stablehlo::ProductRoles::Operand &roles,
                            const LibraryRuleRow *rule) {
  std::optional<int64_t> ofBatch = innermostStride(concatenated(view, roles.batch)),
                         ofFree = innermostStride(concatenated(view, roles.free)),
                         ofDepth = innermostStride(concatenated(view, roles.contracting));
  if (!ofBatch) {
    return apart("batch");
  }
  if (!ofFree) {
    return apart("free");
  }
  if (!ofDepth) {
    return apart("contracting");
  }
  if (rule && *ofDepth > 1) {
    return "the library takes such operands with the contracting dimension contiguous only (" +
           std::string(rule->source) + ")";
  }
  if (*ofFree > 1 && *ofDepth > 1) {
    return "neither its free nor its contracting dimension is contiguous, but the library needs "
           "one that is";
  }
  return {};
}

stablehlo::TransposeOp transposeOf(Operation *op) {
  auto copy = dyn_cast_if_present<plan::LoopOp>(op);
  if (!copy || copy.getInputs().size() != 1 || copy->getNumResults() != 1) {
    return nullptr;
  }
  Operation *made = copy.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  auto move = dyn_cast_if_present<stablehlo::TransposeOp>(made);
  return move && isa<BlockArgument>(move.getOperand()) ? move : nullptr;
}

std::string reasonOfTranspose(Operation *kernel, unsigned input, ArrayRef<int64_t> permutation,
                              const GpuTarget &target) {
  Block &region = kernel->getRegion(0).front();
  for (auto dot : region.getOps<stablehlo::DotGeneralOp>()) {
    stablehlo::ProductRoles roles(dot);
    for (unsigned side : {0U, 1U}) {
      BlockArgument argument = region.getArgument(input);
      llvm::SmallPtrSet<Operation *, 16> seen;
      std::optional<StridedView> view = viewFrom(dot->getOperand(side), argument, seen);
      if (!view) {
        continue;
      }
      view = viewBefore(std::move(*view), shapeOf(argument), permutation);
      const LibraryRuleRow *rule =
          depthInRowRule(target, elementTypeOf(argument.getType()), /*hasMxScales=*/false);
      std::string reason = view ? reasonOf(*view, roles.operands[side], rule) : std::string();
      if (!reason.empty()) {
        return reason;
      }
    }
  }
  return "its producer and the call prefer different orders";
}

} // namespace drumlin

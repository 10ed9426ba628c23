#include "drumlin/transforms/libraries/GemmParts.h"

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DivOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/target/LibraryTable.h"

using namespace mlir;

namespace drumlin {

static ElementType typeOf(Value value) { return elementTypeOf(value.getType()); }

// A factor of an operand, found between the kernel's inputs and the dot.
struct FoundFactor {
  Value leaf;
  bool divides = false;
  // data movement between `leaf` and the dot, last movement first
  SmallVector<Operation *> moves;
  // types that the factor is converted to between `leaf` and the dot
  SmallVector<ElementType> types;
  Value root;                            // the factor as the operand of a multiplication
  SmallVector<Operation *> productMoves; // the part of `moves` that comes after the multiplication
};

static void collectFactors(FoundFactor at, std::vector<FoundFactor> &found) {
  while (Operation *op = at.leaf.getDefiningOp()) {
    if (isa<stablehlo::MulOp, stablehlo::DivOp>(op) && isFloat(typeOf(at.leaf))) {
      FoundFactor second = at;
      at.root = at.leaf = op->getOperand(0);
      second.root = second.leaf = op->getOperand(1);
      at.productMoves = second.productMoves = at.moves;
      second.divides = at.divides != isa<stablehlo::DivOp>(op);
      collectFactors(second, found);
      continue;
    }
    if (isa<stablehlo::ConvertOp>(op)) {
      at.types.push_back(typeOf(at.leaf));
    } else if (isStridedMovement(op)) {
      at.moves.push_back(op);
    } else {
      break;
    }
    at.leaf = op->getOperand(0);
  }
  found.push_back(at);
}

static std::string nameOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op->getName().getStringRef().str() : "an input";
}

static std::optional<PartsLimit> readOperand(Value operand, OperandParts &parts) {
  std::vector<FoundFactor> found;
  FoundFactor whole;
  whole.root = whole.leaf = operand;
  collectFactors(whole, found);
  // The matrix is the factor with the most elements. If two factors have the most elements, the
  // matrix is the one with the narrower type.
  const FoundFactor *data = nullptr;
  auto size = [](const FoundFactor &factor) {
    return cast<RankedTensorType>(factor.leaf.getType()).getNumElements();
  };
  for (const FoundFactor &factor : found) {
    bool isBetter = !data || size(factor) > size(*data) ||
                    (size(factor) == size(*data) &&
                     info(typeOf(factor.leaf)).bits < info(typeOf(data->leaf)).bits);
    if (isBetter) {
      data = &factor;
    }
  }
  bool isRead = isa<BlockArgument>(data->leaf) && !data->divides;
  if (!isRead) {
    return PartsLimit{LibraryLimit::OperandComputed, nameOf(data->leaf) + " before the dot"};
  }
  for (ElementType type : data->types) {
    bool roundsProduct = found.size() > 1 && isNarrow(type) && type != typeOf(data->leaf);
    if (roundsProduct || !holdsAll(type, typeOf(data->leaf))) {
      return PartsLimit{LibraryLimit::OperandComputed,
                        "an operand of " + std::string(name(typeOf(data->leaf))) +
                            " is converted to " + std::string(name(type)) + " before the dot"};
    }
  }
  parts.data = cast<BlockArgument>(data->leaf);
  std::optional<StridedView> view = viewAfter(data->moves, rowMajorView(shapeOf(data->leaf)));
  if (!view) {
    return PartsLimit{LibraryLimit::Layout, "an operand's elements are rearranged in memory"};
  }
  parts.view = std::move(*view);
  for (const FoundFactor &factor : found) {
    if (&factor == data) {
      continue;
    }
    std::optional<ReadValue> scale = readValue(factor.root);
    std::optional<StridedView> scaleView =
        scale ? viewAfter(factor.productMoves, scale->view) : std::nullopt;
    if (!scaleView) {
      return PartsLimit{LibraryLimit::ScaleShape, "scales are rearranged, or split"};
    }
    scale->view = std::move(*scaleView);
    parts.scales.push_back({std::move(*scale), factor.divides});
  }
  return std::nullopt;
}

std::variant<GemmParts, PartsLimit> gemmParts(plan::GemmOp gemm) {
  Block &block = gemm.getBody().front();
  stablehlo::DotGeneralOp dot;
  for (Operation &op : block) {
    if (isa<stablehlo::ConvolutionOp>(op)) {
      return PartsLimit{LibraryLimit::Convolution, ""};
    }
    if (auto found = dyn_cast<stablehlo::DotGeneralOp>(op)) {
      dot = found;
    }
  }
  GemmParts parts;
  parts.roles = stablehlo::ProductRoles(dot);
  auto algorithm = dot.getAlgorithm();
  parts.wantsTf32 = algorithm && isa<FloatTF32Type>(algorithm->getLhsPrecisionType());
  if (std::optional<PartsLimit> limit = readOperand(dot.getLhs(), parts.lhs)) {
    return *limit;
  }
  if (std::optional<PartsLimit> limit = readOperand(dot.getRhs(), parts.rhs)) {
    return *limit;
  }
  if (std::optional<PartsLimit> limit = readEpilogue(gemm, dot, parts.epilogue)) {
    return *limit;
  }
  // Scaling rows or columns of the accumulators is equivalent to scaling the lhs or the rhs.
  llvm::append_range(parts.lhs.scales, parts.epilogue.rows[0]);
  llvm::append_range(parts.rhs.scales, parts.epilogue.rows[1]);
  return parts;
}

} // namespace drumlin

#include "drumlin/transforms/libraries/GemmParts.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/transforms/libraries/EpilogueReader.h"

using namespace mlir;

namespace drumlin {

static unsigned bitsOf(Value value) { return info(elementTypeOf(value.getType())).bits; }

// A factor of an operand on its way from the kernel's inputs to the dot.
struct FoundFactor {
  Value leaf;
  bool divides;
  SmallVector<Operation *> moves; // the last one first
  unsigned narrowestBits;         // that it is converted to on its way
};

static void collectFactors(FoundFactor at, std::vector<FoundFactor> &found) {
  while (Operation *op = at.leaf.getDefiningOp()) {
    if (isa<stablehlo::MulOp, stablehlo::DivOp>(op)) {
      FoundFactor second = at;
      at.leaf = op->getOperand(0);
      second.leaf = op->getOperand(1);
      second.divides = at.divides != isa<stablehlo::DivOp>(op);
      collectFactors(second, found);
      continue;
    }
    if (isa<stablehlo::ConvertOp>(op)) {
      at.narrowestBits = std::min(at.narrowestBits, bitsOf(at.leaf));
    } else if (isStridedMove(op)) {
      at.moves.push_back(op);
    } else {
      break;
    }
    at.leaf = op->getOperand(0);
  }
  found.push_back(at);
}

static std::optional<StridedView> viewOf(const FoundFactor &factor) {
  std::optional<StridedView> view = rowMajorView(shapeOf(factor.leaf));
  for (Operation *move : llvm::reverse(factor.moves)) {
    view = viewAfter(move, *view);
    if (!view) {
      return std::nullopt;
    }
  }
  return view;
}

static std::string nameOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op->getName().getStringRef().str() : "an input";
}

static std::optional<PartsLimit> readOperand(Value operand, OperandParts &parts) {
  std::vector<FoundFactor> found;
  collectFactors({operand, false, {}, bitsOf(operand)}, found);
  // The matrix is the input with most elements; of two, the one in the narrower type.
  const FoundFactor *data = nullptr;
  auto size = [](const FoundFactor &factor) {
    return cast<RankedTensorType>(factor.leaf.getType()).getNumElements();
  };
  for (const FoundFactor &factor : found) {
    bool isBetter = !data || size(factor) > size(*data) ||
                    (size(factor) == size(*data) && bitsOf(factor.leaf) < bitsOf(data->leaf));
    if (isBetter) {
      data = &factor;
    }
  }
  bool isRead = isa<BlockArgument>(data->leaf) && !data->divides;
  if (!isRead) {
    return PartsLimit{LibraryLimit::OperandComputed,
                      nameOf(data->leaf) + " in front of the product"};
  }
  if (data->narrowestBits < bitsOf(data->leaf)) {
    return PartsLimit{LibraryLimit::OperandComputed,
                      "an operand of " + std::string(name(elementTypeOf(data->leaf.getType()))) +
                          " is rounded in front of the product"};
  }
  parts.data = cast<BlockArgument>(data->leaf);
  std::optional<StridedView> view = viewOf(*data);
  if (!view) {
    return PartsLimit{LibraryLimit::Layout, "an operand's elements are rearranged"};
  }
  parts.view = std::move(*view);
  for (const FoundFactor &factor : found) {
    if (&factor == data) {
      continue;
    }
    std::optional<StridedView> scaleView = viewOf(factor);
    if (!scaleView) {
      return PartsLimit{LibraryLimit::ScaleShape, "scales are rearranged, or cut through"};
    }
    parts.scales.push_back({factor.leaf, factor.divides, std::move(*scaleView)});
  }
  return std::nullopt;
}

static GemmParts::Roles rolesOf(ArrayRef<int64_t> batch, ArrayRef<int64_t> contracted,
                                ArrayRef<int64_t> free) {
  GemmParts::Roles roles;
  llvm::append_range(roles.batch, batch);
  llvm::append_range(roles.contracted, contracted);
  llvm::append_range(roles.free, free);
  return roles;
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
  auto numbers = dot.getDotDimensionNumbers();
  parts.lhsRoles = rolesOf(numbers.getLhsBatchingDimensions(),
                           numbers.getLhsContractingDimensions(), dot.getLhsFreeDimensions());
  parts.rhsRoles = rolesOf(numbers.getRhsBatchingDimensions(),
                           numbers.getRhsContractingDimensions(), dot.getRhsFreeDimensions());
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
  return parts;
}

} // namespace drumlin

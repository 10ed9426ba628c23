// Requires that the operand sizes of operations are compatible.
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/transforms/simplify/sizes/BroadcastPairs.h"
#include "drumlin/transforms/simplify/sizes/SizeAnalysis.h"

#include "drumlin/ir/chlo/RaggedDot.h"
#include "drumlin/ir/stablehlo/DynamicReduceWindow.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

bool SizeAnalysis::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<stablehlo::SelectOp, stablehlo::ClampOp>(op);
}

SizeAnalysis::Step SizeAnalysis::requireDot(Operation *op) {
  auto dot = cast<stablehlo::DotGeneralOp>(op);
  stablehlo::ProductRoles roles(dot);
  const Sizes &lhs = sizes[dot.getLhs()], &rhs = sizes[dot.getRhs()];
  auto pairs = llvm::zip(llvm::concat<const int64_t>(roles.lhs().batch, roles.lhs().contracting),
                         llvm::concat<const int64_t>(roles.rhs().batch, roles.rhs().contracting));
  for (auto [left, right] : pairs) {
    const SizeExpression &a = lhs[static_cast<size_t>(left)], &b = rhs[static_cast<size_t>(right)];
    Step step = require(op, a - b, a.str() + " = " + b.str());
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

// Requires that each dimension has one element, which is repeated, or the result's size.
SizeAnalysis::Step SizeAnalysis::requireBroadcast(Operation *op) {
  auto broadcast = cast<stablehlo::DynamicBroadcastInDimOp>(op);
  const Sizes *result = numbersOf(broadcast.getOutputDimensions());
  if (!result) {
    return Step::Continue;
  }
  for (auto [size, target] :
       llvm::zip(sizes[broadcast.getOperand()], broadcast.getBroadcastDimensions())) {
    const SizeExpression &made = (*result)[static_cast<size_t>(target)];
    Step step = size.constant() == int64_t(1)
                    ? Step::Continue
                    : require(op, size - made, size.str() + " = " + made.str());
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

// Requires that the sizes are equal or that one of them is 1, which is broadcast to the other.
// Which size is 1 may be known only at run time. Requirements for both cases avoid products of
// three sizes, which may overflow 64 bits.
SizeAnalysis::Step SizeAnalysis::requireEqualOrOne(Operation *op, const SizeExpression &a,
                                                   const SizeExpression &b) {
  if (a == b || a.constant() == int64_t(1) || b.constant() == int64_t(1)) {
    return Step::Continue;
  }
  auto isAtLeast = [&](const SizeExpression &size, int64_t least) {
    return known.isAtLeastZero(size - least) == true;
  };
  std::string equal = a.str() + " = " + b.str();
  if (isAtLeast(a, 2) && isAtLeast(b, 2)) {
    return require(op, a - b, equal);
  }
  std::string what = equal + " or one of them to be 1";
  auto requireAll = [&](std::initializer_list<SizeExpression> least, const SizeExpression &zero) {
    for (const SizeExpression &size : least) {
      if (Step step = after(known.requireAtLeastZero(size), op, what); step != Step::Continue) {
        return step;
      }
    }
    return require(op, zero, what);
  };
  for (auto [fixed, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (fixed.constant() == int64_t(0)) {
      return requireAll({SizeExpression(1) - other}, SizeExpression());
    }
    if (isAtLeast(fixed, 2)) {
      return requireAll({other - 1, fixed - other}, (other - 1) * (fixed - other));
    }
  }
  SizeExpression low = known.larger(known.smaller(a, b), 1);
  SizeExpression high = known.larger(known.larger(a, b), 1);
  SizeExpression differs = (low - 1) * (high - low);
  // If one size is 0, the other is at most 1.
  return isAtLeast(a, 1) && isAtLeast(b, 1) ? requireAll({}, differs)
                                            : requireAll({a * b - known.larger(a, b) + 1}, differs);
}

SizeAnalysis::Step SizeAnalysis::requireBroadcasts(Operation *op) {
  std::optional<Sizes> made;
  for (Value operand : broadcastOperands(op)) {
    if (!made) {
      made = sizes[operand];
      continue;
    }
    const Sizes first = *made, second = sizes[operand];
    made = first.size() < second.size() ? second : first;
    for (const BroadcastPair &pair : broadcastPairs(op, first, second)) {
      Step step = requireEqualOrOne(op, pair.first, pair.second);
      if (step != Step::Continue) {
        return step;
      }
      (*made)[pair.place] = broadcastSize(pair.first, pair.second);
    }
  }
  return Step::Continue;
}

// Requires that batching and contracting dimensions match those of the other operand. Sizes are
// listed per group, either once or for each index of the dimensions before the ragged dimension.
SizeAnalysis::Step SizeAnalysis::requireRaggedDot(Operation *op) {
  auto dot = cast<chlo::RaggedDotOp>(op);
  auto numbers = dot.getRaggedDotDimensionNumbers();
  const Sizes lhs = sizes[dot.getLhs()], rhs = sizes[dot.getRhs()];
  const Sizes groups = sizes[dot.getGroupSizes()];
  std::vector<std::pair<SizeExpression, SizeExpression>> equal;
  auto addPairs = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
    for (auto [l, r] : llvm::zip_equal(left, right)) {
      equal.emplace_back(lhs[static_cast<size_t>(l)], rhs[static_cast<size_t>(r)]);
    }
  };
  addPairs(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions());
  addPairs(numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions());
  for (int64_t d : numbers.getRhsGroupDimensions()) {
    equal.emplace_back(rhs[static_cast<size_t>(d)], groups.back());
  }
  SmallVector<int64_t> leading = chlo::groupSizesDimensions(numbers);
  for (size_t i = 0; i + 1 < groups.size(); ++i) {
    equal.emplace_back(lhs[static_cast<size_t>(leading[i])], groups[i]);
  }
  for (const auto &[a, b] : equal) {
    if (Step step = require(op, a - b, a.str() + " = " + b.str()); step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

SizeAnalysis::Step SizeAnalysis::requireAlike(Operation *op, ValueRange values) {
  for (Value value : values.drop_front()) {
    Step step = requireSame(op, value, sizes[values.front()]);
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

// Requires that the last two dimensions of the first operand are equal. Both operands of a
// triangular system must have the same batch, and the solved side of `b` must have the matrix's
// size.
SizeAnalysis::Step SizeAnalysis::requireMatrices(Operation *op) {
  const Sizes a = sizes[op->getOperand(0)];
  size_t rank = a.size();
  auto solve = dyn_cast<stablehlo::TriangularSolveOp>(op);
  if (rank < 2 || (solve && sizes[solve.getB()].size() != rank)) {
    return Step::Continue;
  }
  Step step = require(op, a[rank - 1] - a[rank - 2], "square matrices");
  if (step != Step::Continue || !solve) {
    return step;
  }
  Sizes expected = a;
  size_t other = rank - (solve.getLeftSide() ? 1 : 2);
  expected[other] = sizes[solve.getB()][other];
  return requireSame(op, solve.getB(), expected);
}

SizeAnalysis::Step SizeAnalysis::requireAtLeast(Operation *op, Value numbers, int64_t least) {
  const Sizes *found = numbersOf(numbers);
  for (const SizeExpression &each : found ? Sizes(*found) : Sizes()) {
    Step step = after(known.requireAtLeastZero(each - least), op,
                      each.str() + " >= " + std::to_string(least));
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

SizeAnalysis::Step SizeAnalysis::requireWithin(Operation *op, const Sizes &part,
                                               const Sizes &whole) {
  for (auto [size, most] : llvm::zip(part, whole)) {
    Step step = after(known.requireAtLeastZero(most - size), op, size.str() + " <= " + most.str());
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

// Requires that an index vector has one number for each dimension that it addresses, and that
// batches of indices match the operand's batches.
SizeAnalysis::Step SizeAnalysis::requireIndices(Operation *op, const IndexRoles &roles) {
  const Sizes operand = sizes[roles.operand], indices = sizes[roles.indices];
  auto vector = static_cast<size_t>(roles.vectorDimension);
  if (vector < indices.size()) {
    auto count = static_cast<int64_t>(roles.said);
    Step step =
        require(op, indices[vector] - count, indices[vector].str() + " = " + std::to_string(count));
    if (step != Step::Continue) {
      return step;
    }
  }
  for (auto [of, at] : llvm::zip(roles.operandBatching, roles.indicesBatching)) {
    const SizeExpression &size = operand[static_cast<size_t>(of)],
                         &count = indices[static_cast<size_t>(at)];
    Step step = require(op, size - count, size.str() + " = " + count.str());
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

// Returns nothing for operations that aren't gathers or scatters.
std::optional<SizeAnalysis::IndexRoles> SizeAnalysis::indexRolesOf(Operation *op) {
  using Roles = std::optional<IndexRoles>;
  auto ofGather = [](auto gather) -> Roles {
    stablehlo::GatherDimensionNumbersAttr roles = gather.getDimensionNumbers();
    return IndexRoles{gather.getOperand(),
                      gather.getStartIndices(),
                      roles.getIndexVectorDim(),
                      roles.getStartIndexMap().size(),
                      roles.getOperandBatchingDims(),
                      roles.getStartIndicesBatchingDims()};
  };
  return TypeSwitch<Operation *, Roles>(op)
      .Case<stablehlo::GatherOp>([&](auto gather) { return ofGather(gather); })
      .Case<stablehlo::DynamicGatherOp>([&](auto gather) { return ofGather(gather); })
      .Case<stablehlo::ScatterOp>([](stablehlo::ScatterOp scatter) -> Roles {
        stablehlo::ScatterDimensionNumbersAttr roles = scatter.getScatterDimensionNumbers();
        return IndexRoles{scatter.getInputs().front(),  scatter.getScatterIndices(),
                          roles.getIndexVectorDim(),    roles.getScatterDimsToOperandDims().size(),
                          roles.getInputBatchingDims(), roles.getScatterIndicesBatchingDims()};
      })
      .Default([](auto) { return Roles(); });
}

// Requires that all inputs have equal sizes, and all updates have equal sizes. An update must have
// the dimensions of the indices; its other dimensions must be at most as large as those of the
// input.
SizeAnalysis::Step SizeAnalysis::requireUpdates(Operation *op) {
  auto scatter = cast<stablehlo::ScatterOp>(op);
  auto roles = scatter.getScatterDimensionNumbers();
  for (ValueRange alike : {ValueRange(scatter.getInputs()), ValueRange(scatter.getUpdates())}) {
    if (Step step = requireAlike(op, alike); step != Step::Continue) {
      return step;
    }
  }
  const Sizes input = sizes[scatter.getInputs().front()];
  const Sizes updates = sizes[scatter.getUpdates().front()];
  const Sizes indices = sizes[scatter.getScatterIndices()];
  Sizes window, most;
  for (auto [d, size] : llvm::enumerate(input)) {
    auto dimension = static_cast<int64_t>(d);
    if (!llvm::is_contained(roles.getInsertedWindowDims(), dimension) &&
        !llvm::is_contained(roles.getInputBatchingDims(), dimension)) {
      most.push_back(size);
    }
  }
  size_t nextIndex = 0;
  for (auto [d, size] : llvm::enumerate(updates)) {
    if (llvm::is_contained(roles.getUpdateWindowDims(), static_cast<int64_t>(d))) {
      window.push_back(size);
      continue;
    }
    nextIndex += static_cast<int64_t>(nextIndex) == roles.getIndexVectorDim() ? 1 : 0;
    const SizeExpression &index = indices[nextIndex++];
    Step step = require(op, size - index, size.str() + " = " + index.str());
    if (step != Step::Continue) {
      return step;
    }
  }
  return requireWithin(op, window, most);
}

// Requires that the source of a select_and_scatter has one element per window.
SizeAnalysis::Step SizeAnalysis::requireSource(Operation *op) {
  auto scatter = cast<stablehlo::SelectAndScatterOp>(op);
  Sizes expected;
  for (auto [size, window, stride, padding] :
       llvm::zip_equal(sizes[scatter.getOperand()], scatter.windowDimensionsOrDefault(),
                       scatter.windowStridesOrDefault(), scatter.paddingOrDefault())) {
    expected.push_back(windows(size + padding.first + padding.second, window, stride));
  }
  return requireSame(op, scatter.getSource(), expected);
}

static SizeExpression productOf(const Sizes &sizes) {
  SizeExpression product(1);
  for (const SizeExpression &size : sizes) {
    product = product * size;
  }
  return product;
}

std::optional<int64_t> SizeAnalysis::featureOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<stablehlo::BatchNormInferenceOp, stablehlo::BatchNormTrainingOp,
            stablehlo::BatchNormGradOp>(
          [](auto norm) { return static_cast<int64_t>(norm.getFeatureIndex()); })
      .Default([](Operation *) { return std::nullopt; });
}

// Requires that each other operand is a vector along the feature dimension, or has the first
// operand's sizes.
SizeAnalysis::Step SizeAnalysis::requireFeatures(Operation *op, int64_t feature) {
  const Sizes first = sizes[op->getOperand(0)];
  for (Value operand : op->getOperands().drop_front()) {
    bool isVector = sizes[operand].size() == 1;
    Step step =
        requireSame(op, operand, isVector ? Sizes{first[static_cast<size_t>(feature)]} : first);
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

// Requires that a part of a tensor is at most as large as the tensor, wherever the part begins.
SizeAnalysis::Step SizeAnalysis::requireParts(Operation *op) {
  auto at = [&](Value value) {
    const Sizes *found = numbersOf(value);
    return found ? std::optional(*found) : std::nullopt;
  };
  auto list = [](ArrayRef<int64_t> numbers) { return Sizes(numbers.begin(), numbers.end()); };
  std::optional<Sizes> part =
      TypeSwitch<Operation *, std::optional<Sizes>>(op)
          .Case<stablehlo::SliceOp>([&](auto slice) { return list(slice.getLimitIndices()); })
          .Case<stablehlo::RealDynamicSliceOp>([&](stablehlo::RealDynamicSliceOp slice) {
            const Sizes *moved = movedSlice(slice);
            return moved ? std::optional(*moved) : at(slice.getLimitIndices());
          })
          .Case<stablehlo::DynamicSliceOp>([&](auto slice) { return list(slice.getSliceSizes()); })
          .Case<stablehlo::GatherOp>([&](auto gather) { return list(gather.getSliceSizes()); })
          .Case<stablehlo::DynamicGatherOp>([&](auto gather) { return at(gather.getSliceSizes()); })
          .Case<stablehlo::DynamicUpdateSliceOp>([&](auto to) { return sizes[to.getUpdate()]; })
          .Default([](Operation *) { return std::nullopt; });
  if (!part) {
    return Step::Continue;
  }
  const Sizes whole = sizes[op->getOperand(0)];
  // A slice whose type has bounded dynamic sizes includes the elements up to the operand's size.
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
    for (auto [d, limit] : llvm::enumerate(*part)) {
      auto dimension = static_cast<int64_t>(d);
      bool isOpen = slice.getType().isDynamicDim(dimension) &&
                    !ShapedType::isDynamic(stablehlo::boundOf(slice.getType(), dimension));
      if (isOpen && known.isAtLeastZero(whole[d] - limit) != true) {
        return fail(op, errors::UnsupportedDynamicShape,
                    "a slice up to a dynamic size isn't supported");
      }
    }
  }
  return requireWithin(op, *part, whole);
}

// Requires that all groups of features or images have equal size, and that the kernel has the
// features of one group.
SizeAnalysis::Step SizeAnalysis::requireConvolution(Operation *op) {
  using Parts = std::tuple<stablehlo::ConvDimensionNumbersAttr, int64_t, int64_t>;
  auto partsOf = [](auto conv) {
    return Parts(conv.getDimensionNumbers(), static_cast<int64_t>(conv.getFeatureGroupCount()),
                 static_cast<int64_t>(conv.getBatchGroupCount()));
  };
  auto conv = dyn_cast<stablehlo::ConvolutionOp>(op);
  auto [roles, features, images] =
      conv ? partsOf(conv) : partsOf(cast<stablehlo::DynamicConvOp>(op));
  auto at = [&](Value value, int64_t dimension) {
    return sizes[value][static_cast<size_t>(dimension)];
  };
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  SizeExpression batch = at(lhs, roles.getInputBatchDimension()),
                 in = at(lhs, roles.getInputFeatureDimension()),
                 inOfGroup = at(rhs, roles.getKernelInputFeatureDimension()),
                 out = at(rhs, roles.getKernelOutputFeatureDimension());
  std::pair<SizeExpression, std::string> required[] = {
      {in - inOfGroup * features, in.str() + " = " + (inOfGroup * features).str()},
      {out.remainder(features), out.str() + " is a multiple of " + std::to_string(features)},
      {out.remainder(images), out.str() + " is a multiple of " + std::to_string(images)},
      {batch.remainder(images), batch.str() + " is a multiple of " + std::to_string(images)}};
  for (const auto &[size, text] : required) {
    if (Step step = require(op, size, text); step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

SizeAnalysis::Step SizeAnalysis::requireOperands(Operation *op) {
  if (std::optional<int64_t> feature = featureOf(op)) {
    return requireFeatures(op, *feature);
  }
  if (std::optional<IndexRoles> roles = indexRolesOf(op)) {
    if (Step step = requireIndices(op, *roles); step != Step::Continue) {
      return step;
    }
  }
  if (isElementwise(op)) {
    Value first;
    for (Value operand : op->getOperands()) {
      bool isScalar = sizes[operand].empty();
      Step step = first && !isScalar ? requireSame(op, operand, sizes[first]) : Step::Continue;
      if (step != Step::Continue) {
        return step;
      }
      first = first || isScalar ? first : operand;
    }
    return Step::Continue;
  }
  if (!broadcastOperands(op).empty()) {
    return requireBroadcasts(op);
  }
  if (isa<stablehlo::DotGeneralOp>(op)) {
    return requireDot(op);
  }
  if (isa<chlo::RaggedDotOp>(op)) {
    return requireRaggedDot(op);
  }
  if (isa<stablehlo::ConvolutionOp, stablehlo::DynamicConvOp>(op)) {
    return requireConvolution(op);
  }
  if (isa<stablehlo::DynamicBroadcastInDimOp>(op)) {
    return requireBroadcast(op);
  }
  if (isa<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(op)) {
    return requireMatrices(op);
  }
  if (isa<stablehlo::SelectAndScatterOp>(op)) {
    return requireSource(op);
  }
  if (isa<stablehlo::ScatterOp>(op)) {
    return requireUpdates(op);
  }
  if (auto pad = dyn_cast<stablehlo::DynamicPadOp>(op)) {
    return requireAtLeast(op, pad.getInteriorPadding(), 0);
  }
  if (auto slice = dyn_cast<stablehlo::RealDynamicSliceOp>(op)) {
    Step step = requireAtLeast(op, slice.getStrides(), 1);
    return step == Step::Continue ? requireParts(op) : step;
  }
  if (auto window = stablehlo::DynamicReduceWindow::of(op)) {
    for (Value numbers : {window->strides, window->baseDilations, window->windowDilations}) {
      if (Step step = requireAtLeast(op, numbers, 1); step != Step::Continue) {
        return step;
      }
    }
    return Step::Continue;
  }
  if (isa<stablehlo::MapOp>(op)) {
    return requireAlike(op, op->getOperands());
  }
  if (auto top = dyn_cast<chlo::TopKOp>(op)) {
    SizeExpression more = sizes[top.getOperand()].back() - static_cast<int64_t>(top.getK());
    return after(known.requireAtLeastZero(more), op, "at least k elements");
  }
  if (isa<stablehlo::SortOp>(op)) {
    return requireAlike(op, op->getOperands());
  }
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    return requireAlike(op, reduce.getInputs());
  }
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    return requireAlike(op, window.getInputs());
  }
  if (auto reshape = dyn_cast<stablehlo::DynamicReshapeOp>(op)) {
    const Sizes *made = numbersOf(reshape.getOutputShape());
    SizeExpression before = productOf(sizes[reshape.getOperand()]);
    return made ? require(op, before - productOf(*made), "as many elements as the operand has")
                : Step::Continue;
  }
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op)) {
    for (Value input : concatenate.getInputs()) {
      Sizes expected = sizes[concatenate.getInputs().front()];
      auto along = static_cast<size_t>(concatenate.getDimension());
      expected[along] = sizes[input][along];
      Step step = requireSame(op, input, expected);
      if (step != Step::Continue) {
        return step;
      }
    }
  }
  return requireParts(op);
}

} // namespace drumlin

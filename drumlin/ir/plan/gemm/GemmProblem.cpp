#include "drumlin/ir/plan/gemm/GemmProblem.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/target/ComputeUnits.h"
#include "drumlin/target/Lanes.h"

using namespace mlir;

namespace drumlin {

static ElementType typeOf(Value value) { return elementTypeOf(getElementTypeOrSelf(value)); }

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    result *= size;
  }
  return result;
}

static auto &at(auto &list, int64_t i) { return list[static_cast<size_t>(i)]; }

GemmProblem::GemmProblem(Operation *hero)
    : hero(hero), lhs(hero->getOperand(0)), rhs(hero->getOperand(1)), result(hero->getResult(0)) {
  if (isConvolution()) {
    analyzeConvolution();
  } else {
    analyzeDot();
  }
  batch = product(groups[Batch]);
  m = product(groups[M]);
  n = product(groups[N]);
  k = product(groups[K]);
  ElementType out = typeOf(result);
  if (isFloat(out)) {
    bool wide = llvm::is_contained({typeOf(lhs), typeOf(rhs), out}, ElementType::F64);
    sumType = wide ? ElementType::F64 : ElementType::F32;
  } else {
    // Integer sums wrap around, so the accumulator needs no more bits than the result.
    sumType = info(out).bits > 32 ? ElementType::SI64 : ElementType::SI32;
  }
}

bool GemmProblem::isConvolution() const { return isa<stablehlo::ConvolutionOp>(hero); }

SmallVector<Size> GemmProblem::sizes(GroupName group) const {
  // Static sizes are taken from `groups`, because padInnermost() may have padded one of them.
  SmallVector<Size> made(groups[group].begin(), groups[group].end());
  // The sizes of a convolution's contracting dimensions are those of its kernel.
  Value value = group != K ? result : isConvolution() ? rhs : lhs;
  if (!hasSymbolicSizes(value.getType())) {
    return made;
  }
  const SmallVector<Role> &roles = group != K ? resultRoles : isConvolution() ? rhsRoles : lhsRoles;
  for (auto [role, size] : llvm::zip(roles, symbolicSizesOf(value))) {
    if (role.group == group) {
      made[role.position] = Size(made[role.position].nominal, size);
    } else if (role.group == Features && group == N) {
      made.front() = Size(made.front().nominal, size.quotient(groups[Batch].front()));
    }
  }
  return made;
}

Size GemmProblem::size(GroupName group) const {
  SizeExpression product(1);
  for (const Size &size : sizes(group)) {
    product = product * size.expression();
  }
  // The nominal size is a member that callers may change, so it may differ from the product of the
  // dimensions' nominal sizes.
  int64_t nominal = group == Batch ? batch : group == M ? m : group == N ? n : k;
  return {nominal, product};
}

bool GemmProblem::contractsOpenSize() const { return !size(K).constant(); }

bool GemmProblem::isNumberedBySizes(ArrayRef<Role> roles) const {
  auto isKnown = [](const Size &size) { return size.constant().has_value(); };
  return llvm::any_of(roles, [&](const Role &role) {
    if (role.group == Features) {
      // A feature's index is divided by the number of features per group.
      return batch != 1 && !isKnown(sizes(N).front());
    }
    SmallVector<Size> sizes = this->sizes(static_cast<GroupName>(role.group));
    auto first = llvm::find_if(sizes, [](const Size &size) { return !size.is(1); });
    return first != sizes.end() && !std::all_of(std::next(first), sizes.end(), isKnown);
  });
}

bool GemmProblem::hasOpenWindows() const {
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(hero);
  if (!convolution) {
    return false;
  }
  auto numbers = convolution.getDimensionNumbers();
  auto isOpen = [](const std::vector<SizeExpression> &sizes, ArrayRef<int64_t> dimensions) {
    return llvm::any_of(dimensions, [&](int64_t d) { return !at(sizes, d).constant(); });
  };
  auto sized = hero->getAttrOfType<DictionaryAttr>(sizedAttributes);
  return contractsOpenSize() || (sized && sized.get(convolution.getPaddingAttrName())) ||
         isOpen(symbolicSizesOf(lhs), numbers.getInputSpatialDimensions()) ||
         isOpen(symbolicSizesOf(result), numbers.getOutputSpatialDimensions());
}

//===- roles of dimensions --------------------------------------------------===//

void GemmProblem::analyzeDot() {
  stablehlo::ProductRoles roles(cast<stablehlo::DotGeneralOp>(hero));
  ArrayRef<int64_t> lhsShape = shapeOf(lhs), rhsShape = shapeOf(rhs);
  lhsRoles.resize(lhsShape.size());
  rhsRoles.resize(rhsShape.size());
  auto add = [&](GroupName group, int64_t size) {
    groups[group].push_back(size);
    return Role{group, groups[group].size() - 1};
  };
  for (auto [left, right] : llvm::zip(roles.lhs().batch, roles.rhs().batch)) {
    Role role = add(Batch, at(lhsShape, left));
    at(lhsRoles, left) = at(rhsRoles, right) = role;
    resultRoles.push_back(role);
  }
  // k may traverse the contracting dimensions in any order. The order that they have in the larger
  // operand makes the elements of this operand contiguous.
  SmallVector<std::pair<int64_t, int64_t>> contracted;
  for (auto [left, right] : llvm::zip(roles.lhs().contracting, roles.rhs().contracting)) {
    contracted.push_back({left, right});
  }
  bool byLhs = product(lhsShape) >= product(rhsShape);
  llvm::sort(contracted,
             [&](auto a, auto b) { return byLhs ? a.first < b.first : a.second < b.second; });
  for (auto [left, right] : contracted) {
    at(lhsRoles, left) = at(rhsRoles, right) = add(K, at(lhsShape, left));
  }
  for (int64_t dimension : roles.lhs().free) {
    resultRoles.push_back(at(lhsRoles, dimension) = add(M, at(lhsShape, dimension)));
  }
  for (int64_t dimension : roles.rhs().free) {
    resultRoles.push_back(at(rhsRoles, dimension) = add(N, at(rhsShape, dimension)));
  }
}

void GemmProblem::analyzeConvolution() {
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  auto numbers = convolution.getDimensionNumbers();
  ArrayRef<int64_t> kernelShape = shapeOf(rhs), resultShape = shapeOf(result);
  int64_t groupNumber = static_cast<int64_t>(convolution.getFeatureGroupCount()) *
                        static_cast<int64_t>(convolution.getBatchGroupCount());
  int64_t features = at(kernelShape, numbers.getKernelOutputFeatureDimension());
  groups[Batch] = {groupNumber};
  groups[N] = {features / groupNumber};
  groups[Features] = {features};

  resultRoles.resize(resultShape.size());
  at(resultRoles, numbers.getOutputFeatureDimension()) = {Features, 0};
  auto addToRows = [&](int64_t dimension) {
    size_t position = groups[M].size();
    at(resultRoles, dimension) = {M, position};
    groups[M].push_back(at(resultShape, dimension));
    return position;
  };
  bool imagesLast = llvm::all_of(numbers.getInputSpatialDimensions(), [&](int64_t dimension) {
    return dimension < numbers.getInputBatchDimension();
  });
  if (!imagesLast) {
    imagePosition = addToRows(numbers.getOutputBatchDimension());
  }
  for (int64_t dimension : numbers.getOutputSpatialDimensions()) {
    outputPositions.push_back(addToRows(dimension));
  }
  if (imagesLast) {
    imagePosition = addToRows(numbers.getOutputBatchDimension());
  }

  // k traverses the dimensions in the order that they have in the kernel.
  rhsRoles.resize(kernelShape.size());
  at(rhsRoles, numbers.getKernelOutputFeatureDimension()) = {Features, 0};
  windowPositions.resize(numbers.getKernelSpatialDimensions().size());
  for (int64_t dimension = 0; dimension < static_cast<int64_t>(kernelShape.size()); ++dimension) {
    if (dimension == numbers.getKernelOutputFeatureDimension()) {
      continue;
    }
    size_t position = groups[K].size();
    at(rhsRoles, dimension) = {K, position};
    groups[K].push_back(at(kernelShape, dimension));
    if (dimension == numbers.getKernelInputFeatureDimension()) {
      featurePosition = position;
      continue;
    }
    auto *found = llvm::find(numbers.getKernelSpatialDimensions(), dimension);
    windowPositions[static_cast<size_t>(found - numbers.getKernelSpatialDimensions().begin())] =
        position;
  }
}

//===- types ------------------------------------------------------------------===//

// Whether a unit's operand type `operand` represents every value of `type` exactly. If the types
// differ, none of these values may be subnormal in `operand`. An 8-bit integer counts as
// represented even if the signedness differs (see movesRows()).
static bool fits(ElementType type, ElementType operand) {
  if (type == operand) {
    return true;
  }
  if (isFloat(operand)) {
    return isFloat(type) && info(type).bits <= 8 && type != ElementType::F8E8M0FNU;
  }
  return isBoolean(type) ||
         (isInteger(type) && (info(type).bits < info(operand).bits || info(type).bits == 8));
}

bool GemmProblem::combinesResults() const {
  Block *region = hero->getBlock();
  Epilogue made(hero);
  for (Operation &op : region->without_terminator()) {
    (void)made.add(&op);
  }
  return llvm::any_of(region->getTerminator()->getOperands(),
                      [&](Value root) { return made.contains(root) && made.reductionOf(root); });
}

// Whether the integer type `type` represents every value of the type `narrow`.
static bool holds(ElementType type, ElementType narrow) {
  if (!isInteger(type) || !(isInteger(narrow) || isBoolean(narrow))) {
    return false;
  }
  int64_t more = isSigned(type) && !isSigned(narrow) ? 1 : 0;
  return (isSigned(type) || !isSigned(narrow)) && info(narrow).bits + more <= info(type).bits;
}

ElementType GemmProblem::termType(GemmOperand operand) const {
  Value from = value(operand);
  ElementType narrowest = typeOf(from);
  while (Operation *op = from.getDefiningOp()) {
    bool isWidened = isa<stablehlo::ConvertOp>(op) &&
                     holds(typeOf(from), typeOf(op->getOperand(0))) &&
                     holds(narrowest, typeOf(op->getOperand(0)));
    if (!isWidened && !isDataMovement(op)) {
      break;
    }
    from = op->getOperand(0);
    narrowest = isWidened ? typeOf(from) : narrowest;
  }
  return narrowest;
}

bool GemmProblem::mayUse(ComputeUnit unit) const {
  const ComputeUnitInfo &takes = info(unit);
  if (!takes.operands) {
    return true;
  }
  if (sumType != takes.sums || !fits(termType(GemmOperand::Lhs), *takes.operands) ||
      !fits(termType(GemmOperand::Rhs), *takes.operands)) {
    return false;
  }
  auto isDefault = [](auto op) {
    return op.precisionOrDefault(0) == stablehlo::Precision::DEFAULT &&
           op.precisionOrDefault(1) == stablehlo::Precision::DEFAULT;
  };
  return takes.isExact || (isConvolution() ? isDefault(cast<stablehlo::ConvolutionOp>(hero))
                                           : isDefault(cast<stablehlo::DotGeneralOp>(hero)));
}

bool GemmProblem::isWithoutSign(GemmOperand operand) const {
  ElementType type = termType(operand);
  return isUnsigned(type) || isBoolean(type);
}

bool GemmProblem::movesRows(ComputeUnit unit) const {
  bool areAlike = isWithoutSign(GemmOperand::Lhs) == isWithoutSign(GemmOperand::Rhs);
  return info(unit).mayMoveRows() && areAlike == (unit == ComputeUnit::int8_quads);
}

//===- positions of a convolution -------------------------------------------===//

bool GemmProblem::padInnermost() {
  if (!isConvolution() || windowPositions.empty() || hasOpenWindows() ||
      outputPositions.back() + 1 != groups[M].size()) {
    return false;
  }
  int64_t positions = groups[M].back();
  auto padded = static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(positions), lanes));
  if (positions == padded || padded * 2 > positions * 3) {
    return false;
  }
  innermost = positions;
  groups[M].back() = padded;
  m = product(groups[M]);
  return true;
}

void GemmProblem::unpadInnermost() {
  if (innermost == 0) {
    return;
  }
  groups[M].back() = innermost;
  m = product(groups[M]);
  innermost = 0;
}

std::optional<WindowRuns> GemmProblem::windowRuns() const {
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(hero);
  if (!convolution || windowPositions.empty() || batch != 1 || innermost != 0 || hasOpenWindows() ||
      product(groups[K]) * product(groups[M]) == 0) {
    return std::nullopt;
  }
  auto numbers = convolution.getDimensionNumbers();
  size_t spatial = windowPositions.size(), last = spatial - 1;
  bool inOrder = numbers.getInputBatchDimension() == 0 &&
                 numbers.getInputFeatureDimension() == static_cast<int64_t>(spatial) + 1 &&
                 featurePosition == spatial;
  for (size_t d = 0; d < spatial; ++d) {
    inOrder &= windowPositions[d] == d &&
               numbers.getInputSpatialDimensions()[d] == static_cast<int64_t>(d) + 1 &&
               convolution.lhsDilationOrDefault()[d] == 1 &&
               !convolution.windowReversalOrDefault()[d];
  }
  int64_t alongLast = groups[K][last];
  if (!inOrder || (alongLast != 1 && convolution.rhsDilationOrDefault()[last] != 1)) {
    return std::nullopt;
  }
  WindowRuns runs;
  int64_t features = groups[K][featurePosition],
          stride = convolution.windowStridesOrDefault()[last];
  runs.outer = product(groups[K]) / (alongLast * features);
  runs.run = alongLast * features;
  runs.outputs = groups[M].back();
  runs.step = stride * features;
  runs.rowElements = (runs.outputs - 1) * runs.step + runs.run;
  return runs;
}

//===- maps -------------------------------------------------------------------===//

AffineExpr GemmProblem::part(const IndexingBuilder &made, unsigned group, size_t position,
                             unsigned dimension) const {
  ArrayRef<int64_t> sizes = groups[group];
  AffineExpr moved =
      made.dim(dimension).floorDiv(std::max<int64_t>(product(sizes.drop_front(position + 1)), 1));
  return position == 0 ? moved : moved % std::max<int64_t>(sizes[position], 1);
}

IndexingMap GemmProblem::operandMap(GemmOperand operand) const {
  bool isLhs = operand == GemmOperand::Lhs;
  if (isLhs && isConvolution()) {
    return convolutionInputMap();
  }
  ArrayRef<int64_t> shape = shapeOf(value(operand));
  IndexingBuilder made({batch, isLhs ? m : n, k}, shape, hero->getContext());
  for (auto [d, role] : llvm::enumerate(isLhs ? lhsRoles : rhsRoles)) {
    if (role.group == Features) {
      made.at(d) = made.dim(0) * n + made.dim(1);
    } else {
      unsigned dimension = role.group == Batch ? 0 : role.group == K ? 2 : 1;
      made.at(d) = part(made, role.group, role.position, dimension);
    }
  }
  return isNumberedBySizes(isLhs ? lhsRoles : rhsRoles) ? made.finish().ofNominalSizes()
                                                        : made.finish();
}

IndexingMap GemmProblem::resultMap() const {
  IndexingBuilder made({batch, m, n}, shapeOf(result), hero->getContext());
  for (auto [d, role] : llvm::enumerate(resultRoles)) {
    made.at(d) = role.group == Features ? made.dim(0) * n + made.dim(2)
                                        : part(made, role.group, role.position, role.group);
  }
  if (innermost != 0) {
    made.constrain(made.dim(M) % groups[M].back(), 0, innermost - 1);
  }
  return isNumberedBySizes(resultRoles) ? made.finish().ofNominalSizes() : made.finish();
}

IndexingMap GemmProblem::convolutionInputMap() const {
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  auto numbers = convolution.getDimensionNumbers();
  ArrayRef<int64_t> shape = shapeOf(lhs);
  IndexingBuilder made({batch, m, k}, shape, hero->getContext());
  AffineExpr image = part(made, M, imagePosition, 1), feature = part(made, K, featurePosition, 2);
  made.at(static_cast<size_t>(numbers.getInputBatchDimension())) =
      convolution.getBatchGroupCount() > 1 ? made.dim(0) * groups[M][imagePosition] + image : image;
  made.at(static_cast<size_t>(numbers.getInputFeatureDimension())) =
      convolution.getFeatureGroupCount() > 1 ? made.dim(0) * groups[K][featurePosition] + feature
                                             : feature;
  for (size_t d = 0; d < windowPositions.size(); ++d) {
    auto dimension = static_cast<size_t>(numbers.getInputSpatialDimensions()[d]);
    AffineExpr element = part(made, K, windowPositions[d], 2);
    if (convolution.windowReversalOrDefault()[d]) {
      element = groups[K][windowPositions[d]] - 1 - element;
    }
    AffineExpr position =
        part(made, M, outputPositions[d], 1) * convolution.windowStridesOrDefault()[d] +
        element * convolution.rhsDilationOrDefault()[d] - convolution.paddingOrDefault()[d].first;
    made.at(dimension) =
        made.undilated(position, convolution.lhsDilationOrDefault()[d], shape[dimension]);
  }
  bool isGroupOpen = convolution.getBatchGroupCount() > 1 && !sizes(M)[imagePosition].constant();
  bool isNominal = hasOpenWindows() || isGroupOpen || isNumberedBySizes(resultRoles);
  return isNominal ? made.finish().ofNominalSizes() : made.finish();
}

} // namespace drumlin

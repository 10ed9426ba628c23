// The convolution as a product of matrices: the roles of its dimensions, and its input unfolded.
#include "drumlin/codegen/cpu/GemmProblem.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace llvm;

namespace drumlin::codegen {

void GemmProblem::analyzeConvolution(mlir::Operation *op) {
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  auto numbers = convolution.getDimensionNumbers();
  ArrayRef<int64_t> kernelShape = shapeOf(rhs), resultShape = shapeOf(result);
  auto at = [](auto &list, int64_t i) -> auto & { return list[static_cast<size_t>(i)]; };
  int64_t groupNumber = static_cast<int64_t>(convolution.getFeatureGroupCount()) *
                        static_cast<int64_t>(convolution.getBatchGroupCount());
  int64_t features = at(kernelShape, numbers.getKernelOutputFeatureDimension());
  groups[Batch] = {groupNumber};
  groups[N] = {features / groupNumber};
  groups[Features] = {features};

  groups[M] = {at(resultShape, numbers.getOutputBatchDimension())};
  resultRoles.resize(resultShape.size());
  at(resultRoles, numbers.getOutputBatchDimension()) = {M, 0};
  at(resultRoles, numbers.getOutputFeatureDimension()) = {Features, 0};
  for (int64_t dimension : numbers.getOutputSpatialDimensions()) {
    at(resultRoles, dimension) = {M, groups[M].size()};
    groups[M].push_back(at(resultShape, dimension));
  }

  // k in the order in which the kernel lies.
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
    auto *found = find(numbers.getKernelSpatialDimensions(), dimension);
    windowPositions[static_cast<size_t>(found - numbers.getKernelSpatialDimensions().begin())] =
        position;
  }
}

bool GemmProblem::padInnermost() {
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(hero);
  if (!convolution || windowPositions.empty()) {
    return false;
  }
  int64_t positions = groups[M].back();
  int64_t padded = (positions + lanes - 1) / lanes * lanes;
  if (positions == padded || padded * 2 > positions * 3) {
    return false;
  }
  innermost = positions;
  groups[M].back() = padded;
  m = product(groups[M]);
  return true;
}

void GemmProblem::unpadInnermost() {
  groups[M].back() = innermost;
  m = product(groups[M]);
  innermost = 0;
}

Value *GemmProblem::exists(const LaneIndex &atM) {
  if (innermost == 0) {
    return nullptr;
  }
  size_t last = groups[M].size() - 1;
  Value *position = frame.emitter.index().asVector(part(M, last, last, atM));
  return frame.builder.CreateICmpULT(
      position, ConstantInt::get(position->getType(), static_cast<uint64_t>(innermost)));
}

// An element of the padding: 0 converted to the operand's type. f8E8M0FNU has no 0, so that it is
// NaN there.
Constant *GemmProblem::paddingValue(Type *type) {
  bool isScale = info(elementTypeOf(mlir::getElementTypeOrSelf(lhs.getType()))).specials ==
                 FloatSpecials::ScaleOnly;
  return isScale ? ConstantFP::getNaN(type) : Constant::getNullValue(type);
}

// input[image, position under each kernel element, feature], padding outside of it and between
// dilated elements.
Lanes GemmProblem::convolutionInput(const GroupIndices &at) {
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  auto numbers = convolution.getDimensionNumbers();
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  Shape shape(shapeOf(lhs));
  if (product(shape) == 0) {
    return {paddingValue(e.computeType(elementTypeOf(mlir::getElementTypeOrSelf(lhs.getType()))))};
  }
  SmallVector<LaneIndex> dims(shape.size(), index.constant(0));
  auto group = [&](LaneIndex within, int64_t size) {
    return index.add(index.multiply(at[Batch], size), within);
  };
  LaneIndex image = part(M, 0, 0, at[M]);
  LaneIndex feature = part(K, featurePosition, featurePosition, at[K]);
  dims[static_cast<size_t>(numbers.getInputBatchDimension())] =
      convolution.getBatchGroupCount() > 1 ? group(image, groups[M][0]) : image;
  dims[static_cast<size_t>(numbers.getInputFeatureDimension())] =
      convolution.getFeatureGroupCount() > 1 ? group(feature, groups[K][featurePosition]) : feature;

  Value *inside = nullptr;
  auto require = [&](Value *condition) {
    if (inside && inside->getType() != condition->getType()) {
      inside = e.splat(inside);
      condition = e.splat(condition);
    }
    inside = inside ? b.CreateAnd(inside, condition) : condition;
  };
  auto strides = convolution.windowStridesOrDefault();
  auto padding = convolution.paddingOrDefault();
  auto inputDilation = convolution.lhsDilationOrDefault();
  auto windowDilation = convolution.rhsDilationOrDefault();
  auto reversal = convolution.windowReversalOrDefault();
  for (size_t d = 0; d < windowPositions.size(); ++d) {
    size_t dimension = static_cast<size_t>(numbers.getInputSpatialDimensions()[d]);
    int64_t windowSize = groups[K][windowPositions[d]];
    LaneIndex element = part(K, windowPositions[d], windowPositions[d], at[K]);
    if (reversal[d]) {
      element = index.addConstant(index.multiply(element, -1), windowSize - 1);
    }
    LaneIndex position = index.multiply(part(M, d + 1, d + 1, at[M]), strides[d]);
    if (windowSize != 1) {
      position = index.add(position, index.multiply(element, windowDilation[d]));
    }
    position = index.addConstant(position, -padding[d].first);
    int64_t extent = dilatedSize(shape[dimension], inputDilation[d]);
    int64_t last = (groups[M][d + 1] - 1) * strides[d] + (windowSize - 1) * windowDilation[d] -
                   padding[d].first;
    bool mayLeave = padding[d].first > 0 || last >= extent;
    Value *value = index.asValue(position);
    if (mayLeave) {
      require(b.CreateICmpULT(value,
                              ConstantInt::get(value->getType(), static_cast<uint64_t>(extent))));
    }
    if (inputDilation[d] != 1) {
      Constant *by = ConstantInt::get(value->getType(), static_cast<uint64_t>(inputDilation[d]));
      require(b.CreateICmpEQ(b.CreateURem(value, by), Constant::getNullValue(value->getType())));
      Value *whole = b.CreateUDiv(value, by);
      position = position.isUniform() ? index.scalar(whole) : index.fromVector(whole);
    }
    if (mayLeave && position.isUniform()) {
      // Scalar addresses take no mask, so they are kept inside.
      Value *clamped = b.CreateBinaryIntrinsic(Intrinsic::smax, position.base, b.getInt64(0));
      clamped = b.CreateBinaryIntrinsic(Intrinsic::smin, clamped,
                                        b.getInt64(static_cast<uint64_t>(shape[dimension] - 1)));
      position = index.scalar(clamped);
    }
    dims[dimension] = position;
  }
  Value *saved = e.activeLanes();
  if (inside && inside->getType()->isVectorTy()) {
    e.setActiveLanes(saved ? b.CreateAnd(saved, inside) : inside);
  }
  e.pushScope();
  Lanes value = e.emit(lhs, index.tuple(shape, dims));
  e.popScope();
  e.setActiveLanes(saved);
  if (!inside) {
    return value;
  }
  if (inside->getType()->isVectorTy()) {
    value.value = e.splat(value.value);
  }
  return {b.CreateSelect(inside, value.value, paddingValue(value.value->getType()))};
}

//===- windows as runs of the input -----------------------------------------===//

std::optional<WindowRuns> GemmProblem::windowRuns() const {
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(hero);
  if (!convolution || windowPositions.empty() || batch != 1 || innermost != 0 ||
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

Value *GemmProblem::windowRow(const LaneIndex &atM, const LaneIndex &atK, Value *element) {
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  Shape shape(shapeOf(lhs));
  auto padding = convolution.paddingOrDefault();
  size_t last = windowPositions.size() - 1;
  LaneIndex row = part(M, 0, 0, atM);
  Value *inside = nullptr;
  for (size_t d = 0; d < last; ++d) {
    LaneIndex position = index.add(
        index.multiply(part(M, d + 1, d + 1, atM), convolution.windowStridesOrDefault()[d]),
        index.multiply(part(K, d, d, atK), convolution.rhsDilationOrDefault()[d]));
    position = index.addConstant(position, -padding[d].first);
    Value *within = b.CreateICmpULT(position.base, b.getInt64(static_cast<uint64_t>(shape[d + 1])));
    inside = inside ? b.CreateAnd(inside, within) : within;
    // Outside, no lane is read; the address stays one of the tensor's.
    Value *clamped = b.CreateSelect(within, position.base, b.getInt64(0));
    row = index.add(index.multiply(row, shape[d + 1]), index.scalar(clamped));
  }
  int64_t features = shape.back(), extent = shape[last + 1] * features;
  LaneIndex along =
      index.addConstant(index.laneOf(element, lanes), -padding[last].first * features);
  Value *mask =
      b.CreateICmpULT(index.asVector(along), ConstantInt::get(index.asVector(along)->getType(),
                                                              static_cast<uint64_t>(extent)));
  if (inside) {
    mask = b.CreateAnd(mask, e.splat(inside));
  }
  Value *saved = e.activeLanes();
  e.setActiveLanes(saved ? b.CreateAnd(saved, mask) : mask);
  e.pushScope();
  Lanes value =
      e.emit(lhs, index.tupleFromLinear(shape, index.add(index.multiply(row, extent), along)));
  e.popScope();
  e.setActiveLanes(saved);
  Value *filled = e.splat(value.value);
  filled = b.CreateSelect(mask, filled, paddingValue(filled->getType()));
  return asTerm({filled}, elementTypeOf(mlir::getElementTypeOrSelf(lhs.getType())));
}

} // namespace drumlin::codegen

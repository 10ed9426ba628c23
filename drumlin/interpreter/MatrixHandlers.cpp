// Transforms, decompositions and normalizations.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/kernels/EvaluateBatchNorm.h"
#include "drumlin/interpreter/kernels/EvaluateLinearAlgebra.h"
#include "drumlin/interpreter/kernels/Fft.h"
#include "drumlin/ir/stablehlo/BatchNormGradOp.h"
#include "drumlin/ir/stablehlo/BatchNormInferenceOp.h"
#include "drumlin/ir/stablehlo/BatchNormTrainingOp.h"
#include "drumlin/ir/stablehlo/CholeskyOp.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/ir/stablehlo/TriangularSolveOp.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

static FourierTransform transformOf(stablehlo::FftType type) {
  switch (type) {
  case stablehlo::FftType::FFT:
    return FourierTransform::Forward;
  case stablehlo::FftType::IFFT:
    return FourierTransform::Inverse;
  case stablehlo::FftType::RFFT:
    return FourierTransform::RealForward;
  case stablehlo::FftType::IRFFT:
    return FourierTransform::RealInverse;
  }
  return FourierTransform::Forward;
}

static MatrixTranspose transposeOf(stablehlo::Transpose transpose) {
  switch (transpose) {
  case stablehlo::Transpose::TRANSPOSE:
    return MatrixTranspose::Transpose;
  case stablehlo::Transpose::ADJOINT:
    return MatrixTranspose::Adjoint;
  default:
    return MatrixTranspose::None;
  }
}

void addMatrixHandlers(InterpreterTable &table) {
  add<stablehlo::CholeskyOp>(table, [](stablehlo::CholeskyOp op, Tensors &operands, Frame &frame) {
    return single(cholesky(operands[0], op.getLower(), frame.kernels()));
  });
  add<stablehlo::FftOp>(table, [](stablehlo::FftOp op, Tensors &operands, Frame &frame) {
    return single(fourierTransform(transformOf(op.getFftType()), operands[0], op.getFftLength(),
                                   frame.kernels()));
  });
  add<stablehlo::TriangularSolveOp>(
      table, [](stablehlo::TriangularSolveOp op, Tensors &operands, Frame &frame) {
        return single(triangularSolve(operands[0], operands[1], op.getLeftSide(), op.getLower(),
                                      op.getUnitDiagonal(), transposeOf(op.getTransposeA()),
                                      frame.kernels()));
      });
  add<stablehlo::BatchNormInferenceOp>(table, [](stablehlo::BatchNormInferenceOp op,
                                                 Tensors &operands, Frame &frame) {
    return single(batchNormInference(operands[0], operands[1], operands[2], operands[3],
                                     operands[4], op.getEpsilon().convertToDouble(),
                                     static_cast<int64_t>(op.getFeatureIndex()), frame.kernels()));
  });
  add<stablehlo::BatchNormTrainingOp>(
      table, [](stablehlo::BatchNormTrainingOp op, Tensors &operands, Frame &frame) {
        return batchNormTraining(operands[0], operands[1], operands[2],
                                 op.getEpsilon().convertToDouble(),
                                 static_cast<int64_t>(op.getFeatureIndex()), frame.kernels());
      });
  add<stablehlo::BatchNormGradOp>(
      table, [](stablehlo::BatchNormGradOp op, Tensors &operands, Frame &frame) {
        return batchNormGrad(operands[0], operands[1], operands[2], operands[3], operands[4],
                             op.getEpsilon().convertToDouble(),
                             static_cast<int64_t>(op.getFeatureIndex()), frame.kernels());
      });
}

} // namespace drumlin::interpreter

// Verifiers of Fourier transforms, and of factorizations and solves of matrices.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/LinearAlgebraOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/LinearAlgebra.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addLinearAlgebraOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/LinearAlgebra.cpp.inc"
      >();
}

LogicalResult CholeskyOp::verify() {
  RankedTensorType a = getA().getType();
  // cholesky_c2
  if (a.getRank() < 2) {
    return emitOpError() << "expects an operand of rank 2 or more, got " << a << " (cholesky_c2)";
  }
  // cholesky_c3
  ArrayRef<int64_t> matrix = a.getShape().take_back(2);
  if (!areCompatible(matrix[0], matrix[1])) {
    return emitOpError() << "expects square matrices, got " << a << " (cholesky_c3)";
  }
  return success();
}

//===-- fft -----------------------------------------------------------------------------------===//

// fft_c2: the permitted pairs of operand and result element types.
static LogicalResult checkTransform(FftOp op) {
  Type operand = op.getOperand().getType().getElementType(), result = op.getType().getElementType();
  auto parts = [](Type type) {
    auto complex = dyn_cast<ComplexType>(type);
    return complex ? complex.getElementType() : Type();
  };
  bool fits = false;
  switch (op.getFftType()) {
  case FftType::FFT:
  case FftType::IFFT:
    fits = parts(operand) && operand == result;
    break;
  case FftType::RFFT:
    fits = parts(result) == operand;
    break;
  case FftType::IRFFT:
    fits = parts(operand) == result;
    break;
  }
  if (!fits) {
    return op.emitOpError() << "expects "
                            << (op.getFftType() == FftType::RFFT ? "a real operand and a complex"
                                : op.getFftType() == FftType::IRFFT
                                    ? "a complex operand and a real"
                                    : "a complex operand and the same")
                            << " result for " << stringifyFftType(op.getFftType()) << ", got "
                            << operand << " and " << result << " (fft_c2)";
  }
  return success();
}

LogicalResult FftOp::verify() {
  auto emit = [&] { return emitOpError(); };
  ArrayRef<int64_t> operand = shapeOf(getOperand()), lengths = getFftLength();
  // fft_c1
  if (lengths.size() > operand.size()) {
    return emitOpError() << "expects at most " << operand.size()
                         << " lengths, one for each dimension of the operand, got "
                         << lengths.size() << " (fft_c1)";
  }
  // fft_c3
  if (lengths.empty() || lengths.size() > 3) {
    return emitOpError() << "expects 1 to 3 lengths, got " << lengths.size() << " (fft_c3)";
  }
  if (failed(checkTransform(*this)) ||
      failed(checkAtLeast(emit, "fft_c4", "each length", lengths, 0))) {
    return failure();
  }
  // fft_c4. The reference implementation requires the lengths to match the operand's innermost
  // dimensions, except for the inverse real transform, and programs comply.
  SmallVector<int64_t> expected(operand);
  int64_t halved = lengths.back() == 0 ? 0 : lengths.back() / 2 + 1;
  SmallVector<int64_t> transformed(lengths);
  if (getFftType() == FftType::IRFFT) {
    transformed.back() = halved;
  }
  if (failed(checkShape(emit, "fft_c4", "the operand's innermost dimensions",
                        operand.take_back(lengths.size()), transformed))) {
    return failure();
  }
  // fft_c5
  if (getFftType() == FftType::RFFT) {
    expected.back() = halved;
  } else if (getFftType() == FftType::IRFFT) {
    expected.back() = lengths.back();
  }
  return checkShape(emit, "fft_c5", "the result", getType().getShape(), expected);
}

//===-- triangular_solve ----------------------------------------------------------------------===//

LogicalResult TriangularSolveOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType a = getA().getType(), b = getB().getType();
  // triangular_solve_i6
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID) {
    return emitOpError() << "expects transpose_a NO_TRANSPOSE, TRANSPOSE or ADJOINT, got "
                            "TRANSPOSE_INVALID (triangular_solve_i6)";
  }
  // triangular_solve_c1
  if (failed(checkBaseline(emit, "triangular_solve_c1", "b", b, a))) {
    return failure();
  }
  // triangular_solve_c2
  if (a.getRank() < 2 || a.getRank() != b.getRank()) {
    return emitOpError() << "expects operands of one rank of 2 or more, got " << a << " and " << b
                         << " (triangular_solve_c2)";
  }
  // triangular_solve_c3
  ArrayRef<int64_t> matrix = a.getShape().take_back(2), others = b.getShape().take_back(2);
  int64_t solved = getLeftSide() ? others[0] : others[1];
  if (!areCompatible(matrix[0], matrix[1]) || !areCompatible(matrix[0], solved) ||
      !areCompatible(matrix[1], solved)) {
    return emitOpError() << "expects square matrices a of b's size " << solved << ", got " << a
                         << " (triangular_solve_c3)";
  }
  if (failed(checkShape(emit, "triangular_solve_c3", "the batch dimensions of b",
                        b.getShape().drop_back(2), a.getShape().drop_back(2)))) {
    return failure();
  }
  // triangular_solve_c4
  return checkBaselineType(emit, "triangular_solve_c4", "the result", getType(), b);
}

//===-- indexing ------------------------------------------------------------------------------===//

// Returns the map from a result element to all operand elements with the same index in the outer
// dimensions; the last `last` dimensions are the inner ones.
static IndexingMap wholeInner(OpOperand &operand, unsigned result, size_t last) {
  IndexingBuilder made = indexingBuilder(operand, result);
  ArrayRef<int64_t> shape = shapeOf(operand.get());
  for (auto [d, size] : llvm::enumerate(shape)) {
    made.at(d) = d + last < shape.size() ? made.dim(d) : made.all(size);
  }
  return made.finish();
}

IndexingMap CholeskyOp::indexingOf(OpOperand &operand, unsigned result) {
  return wholeInner(operand, result, 2);
}

IndexingMap FftOp::indexingOf(OpOperand &operand, unsigned result) {
  return wholeInner(operand, result, getFftLength().size());
}

// Columns of the result depend only on the same columns of b. If a is on the right of x, this holds
// for rows instead of columns.
IndexingMap TriangularSolveOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() == 0) {
    return wholeInner(operand, result, 2);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  ArrayRef<int64_t> shape = shapeOf(getB());
  size_t solved = shape.size() - (getLeftSide() ? 2 : 1);
  for (auto [d, size] : llvm::enumerate(shape)) {
    made.at(d) = d == solved ? made.all(size) : made.dim(d);
  }
  return made.finish();
}

} // namespace drumlin::stablehlo

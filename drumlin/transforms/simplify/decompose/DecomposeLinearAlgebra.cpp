// Replaces LAPACK and BLAS calls by operations. The kernels of these operations use several threads
// and are optimized together with the surrounding program.
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CholeskyOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/TriangularSolveOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/plan/HostCalls.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

namespace {
// A call of a LAPACK or BLAS routine, e.g. of `trsm` for `lapack_strsm_ffi`.
struct LapackCall {
  stablehlo::CustomCallOp op;
  std::string routine;
  DictionaryAttr attributes;

  // Returns an 8-bit attribute; 0 if it is missing.
  char letter(StringRef name) const {
    auto attribute = attributes.getAs<IntegerAttr>(name);
    return attribute && attribute.getType().isInteger(8)
               ? static_cast<char>(attribute.getValue().getZExtValue())
               : '\0';
  }
};
} // namespace

// Returns whether all values are nonempty matrices, or batches of matrices, of the type that the
// letter denotes.
static bool areMatrices(ValueRange values, char letter) {
  return llvm::all_of(values, [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Type element = type.getElementType();
    auto complex = dyn_cast<ComplexType>(element);
    Type real = complex ? complex.getElementType() : element;
    char expected = real.isF32() ? (complex ? 'c' : 's') : real.isF64() ? (complex ? 'z' : 'd') : 0;
    TensorShape shape = TensorShape::of(value);
    return expected == letter && type.getRank() >= 2 && type.getNumElements() > 0 &&
           llvm::none_of(shape, [](const Size &size) { return size.symbolic.has_value(); });
  });
}

static std::optional<LapackCall> lapackCallOf(stablehlo::CustomCallOp op) {
  std::optional<HostCallParts> parts = hostCallPartsOf(op);
  if (!parts || parts->interface != plan::HostInterface::typed_ffi || parts->hasSideEffect) {
    return std::nullopt;
  }
  StringRef target = parts->target;
  auto attributes = dyn_cast_or_null<DictionaryAttr>(parts->config);
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") || target.empty() ||
      !attributes || !areMatrices(op.getInputs(), target.front()) ||
      !areMatrices(op.getResults().take_front(1), target.front())) {
    return std::nullopt;
  }
  return LapackCall{op, target.drop_front().str(), attributes};
}

static bool isSquare(ArrayRef<int64_t> shape) { return shape.back() == shape[shape.size() - 2]; }

// trsm(a, b) = triangular_solve(a, b)
static Replacements solve(const LapackCall &call) {
  stablehlo::CustomCallOp op = call.op;
  if (op.getInputs().size() != 2 || op.getNumResults() != 1) {
    return std::nullopt;
  }
  char side = call.letter("side"), triangle = call.letter("uplo"), diagonal = call.letter("diag"),
       transposed = call.letter("trans_x");
  Value a = op.getInputs()[0], b = op.getInputs()[1];
  ArrayRef<int64_t> shape = shapeOf(a), right = shapeOf(b);
  bool isLeft = side == 'L', isLower = triangle == 'L', isUnit = diagonal == 'U';
  bool areLetters = (isLeft || side == 'R') && (isLower || triangle == 'U') &&
                    (isUnit || diagonal == 'N') && StringRef("NTC").contains(transposed);
  if (!areLetters || !isSquare(shape) || shape.size() != right.size() ||
      shape.drop_back(2) != right.drop_back(2) ||
      shape.back() != right[right.size() - (isLeft ? 2 : 1)] ||
      op.getResult(0).getType() != b.getType()) {
    return std::nullopt;
  }
  bool isComplex = isa<ComplexType>(TensorBuilder::elementOf(a));
  stablehlo::Transpose transpose = transposed == 'N' ? stablehlo::Transpose::NO_TRANSPOSE
                                   : transposed == 'C' && isComplex
                                       ? stablehlo::Transpose::ADJOINT
                                       : stablehlo::Transpose::TRANSPOSE;
  OpBuilder builder(op);
  Value solved = stablehlo::TriangularSolveOp::create(builder, op.getLoc(), b.getType(), a, b,
                                                      isLeft, isLower, isUnit, transpose);
  return SmallVector<Value>{solved};
}

static bool isZero(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
    value = broadcast.getOperand();
  }
  return matchPattern(value, m_Zero());
}

// Returns whether a number is only compared with zero.
static bool isComparedWithZero(Value info) {
  return llvm::all_of(info.getUsers(), [&](Operation *user) {
    return TypeSwitch<Operation *, bool>(user)
        .Case<stablehlo::CompareOp>([&](auto compare) {
          auto direction = compare.getComparisonDirection();
          return (direction == stablehlo::ComparisonDirection::EQ ||
                  direction == stablehlo::ComparisonDirection::NE) &&
                 isZero(compare.getLhs() == info ? compare.getRhs() : compare.getLhs());
        })
        .Case<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(
            [](auto moved) { return isComparedWithZero(moved.getResult()); })
        .Default(false);
  });
}

// potrf(a) = (select(triangle, cholesky(a), a), info)
// LAPACK returns in `info` the first row that can't be factorized. The operation returns NaN
// everywhere instead, so only zero and nonzero can be distinguished.
static Replacements factorize(const LapackCall &call) {
  stablehlo::CustomCallOp op = call.op;
  if (op.getInputs().size() != 1 || op.getNumResults() != 2) {
    return std::nullopt;
  }
  char triangle = call.letter("uplo");
  Value a = op.getInputs()[0], factor = op.getResult(0), info = op.getResult(1);
  ArrayRef<int64_t> shape = shapeOf(a), batch = shape.drop_back(2);
  bool isLower = triangle == 'L';
  if (!(isLower || triangle == 'U') || !isSquare(shape) || factor.getType() != a.getType() ||
      shapeOf(info) != batch || !TensorBuilder::elementOf(info).isSignlessInteger(32) ||
      !isComparedWithZero(info)) {
    return std::nullopt;
  }
  TensorBuilder b(op);
  int64_t rank = static_cast<int64_t>(shape.size());
  Value made = stablehlo::CholeskyOp::create(b.operations(), b.location(), a.getType(), a, isLower);
  Value first = b.slice(b.slice(made, rank - 2, 0, 1), rank - 1, 0, 1);
  first = b.reshape(first, batch);
  Value isFailed = b.compare(stablehlo::ComparisonDirection::NE, first, first);
  Type integers = b.signedType(32);
  Value rows = b.iota(integers, shape, rank - 2), columns = b.iota(integers, shape, rank - 1);
  Value isRead =
      b.compare(isLower ? stablehlo::ComparisonDirection::GE : stablehlo::ComparisonDirection::LE,
                rows, columns);
  return SmallVector<Value>{b.select(isRead, made, a), b.convert(isFailed, integers)};
}

Replacements decomposeLinearAlgebra(Operation *op) {
  auto custom = dyn_cast<stablehlo::CustomCallOp>(op);
  std::optional<LapackCall> call = custom ? lapackCallOf(custom) : std::nullopt;
  if (!call) {
    return std::nullopt;
  }
  return call->routine == "trsm"    ? solve(*call)
         : call->routine == "potrf" ? factorize(*call)
                                    : std::nullopt;
}

} // namespace drumlin

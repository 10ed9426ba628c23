// Computes the sizes of every value of a program, as expressions over the sizes of its arguments.
//
// Programs compute sizes from sizes: get_dimension_size, arithmetic on scalars, concatenations into
// shapes. The analysis evaluates that arithmetic symbolically, operation by operation, and records
// the facts that the program's operations and assertions require. A new fact about a symbol may
// change earlier results, so the analysis then restarts.
#pragma once

#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/RealDynamicSliceOp.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/simplify/sizes/SizeFacts.h"
#include "llvm/ADT/DenseMap.h"

namespace drumlin {

using Sizes = std::vector<SizeExpression>;

// The custom call with which exported programs state requirements on sizes.
inline constexpr llvm::StringLiteral shapeAssertion = "shape_assertion";

class SizeAnalysis {
public:
  explicit SizeAnalysis(mlir::func::FuncOp main) : main(main) {}

  // Fails with UnsupportedDynamicShape if a size isn't a function of the arguments' sizes, and with
  // ProgramInvalid if no sizes satisfy the program's requirements.
  Status run();

  // Returns the sizes of a tensor, after run(). Tensors in bodies of reductions and similar
  // operations have none.
  const Sizes *sizesOf(mlir::Value value) const;
  // Returns the elements of an integer tensor, in row-major order, if they are computed from sizes
  // alone; otherwise null.
  const Sizes *numbersOf(mlir::Value value) const;
  // Returns the sizes of a slice of stride 1 whose end is computed as its start plus these sizes.
  // Returns null for other slices, and if the start is known.
  const Sizes *movedSlice(stablehlo::RealDynamicSliceOp slice) const;
  SizeFacts &facts() { return known; }
  const SizeFacts &facts() const { return known; }

private:
  enum class Step { Continue, Restart, Fail };

  void addArguments();
  Step visit(mlir::Block &block);
  Step visit(mlir::Operation *op);
  Step visitRegions(mlir::Operation *op);
  // Records `expected`, the sizes that an operation computes for `value`. The value's type in the
  // program must agree with them.
  Step define(mlir::Value value, Sizes expected);
  Step require(mlir::Operation *op, const SizeExpression &zero, const std::string &what);
  Step requireSame(mlir::Operation *op, mlir::Value value, const Sizes &expected);
  Step requireTrue(mlir::Operation *op, mlir::Value condition);
  Step after(SizeFacts::Outcome outcome, mlir::Operation *op, const std::string &what);
  Step fail(mlir::Operation *op, DiagnosticCode code, const std::string &what);

  static bool isElementwise(mlir::Operation *op);
  // Returns the feature dimension of a batch normalization; nothing for other operations.
  static std::optional<int64_t> featureOf(mlir::Operation *op);
  // Returns the number of windows that fit into a dimension.
  SizeExpression windows(const SizeExpression &padded, const SizeExpression &window,
                         const SizeExpression &stride) const;
  SizeExpression dilated(const SizeExpression &size, const SizeExpression &dilation) const;
  // Returns the size to which two dimensions are broadcast. Sizes that differ must include a 1.
  SizeExpression broadcastSize(const SizeExpression &a, const SizeExpression &b) const;
  std::optional<Sizes> broadcastSizes(mlir::Operation *op);
  Sizes convolved(const Sizes &lhs, const Sizes &rhs, stablehlo::ConvDimensionNumbersAttr roles,
                  llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> lhsDilation,
                  llvm::ArrayRef<int64_t> rhsDilation, const Sizes &padding, int64_t batchGroups);

  // Requires compatible operand sizes (OperandSizes.cpp).
  Step requireOperands(mlir::Operation *op);
  Step requireParts(mlir::Operation *op);
  Step requireDot(mlir::Operation *op);
  Step requireConvolution(mlir::Operation *op);
  Step requireBroadcast(mlir::Operation *op);
  Step requireBroadcasts(mlir::Operation *op);
  Step requireEqualOrOne(mlir::Operation *op, const SizeExpression &a, const SizeExpression &b);
  Step requireRaggedDot(mlir::Operation *op);
  Step requireAlike(mlir::Operation *op, mlir::ValueRange values);
  Step requireMatrices(mlir::Operation *op);
  Step requireSource(mlir::Operation *op);
  Step requireAtLeast(mlir::Operation *op, mlir::Value numbers, int64_t least);
  Step requireUpdates(mlir::Operation *op);
  // Describes how gathers and scatters list positions in an operand.
  struct IndexRoles {
    mlir::Value operand, indices;
    int64_t vectorDimension; // dimension of `indices` along which one index vector is stored
    size_t said;             // number of operand dimensions that an index vector addresses
    llvm::ArrayRef<int64_t> operandBatching, indicesBatching;
  };
  static std::optional<IndexRoles> indexRolesOf(mlir::Operation *op);
  Step requireIndices(mlir::Operation *op, const IndexRoles &roles);
  // Requires that `part` is at most `whole` in each dimension.
  Step requireWithin(mlir::Operation *op, const Sizes &part, const Sizes &whole);
  Step requireFeatures(mlir::Operation *op, int64_t feature);
  // Each function returns the result sizes for one family of operations, or nothing if they aren't
  // known (ResultSizes.cpp).
  std::optional<std::vector<Sizes>> resultSizes(mlir::Operation *op);
  std::optional<std::vector<Sizes>> callSizes(stablehlo::CustomCallOp call);
  std::optional<Sizes> dynamicSizes(mlir::Operation *op);
  std::optional<Sizes> windowSizes(mlir::Operation *op);
  std::optional<Sizes> dynamicWindowSizes(mlir::Operation *op);
  std::optional<Sizes> productSizes(mlir::Operation *op);
  std::optional<Sizes> movedSizes(mlir::Operation *op);

  // Each function computes integers of one family of operations (SizeArithmetic.cpp).
  std::optional<Sizes> computeNumbers(mlir::Operation *op);
  std::optional<SizeExpression> computeNumber(mlir::Operation *op,
                                              llvm::ArrayRef<SizeExpression> operands);
  std::optional<SizeExpression> computeChoice(mlir::Operation *op);
  std::optional<SizeExpression> compare(mlir::Operation *op,
                                        llvm::ArrayRef<SizeExpression> operands);

  mlir::func::FuncOp main;
  SizeFacts known;
  std::vector<Sizes> argumentSizes;
  llvm::DenseMap<mlir::Value, Sizes> sizes, numbers;
  std::optional<Diagnostic> failure;
  int restarts = 0;
};

} // namespace drumlin

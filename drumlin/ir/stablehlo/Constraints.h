// Checks that verifiers of several operation families share. Each function returns whether a
// constraint holds. If it does not, the function reports the actual and the expected value, with
// the specification's label of the constraint.
#pragma once

#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/IR/Diagnostics.h"

namespace drumlin::stablehlo {

// A function that starts an error message, for example `[&] { return emitOpError(); }`.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

// Returns a text such as `[1, 2, 3]`.
std::string str(llvm::ArrayRef<int64_t> numbers);

mlir::LogicalResult checkUnique(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                llvm::ArrayRef<int64_t> dimensions);
mlir::LogicalResult checkSorted(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                llvm::ArrayRef<int64_t> dimensions);
// Checks 0 <= number < bound for each number.
mlir::LogicalResult checkInRange(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> dimensions, int64_t bound);
mlir::LogicalResult checkSize(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                              size_t size, size_t expected);
// Checks minimum <= number for each number.
mlir::LogicalResult checkAtLeast(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> numbers, int64_t minimum);
// In this check and the checks below, sizes that are known only at run time (kDynamic) match any
// size.
mlir::LogicalResult checkShape(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> expected);
mlir::LogicalResult checkElementType(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                     mlir::Type type, mlir::Type expected);
mlir::LogicalResult checkType(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                              mlir::Type type, mlir::Type expected);
mlir::LogicalResult checkTypes(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                               mlir::TypeRange types, mlir::TypeRange expected);

// Check that element types, or types, are equal except for the scales and zero points of quantized
// elements.
mlir::LogicalResult checkBaseline(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                  mlir::Type type, mlir::Type expected);
mlir::LogicalResult checkBaselineType(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                      mlir::Type type, mlir::Type expected);

// Checks the specification's rule element_type(result) = element_type(operand) for operations that
// move elements to other dimensions. Ignores the quantized dimension of elements that are quantized
// per axis. With `mayRescale`, scales and zero points may differ as well.
mlir::LogicalResult checkMovedElementType(EmitError emit, llvm::StringRef label, mlir::Type result,
                                          mlir::Type operand, bool mayRescale = false);

// Checks that a result has known sizes, except for at most one dimension with a bound.
mlir::LogicalResult checkStaticOrSingleBounded(EmitError emit, llvm::StringRef label,
                                               mlir::RankedTensorType result);

// Whether a size is kDynamic: it is unknown or was computed from an unknown size.
inline bool isDynamic(int64_t size) { return mlir::ShapedType::isDynamic(size); }

// Checks that a precision config has at most one precision for each of two operands. `label` is
// convolution_c24 or dot_general_c11.
mlir::LogicalResult checkPrecisionConfig(EmitError emit, llvm::StringRef label,
                                         std::optional<mlir::ArrayAttr> config);
Precision precisionOrDefault(std::optional<mlir::ArrayAttr> config, unsigned operand);

//===-- contractions --------------------------------------------------------------------------===//

// The labels of the constraints of dot_general, convolution and dynamic_conv on element types.
struct ContractionLabels {
  std::string elements, quantized, storage, expressed, perTensor, hybrid;
};

// Checks that the operands are unquantized and have the same kind of element, or are quantized and
// compatible.
mlir::LogicalResult checkContractionElements(EmitError emit, const ContractionLabels &labels,
                                             mlir::Type lhs, mlir::Type rhs, mlir::Type result);

//===-- shapes as values ----------------------------------------------------------------------===//

// Returns the integers of a constant; nothing for any other value.
std::optional<llvm::SmallVector<int64_t>> constantIntegers(mlir::Value value);

//===-- regions -------------------------------------------------------------------------------===//

// Returns the values that a region's block returns; fails if it does not end in `stablehlo.return`.
mlir::FailureOr<mlir::OperandRange> returnedValues(EmitError emit, llvm::StringRef label,
                                                   llvm::StringRef name, mlir::Region &region);

// Whether `from` is promotable to `to` (is_promotable of the specification): both have the same
// kind of element, and `to` has at least as many bits.
bool isPromotable(mlir::Type from, mlir::Type to);

// Checks that `body` has type (E0.., E0..) -> (E0..) with 0-dimensional tensors, where each input's
// element type is promotable to Ei. Returns the types Ei.
mlir::FailureOr<llvm::SmallVector<mlir::Type>> checkReducer(EmitError emit, llvm::StringRef label,
                                                            llvm::StringRef name,
                                                            mlir::Region &body,
                                                            mlir::TypeRange inputs);

//===-- moved elements ------------------------------------------------------------------------===//

// Checks the constraints that `reshape` and `dynamic_reshape` share. Operand and result must have
// the same element type, the same number of elements, and the same numbers of elements before,
// along and after a quantized dimension. Each of these constraints has its own label.
mlir::LogicalResult verifyReshape(mlir::Operation *op, llvm::StringRef elementLabel,
                                  llvm::StringRef sizeLabel, llvm::StringRef axisLabel);

// Checks the constraints c1 to c6 that `broadcast_in_dim` and `dynamic_broadcast_in_dim` share.
// `name` is the operation's name in the labels.
mlir::LogicalResult verifyBroadcast(mlir::Operation *op, llvm::ArrayRef<int64_t> dimensions,
                                    const llvm::Twine &name);

// Returns size + low + max(size - 1, 0) * interior + high, or kDynamic if `size` is kDynamic;
// nothing if the sum overflows int64_t.
std::optional<int64_t> paddedSize(int64_t size, int64_t low, int64_t high, int64_t interior);

// Checks all constraints of `gather` or `dynamic_gather`. Sizes may be kDynamic.
mlir::LogicalResult verifyGather(mlir::Operation *op, mlir::RankedTensorType operand,
                                 mlir::RankedTensorType indices, GatherDimensionNumbersAttr numbers,
                                 llvm::ArrayRef<int64_t> sizes);

//===-- windows -------------------------------------------------------------------------------===//

// One dimension of a window that slides over a padded, dilated input (reduce_window_c15,
// convolution_c25).
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t low = 0;
  int64_t high = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
};

// Returns the number of window positions along a dimension of the input with size `inputSize`.
// Returns kDynamic if the size or a size of the window is kDynamic, and nothing if a computed size
// overflows int64_t.
std::optional<int64_t> windowCount(int64_t inputSize, const WindowDimension &window);

// Returns the pairs of a padding attribute of shape [n, 2], or n times (0, 0) without an attribute.
// Fails for any other shape.
mlir::FailureOr<llvm::SmallVector<std::pair<int64_t, int64_t>>>
paddingPairs(std::optional<mlir::DenseIntElementsAttr> padding, size_t n);
llvm::SmallVector<int64_t> numbersOr(std::optional<llvm::ArrayRef<int64_t>> numbers, size_t n,
                                     int64_t value);

} // namespace drumlin::stablehlo

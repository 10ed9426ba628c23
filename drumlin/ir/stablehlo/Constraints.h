// What the verifiers of several families check: each function reports in the words "what was seen,
// what was expected", with the specification's label, and answers whether the constraint holds.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"

#include "mlir/IR/Diagnostics.h"

namespace drumlin::stablehlo {

// Makes the start of an error, e.g. `[&] { return emitOpError(); }`.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

// `[1, 2, 3]`.
std::string str(llvm::ArrayRef<int64_t> numbers);

mlir::LogicalResult checkUnique(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                llvm::ArrayRef<int64_t> dimensions);
mlir::LogicalResult checkSorted(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                llvm::ArrayRef<int64_t> dimensions);
// 0 <= each < bound.
mlir::LogicalResult checkInRange(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> dimensions, int64_t bound);
mlir::LogicalResult checkSize(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                              size_t size, size_t expected);
// minimum <= each.
mlir::LogicalResult checkAtLeast(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> numbers, int64_t minimum);
// Sizes that are known only at run time (kDynamic) agree with any in these checks.
mlir::LogicalResult checkShape(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> expected);
mlir::LogicalResult checkElementType(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                     mlir::Type type, mlir::Type expected);
mlir::LogicalResult checkType(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                              mlir::Type type, mlir::Type expected);
mlir::LogicalResult checkTypes(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                               mlir::TypeRange types, mlir::TypeRange expected);

// The same but for the scales and zero points of quantized elements.
mlir::LogicalResult checkBaseline(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                  mlir::Type type, mlir::Type expected);
mlir::LogicalResult checkBaselineType(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                      mlir::Type type, mlir::Type expected);

// Of the specification: element_type(result) = element_type(operand), where elements that are
// quantized per axis may say something else about the dimension; for the operations that move
// elements to other dimensions. With `mayRescale`, scales and zero points may differ as well.
mlir::LogicalResult checkMovedElementType(EmitError emit, llvm::StringRef label, mlir::Type result,
                                          mlir::Type operand, bool mayRescale = false);

// A result whose sizes have to be known, but for one with a bound.
mlir::LogicalResult checkStaticOrSingleBounded(EmitError emit, llvm::StringRef label,
                                               mlir::RankedTensorType result);

// Sizes that are computed from others: unknown where one of them is.
inline bool isDynamic(int64_t size) { return mlir::ShapedType::isDynamic(size); }

// A precision config has at most one precision for each of two operands. `label` is convolution_c24
// or dot_general_c11.
mlir::LogicalResult checkPrecisionConfig(EmitError emit, llvm::StringRef label,
                                         std::optional<mlir::ArrayAttr> config);
Precision precisionOrDefault(std::optional<mlir::ArrayAttr> config, unsigned operand);

//===-- contractions --------------------------------------------------------------------------===//

// The labels of what dot_general, convolution and dynamic_conv ask of element types.
struct ContractionLabels {
  std::string elements, quantized, storage, expressed, perTensor, hybrid;
};

// Unquantized operands of one kind of element, or quantized ones that fit each other.
mlir::LogicalResult checkContractionElements(EmitError emit, const ContractionLabels &labels,
                                             mlir::Type lhs, mlir::Type rhs, mlir::Type result);

//===-- shapes as values ----------------------------------------------------------------------===//

// The integers of a value that is a constant of the program; nothing for any other.
std::optional<llvm::SmallVector<int64_t>> constantIntegers(mlir::Value value);

//===-- regions -------------------------------------------------------------------------------===//

// The values that a region's block returns; fails where it doesn't end in `stablehlo.return`.
mlir::FailureOr<mlir::OperandRange> returnedValues(EmitError emit, llvm::StringRef label,
                                                   llvm::StringRef name, mlir::Region &region);

// is_promotable of the specification: the same kind of element, with at least as many bits.
bool isPromotable(mlir::Type from, mlir::Type to);

// `body` has type (E0.., E0..) -> (E0..), 0-dimensional tensors, where each input's element type is
// promotable to Ei. Returns the Ei.
mlir::FailureOr<llvm::SmallVector<mlir::Type>> checkReducer(EmitError emit, llvm::StringRef label,
                                                            llvm::StringRef name,
                                                            mlir::Region &body,
                                                            mlir::TypeRange inputs);

//===-- moved elements ------------------------------------------------------------------------===//

// What `reshape` and `dynamic_reshape` share: operand and result have as many elements, also around
// the axis of quantized ones. The labels are those of the three constraints.
mlir::LogicalResult verifyReshape(mlir::Operation *op, llvm::StringRef elementLabel,
                                  llvm::StringRef sizeLabel, llvm::StringRef axisLabel);

// What `broadcast_in_dim` and `dynamic_broadcast_in_dim` share: their constraints c1 to c6. `name`
// is the operation's in the labels.
mlir::LogicalResult verifyBroadcast(mlir::Operation *op, llvm::ArrayRef<int64_t> dimensions,
                                    const llvm::Twine &name);

// size + low + max(size - 1, 0) * interior + high, kDynamic where the size is; nothing where that
// overflows int64_t.
std::optional<int64_t> paddedSize(int64_t size, int64_t low, int64_t high, int64_t interior);

// What `gather` and `dynamic_gather` share: all constraints of `gather`. Sizes may be kDynamic.
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

// How many positions the window has over an input of this size, kDynamic where a size is; nothing
// where a size overflows int64_t.
std::optional<int64_t> windowCount(int64_t inputSize, const WindowDimension &window);

// The pairs of a padding attribute of shape [n, 2], or n times (0, 0) without one. Fails for
// another shape.
mlir::FailureOr<llvm::SmallVector<std::pair<int64_t, int64_t>>>
paddingPairs(std::optional<mlir::DenseIntElementsAttr> padding, size_t n);
llvm::SmallVector<int64_t> numbersOr(std::optional<llvm::ArrayRef<int64_t>> numbers, size_t n,
                                     int64_t value);

} // namespace drumlin::stablehlo

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
mlir::LogicalResult checkShape(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> expected);
mlir::LogicalResult checkElementType(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                                     mlir::Type type, mlir::Type expected);
mlir::LogicalResult checkType(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                              mlir::Type type, mlir::Type expected);
mlir::LogicalResult checkTypes(EmitError emit, llvm::StringRef label, llvm::StringRef name,
                               mlir::TypeRange types, mlir::TypeRange expected);

// A precision config has at most one precision for each of two operands. `label` is convolution_c24
// or dot_general_c11.
mlir::LogicalResult checkPrecisionConfig(EmitError emit, llvm::StringRef label,
                                         std::optional<mlir::ArrayAttr> config);
Precision precisionOrDefault(std::optional<mlir::ArrayAttr> config, unsigned operand);

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

// How many positions the window has over an input of this size; nothing where a size overflows
// int64_t.
std::optional<int64_t> windowCount(int64_t inputSize, const WindowDimension &window);

// The pairs of a padding attribute of shape [n, 2], or n times (0, 0) without one. Fails for
// another shape.
mlir::FailureOr<llvm::SmallVector<std::pair<int64_t, int64_t>>>
paddingPairs(std::optional<mlir::DenseIntElementsAttr> padding, size_t n);
llvm::SmallVector<int64_t> numbersOr(std::optional<llvm::ArrayRef<int64_t>> numbers, size_t n,
                                     int64_t value);

} // namespace drumlin::stablehlo

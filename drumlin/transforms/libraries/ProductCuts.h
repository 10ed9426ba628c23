// Finds where a kernel with a GEMM can be cut so that a library computes the GEMM. Generated
// kernels then compute the GEMM's operands before it, and the rest of the kernel after it.
#pragma once

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/support/ElementType.h"

#include <array>
#include <tuple>
#include <vector>

namespace drumlin {

// A GEMM operand that a separate kernel computes. If `value` is null, the operand isn't cut: the
// GEMM reads the inputs of the original kernel.
struct OperandCut {
  // A value of the kernel's region. If `input` is null, it is computed exactly as in the region.
  mlir::Value value;
  // The input from which, besides scalars, `value` is computed elementwise. The separate kernel
  // keeps the input's layout, and data movement stays with the GEMM.
  mlir::BlockArgument input;
  // The dimension order of the computed operand, slowest first.
  llvm::SmallVector<int64_t> order;
};

struct ProductCut {
  std::array<OperandCut, 2> operands; // left and right operand of the dot
  // The region's value that the GEMM stores; null: the GEMM computes the kernel's results.
  mlir::Value end;
  // The GEMM stores its f32 accumulators, before they are rounded to the narrow type of `end`.
  bool endsInSums = false;
  int64_t bytes = 0;            // bytes that pass through memory because of the cut
  int64_t operationsBehind = 0; // number of operations after `end`
  int64_t number = 0;           // index of this combination of operand cuts
  bool cutsOperands() const { return operands[0].value || operands[1].value; }
  // Orders by cost. Of two cuts with equal cost, the one that leaves more operations to the GEMM is
  // first.
  bool operator<(const ProductCut &other) const {
    return std::tie(bytes, operationsBehind, number) <
           std::tie(other.bytes, other.operationsBehind, other.number);
  }
};

// Returns the operations from `value` to a value computed from it, in order, if all are elementwise
// or data movement; otherwise an empty list.
llvm::SmallVector<mlir::Operation *> stepsBetween(mlir::Value value, mlir::Value to);

// Returns whether all elements are equal: a single element, a splat, or a broadcast of one element.
bool isOneNumber(mlir::Value value);

// The part of a kernel after a cut's end: its operations, and the indices of the kernel's results
// that it computes.
struct Behind {
  llvm::SmallVector<mlir::Operation *> operations; // operations that depend on the end, in order
  llvm::SmallVector<unsigned> results;             // depend on the end, or not on the GEMM
  llvm::SmallVector<unsigned> kept;                // results that the GEMM computes besides the end
};
// Returns the part of the kernel after the cut's end. Returns nothing if that part also reads other
// values that the GEMM computes.
std::optional<Behind> behind(plan::GemmOp gemm, const ProductCut &cut);

// Returns the type in which the GEMM of a cut multiplies: the wider of both operands' types. An
// operand's type is that of the cut value, or of the kernel's input if the operand isn't cut.
ElementType multipliedType(plan::GemmOp gemm, const ProductCut &cut);

// Returns the ways to cut the operands, the cheapest first. The first one cuts no operand.
std::vector<ProductCut> operandCuts(plan::GemmOp gemm);
// Returns the cut without an end, and with each possible end after the GEMM, the cheapest first.
std::vector<ProductCut> endsOf(plan::GemmOp gemm, const ProductCut &cut);

} // namespace drumlin

// Finds where a kernel with a GEMM can be cut so that a library computes the middle: generated
// kernels compute its operands, and continue from an intermediate value of the program.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/ElementType.h"

#include <array>
#include <tuple>
#include <vector>

namespace drumlin {

// A GEMM operand that a separate kernel computes. Null `value`: the GEMM reads the whole kernel's
// inputs.
struct OperandCut {
  // A value of the kernel's region. If `input` is null, it is computed exactly as in the region.
  mlir::Value value;
  // The input from which `value` is computed elementwise (besides scalars): the separate kernel
  // keeps the input's layout, and data movement stays with the GEMM.
  mlir::BlockArgument input;
  // The dimension order of the computed operand, slowest first.
  llvm::SmallVector<int64_t> order;
};

struct ProductCut {
  std::array<OperandCut, 2> operands; // left and right operand of the dot
  // The region's value that the GEMM ends with; null: it computes the kernel's whole result.
  mlir::Value end;
  // The GEMM ends with its f32 accumulators, before they are rounded to the narrow type of `end`.
  bool endsInSums = false;
  int64_t bytes = 0;            // bytes that pass through memory because of the cut
  int64_t operationsBehind = 0; // number of operations after `end`
  int64_t number = 0;           // number of the operand cut
  bool cutsOperands() const { return operands[0].value || operands[1].value; }
  // Orders by cost; among equals, the cut that leaves more to the GEMM is first.
  bool operator<(const ProductCut &other) const {
    return std::tie(bytes, operationsBehind, number) <
           std::tie(other.bytes, other.operationsBehind, other.number);
  }
};

// Returns the operations from `value` to a value computed from it, in order, if all are elementwise
// or data movement; otherwise an empty list.
llvm::SmallVector<mlir::Operation *> stepsBetween(mlir::Value value, mlir::Value to);

// Whether all elements are equal: a single element, a splat, or a broadcast of one element.
bool isOneNumber(mlir::Value value);

// The operations after a cut's end, and the GEMM's other results, by number.
struct Behind {
  llvm::SmallVector<mlir::Operation *> operations; // those that depend on the end, in order
  llvm::SmallVector<unsigned> results;             // computed by these, or without a GEMM
  llvm::SmallVector<unsigned> kept;                // results that the GEMM computes besides the end
};
// Returns these operations and results for a cut with an end, or nothing if the operations also
// read other values that the GEMM computes.
std::optional<Behind> behind(plan::GemmOp gemm, const ProductCut &cut);

// Returns the type in which a GEMM with such cuts multiplies: the wider of both operands' types,
// taken from the cut values, or else from the kernel's inputs.
ElementType multipliedType(plan::GemmOp gemm, const ProductCut &cut);

// Returns the ways to cut the operands, the cheapest first; the first in the list cuts none.
std::vector<ProductCut> operandCuts(plan::GemmOp gemm);
// Returns the cut with each possible end after the GEMM: the cheapest first, then the latest.
std::vector<ProductCut> endsOf(plan::GemmOp gemm, const ProductCut &cut);

} // namespace drumlin

// Where a kernel with a product can be cut, so that a library computes the middle: kernels of our
// own make its operands before it, and go on behind it from a value that the program has there.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/ElementType.h"

#include <array>
#include <tuple>
#include <vector>

namespace drumlin {

// An operand that a kernel of its own makes. Null `value`: the product reads what the whole kernel
// reads.
struct OperandCut {
  // Of the kernel's region. Null `input`: it is computed as it is there.
  mlir::Value value;
  // What `value` is computed from element by element, beside single numbers: it is made as the
  // input lies, and what moves elements on the way stays with the product.
  mlir::BlockArgument input;
  // The dimensions of what is made, slowest first.
  llvm::SmallVector<int64_t> order;
};

struct ProductCut {
  std::array<OperandCut, 2> operands; // of the dot: left, right
  // The region's value that the product ends with; null: it makes all that the kernel makes.
  mlir::Value end;
  // The product ends with its sums in f32, before they are rounded to the narrow type of `end`.
  bool endsInSums = false;
  int64_t bytes = 0;            // that pass through memory because of the cut
  int64_t operationsBehind = 0; // that follow `end`
  int64_t number = 0;           // of the way to cut the operands
  bool cutsOperands() const { return operands[0].value || operands[1].value; }
  // The cheaper one first; of equal ones that which leaves more to the product.
  bool operator<(const ProductCut &other) const {
    return std::tie(bytes, operationsBehind, number) <
           std::tie(other.bytes, other.operationsBehind, other.number);
  }
};

// The operations from `value` to a value that is made of it, first to last: each computes element
// by element or moves elements. Empty where there is anything else between them.
llvm::SmallVector<mlir::Operation *> stepsBetween(mlir::Value value, mlir::Value to);

// One element, or the same number everywhere: a splat, or a broadcast of one element.
bool isOneNumber(mlir::Value value);

// What is computed behind a cut's end, and what else the product makes: results by number.
struct Behind {
  llvm::SmallVector<mlir::Operation *> operations; // in order, that depend on the value
  llvm::SmallVector<unsigned> results;             // that these compute, or that no product is in
  llvm::SmallVector<unsigned> kept;                // that the product makes beside the end
};
// Of a cut with an end. Nothing where what is behind it reads other values of the product's, too.
std::optional<Behind> behind(plan::GemmOp gemm, const ProductCut &cut);

// The type of what the product multiplies with such cuts, the wider one of both operands: of what
// is made, else of what is read.
ElementType multipliedType(plan::GemmOp gemm, const ProductCut &cut);

// Ways to cut the operands, the cheapest first; the first one cuts none.
std::vector<ProductCut> operandCuts(plan::GemmOp gemm);
// The same cut with each end behind the product, the cheapest first, of equal ones the latest.
std::vector<ProductCut> endsOf(plan::GemmOp gemm, const ProductCut &cut);

} // namespace drumlin

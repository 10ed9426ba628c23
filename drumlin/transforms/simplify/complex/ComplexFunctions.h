// Elementwise operations on complex numbers as operations on their parts.
//
// Those on complex<f32> but for +, -, x are computed in f64 and rounded once, so that nothing
// cancels or overflows on the way; those on complex<f64> by formulas that avoid both:
//   asin, acos and their kin   Hull, Fairgrieve, Tang: Implementing the complex arcsine and
//                              arccosine functions using exception handling (ACM TOMS 23, 1997)
//   sqrt, tanh, atanh          Kahan: Branch cuts for complex elementary functions (1987)
//   log near |z| = 1           the square of the length in two numbers each (Dekker: A
//                              floating-point technique for extending the available precision,
//                              1971)
// What infinities and zeros give is C's Annex G.
#pragma once

#include "mlir/IR/Builders.h"

#include <optional>

namespace drumlin {

// Of a complex tensor: two tensors of floats.
struct ComplexParts {
  mlir::Value real, imaginary;
};

// The result of an elementwise operation on complex numbers, of its operands' parts; nothing if it
// is none of these. The result is complex: abs, compare and their kin are functions of their own.
std::optional<ComplexParts> complexFunction(mlir::OpBuilder &builder, mlir::Operation *op,
                                            llvm::ArrayRef<ComplexParts> operands);

// |z|, and the comparison in lexicographic order that the specification asks for.
mlir::Value complexLength(mlir::OpBuilder &builder, mlir::Location loc, ComplexParts z);
mlir::Value complexComparison(mlir::OpBuilder &builder, mlir::Operation *compare, ComplexParts a,
                              ComplexParts b);

} // namespace drumlin

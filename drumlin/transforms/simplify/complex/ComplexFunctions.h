// Rewrites elementwise operations on complex numbers as operations on their parts.
//
// On complex<f32> all but +, -, x are computed in f64 and rounded once, so that no intermediate
// result cancels or overflows; on complex<f64> formulas avoid both:
//   asin, acos and their kin   Hull, Fairgrieve, Tang: Implementing the complex arcsine and
//                              arccosine functions using exception handling (ACM TOMS 23, 1997)
//   sqrt, tanh, atanh          Kahan: Branch cuts for complex elementary functions (1987)
//   log near |z| = 1           the square of the length in two numbers each (Dekker: A
//                              floating-point technique for extending the available precision,
//                              1971)
// Infinities and zeros give the results of C's Annex G.
#pragma once

#include "mlir/IR/Builders.h"

#include <optional>

namespace drumlin {

// The real and imaginary parts of a complex tensor, as two float tensors.
struct ComplexParts {
  mlir::Value real, imaginary;
};

// Returns the complex result of an elementwise operation from its operands' parts, or nothing for
// other operations. abs, compare and others with real results have their own functions.
std::optional<ComplexParts> complexFunction(mlir::OpBuilder &builder, mlir::Operation *op,
                                            llvm::ArrayRef<ComplexParts> operands);

// Compute |z|, and the lexicographic comparison that the specification requires.
mlir::Value complexLength(mlir::OpBuilder &builder, mlir::Location loc, ComplexParts z);
mlir::Value complexComparison(mlir::OpBuilder &builder, mlir::Operation *compare, ComplexParts a,
                              ComplexParts b);

} // namespace drumlin

// Rewrites elementwise operations on complex numbers as operations on their real and imaginary
// parts.
//
// On complex<f32>, all functions except addition, subtraction and multiplication are computed in
// f64 and rounded once, so that no intermediate result cancels or overflows. On complex<f64>, the
// formulas avoid both:
//   asin, acos and related     Hull, Fairgrieve, Tang: Implementing the complex arcsine and
//                              arccosine functions using exception handling (ACM TOMS 23, 1997)
//   sqrt, tanh, atanh          Kahan: Branch cuts for complex elementary functions (1987)
//   log near |z| = 1           |z|^2 as the sum of two f64 numbers (Dekker: A floating-point
//                              technique for extending the available precision, 1971)
// Infinities and zeros give the results that Annex G of the C standard specifies.
#pragma once

#include "mlir/IR/Builders.h"

#include <optional>

namespace drumlin {

// The real and imaginary parts of a complex tensor, as two float tensors.
struct ComplexParts {
  mlir::Value real, imaginary;
};

// Returns the complex result of an elementwise operation, computed from the real and imaginary
// parts of its operands, or nothing for other operations. Operations with real results, such as abs
// and compare, have their own functions.
std::optional<ComplexParts> complexFunction(mlir::OpBuilder &builder, mlir::Operation *op,
                                            llvm::ArrayRef<ComplexParts> operands);

// complexLength() computes |z|. complexComparison() computes the lexicographic comparison that the
// specification requires.
mlir::Value complexLength(mlir::OpBuilder &builder, mlir::Location loc, ComplexParts z);
mlir::Value complexComparison(mlir::OpBuilder &builder, mlir::Operation *compare, ComplexParts a,
                              ComplexParts b);

} // namespace drumlin

// Arithmetic on complex numbers with separate values for the real and imaginary parts, and Fourier
// transforms of a few such numbers in registers.
#pragma once

#include "drumlin/support/RootsOfUnity.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <utility>

namespace drumlin::codegen {

struct Complex {
  llvm::Value *real = nullptr, *imaginary = nullptr;

  Complex swapped() const { return {imaginary, real}; }
};

class ComplexCode {
public:
  // `hasFma`: multiply-adds are fused, so that each rounds once.
  ComplexCode(llvm::IRBuilder<> &b, bool hasFma) : b(b), hasFma(hasFma) {}

  Complex add(Complex x, Complex y);
  Complex subtract(Complex x, Complex y);
  Complex multiply(Complex x, Complex y);
  Complex conjugate(Complex x);
  Complex timesI(Complex x);
  Complex scale(Complex x, double factor);

  // Computes the forward transform of at most `largestDirectFactor` numbers in place.
  void transform(llvm::MutableArrayRef<Complex> x);

  // Folded inputs of a transform of odd size n: x(0); the sum of all inputs, which is result 0; and
  // the sums x(k) + x(n - k) and differences x(k) - x(n - k) for 0 < 2 k < n.
  struct Halves {
    Complex first, total;
    llvm::SmallVector<Complex> sums, differences;
  };
  Halves halvesOf(llvm::ArrayRef<Complex> x);
  // Returns results m and n - m of the transform. Both are computed from the same products: sums
  // times cosines, and differences times sines. root(k) is (cos(2 pi m k / n), sin(2 pi m k / n)).
  std::pair<Complex, Complex> mirroredResults(const Halves &halves,
                                              llvm::function_ref<Complex(size_t k)> root);

private:
  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum);
  llvm::Constant *constant(llvm::Value *like, RootsOfUnity::Wide value);
  Complex timesRoot(Complex x, int64_t j, int64_t n, const RootsOfUnity &roots);
  void transformPrime(llvm::MutableArrayRef<Complex> x);

  llvm::IRBuilder<> &b;
  bool hasFma;
};

} // namespace drumlin::codegen

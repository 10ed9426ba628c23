// Arithmetic on complex numbers whose real and imaginary parts are values of their own, and
// transforms of a few of them in registers.
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
  // `hasFma`: products and sums of them are rounded once.
  ComplexCode(llvm::IRBuilder<> &b, bool hasFma) : b(b), hasFma(hasFma) {}

  Complex add(Complex x, Complex y);
  Complex subtract(Complex x, Complex y);
  Complex multiply(Complex x, Complex y);
  Complex conjugate(Complex x);
  Complex timesI(Complex x);
  Complex scale(Complex x, double factor);

  // The forward transform of so many numbers, in their places. Of at most `largestDirectFactor`.
  void transform(llvm::MutableArrayRef<Complex> x);

  // Of an odd number n of them: x(0); the sum of all, which is result 0; and x(k) + x(n - k) and
  // x(k) - x(n - k) for 0 < 2 k < n.
  struct Halves {
    Complex first, total;
    llvm::SmallVector<Complex> sums, differences;
  };
  Halves halvesOf(llvm::ArrayRef<Complex> x);
  // Results m and n - m, which share their products: of sums with cosines, of differences with
  // sines. root(k) is (cos(2 pi m k / n), sin(2 pi m k / n)).
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

// Arithmetic on complex numbers whose real and imaginary parts are values of their own, and
// transforms of a few of them in registers.
#pragma once

#include "drumlin/support/RootsOfUnity.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

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

private:
  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum);
  llvm::Constant *constant(llvm::Value *like, RootsOfUnity::Wide value);
  Complex timesRoot(Complex x, int64_t j, int64_t n, const RootsOfUnity &roots);
  void transformPrime(llvm::MutableArrayRef<Complex> x);

  llvm::IRBuilder<> &b;
  bool hasFma;
};

} // namespace drumlin::codegen

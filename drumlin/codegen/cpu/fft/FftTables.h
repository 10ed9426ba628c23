// Tables for Fourier transforms, in read-only data. Each number is computed in higher precision and
// rounded once. Each table occurs once in an image.
#pragma once

#include "drumlin/support/RootsOfUnity.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <map>
#include <string>

namespace drumlin::codegen {

class FftTables {
public:
  FftTables(llvm::Module &module, llvm::Type *element) : module(module), element(element) {}

  // Return the twiddle factors of a pass, exp(-2 pi i p k / (radix m)) for p < m and 0 < k < radix.
  // twiddlesByPosition() lists all k for each p, with the real and imaginary part of each factor
  // adjacent. twiddlesByResult() lists, for each k, the real parts for all p, then the imaginary
  // parts.
  llvm::GlobalVariable *twiddlesByPosition(int64_t radix, int64_t m);
  llvm::GlobalVariable *twiddlesByResult(int64_t radix, int64_t m);

  // Returns the table of cos(2 pi m k / n) and sin(2 pi m k / n) for 0 < 2 m < n and 0 < 2 k < n.
  // For each m, it lists all k, with cosine and sine adjacent.
  llvm::GlobalVariable *primeRoots(int64_t n);

  // Returns the table of exp(-2 pi i k / n) for k < count: all real parts, then all imaginary
  // parts.
  llvm::GlobalVariable *roots(int64_t n, int64_t count);

  // Return tables for Bluestein's convolution. chirp() has the factors exp(-pi i k^2 / n) for k <
  // n. chirpTransform() has the transform of their conjugates, padded to `padded` elements and
  // divided by `padded`. Both have all real parts, then all imaginary parts.
  llvm::GlobalVariable *chirp(int64_t n);
  llvm::GlobalVariable *chirpTransform(int64_t n, int64_t padded);

private:
  using Wide = RootsOfUnity::Wide;
  llvm::GlobalVariable *table(std::string name, llvm::function_ref<std::vector<Wide>()> elements);

  llvm::Module &module;
  llvm::Type *element;
  std::map<std::string, llvm::GlobalVariable *> made;
};

} // namespace drumlin::codegen

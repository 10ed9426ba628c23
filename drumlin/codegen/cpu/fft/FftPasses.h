// The passes of a mixed-radix transform of one block of lines, in Stockham's self-sorting order
// (Cochran et al., What is the fast Fourier transform?, 1967).
//
// A pass has a radix r. Earlier passes have combined groups of `done` elements, and m is the factor
// of the size that remains for later passes. The pass reads elements q + done (p + m k) for k < r,
// transforms these r elements, multiplies result k by exp(-2 pi i p k / (r m)), and stores it at q
// + done (r p + k).
//
// The lanes of a register hold either the same element of several lines, or consecutive elements of
// a single line.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/fft/ComplexCode.h"
#include "drumlin/codegen/cpu/fft/FftTables.h"

namespace drumlin::codegen {

// The complex elements of a block of lines in a thread's scratch memory, in one array of real parts
// and one of imaginary parts.
struct LineBuffer {
  llvm::Value *real = nullptr, *imaginary = nullptr;
};

class FftPasses {
public:
  // `perElement`: how many lanes hold one element: all lanes of a register, or 1 if lanes are
  // consecutive elements of one line.
  FftPasses(KernelFrame &frame, ComplexCode &code, FftTables &tables, llvm::Type *element,
            unsigned perElement, unsigned registerLanes);

  // Callbacks that read or write `count` elements from `position` on.
  using Read = llvm::function_ref<Complex(llvm::Value *position, unsigned count)>;
  using Write = llvm::function_ref<void(llvm::Value *position, unsigned count, Complex value)>;

  // Transforms one block of lines. The first pass reads the lines with `read`, and the last pass
  // writes the transforms with `write`. The buffers `a` and `b` hold the results of all other
  // passes.
  void emit(llvm::ArrayRef<int64_t> factors, const LineBuffer &a, const LineBuffer &b, Read read,
            Write write);

  Complex load(const LineBuffer &from, llvm::Value *position, unsigned count);
  void store(const LineBuffer &to, llvm::Value *position, unsigned count, Complex value);
  // Loads elements of a table in which all `size` real parts precede the imaginary parts.
  Complex loadTable(llvm::GlobalVariable *table, int64_t size, llvm::Value *position,
                    unsigned count);
  // Emits body(position, count) for all positions below `size`. Some positions may be visited
  // twice, so the body must not write what it reads.
  void forEach(int64_t size, llvm::function_ref<void(llvm::Value *position, unsigned count)> body);
  // Reverses the order of the elements.
  Complex reversed(Complex value);
  llvm::Type *registerType(unsigned count);
  // Returns how many consecutive elements of a line one register holds in a computation on `size`
  // elements.
  unsigned widthFor(int64_t size) const;

private:
  struct Pass {
    int64_t radix, m, done;
  };
  void emitPass(const Pass &pass, Read read, Write write);
  // Transforms x, an odd number of elements, one result at a time; calls `store` with the number
  // and the value of each result.
  void transformInLoop(llvm::ArrayRef<Complex> x,
                       llvm::function_ref<void(llvm::Value *number, Complex value)> store);
  // Broadcasts one table element to each lane of a register of `count` elements.
  llvm::Value *loadForAll(llvm::GlobalVariable *table, llvm::Value *position, unsigned count);
  void emitByLanes(const Pass &pass, unsigned count, Read read, const LineBuffer &to);
  void storeChunks(const Pass &pass, unsigned count, llvm::Value *position,
                   llvm::MutableArrayRef<llvm::Value *> results, llvm::Value *to);
  llvm::Value *address(llvm::Value *base, llvm::Value *position);

  ElementEmitter &e;
  llvm::IRBuilder<> &b;
  ComplexCode &code;
  FftTables &tables;
  llvm::Type *element;
  unsigned perElement, registerLanes;
};

} // namespace drumlin::codegen

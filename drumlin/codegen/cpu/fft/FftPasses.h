// The passes of a mixed-radix transform of one block of lines, in the self-sorting order of
// Stockham (Cochran et al., What is the fast Fourier transform?, 1967).
//
// A pass of radix r, behind passes that have combined `done` elements, and with m more to come,
// takes elements q + done (p + m k) for k < r, transforms these r, multiplies result k by
// exp(-2 pi i p k / (r m)), and stores it at q + done (r p + k).
//
// Lanes run across lines, so that every element is a whole register, or along the one line.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/fft/ComplexCode.h"
#include "drumlin/codegen/cpu/fft/FftTables.h"

namespace drumlin::codegen {

// Complex elements of a block of lines in a thread's scratch memory, their parts apart.
struct LineBuffer {
  llvm::Value *real = nullptr, *imaginary = nullptr;
};

class FftPasses {
public:
  // `perElement`: lanes of one element: those of a register, or 1 where lanes run along the line.
  FftPasses(KernelFrame &frame, ComplexCode &code, FftTables &tables, llvm::Type *element,
            unsigned perElement, unsigned registerLanes);

  // Reads and writes `count` elements from `position` on.
  using Read = llvm::function_ref<Complex(llvm::Value *position, unsigned count)>;
  using Write = llvm::function_ref<void(llvm::Value *position, unsigned count, Complex value)>;

  // Transforms the line that `read` gives: the first pass reads it, the last one writes the
  // transform. The buffers hold what is between them.
  void emit(llvm::ArrayRef<int64_t> factors, const LineBuffer &a, const LineBuffer &b, Read read,
            Write write);

  Complex load(const LineBuffer &from, llvm::Value *position, unsigned count);
  void store(const LineBuffer &to, llvm::Value *position, unsigned count, Complex value);
  // Elements of a table of real parts followed by `size` imaginary ones.
  Complex loadTable(llvm::GlobalVariable *table, int64_t size, llvm::Value *position,
                    unsigned count);
  // body(position, count) for all positions below `size`. Some may come twice: what it writes
  // must not be what it reads.
  void forEach(int64_t size, llvm::function_ref<void(llvm::Value *position, unsigned count)> body);
  // Elements in the opposite order.
  Complex reversed(Complex value);
  llvm::Type *registerType(unsigned count);
  // How many elements are computed at a time of so many that follow one another.
  unsigned widthFor(int64_t size) const;

private:
  struct Pass {
    int64_t radix, m, done;
  };
  void emitPass(const Pass &pass, Read read, Write write);
  // Of x, an odd number of elements, result after result; `store` takes each and its number.
  void transformInLoop(llvm::ArrayRef<Complex> x,
                       llvm::function_ref<void(llvm::Value *number, Complex value)> store);
  // One element of a table, in each lane of a register of `count` elements.
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

// Packing: an operand's terms of a tile and a block of k, brought into the order in which
// micro-kernels read them.
//
// Packed rows lie row-major (each row's elements of k follow one another: the micro-kernel
// broadcasts them), packed columns in panels of one register: panel[element of k][columns of a
// register]. Whatever lies along the other direction is transposed 16 × 16 elements at a time.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"

namespace drumlin::codegen {

// A term, or the 32 bits of several that a unit takes at once, as micro-kernels read them.
struct PackedElement {
  ComputeUnit unit = ComputeUnit::fma;
  ElementType sums = ElementType::F32;
  bool isMoved = false; // 128 is added to each term, or taken off it

  int64_t terms() const { return info(unit).kGroup; }
  // Elements that one instruction takes.
  int64_t atOnce() const { return info(unit).kGroups; }
};
llvm::Type *termType(ElementEmitter &emitter, const PackedElement &element);
llvm::Type *elementType(ElementEmitter &emitter, const PackedElement &element);
// An operand's value in compute form as a term.
llvm::Value *asTerm(ElementEmitter &emitter, const PackedElement &element, Lanes value,
                    ElementType type, bool isWithoutSign);

class GemmPacking : public GemmBuilder {
public:
  // `block`: memory for 16 × 16 elements.
  GemmPacking(ElementEmitter &emitter, const CpuTarget &target, const PackedElement &element,
              llvm::Value *block)
      : GemmBuilder(emitter, target), element(element), block(block),
        type(elementType(emitter, element)) {}

  // A term at (row or column of the tile, k): one index for all lanes, and one along them.
  using Term = llvm::function_ref<llvm::Value *(const LaneIndex &free, const LaneIndex &depth)>;
  // The terms [0, free) × [first, first + terms).
  struct Range {
    Term term;
    llvm::Value *free = nullptr; // rows or columns
    bool wholeFree = false;      // known to be whole registers
    LaneIndex first;
    llvm::Value *terms = nullptr;
    bool wholeTerms = false;           // known to be whole registers of elements
    bool wholeElements = false;        // known to be whole elements
    llvm::Value *prefetched = nullptr; // how far ahead memory is asked for; null: it isn't

    Range(Term term) : term(term) {}
  };
  // Elements of k in so many terms.
  llvm::Value *elementsOf(llvm::Value *terms);
  // The same, and zeros up to a whole instruction.
  llvm::Value *multipliedOf(llvm::Value *terms);

  void rowsAlongK(const Range &range, llvm::Value *packed, llvm::Value *stride);
  void rowsAlongFree(const Range &range, llvm::Value *packed, llvm::Value *stride);
  void columnsAlongK(const Range &range, const PackedPanels &panels);
  // `columnsFirst`: all of k for a register of columns before the next.
  void columnsAlongFree(const Range &range, const PackedPanels &panels, bool columnsFirst = false);
  // Orders what is packed as a unit that multiplies pairs reads it; nothing for others. Two
  // elements of a column follow one another, in the two registers of these elements: `elements` is
  // even.
  void pairColumns(llvm::Value *columns, llvm::Value *elements, const PackedPanels &panels);
  // Of four elements of two rows the first two of both lie in the upper row, the last two in the
  // lower one.
  void pairRows(llvm::Value *rows, llvm::Value *elements, llvm::Value *packed, llvm::Value *stride);
  // The zeros behind the last element of columns that aren't packed along k.
  void clearBehind(const Range &range, const PackedPanels &panels);

private:
  llvm::Value *elementsAlongFree(const Range &range, const LaneIndex &free, llvm::Value *at);
  llvm::Value *elementsAlongDepth(const Range &range, const LaneIndex &free, llvm::Value *base,
                                  llvm::Value *mask);
  void forDepthLanes(const Range &range,
                     llvm::function_ref<void(llvm::Value *base, llvm::Value *mask)> body);
  void transposeBlock(llvm::function_ref<void(llvm::Value *row, size_t number)> store);
  llvm::Value *inBlock(llvm::Value *row) { return at(type, block, times(row, lanes)); }
  llvm::Value *moved(llvm::Value *elements);
  // The element of a term, where that is an element's first one.
  llvm::Value *elementOf(llvm::Value *term) {
    return b.CreateLShr(term, llvm::Log2_64(static_cast<uint64_t>(element.terms())));
  }

  PackedElement element;
  llvm::Value *block;
  llvm::Type *type;
};

} // namespace drumlin::codegen

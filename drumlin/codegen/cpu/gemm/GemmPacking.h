// Packing: copies an operand's elements of one tile and one block of k into the order in which
// micro-kernels read them.
//
// Packed rows are row-major: each row's k elements are contiguous, and the micro-kernel broadcasts
// them. Packed columns are in panels one register wide: panel[k-group][columns of a register]. If
// the order in memory differs from the packed order, an operand is transposed in 16 × 16 blocks:
// rows that aren't contiguous along k in memory, and columns that are contiguous along k.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"

namespace drumlin::codegen {

// The packed form that micro-kernels read: one k element, or a k-group of several k elements in 32
// bits.
struct PackedElement {
  ComputeUnit unit{}; // zero-initialized: `fma`
  ElementType sums = ElementType::F32;
  bool isMoved = false; // 128 is added to each k element (its top bit is flipped)

  int64_t terms() const { return info(unit).kGroup; }
  // Returns the number of k-groups that one instruction takes.
  int64_t atOnce() const { return info(unit).kGroups; }
};
llvm::Type *termType(ElementEmitter &emitter, const PackedElement &element);
llvm::Type *elementType(ElementEmitter &emitter, const PackedElement &element);
// Converts an operand's value from compute form to the packed form of one k element.
llvm::Value *asTerm(ElementEmitter &emitter, const PackedElement &element, Lanes value,
                    ElementType type, bool isWithoutSign);

class GemmPacking : public GemmBuilder {
public:
  // `block`: memory in which 16 × 16 elements are transposed.
  GemmPacking(ElementEmitter &emitter, const CpuTarget &target, const PackedElement &element,
              llvm::Value *block)
      : GemmBuilder(emitter, target), element(element), block(block),
        type(elementType(emitter, element)) {}

  // Emits operand elements at (row or column of the tile, k). One of the two indices is uniform,
  // the other varies per lane.
  using Term = llvm::function_ref<llvm::Value *(const LaneIndex &free, const LaneIndex &depth)>;
  // The elements to pack: indices [first, first + terms) of k in each of the rows (or columns) [0,
  // free).
  struct Range {
    Term term;
    llvm::Value *free = nullptr; // number of rows or columns
    bool wholeFree = false;      // `free` is known to be a multiple of the lanes
    LaneIndex first;
    llvm::Value *terms = nullptr;
    bool wholeTerms = false;           // `terms` is known to fill full registers of k-groups
    bool wholeElements = false;        // `terms` is known to be a multiple of the k-group
    llvm::Value *prefetched = nullptr; // prefetch distance; null: no prefetch

    Range(Term term) : term(term) {}
  };
  // Returns the number of k-groups in `terms` k elements.
  llvm::Value *elementsOf(llvm::Value *terms);
  // Returns elementsOf(terms), rounded up to a multiple of the k-groups that one instruction takes.
  // The additional k-groups are zero.
  llvm::Value *multipliedOf(llvm::Value *terms);

  void rowsAlongK(const Range &range, llvm::Value *packed, llvm::Value *stride);
  void rowsAlongFree(const Range &range, llvm::Value *packed, llvm::Value *stride);
  void columnsAlongK(const Range &range, const PackedPanels &panels);
  // Packs columns with lanes along the columns. `columnsFirst`: whether all of k is packed for one
  // register of columns before the next register of columns.
  void columnsAlongFree(const Range &range, const PackedPanels &panels, bool columnsFirst = false);
  // Reorders packed columns for a unit that multiplies pairs; does nothing for other units. The
  // registers of k-groups 2 i and 2 i + 1 are permuted so that the two k-groups of each column are
  // adjacent. `elements` must be even.
  void pairColumns(llvm::Value *columns, llvm::Value *elements, const PackedPanels &panels);
  // Reorders packed rows for a unit that multiplies pairs; does nothing for other units. In each
  // pair of rows, every four k-groups are exchanged such that the upper row gets the first two
  // k-groups of both rows and the lower row gets the last two of both rows.
  void pairRows(llvm::Value *rows, llvm::Value *elements, llvm::Value *packed, llvm::Value *stride);
  // Stores zeros after the last k-group, up to multipliedOf(), for columns that columnsAlongFree()
  // packed.
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
  // Returns the number of the k-group that begins with k element `term`.
  llvm::Value *elementOf(llvm::Value *term) {
    return b.CreateLShr(term, llvm::Log2_64(static_cast<uint64_t>(element.terms())));
  }

  PackedElement element;
  llvm::Value *block;
  llvm::Type *type;
};

} // namespace drumlin::codegen

// The element emitter: code for the value of any operation of a kernel's region at a given index.
// It is the one engine behind all kernels: a loop kernel stores its roots at each index of its
// traversal, a GEMM asks it for operand elements (prologue) and for results given the accumulator
// (epilogue), a reduction for the elements that it combines.
//
// Values of 16 bits and fewer are computed in f32 and rounded to their own type after each
// operation, as the program says (docs/architecture.md, "Numerics"): +, -, *, / and square roots
// rounded twice this way equal those rounded once, since f32 has more than twice their precision
// (Figueroa 1995, "When is double rounding innocuous?").
#pragma once

#include "drumlin/codegen/cpu/SizeCode.h"
#include "drumlin/codegen/cpu/element/LaneIndex.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/target/CpuTarget.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"

#include <functional>

namespace drumlin::codegen {

// One element for each lane: a scalar where all lanes have the same, else a vector.
struct Lanes {
  llvm::Value *value = nullptr;
  bool isVector() const { return value->getType()->isVectorTy(); }
};

// A row-major tensor in memory.
struct Buffer {
  llvm::Value *pointer = nullptr;
  ElementType type = ElementType::F32;
  Extents shape;
  // Scopes for LLVM's alias analysis, as its metadata has them; null where nothing is known: those
  // that accesses belong to, and those that they never meet.
  llvm::MDNode *scopes = nullptr, *noalias = nullptr;
};

// For counts in running code: gets each value that an elementwise operation, the body of a
// reduction or of a comparator, or one step of a known reduction has just given, and gives what
// takes its place. `mask` has the lanes that count; null where all do.
using ValueObserver = std::function<llvm::Value *(llvm::IRBuilder<> &builder, mlir::Operation *op,
                                                  llvm::Value *value, llvm::Value *mask)>;

// Integers of 2 and 4 bits are computed in 8, in which they are sign- or zero-extended; this brings
// what an operation made of them back into their range, modulo their width. Others stay.
llvm::Value *wrapToWidth(llvm::IRBuilder<> &b, llvm::Value *value, ElementType type);

class ElementEmitter {
public:
  ElementEmitter(llvm::IRBuilder<> &builder, llvm::Module &module, const CpuTarget &target);

  llvm::IRBuilder<> &ir() { return builder; }
  IndexBuilder &index() { return indices; }
  const CpuTarget &targetInfo() const { return target; }

  // What a region's argument (or any value) is: memory, or code that makes its elements.
  void bind(mlir::Value value, Buffer buffer);
  using Source = std::function<Lanes(const IndexTuple *)>;
  void bind(mlir::Value value, Source source);
  // Takes a source back.
  void unbind(mlir::Value value) { sources.erase(value); }
  const Buffer *bufferOf(mlir::Value value) const;

  // The elements of a value at an index. Unsupported operations are recorded in error() and give
  // undefined elements.
  Lanes emit(mlir::Value value, const IndexTuple *index);

  // A size of the kernel's values as i64. The code for its symbols outlives the emitter.
  void setSizes(SizeCode &code) { sizes = &code; }
  llvm::Value *extent(const SizeExpression &size);
  Extents extents(llvm::ArrayRef<SizeExpression> shape);
  Extents extentsOf(mlir::Value value);

  // Computes an operation's results, of one element and shape each, here for the whole extent of
  // the scope, at whatever index they are asked for.
  void emitSingle(mlir::Operation *op);

  // Only the lanes below `count` are stored and loaded while it is set; null means all.
  void setActiveLanes(llvm::Value *mask) { activeMask = mask; }
  llvm::Value *activeLanes() const { return activeMask; }

  Lanes load(const Buffer &buffer, const IndexTuple *index);
  void store(const Buffer &buffer, const IndexTuple *index, Lanes value);

  // Where consecutive lanes' elements of a value lie one after another in memory, unchanged: the
  // first one's address. Null where they don't, or where it isn't known.
  llvm::Value *copiedFrom(mlir::Value value, const IndexTuple *index);
  // Whether a value's elements follow from memory by operations alone that compute or move each
  // element by itself: so many lanes of it as the index builder has can be asked for.
  bool isMadeOfMemory(mlir::Value value) const;
  // The address of the first lane's element.
  llvm::Value *firstAddress(const Buffer &buffer, const IndexTuple *index);

  // Elements that depend on nothing inside a scope are kept for its whole extent; those made inside
  // end with it.
  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  // The one index into a rank-0 tensor.
  const IndexTuple *scalarIndex();

  // Evaluates a region of scalar operations (a reducer, a comparator, an update) on given elements.
  llvm::SmallVector<Lanes> emitScalarRegion(mlir::Region &region, llvm::ArrayRef<Lanes> arguments);

  // for (i = begin; i < end; i += step) body(i), in the emitted code. The scope is pushed around
  // the body.
  void emitLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
                llvm::function_ref<void(llvm::Value *)> body);
  // The same with values carried from step to step; returns the last ones.
  llvm::SmallVector<llvm::Value *>
  emitLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
           llvm::ArrayRef<llvm::Value *> carried,
           llvm::function_ref<llvm::SmallVector<llvm::Value *>(llvm::Value *,
                                                               llvm::ArrayRef<llvm::Value *>)>
               body);

  // The values that are computed once for each row of a shape.
  struct RowValues {
    llvm::ArrayRef<mlir::Operation *> reductions; // which must not depend on the lane
    // Of the shape; with memory for the row's elements as they are computed, whole vectors of them.
    llvm::ArrayRef<std::pair<mlir::Operation *, llvm::Value *>> kept;
    llvm::ArrayRef<LaneIndex> index; // the row's, which lacks the last dimension
    SizeExpression length;
  };
  // Between the two calls, these are emitted once, before all code that is emitted meanwhile,
  // wherever they are asked for (EmitRows.cpp).
  void beginHoisting(const RowValues &row);
  void endHoisting();

  // Element types in the emitted code: how they are computed with and how they lie in memory.
  llvm::Type *computeType(ElementType type);
  llvm::Type *memoryType(ElementType type);
  llvm::Value *toMemory(llvm::Value *value, ElementType type);
  llvm::Value *fromMemory(llvm::Value *value, ElementType type);
  // Rounds a value in compute form (f32 for the small floats) to the precision of `type`.
  llvm::Value *roundTo(llvm::Value *value, ElementType type);
  // The same for what is made of numbers of the type as products and quotients are: of scales,
  // which are positive, it isn't zero, however small it is.
  llvm::Value *roundProductTo(llvm::Value *value, ElementType type);
  Lanes convert(Lanes value, ElementType from, ElementType to);

  llvm::Value *splat(llvm::Value *value);
  // Brings operands to one form: all scalar, or all vectors.
  void unify(llvm::MutableArrayRef<Lanes> operands);

  // A call of the vector math library (drumlin/codegen/cpu/math), on scalars or vectors.
  llvm::Value *callMath(llvm::StringRef operation, ElementType type,
                        llvm::ArrayRef<llvm::Value *> operands);

  llvm::Value *callByRegisters(llvm::StringRef name, llvm::Type *resultElement, unsigned perCall,
                               llvm::ArrayRef<llvm::Value *> operands);

  void setObserver(ValueObserver given) { observer = std::move(given); }
  bool isObserved() const { return static_cast<bool>(observer); }
  llvm::Value *observed(mlir::Operation *op, llvm::Value *value, llvm::Value *mask) {
    return observer ? observer(builder, op, value, mask) : value;
  }

  void fail(Diagnostic diagnostic);
  const std::optional<Diagnostic> &error() const { return failure; }

  // The operand's index for a result's index, by a map; the values of its symbols are loaded from
  // their tensors.
  IndexBuilder::Read readAt(const IndexingMap &map, const IndexTuple *at, mlir::Value operand);
  // The elements of a value that are read; `otherwise` in lanes that read none (none: nobody uses
  // what is made of these).
  Lanes emitRead(mlir::Value value, const IndexBuilder::Read &read,
                 std::optional<Lanes> otherwise = std::nullopt);

  // Parts of emit(), one a family (EmitElementwise.cpp, EmitShape.cpp, EmitReduce.cpp). Each
  // returns nothing when the operation isn't of its family.
  std::optional<Lanes> emitElementwise(mlir::Operation *op,
                                       llvm::function_ref<Lanes(mlir::Value)> operand);
  // Elementwise operations that are defined on the bits of floats (EmitBitPatterns.cpp).
  std::optional<Lanes> emitUnwrapped(mlir::Operation *op,
                                     llvm::function_ref<Lanes(mlir::Value)> operandOf);
  std::optional<Lanes> emitOnBitPatterns(mlir::Operation *op,
                                         llvm::function_ref<Lanes(mlir::Value)> operand);
  llvm::Value *nextWithoutInfinities(llvm::Value *x, llvm::Value *y, ElementType type);
  std::optional<Lanes> emitShape(mlir::Operation *op, const IndexTuple *index);
  std::optional<Lanes> emitReduce(mlir::OpResult result, const IndexTuple *index);

  // The element of an integer tensor as i64: how every index that a program computes is read. What
  // is beyond i64 is its largest number: outside of every tensor, as the element is.
  llvm::Value *emitInteger(mlir::Value value, const IndexTuple *at);
  // The same, clamped to [0, largest].
  llvm::Value *emitClampedIndex(mlir::Value value, const IndexTuple *at, int64_t largest);
  llvm::Value *emitClampedIndex(mlir::Value value, const IndexTuple *at, llvm::Value *largest);

  // Keeps a value that was made together with another one.
  void remember(mlir::Value value, const IndexTuple *index, Lanes made) {
    scopes.back().values[{value, index}] = made;
  }
  // The index at which `operand`'s elements are needed, made by `make` the first time.
  const IndexTuple *operandIndex(mlir::OpOperand &operand, const IndexTuple *at,
                                 llvm::function_ref<const IndexTuple *()> make);

private:
  Lanes emitMoved(mlir::OpOperand &operand, const IndexTuple *at);
  // Movements by sizes that only the run tells (EmitSizedShape.cpp).
  std::optional<Lanes> emitSizedMove(mlir::Operation *op, const IndexTuple *at);
  LaneIndex emitSymbol(const IndexingMap::Symbol &symbol, llvm::ArrayRef<LaneIndex> at);
  Lanes emitUncached(mlir::Value value, const IndexTuple *index);
  Lanes emitConstant(mlir::Operation *op, const IndexTuple *index);
  llvm::Value *address(const Buffer &buffer, llvm::Value *linear);
  // Null where the lanes' elements are better read one by one.
  llvm::Value *loadSpan(const Buffer &buffer, const LaneIndex &linear);
  template <typename Access> Access *within(const Buffer &buffer, Access *access);

  llvm::IRBuilder<> &builder;
  llvm::Module &module;
  const CpuTarget &target;
  IndexBuilder indices;
  llvm::Value *activeMask = nullptr;
  SizeCode *sizes = nullptr;
  const IndexTuple *theScalarIndex = nullptr;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseMap<mlir::Value, Source> sources;
  struct Scope {
    llvm::DenseMap<std::pair<mlir::Value, const IndexTuple *>, Lanes> values;
    llvm::DenseMap<mlir::Value, Lanes> singles;
    // The index of an operation's operand, made once for each result index: so that shared operands
    // are shared.
    llvm::DenseMap<std::pair<mlir::OpOperand *, const IndexTuple *>, const IndexTuple *>
        operandIndices;
  };
  std::vector<Scope> scopes;
  std::optional<Diagnostic> failure;
  ValueObserver observer;

  struct KeptRow {
    llvm::Value *memory = nullptr;
    enum : uint8_t { Unmade, Begun, Made } state = Unmade;
  };
  struct HoistedReduction {
    mlir::Operation *op;
    llvm::SmallVector<llvm::Value *> index;
    llvm::SmallVector<Lanes> results;
  };
  struct Hoisting {
    llvm::SmallPtrSet<mlir::Operation *, 4> reductions;
    llvm::SmallPtrSet<llvm::BasicBlock *, 16> before; // blocks whose values hoisted code may use
    llvm::BasicBlock *end;                            // where hoisted code goes next; unterminated
    llvm::BasicBlock *main;                           // what follows the hoisted code
    size_t scopeDepth;
    std::vector<HoistedReduction> made;
    llvm::DenseMap<mlir::Operation *, KeptRow> kept;
    llvm::SmallVector<LaneIndex> index; // the row's
    SizeExpression length;
  };
  std::optional<Hoisting> hoisting;

  llvm::SmallVector<Lanes> emitReduceResults(mlir::Operation *op, const IndexTuple *index);
  std::optional<llvm::SmallVector<Lanes>> emitHoisted(mlir::Operation *op, const IndexTuple *index);
  llvm::Value *availableBefore(llvm::Value *value);
  void emitBefore(llvm::StringRef name, llvm::function_ref<void()> emit);
  bool isInRow(llvm::ArrayRef<LaneIndex> dims, llvm::ArrayRef<Extent> shape);
  std::optional<Lanes> emitKept(mlir::Operation *op, const IndexTuple *index);
  void emitKeptRow(mlir::Operation *op, const Extents &shape);
};

} // namespace drumlin::codegen

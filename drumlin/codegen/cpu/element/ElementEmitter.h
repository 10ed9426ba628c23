// The element emitter generates code for the value of any operation of a kernel's region at a given
// index. All kernels use it. A loop kernel stores its roots at each index of its traversal. A GEMM
// uses it for operand elements (prologue) and for the operations on its accumulators (epilogue). A
// reduction uses it for the elements that it combines.
//
// Floats of 16 bits and fewer are computed in f32 and rounded to their own type after each
// operation, as the program says (docs/architecture.md, "Numerics"). For +, -, *, / and square
// roots this double rounding equals a single one, since f32 has more than twice their precision
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

// One element per lane: a scalar if all lanes have the same element, else a vector.
struct Lanes {
  llvm::Value *value = nullptr;
  bool isVector() const { return value->getType()->isVectorTy(); }
};

// A row-major tensor in memory.
struct Buffer {
  llvm::Value *pointer = nullptr;
  ElementType type = ElementType::F32;
  Extents shape;
  // LLVM alias metadata: the scopes that accesses to this buffer belong to, and the scopes that
  // these accesses never alias. Null if nothing is known.
  llvm::MDNode *scopes = nullptr, *noalias = nullptr;
};

// Instrumentation hook, for counters in running code. It receives each value just computed by an
// elementwise operation, by the body of a reduction or comparator, or by one step of a known
// reduction, and returns the value to use instead. `mask` has the lanes whose values are used; null
// if all are.
using ValueObserver = std::function<llvm::Value *(llvm::IRBuilder<> &builder, mlir::Operation *op,
                                                  llvm::Value *value, llvm::Value *mask)>;

// Reduces the result of an operation on integers of 2 or 4 bits modulo their width. Such integers
// are computed in 8 bits, sign- or zero-extended. Values of other types are unchanged.
llvm::Value *wrapToWidth(llvm::IRBuilder<> &b, llvm::Value *value, ElementType type);

class ElementEmitter {
public:
  ElementEmitter(llvm::IRBuilder<> &builder, llvm::Module &module, const CpuTarget &target);

  llvm::IRBuilder<> &ir() { return builder; }
  IndexBuilder &index() { return indices; }
  const CpuTarget &targetInfo() const { return target; }

  // Binds a value, such as a region's argument, to memory or to code that computes its elements.
  void bind(mlir::Value value, Buffer buffer);
  using Source = std::function<Lanes(const IndexTuple *)>;
  void bind(mlir::Value value, Source source);
  // Removes the binding of a value.
  void unbind(mlir::Value value) { sources.erase(value); }
  const Buffer *bufferOf(mlir::Value value) const;

  // Emits the elements of a value at an index. Unsupported operations are recorded in error() and
  // yield undefined elements.
  Lanes emit(mlir::Value value, const IndexTuple *index);

  // Sets the object that emits size symbols; it must outlive the emitter. extent() emits a size of
  // the kernel's values as i64.
  void setSizes(SizeCode &code) { sizes = &code; }
  llvm::Value *extent(const SizeExpression &size);
  Extents extents(llvm::ArrayRef<SizeExpression> shape);
  Extents extentsOf(mlir::Value value);

  // Emits an operation at the builder's position. All of the operation's results must have the same
  // shape, with a single element. For the rest of the current scope, requests for these results at
  // any index reuse the emitted values.
  void emitSingle(mlir::Operation *op);

  // Restricts loads and stores to the lanes of `mask`; null means all lanes.
  void setActiveLanes(llvm::Value *mask) { activeMask = mask; }
  llvm::Value *activeLanes() const { return activeMask; }

  Lanes load(const Buffer &buffer, const IndexTuple *index);
  void store(const Buffer &buffer, const IndexTuple *index, Lanes value);

  // Returns the address of the first lane's element if consecutive lanes read contiguous memory
  // unchanged. Returns null if they don't, or if that isn't known.
  llvm::Value *copiedFrom(mlir::Value value, const IndexTuple *index);
  // Returns whether a value is computed from memory only by elementwise operations and data
  // movement. Such a value can be emitted at any lane count of the index builder.
  bool isMadeOfMemory(mlir::Value value) const;
  // Returns the address of the first lane's element.
  llvm::Value *firstAddress(const Buffer &buffer, const IndexTuple *index);

  // Begin and end a scope. Elements that were cached before the scope are reused inside of it.
  // Elements that are computed inside of the scope are dropped from the cache at its end.
  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  // Returns the only index into a rank-0 tensor.
  const IndexTuple *scalarIndex();

  // Evaluates a region of scalar operations (a reducer, a comparator, an update) on given elements.
  llvm::SmallVector<Lanes> emitScalarRegion(mlir::Region &region, llvm::ArrayRef<Lanes> arguments);

  // Emits for (i = begin; i < end; i += step) body(i), with the body in its own scope.
  void emitLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
                llvm::function_ref<void(llvm::Value *)> body);
  // Emits for (i = begin; i < end; i += step) carried = body(i, carried). Returns the carried
  // values after the last step.
  llvm::SmallVector<llvm::Value *>
  emitLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
           llvm::ArrayRef<llvm::Value *> carried,
           llvm::function_ref<llvm::SmallVector<llvm::Value *>(llvm::Value *,
                                                               llvm::ArrayRef<llvm::Value *>)>
               body);

  // Values that are computed once for each row of a shape.
  struct RowValues {
    llvm::ArrayRef<mlir::Operation *> reductions; // results must not depend on the lane
    // Operations whose elements are computed once per row and kept in memory, each with its memory,
    // which has room for the row in full vectors.
    llvm::ArrayRef<std::pair<mlir::Operation *, llvm::Value *>> kept;
    llvm::ArrayRef<LaneIndex> index; // the row's index, without the last dimension
    SizeExpression length;
  };
  // Begin and end hoisting. Between beginHoisting() and endHoisting(), each value of `row` is
  // emitted once, when it is first requested. The value's code is placed before all other code that
  // is emitted between the two calls (EmitRows.cpp).
  void beginHoisting(const RowValues &row);
  void endHoisting();

  // Return the LLVM type in which elements of `type` are computed, and the LLVM type in which they
  // are stored in memory.
  llvm::Type *computeType(ElementType type);
  llvm::Type *memoryType(ElementType type);
  llvm::Value *toMemory(llvm::Value *value, ElementType type);
  llvm::Value *fromMemory(llvm::Value *value, ElementType type);
  // Rounds a value in compute form (f32 for the small floats) to the precision of `type`.
  llvm::Value *roundTo(llvm::Value *value, ElementType type);
  // Rounds a product or quotient of numbers of `type` like roundTo(). Scale types have no zero: for
  // these types, a result that is too small becomes the smallest positive number.
  llvm::Value *roundProductTo(llvm::Value *value, ElementType type);
  Lanes convert(Lanes value, ElementType from, ElementType to);

  llvm::Value *splat(llvm::Value *value);
  // Makes all operands scalars or all of them vectors.
  void unify(llvm::MutableArrayRef<Lanes> operands);

  // Calls the vector math library (drumlin/codegen/cpu/math) on scalars or vectors.
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

  // Applies `map` to a result's index and returns the operand's index. The values of the map's
  // symbols are loaded from their tensors.
  IndexBuilder::Read readAt(const IndexingMap &map, const IndexTuple *at, mlir::Value operand);
  // Emits for each lane the element that it reads, or `otherwise` if it reads nothing. Without
  // `otherwise`, the results of lanes that read nothing must be unused.
  Lanes emitRead(mlir::Value value, const IndexBuilder::Read &read,
                 std::optional<Lanes> otherwise = std::nullopt);

  // Functions that emit() calls, each for one family of operations (EmitElementwise.cpp,
  // EmitShape.cpp, EmitReduce.cpp). Each returns nullopt if the operation isn't of its family.
  std::optional<Lanes> emitElementwise(mlir::Operation *op,
                                       llvm::function_ref<Lanes(mlir::Value)> operand);
  // Emits an elementwise operation without reducing narrow integers to their width.
  std::optional<Lanes> emitUnwrapped(mlir::Operation *op,
                                     llvm::function_ref<Lanes(mlir::Value)> operandOf);
  // Emits elementwise operations that are defined on the bits of floats (EmitBitPatterns.cpp).
  std::optional<Lanes> emitOnBitPatterns(mlir::Operation *op,
                                         llvm::function_ref<Lanes(mlir::Value)> operand);
  llvm::Value *nextWithoutInfinities(llvm::Value *x, llvm::Value *y, ElementType type);
  std::optional<Lanes> emitShape(mlir::Operation *op, const IndexTuple *index);
  std::optional<Lanes> emitReduce(mlir::OpResult result, const IndexTuple *index);

  // Reads an integer tensor's element as i64: every index that a program computes is read this way.
  // A value beyond the range of i64 becomes the largest i64, which is out of bounds of every
  // tensor, too.
  llvm::Value *emitInteger(mlir::Value value, const IndexTuple *at);
  // Reads an integer tensor's element clamped to [0, largest].
  llvm::Value *emitClampedIndex(mlir::Value value, const IndexTuple *at, int64_t largest);
  llvm::Value *emitClampedIndex(mlir::Value value, const IndexTuple *at, llvm::Value *largest);

  // Caches a value that was computed together with another value.
  void remember(mlir::Value value, const IndexTuple *index, Lanes made) {
    scopes.back().values[{value, index}] = made;
  }
  // Returns the index of `operand` that the result's index `at` corresponds to. The first call for
  // an operand and an index creates the operand's index with `make`.
  const IndexTuple *operandIndex(mlir::OpOperand &operand, const IndexTuple *at,
                                 llvm::function_ref<const IndexTuple *()> make);

private:
  Lanes emitMoved(mlir::OpOperand &operand, const IndexTuple *at);
  // Emits data movement that depends on sizes known only at run time (EmitSizedShape.cpp).
  std::optional<Lanes> emitSizedMove(mlir::Operation *op, const IndexTuple *at);
  LaneIndex emitSymbol(const IndexingMap::Symbol &symbol, llvm::ArrayRef<LaneIndex> at);
  Lanes emitUncached(mlir::Value value, const IndexTuple *index);
  Lanes emitConstant(mlir::Operation *op, const IndexTuple *index);
  llvm::Value *address(const Buffer &buffer, llvm::Value *linear);
  // Loads strided lanes as a span; null if loading each lane's element separately is better.
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
    // The index of each operand of an operation, for each index of the result. An index is created
    // once, so that the elements of shared operands are computed once.
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
    llvm::BasicBlock *end;  // block where hoisted code is appended; has no terminator
    llvm::BasicBlock *main; // code that follows the hoisted code
    size_t scopeDepth;
    std::vector<HoistedReduction> made;
    llvm::DenseMap<mlir::Operation *, KeptRow> kept;
    llvm::SmallVector<LaneIndex> index; // the row's index
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

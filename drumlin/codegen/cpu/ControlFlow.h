// Emits branches and loops whose conditions the emitted code computes. Element values that are
// cached in conditional or repeated code are dropped where that code ends.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"

namespace drumlin::codegen {

using Values = llvm::SmallVector<llvm::Value *>;

// Emits if (condition) then().
void emitIf(ElementEmitter &e, llvm::Value *condition, llvm::function_ref<void()> then);

// Emits `then` under a condition. In the emitted code, the returned values are those of `then` if
// the condition holds, else `otherwise`. Both have the same number of values, of the same types.
Values emitIf(ElementEmitter &e, llvm::Value *condition, llvm::ArrayRef<llvm::Value *> otherwise,
              llvm::function_ref<Values()> then);

// Emits while (condition(carried)) carried = body(carried); returns the last values. The condition
// is computed before each step, and once more after the last step. Its operands must be readable
// then, too.
Values emitWhile(ElementEmitter &e, llvm::ArrayRef<llvm::Value *> carried,
                 llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> condition,
                 llvm::function_ref<Values(llvm::ArrayRef<llvm::Value *>)> body);

// Emits body(base) for each vector of the emitter's width in [begin, end), the last one masked if
// it is partial. `begin` and `end` need not be constants. `body` is emitted once if they are
// constants and the width divides their difference, else twice.
void emitLaneLoop(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                  llvm::function_ref<void(llvm::Value *)> body);

// Emits the loop of emitLaneLoop() with every vector masked, so that `body` is emitted once.
void emitMaskedLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                     llvm::function_ref<void(llvm::Value *)> body);

// Whether lanes may be computed and stored a second time. They may not if the memory that is stored
// may overlap the memory that is read.
enum class LanesAgain { no, yes };

// Emits body(base, alignment) for each vector of lanes in [begin, end), of `count` elements; bases
// are multiples of `alignment` if `begin` is a multiple of the width. Full vectors are unmasked. If
// the width doesn't divide `count`, the last vector is partial: if lanes may be recomputed and
// `count` is at least the width, it begins earlier and is full; otherwise it is masked, in separate
// code. `begin` is 0, or the end of an earlier call's lanes with the same `count`.
void emitLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end, const SizeExpression &count,
               LanesAgain again, llvm::function_ref<void(llvm::Value *, int64_t)> body);

} // namespace drumlin::codegen

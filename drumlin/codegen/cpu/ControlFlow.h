// Emits branches and loops whose conditions the emitted code computes. Element values that are
// cached in conditional or repeated code are dropped where that code ends.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"

namespace drumlin::codegen {

using Values = llvm::SmallVector<llvm::Value *>;

// Emits if (condition) then().
void emitIf(ElementEmitter &e, llvm::Value *condition, llvm::function_ref<void()> then);

// Emits `then` under a condition. Returns values that equal, at run time, the values of `then` if
// the condition holds, else the values in `otherwise`. Both sets have the same number and types of
// values.
Values emitIf(ElementEmitter &e, llvm::Value *condition, llvm::ArrayRef<llvm::Value *> otherwise,
              llvm::function_ref<Values()> then);

// Emits while (condition(carried)) carried = body(carried); returns the last values. The condition
// is computed before each step and once more after the last step, so the memory that it reads must
// still be readable after the last step.
Values emitWhile(ElementEmitter &e, llvm::ArrayRef<llvm::Value *> carried,
                 llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> condition,
                 llvm::function_ref<Values(llvm::ArrayRef<llvm::Value *>)> body);

// Emits body(base) for each vector of lanes in [begin, end). Vectors have the emitter's width. If
// the last vector is partial, it is masked. `begin` and `end` need not be constants. `body` is
// emitted once if they are constants and the width divides their difference, else twice.
void emitLaneLoop(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                  llvm::function_ref<void(llvm::Value *)> body);

// Emits the loop of emitLaneLoop() with every vector masked, so that `body` is emitted once.
void emitMaskedLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                     llvm::function_ref<void(llvm::Value *)> body);

// Whether lanes may be computed and stored a second time. This is not allowed if the memory that is
// written may overlap the memory that is read.
enum class LanesAgain { no, yes };

// Emits body(base, alignment) for each vector of lanes in [begin, end), a range of `count`
// elements. `begin` is 0, or the end of an earlier call's range with the same `count`. If `begin`
// is a multiple of the width, each base is a multiple of `alignment`. Full vectors are unmasked,
// except in instrumented code. If the width doesn't divide `count`, the last vector is partial. If
// lanes may be recomputed and `count` is known to be at least the width, the last vector begins
// earlier, so that it is full. Otherwise the last vector is masked, in separate code.
void emitLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end, const SizeExpression &count,
               LanesAgain again, llvm::function_ref<void(llvm::Value *, int64_t)> body);

} // namespace drumlin::codegen

// Emits branches and loops whose conditions the emitted code computes. Element values that are
// cached in conditional or repeated code are dropped where that code ends.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"

namespace drumlin::codegen {

using Values = llvm::SmallVector<llvm::Value *>;

// Emits if (condition) then().
void emitIf(ElementEmitter &e, llvm::Value *condition, llvm::function_ref<void()> then);

// Emits `then` under a condition. Returns values that at run time are those of `then` if the
// condition holds, else those of `otherwise`. `then` must return as many values as `otherwise` has,
// of the same types.
Values emitIf(ElementEmitter &e, llvm::Value *condition, llvm::ArrayRef<llvm::Value *> otherwise,
              llvm::function_ref<Values()> then);

// Emits while (condition(carried)) carried = body(carried); returns the last values. The condition
// is computed before each step and once more after the last step, so the memory that it reads must
// still be readable after the last step.
Values emitWhile(ElementEmitter &e, llvm::ArrayRef<llvm::Value *> carried,
                 llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> condition,
                 llvm::function_ref<Values(llvm::ArrayRef<llvm::Value *>)> body);

// Emits body(base) for each vector of lanes in [begin, end). Vectors have the emitter's width. A
// partial last vector is masked. `body` is emitted once if `begin` and `end` are constants whose
// difference is a multiple of the width, else twice.
void emitLaneLoop(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                  llvm::function_ref<void(llvm::Value *)> body);

// Emits the loop of emitLaneLoop() with every vector masked, so that `body` is emitted once.
void emitMaskedLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                     llvm::function_ref<void(llvm::Value *)> body);

// Whether lanes may be computed and stored a second time. `no` is required if the stored memory may
// overlap memory that is read.
enum class LanesAgain { no, yes };

// Emits body(base, alignment) for each vector of lanes in [begin, end), a range of `count`
// elements. `begin` is 0, or the end of an earlier call's range with the same `count`. If `begin`
// is a multiple of the width, each base is a multiple of `alignment`. Full vectors are unmasked,
// except in instrumented code. If `count` isn't a multiple of the width, the last vector may be
// partial. If lanes may be recomputed and `count` is known to be at least the width, the last
// vector then begins earlier, so that it is full and ends at `end`. Otherwise it is masked.
void emitLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end, const SizeExpression &count,
               LanesAgain again, llvm::function_ref<void(llvm::Value *, int64_t)> body);

} // namespace drumlin::codegen

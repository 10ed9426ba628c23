// Emits branches and loops whose conditions the emitted code computes. Element values cached inside
// a part that runs conditionally or repeatedly are dropped at its end.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"

namespace drumlin::codegen {

using Values = llvm::SmallVector<llvm::Value *>;

// if (condition) then().
void emitIf(ElementEmitter &e, llvm::Value *condition, llvm::function_ref<void()> then);

// Emits `then` under a condition. Returns its values if the condition holds, else `otherwise`,
// which has the same number of values and the same types.
Values emitIf(ElementEmitter &e, llvm::Value *condition, llvm::ArrayRef<llvm::Value *> otherwise,
              llvm::function_ref<Values()> then);

// Emits while (condition(carried)) carried = body(carried); returns the last values. The condition
// is computed before each step, so its operands must be readable even if it is false.
Values emitWhile(ElementEmitter &e, llvm::ArrayRef<llvm::Value *> carried,
                 llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> condition,
                 llvm::function_ref<Values(llvm::ArrayRef<llvm::Value *>)> body);

// Emits body(base) for each vector of the emitter's width in [begin, end), the last one masked if
// it is partial. Begin and end need not be constants; `body` is emitted twice unless they are and
// the width divides their distance.
void emitLaneLoop(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                  llvm::function_ref<void(llvm::Value *)> body);

// Emits the same loop with every vector masked, so that `body` is emitted once.
void emitMaskedLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                     llvm::function_ref<void(llvm::Value *)> body);

// Whether lanes may be computed and stored a second time: no if the stored memory may overlap the
// memory that they are computed from.
enum class LanesAgain { no, yes };

// Emits body(base, alignment) for each vector of lanes in [begin, end), of `count` elements; bases
// are multiples of `alignment` if `begin` is a multiple of the width. Full vectors are unmasked. If
// the width doesn't divide `count`, the last vector begins earlier, if lanes may be recomputed and
// `count` is at least the width; otherwise it is masked, in separate code. `begin` is 0, or the end
// of preceding lanes of the same `count`.
void emitLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end, const SizeExpression &count,
               LanesAgain again, llvm::function_ref<void(llvm::Value *, int64_t)> body);

} // namespace drumlin::codegen

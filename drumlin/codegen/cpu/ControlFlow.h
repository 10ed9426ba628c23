// Branches and loops in emitted code whose conditions are computed there. Element values that are
// made inside a part that may not run, or runs again, end with it.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"

namespace drumlin::codegen {

using Values = llvm::SmallVector<llvm::Value *>;

// if (condition) then().
void emitIf(ElementEmitter &e, llvm::Value *condition, llvm::function_ref<void()> then);

// What then() gives where the condition holds, else `otherwise`; as many values, of the same types.
Values emitIf(ElementEmitter &e, llvm::Value *condition, llvm::ArrayRef<llvm::Value *> otherwise,
              llvm::function_ref<Values()> then);

// while (condition(carried)) carried = body(carried); gives the last ones. The condition is
// computed before each step, so what it reads must be there even where it doesn't hold.
Values emitWhile(ElementEmitter &e, llvm::ArrayRef<llvm::Value *> carried,
                 llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> condition,
                 llvm::function_ref<Values(llvm::ArrayRef<llvm::Value *>)> body);

// body(base) for each vector of the width's lanes in [begin, end), the last one under a mask where
// it isn't whole. Begin and end need not be constants; `body` is emitted twice unless they are and
// no lanes are left over.
void emitLaneLoop(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                  llvm::function_ref<void(llvm::Value *)> body);

// The same of which each vector is masked, and `body` emitted once.
void emitMaskedLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end,
                     llvm::function_ref<void(llvm::Value *)> body);

// Whether lanes may be computed and stored a second time: not where what they are computed from may
// lie in the memory of what is stored.
enum class LanesAgain { no, yes };

// body(base, alignment) for each vector of the width's lanes in [begin, end), of `count` elements;
// bases are multiples of the alignment if `begin` is one of the width. Whole vectors take no mask.
// Where `count` isn't a multiple of the width, the last one begins earlier if its lanes may be
// computed again and there are as many; otherwise it is masked, in code of its own. `begin` is 0,
// or the end of other lanes of the same `count`.
void emitLanes(ElementEmitter &e, llvm::Value *begin, llvm::Value *end, const SizeExpression &count,
               LanesAgain again, llvm::function_ref<void(llvm::Value *, int64_t)> body);

} // namespace drumlin::codegen

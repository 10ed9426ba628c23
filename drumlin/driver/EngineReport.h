// What a program costs on a tensor engine: the report of `drumlin cost --target trn1`.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/engines/EngineCost.h"

namespace drumlin {

// Changes the module: calls are inlined; unless layouts are taken as written, it is simplified too.
// Fails with UnknownArgument where a static argument isn't one of the program's, and as phases do.
Result<EngineCost> costOnEngine(mlir::ModuleOp module, const TensorEngine &engine,
                                const CompileOptions &options, const EngineOptions &engineOptions);

std::string engineText(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options);
std::string engineJson(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options);

} // namespace drumlin

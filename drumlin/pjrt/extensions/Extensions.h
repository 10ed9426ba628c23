// The extensions of the interface that the plugin has, each a struct of functions that callers find
// by its type.
#pragma once

#include "drumlin/pjrt/Outcome.h"

#include <algorithm>
#include <cstring>

namespace drumlin::pjrt {

// Whether callers of version 0.67 (jaxlib 0.6), the oldest that is tested, have a smaller struct.
// All others are whole, also where a caller's size leaves out a field (that of PluginAttributes
// did).
template <typename Args> inline constexpr bool hasGrown = false;
template <> inline constexpr bool hasGrown<ExecutableDeserializeAndLoadArgs> = true;
template <> inline constexpr bool hasGrown<ExecutableGetCompiledMemoryStatsArgs> = true;

// Calls a function of this plugin as the interface has it.
template <typename Args> Error *answer(Args *given) {
  Args args = {};
  size_t size = hasGrown<Args> ? std::min(given->structSize, sizeof(Args)) : sizeof(Args);
  std::memcpy(&args, given, size);
  Outcome outcome = call(args);
  if (!outcome) {
    return errorOf(outcome);
  }
  std::memcpy(given, &args, size);
  return nullptr;
}

// The first of all, which leads to the others.
ExtensionBase *extensions();

// Each gets the next one.
ExtensionBase *layoutsExtension(ExtensionBase *next);
ExtensionBase *ffiExtension(ExtensionBase *next);
ExtensionBase *memoryDescriptionsExtension(ExtensionBase *next);
ExtensionBase *profilerExtension(ExtensionBase *next);
ExtensionBase *shardingsExtension(ExtensionBase *next);

} // namespace drumlin::pjrt

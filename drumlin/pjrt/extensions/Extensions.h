// The extensions of the interface that the plugin has, each a struct of functions that callers find
// by its type.
#pragma once

#include "drumlin/pjrt/Outcome.h"

#include <algorithm>
#include <cstring>

namespace drumlin::pjrt {

// Calls a function of this plugin as the interface has it: the caller's struct may be smaller or
// larger than ours.
template <typename Args> Error *answer(Args *given) {
  Args args = {};
  size_t size = std::min(given->structSize, sizeof(Args));
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

} // namespace drumlin::pjrt

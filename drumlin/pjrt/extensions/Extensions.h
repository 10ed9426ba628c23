// The extensions of the interface that the plugin has, each a struct of functions that callers find
// by its type.
#pragma once

#include "drumlin/pjrt/Arguments.h"

namespace drumlin::pjrt {

// The first of all, which leads to the others.
ExtensionBase *extensions();

// Each gets the next one.
ExtensionBase *layoutsExtension(ExtensionBase *next);
ExtensionBase *ffiExtension(ExtensionBase *next);
ExtensionBase *memoryDescriptionsExtension(ExtensionBase *next);
ExtensionBase *profilerExtension(ExtensionBase *next);
ExtensionBase *shardingsExtension(ExtensionBase *next);

} // namespace drumlin::pjrt

// The plugin's extensions of the interface, each a struct of functions that callers look up by its
// type.
#pragma once

#include "drumlin/pjrt/Arguments.h"

namespace drumlin::pjrt {

// Returns the first extension, which links to all others.
ExtensionBase *extensions();

// Each returns an extension that links to `next`.
ExtensionBase *layoutsExtension(ExtensionBase *next);
ExtensionBase *ffiExtension(ExtensionBase *next);
ExtensionBase *memoryDescriptionsExtension(ExtensionBase *next);
ExtensionBase *profilerExtension(ExtensionBase *next);
ExtensionBase *shardingsExtension(ExtensionBase *next);

} // namespace drumlin::pjrt

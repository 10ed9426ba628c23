// The functions of the interface's extensions that the plugin implements, and their arguments.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"

namespace drumlin::pjrt {

struct MemoryDescription;
struct MemoryLayout;
struct SerializedLayout;
struct Profiler;

struct TypeInfo {
  void (*deleter)(void *object);
  void (*serialize)();
  void (*deserialize)();
};

#define PJRT_EXTENSION_FUNCTION(name, published, ...)                                              \
  struct name##Args {                                                                              \
    __VA_ARGS__                                                                                    \
  };
#include "drumlin/pjrt/interface/Members.def"

#include "drumlin/pjrt/interface/ExtensionFunctions.def"

struct LayoutsExtension {
  ExtensionBase base;
  Error *(*memoryLayoutDestroy)(MemoryLayoutDestroyArgs *);
  Error *(*memoryLayoutSerialize)(MemoryLayoutSerializeArgs *);
  Error *(*clientGetDefaultLayout)(ClientGetDefaultLayoutArgs *);
  Error *(*bufferMemoryLayout)(BufferMemoryLayoutArgs *);
  Error *(*topologyGetDefaultLayout)(TopologyGetDefaultLayoutArgs *);
  Error *(*executableGetOutputLayouts)(ExecutableGetOutputLayoutsArgs *);
  Error *(*executableGetParameterLayouts)(ExecutableGetParameterLayoutsArgs *);
};

struct FfiExtension {
  ExtensionBase base;
  Error *(*typeRegister)(TypeRegisterArgs *);
  Error *(*userDataAdd)(UserDataAddArgs *);
  Error *(*registerHandler)(RegisterHandlerArgs *);
};

struct MemoryDescriptionsExtension {
  ExtensionBase base;
  Error *(*deviceDescriptionMemoryDescriptions)(DeviceDescriptionMemoryDescriptionsArgs *);
  Error *(*memoryDescriptionKind)(MemoryDescriptionKindArgs *);
};

struct ShardingsExtension {
  ExtensionBase base;
  Error *(*executableParameterShardings)(ExecutableParameterShardingsArgs *);
  Error *(*executableOutputShardings)(ExecutableOutputShardingsArgs *);
};

struct ProfilerApi {
  size_t structSize;
  void *unused;
  void (*errorDestroy)(ProfilerErrorDestroyArgs *);
  void (*errorMessage)(ProfilerErrorMessageArgs *);
  Error *(*errorGetCode)(ProfilerErrorGetCodeArgs *);
  Error *(*create)(ProfilerCreateArgs *);
  Error *(*destroy)(ProfilerDestroyArgs *);
  Error *(*start)(ProfilerStartArgs *);
  Error *(*stop)(ProfilerStopArgs *);
  Error *(*collectData)(ProfilerCollectDataArgs *);
};
struct ProfilerExtension {
  ExtensionBase base;
  const ProfilerApi *api;
  int64_t tracemeContextId;
};

} // namespace drumlin::pjrt

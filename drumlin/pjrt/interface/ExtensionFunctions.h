// The functions of the interface's extensions that the plugin has, and their arguments.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"

namespace drumlin::pjrt {

struct MemoryDescription;
struct MemoryLayout;
struct SerializedLayout;

// Layouts of buffers and of programs' values, as the texts that HLO writes
// (xla/pjrt/c/pjrt_c_api_layouts_extension.h).
struct MemoryLayoutDestroyArgs {
  size_t structSize;
  ExtensionBase *extensions;
  MemoryLayout *layout;
};
struct MemoryLayoutSerializeArgs {
  size_t structSize;
  ExtensionBase *extensions;
  MemoryLayout *layout;
  const char *serializedBytes;
  size_t serializedBytesSize;
  SerializedLayout *serializedLayout;
  void (*serializedLayoutDeleter)(SerializedLayout *);
};
struct BufferMemoryLayoutArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Buffer *buffer;
  MemoryLayout *layout;
};
struct ClientGetDefaultLayoutArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Client *client;
  BufferType type;
  const int64_t *dims;
  size_t numDims;
  MemoryLayout *layout;
};
struct TopologyGetDefaultLayoutArgs {
  size_t structSize;
  ExtensionBase *extensions;
  TopologyDescription *topology;
  BufferType type;
  const int64_t *dims;
  size_t numDims;
  MemoryLayout *layout;
};
struct ExecutableGetOutputLayoutsArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Executable *executable;
  size_t numOutputs;
  MemoryLayout **layouts;
};
struct ExecutableGetParameterLayoutsArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Executable *executable;
  size_t numParameters;
  MemoryLayout **layouts;
};
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

// Code that programs call through XLA's foreign function interface
// (xla/pjrt/c/pjrt_c_api_ffi_extension.h).
struct TypeInfo {
  void (*deleter)(void *object);
  void (*serialize)();
  void (*deserialize)();
};
struct TypeRegisterArgs {
  size_t structSize;
  ExtensionBase *extensions;
  const char *typeName;
  size_t typeNameSize;
  int64_t typeId;     // 0: a new one
  TypeInfo *typeInfo; // not in the first version of the function
};
struct UserDataAddArgs {
  size_t structSize;
  ExtensionBase *extensions;
  ExecuteContext *context;
  int64_t typeId;
  void *data;
};
struct RegisterHandlerArgs {
  size_t structSize;
  const char *targetName;
  size_t targetNameSize;
  void *handler;
  const char *platformName;
  size_t platformNameSize;
  uint32_t traits;
};
struct FfiExtension {
  ExtensionBase base;
  Error *(*typeRegister)(TypeRegisterArgs *);
  Error *(*userDataAdd)(UserDataAddArgs *);
  Error *(*registerHandler)(RegisterHandlerArgs *);
};

// The memories of devices that there may be only a description of
// (xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h).
struct DeviceDescriptionMemoryDescriptionsArgs {
  size_t structSize;
  ExtensionBase *extensions;
  DeviceDescription *deviceDescription;
  const MemoryDescription *const *memoryDescriptions;
  size_t numMemoryDescriptions;
  size_t defaultMemoryIndex;
};
struct MemoryDescriptionKindArgs {
  size_t structSize;
  ExtensionBase *extensions;
  const MemoryDescription *memoryDescription;
  const char *kind;
  size_t kindSize;
  int kindId;
};
struct MemoryDescriptionsExtension {
  ExtensionBase base;
  Error *(*deviceDescriptionMemoryDescriptions)(DeviceDescriptionMemoryDescriptionsArgs *);
  Error *(*memoryDescriptionKind)(MemoryDescriptionKindArgs *);
};

// How a program's values lie on devices, each a serialized xla.OpSharding
// (xla/pjrt/c/pjrt_c_api_shardings_extension.h).
struct ExecutableParameterShardingsArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Executable *executable;
  size_t numParameters;
  const char *const *shardings;
  const size_t *shardingSizes;
};
struct ExecutableOutputShardingsArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Executable *executable;
  size_t numOutputs;
  const char *const *shardings;
  const size_t *shardingSizes;
};
struct ShardingsExtension {
  ExtensionBase base;
  Error *(*executableParameterShardings)(ExecutableParameterShardingsArgs *);
  Error *(*executableOutputShardings)(ExecutableOutputShardingsArgs *);
};

} // namespace drumlin::pjrt

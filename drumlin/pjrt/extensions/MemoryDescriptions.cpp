// The memories of devices that there may be only a description of
// (xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h).
#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/extensions/Extensions.h"

namespace drumlin::pjrt {

struct MemoryDescription {
  int kind;
};

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

static Outcome call(DeviceDescriptionMemoryDescriptionsArgs &args) {
  static constexpr MemoryDescription descriptions[] = {{0}, {1}, {2}};
  static constexpr const MemoryDescription *list[] = {&descriptions[0], &descriptions[1],
                                                      &descriptions[2]};
  static_assert(std::size(list) == memoryKindCount);
  args.memoryDescriptions = list;
  args.numMemoryDescriptions = memoryKindCount;
  args.defaultMemoryIndex = 0;
  return Done();
}

static Outcome call(MemoryDescriptionKindArgs &args) {
  args.kindId = args.memoryDescription->kind;
  args.kind = memoryKinds[args.kindId];
  args.kindSize = std::strlen(args.kind);
  return Done();
}

ExtensionBase *memoryDescriptionsExtension(ExtensionBase *next) {
  static MemoryDescriptionsExtension extension = {
      {sizeof(MemoryDescriptionsExtension), ExtensionType::MemoryDescriptions, next},
      answer<DeviceDescriptionMemoryDescriptionsArgs>,
      answer<MemoryDescriptionKindArgs>,
  };
  return &extension.base;
}

} // namespace drumlin::pjrt

// The extension that describes the memories of devices, also without a client
// (xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h).
#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/extensions/Extensions.h"
#include "drumlin/pjrt/interface/ExtensionFunctions.h"

#include <cstring>

namespace drumlin::pjrt {

struct MemoryDescription {
  int kind;
};

static Outcome
handleDeviceDescriptionMemoryDescriptions(DeviceDescriptionMemoryDescriptionsArgs &args) {
  static constexpr MemoryDescription descriptions[] = {{0}, {1}, {2}};
  static constexpr const MemoryDescription *list[] = {&descriptions[0], &descriptions[1],
                                                      &descriptions[2]};
  static_assert(std::size(list) == memoryKindCount);
  args.memoryDescriptions = list;
  args.numMemoryDescriptions = memoryKindCount;
  args.defaultMemoryIndex = 0;
  return Done();
}

static Outcome handleMemoryDescriptionKind(MemoryDescriptionKindArgs &args) {
  args.kindId = args.memoryDescription->kind;
  args.kind = memoryKinds[args.kindId];
  args.kindSize = std::strlen(args.kind);
  return Done();
}

ExtensionBase *memoryDescriptionsExtension(ExtensionBase *next) {
  static MemoryDescriptionsExtension extension = {
      {sizeof(MemoryDescriptionsExtension), ExtensionType::MemoryDescriptions, next},
      answer<handleDeviceDescriptionMemoryDescriptions>,
      answer<handleMemoryDescriptionKind>,
  };
  return &extension.base;
}

} // namespace drumlin::pjrt

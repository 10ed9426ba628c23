#include "drumlin/pjrt/Client.h"

#include <algorithm>
#include <unistd.h>

namespace drumlin::pjrt {

Outcome call(DeviceDescriptionIdArgs &args) {
  args.id = args.deviceDescription->id;
  return Done();
}

Outcome call(DeviceDescriptionProcessIndexArgs &args) {
  args.processIndex = 0;
  return Done();
}

Outcome call(DeviceDescriptionAttributesArgs &args) {
  args.attributes = nullptr;
  args.numAttributes = 0;
  return Done();
}

Outcome call(DeviceDescriptionKindArgs &args) {
  giveText(args.deviceDescription->kind, args.deviceKind, args.deviceKindSize);
  return Done();
}

Outcome call(DeviceDescriptionDebugStringArgs &args) {
  giveText(args.deviceDescription->debugString, args.debugString, args.debugStringSize);
  return Done();
}

Outcome call(DeviceDescriptionToStringArgs &args) {
  giveText(args.deviceDescription->string, args.toString, args.toStringSize);
  return Done();
}

Outcome call(DeviceGetDescriptionArgs &args) {
  args.deviceDescription = args.device->description;
  return Done();
}

Outcome call(DeviceIsAddressableArgs &args) {
  args.isAddressable = true;
  return Done();
}

Outcome call(DeviceLocalHardwareIdArgs &args) {
  args.localHardwareId = args.device->description->id;
  return Done();
}

Outcome call(DeviceAddressableMemoriesArgs &args) {
  args.memories = args.device->memoryList.data();
  args.numMemories = args.device->memoryList.size();
  return Done();
}

Outcome call(DeviceDefaultMemoryArgs &args) {
  args.memory = &args.device->defaultMemory();
  return Done();
}

Outcome call(DeviceGetAttributesArgs &args) {
  args.attributes = nullptr;
  args.numAttributes = 0;
  args.deviceAttributes = nullptr;
  args.attributesDeleter = [](DeviceAttributes *) {};
  return Done();
}

// Events for traces of a device's work; never written here.
struct AsyncTrackingEvent {};

Outcome call(DeviceCreateAsyncTrackingEventArgs &args) {
  args.event = new AsyncTrackingEvent();
  return Done();
}

Outcome call(AsyncTrackingEventDestroyArgs &args) {
  delete args.event;
  return Done();
}

// Returns the machine's total memory, which other programs also use.
static int64_t machineBytes() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGE_SIZE));
}

Outcome call(DeviceMemoryStatsArgs &args) {
  const MemoryStatistics &statistics = *args.device->statistics;
  clearResults(args, &DeviceMemoryStatsArgs::device);
  args.bytesInUse = statistics.inUse;
  args.peakBytesInUse = statistics.peak;
  args.numAllocs = statistics.allocations;
  args.largestAllocSize = statistics.largest;
  args.bytesLimit = machineBytes();
  args.peakBytesInUseIsSet = args.numAllocsIsSet = args.largestAllocSizeIsSet =
      args.bytesLimitIsSet = true;
  return Done();
}

Outcome call(DeviceClearMemoryStatsArgs &args) {
  args.device->statistics->clear();
  return Done();
}

} // namespace drumlin::pjrt

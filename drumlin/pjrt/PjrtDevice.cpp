#include "drumlin/pjrt/Client.h"

#include <algorithm>
#include <unistd.h>

namespace drumlin::pjrt {

Outcome handleDeviceDescriptionId(DeviceDescriptionIdArgs &args) {
  args.id = args.deviceDescription->id;
  return Done();
}

Outcome handleDeviceDescriptionProcessIndex(DeviceDescriptionProcessIndexArgs &args) {
  args.processIndex = 0;
  return Done();
}

Outcome handleDeviceDescriptionAttributes(DeviceDescriptionAttributesArgs &args) {
  args.attributes = nullptr;
  args.numAttributes = 0;
  return Done();
}

Outcome handleDeviceDescriptionKind(DeviceDescriptionKindArgs &args) {
  giveText(args.deviceDescription->kind, args.deviceKind, args.deviceKindSize);
  return Done();
}

Outcome handleDeviceDescriptionDebugString(DeviceDescriptionDebugStringArgs &args) {
  giveText(args.deviceDescription->debugString, args.debugString, args.debugStringSize);
  return Done();
}

Outcome handleDeviceDescriptionToString(DeviceDescriptionToStringArgs &args) {
  giveText(args.deviceDescription->string, args.toString, args.toStringSize);
  return Done();
}

Outcome handleDeviceGetDescription(DeviceGetDescriptionArgs &args) {
  args.deviceDescription = args.device->description;
  return Done();
}

Outcome handleDeviceIsAddressable(DeviceIsAddressableArgs &args) {
  args.isAddressable = true;
  return Done();
}

Outcome handleDeviceLocalHardwareId(DeviceLocalHardwareIdArgs &args) {
  args.localHardwareId = args.device->description->id;
  return Done();
}

Outcome handleDeviceAddressableMemories(DeviceAddressableMemoriesArgs &args) {
  args.memories = args.device->memoryList.data();
  args.numMemories = args.device->memoryList.size();
  return Done();
}

Outcome handleDeviceDefaultMemory(DeviceDefaultMemoryArgs &args) {
  args.memory = &args.device->defaultMemory();
  return Done();
}

Outcome handleDeviceGetAttributes(DeviceGetAttributesArgs &args) {
  args.attributes = nullptr;
  args.numAttributes = 0;
  args.deviceAttributes = nullptr;
  args.attributesDeleter = [](DeviceAttributes *) {};
  return Done();
}

// Events for traces of a device's work; never written here.
struct AsyncTrackingEvent {};

Outcome handleDeviceCreateAsyncTrackingEvent(DeviceCreateAsyncTrackingEventArgs &args) {
  args.event = new AsyncTrackingEvent();
  return Done();
}

Outcome handleAsyncTrackingEventDestroy(AsyncTrackingEventDestroyArgs &args) {
  delete args.event;
  return Done();
}

// Returns the machine's total memory, which other programs also use.
static int64_t machineBytes() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGE_SIZE));
}

Outcome handleDeviceMemoryStats(DeviceMemoryStatsArgs &args) {
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

Outcome handleDeviceClearMemoryStats(DeviceClearMemoryStatsArgs &args) {
  args.device->statistics->clear();
  return Done();
}

} // namespace drumlin::pjrt

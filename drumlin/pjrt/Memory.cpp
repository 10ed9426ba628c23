#include "drumlin/pjrt/Client.h"

namespace drumlin::pjrt {

static void *getUserData(Memory *memory, const void *key) {
  std::lock_guard<std::mutex> lock(memory->mutex);
  auto found = memory->userData.find(key);
  return found == memory->userData.end() ? nullptr : found->second.data;
}

static void setUserData(Memory *memory, const void *key, void *data, void (*destroy)(void *)) {
  Memory::UserData before = {};
  {
    std::lock_guard<std::mutex> lock(memory->mutex);
    before = std::exchange(memory->userData[key], {data, destroy});
  }
  if (before.destroy) {
    before.destroy(before.data);
  }
}

static constexpr MemoryTable memoryTable = {sizeof(MemoryTable), nullptr, sizeof(Memory),
                                            getUserData, setUserData};

Memory::Memory(Client &client, Device &device, int id, int kind)
    : table(&memoryTable), client(&client), device(&device), id(id), kind(kind),
      debugString(std::string(memoryKinds[kind]) + " memory of " + device.description->debugString),
      string("DrumlinMemory(id=" + std::to_string(id) + ", kind=" + memoryKinds[kind] + ")") {}

Memory::~Memory() {
  for (auto &[key, data] : userData) {
    if (data.destroy) {
      data.destroy(data.data);
    }
  }
}

Outcome handleMemoryId(MemoryIdArgs &args) {
  args.id = args.memory->id;
  return Done();
}

Outcome handleMemoryKind(MemoryKindArgs &args) {
  args.kind = memoryKinds[args.memory->kind];
  args.kindSize = std::char_traits<char>::length(args.kind);
  return Done();
}

Outcome handleMemoryKindId(MemoryKindIdArgs &args) {
  args.kindId = args.memory->kind;
  return Done();
}

Outcome handleMemoryDebugString(MemoryDebugStringArgs &args) {
  giveText(args.memory->debugString, args.debugString, args.debugStringSize);
  return Done();
}

Outcome handleMemoryToString(MemoryToStringArgs &args) {
  giveText(args.memory->string, args.toString, args.toStringSize);
  return Done();
}

Outcome handleMemoryAddressableByDevices(MemoryAddressableByDevicesArgs &args) {
  args.devices = &args.memory->device->self;
  args.numDevices = 1;
  return Done();
}

} // namespace drumlin::pjrt

#include "drumlin/pjrt/Client.h"

#include "drumlin/pjrt/ClientOptions.h"
#include "drumlin/pjrt/Devices.h"
#include "drumlin/pjrt/PjrtCompiler.h"
#include "drumlin/support/SystemLimits.h"

#include <algorithm>
#include <cstring>

namespace drumlin::pjrt {

const std::string &platformName() {
  static const auto *name = new std::string("cpu");
  return *name;
}

const std::string &platformVersion() {
  static const auto *version = new std::string(compilerVersion());
  return *version;
}

Client::Client(std::unique_ptr<TopologyDescription> given, unsigned threads)
    : topology(std::move(given)) {
  auto count = static_cast<unsigned>(topology->devices.size());
  if (threads == 0 && count > 1) {
    threads = std::max(usableProcessors() / count, 1U);
  }
  for (DeviceDescription &description : topology->devices) {
    auto device = std::make_unique<Device>(this, &description, makeDevice(threads));
    for (size_t kind = 0; kind < memoryKindCount; ++kind) {
      device->memories.push_back(std::make_unique<Memory>(
          *this, *device, static_cast<int>(memoryList.size()), static_cast<int>(kind)));
      device->memoryList.push_back(device->memories.back().get());
      memoryList.push_back(device->memories.back().get());
    }
    deviceList.push_back(device.get());
    devices.push_back(std::move(device));
  }
  // A run that is handed over begins with threads that sleep, and wakes its caller at the end.
  // Measured on two cores of a Sapphire Rapids Xeon, where a hand-over takes 60 us: handed over, a
  // run of 160 us takes 215 to 330 us. A loop of calls of up to 500 us each, which doesn't wait for
  // them, takes as long if every call runs on the caller's thread.
  constexpr double handOvers = 10;
  // Bounds on a hand-over's time: a value measured while the machine is busy would run programs on
  // the wrong thread.
  constexpr double least = 10e-6, most = 200e-6;
  secondsOnCallersThread =
      handOvers * std::clamp(devices.front()->machine->measureHandOver(), least, most);
}

Device *Client::find(int64_t id) const {
  auto found = std::ranges::find_if(
      deviceList, [&](const Device *device) { return device->description->id == id; });
  return found == deviceList.end() ? nullptr : *found;
}

std::shared_ptr<Completion> CallOrder::append(const std::shared_ptr<Completion> &run) {
  auto made = std::make_shared<Completion>();
  {
    std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back({run, made});
  }
  run->whenReady([self = shared_from_this()](const Outcome &) { self->advance(); });
  return made;
}

void CallOrder::advance() {
  std::unique_lock<std::mutex> lock(mutex);
  if (isAdvancing) {
    return; // the thread that is in the loop below handles this run, too
  }
  isAdvancing = true;
  while (!waiting.empty() && waiting.front().run->isReady()) {
    Entry entry = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    entry.made->setReady(entry.run->wait());
    lock.lock();
  }
  isAdvancing = false;
}

namespace {
// Never destroyed: programs may run while the process ends.
struct Clients {
  std::mutex mutex;
  std::vector<std::weak_ptr<RunningPrograms>> all;

  static Clients &get() {
    static auto *only = new Clients;
    return *only;
  }
};
} // namespace

std::shared_ptr<RunningPrograms> RunningPrograms::make() {
  auto made = std::make_shared<RunningPrograms>();
  std::lock_guard<std::mutex> lock(Clients::get().mutex);
  std::erase_if(Clients::get().all, [](const auto &each) { return each.expired(); });
  Clients::get().all.push_back(made);
  return made;
}

void RunningPrograms::waitForAllClients() {
  std::vector<std::weak_ptr<RunningPrograms>> all;
  {
    std::lock_guard<std::mutex> lock(Clients::get().mutex);
    all = Clients::get().all;
  }
  for (const std::weak_ptr<RunningPrograms> &each : all) {
    if (std::shared_ptr<RunningPrograms> client = each.lock()) {
      client->waitForAll();
    }
  }
}

void RunningPrograms::begin() {
  std::lock_guard<std::mutex> lock(mutex);
  ++count;
}

void RunningPrograms::end() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--count == 0) {
    changed.notify_all();
  }
}

void RunningPrograms::waitForAll() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return count == 0; });
}

Outcome handleClientCreate(ClientCreateArgs &args) {
  Result<ClientOptions> options = readClientOptions({args.createOptions, args.numOptions});
  if (!options) {
    return options.error();
  }
  noteIgnored(options->ignored);
  args.client = new Client(TopologyDescription::make(options->devices), options->threads);
  return Done();
}

Outcome handleClientDestroy(ClientDestroyArgs &args) {
  delete args.client;
  return Done();
}

Outcome handleClientPlatformName(ClientPlatformNameArgs &args) {
  giveText(platformName(), args.platformName, args.platformNameSize);
  return Done();
}

Outcome handleClientProcessIndex(ClientProcessIndexArgs &args) {
  args.processIndex = 0;
  return Done();
}

Outcome handleClientPlatformVersion(ClientPlatformVersionArgs &args) {
  giveText(platformVersion(), args.platformVersion, args.platformVersionSize);
  return Done();
}

Outcome handleClientTopologyDescription(ClientTopologyDescriptionArgs &args) {
  args.topology = args.client->topology.get();
  return Done();
}

Outcome handleClientDevices(ClientDevicesArgs &args) {
  args.devices = args.client->deviceList.data();
  args.numDevices = args.client->deviceList.size();
  return Done();
}

Outcome handleClientAddressableDevices(ClientAddressableDevicesArgs &args) {
  args.addressableDevices = args.client->deviceList.data();
  args.numAddressableDevices = args.client->deviceList.size();
  return Done();
}

Outcome handleClientLookupDevice(ClientLookupDeviceArgs &args) {
  args.device = args.client->find(args.id);
  return args.device ? Outcome(Done()) : invalid("there is no device " + std::to_string(args.id));
}

Outcome handleClientLookupAddressableDevice(ClientLookupAddressableDeviceArgs &args) {
  args.addressableDevice = args.client->find(args.localHardwareId);
  return args.addressableDevice
             ? Outcome(Done())
             : invalid("there is no device " + std::to_string(args.localHardwareId));
}

Outcome handleClientAddressableMemories(ClientAddressableMemoriesArgs &args) {
  args.addressableMemories = args.client->memoryList.data();
  args.numAddressableMemories = args.client->memoryList.size();
  return Done();
}

// Mapping does nothing, since the device's memory is the host's.
Outcome handleClientDmaMap(ClientDmaMapArgs &) { return Done(); }

Outcome handleClientDmaUnmap(ClientDmaUnmapArgs &) { return Done(); }

// Assigns consecutive devices to the partitions of replica 0, then of replica 1, ….
Outcome handleClientDefaultDeviceAssignment(ClientDefaultDeviceAssignmentArgs &args) {
  const std::vector<Device *> &devices = args.client->deviceList;
  size_t needed = static_cast<size_t>(args.numReplicas) * static_cast<size_t>(args.numPartitions);
  if (args.numReplicas < 1 || args.numPartitions < 1 || needed > args.defaultAssignmentSize) {
    return invalid("an assignment of " + std::to_string(args.numReplicas) + " replicas and " +
                   std::to_string(args.numPartitions) +
                   " partitions doesn't fit the caller's array");
  }
  if (needed > devices.size()) {
    return invalid("the program runs on " + std::to_string(needed) + " devices, and there are " +
                   std::to_string(devices.size()));
  }
  for (size_t i = 0; i < needed; ++i) {
    args.defaultAssignment[i] = devices[i]->description->id;
  }
  return Done();
}

} // namespace drumlin::pjrt

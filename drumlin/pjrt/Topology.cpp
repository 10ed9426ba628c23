// Topologies, for which programs can be compiled without a client. All devices of a processor are
// alike, so a topology consists of its name and the number of devices.
#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/ClientOptions.h"
#include "drumlin/pjrt/PjrtCompiler.h"
#include "drumlin/support/Hash.h"

#include <charconv>

namespace drumlin::pjrt {

std::unique_ptr<TopologyDescription> TopologyDescription::make(unsigned devices) {
  auto made = std::make_unique<TopologyDescription>();
  made->devices.resize(devices);
  for (DeviceDescription &device : made->devices) {
    device.id = static_cast<int>(&device - made->devices.data());
    device.kind = "Drumlin " + targetName();
    device.debugString = "DrumlinDevice(id=" + std::to_string(device.id) + ")";
    device.string = "DrumlinDevice(id=" + std::to_string(device.id) + ")";
    made->list.push_back(&device);
  }
  return made;
}

// Returns a topology's name: the target's name and, if there are several devices, their number.
static std::string nameOf(const TopologyDescription &topology) {
  size_t devices = topology.devices.size();
  return targetName() + (devices == 1 ? "" : ":" + std::to_string(devices));
}

// Returns whether a topology has this name. Sets `devices` if the name contains the number.
static bool readName(std::string_view name, unsigned &devices) {
  size_t colon = name.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view number = name.substr(colon + 1);
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), devices);
    if (error != std::errc() || end != number.data() + number.size() || devices < 1 ||
        devices > maxDevices) {
      return false;
    }
    name = name.substr(0, colon);
  }
  return name.empty() || name == "drumlin" || name == targetName();
}

Outcome handleTopologyDescriptionCreate(TopologyDescriptionCreateArgs &args) {
  args.topology = nullptr;
  Result<ClientOptions> options = readClientOptions({args.createOptions, args.numOptions});
  if (!options) {
    return options.error();
  }
  std::string_view name(args.topologyName, args.topologyNameSize);
  unsigned devices = options->devices;
  if (!readName(name, devices)) {
    return invalid("there is no topology `" + std::string(name) + "`: pass `" + targetName() +
                   "`, `" + targetName() + ":2` for two devices, or an empty name");
  }
  noteIgnored(options->ignored);
  args.topology = TopologyDescription::make(devices).release();
  return Done();
}

Outcome handleTopologyDescriptionDestroy(TopologyDescriptionDestroyArgs &args) {
  delete args.topology;
  return Done();
}

Outcome handleTopologyDescriptionPlatformName(TopologyDescriptionPlatformNameArgs &args) {
  giveText(platformName(), args.platformName, args.platformNameSize);
  return Done();
}

Outcome handleTopologyDescriptionPlatformVersion(TopologyDescriptionPlatformVersionArgs &args) {
  giveText(platformVersion(), args.platformVersion, args.platformVersionSize);
  return Done();
}

Outcome
handleTopologyDescriptionGetDeviceDescriptions(TopologyDescriptionGetDeviceDescriptionsArgs &args) {
  args.descriptions = args.topology->list.data();
  args.numDescriptions = args.topology->list.size();
  return Done();
}

Outcome handleTopologyDescriptionAttributes(TopologyDescriptionAttributesArgs &args) {
  args.attributes = nullptr;
  args.numAttributes = 0;
  return Done();
}

struct SerializedTopology {
  std::string bytes;
};

// A topology is serialized as its name.
Outcome handleTopologyDescriptionSerialize(TopologyDescriptionSerializeArgs &args) {
  args.serializedTopology = new SerializedTopology{nameOf(*args.topology)};
  giveText(args.serializedTopology->bytes, args.serializedBytes, args.serializedBytesSize);
  args.serializedTopologyDeleter = [](SerializedTopology *topology) { delete topology; };
  return Done();
}

Outcome handleTopologyDescriptionDeserialize(TopologyDescriptionDeserializeArgs &args) {
  TopologyDescriptionCreateArgs create = {};
  create.topologyName = args.serializedTopology;
  create.topologyNameSize = args.serializedTopologySize;
  Outcome outcome = handleTopologyDescriptionCreate(create);
  args.topology = create.topology;
  return outcome;
}

Outcome handleTopologyDescriptionFingerprint(TopologyDescriptionFingerprintArgs &args) {
  std::string text = platformVersion() + ' ' + nameOf(*args.topology);
  args.fingerprint = std::strtoull(contentHash(text).substr(0, 16).c_str(), nullptr, 16);
  return Done();
}

Outcome
handleTopologyDescriptionGetMemorySpaceKindIds(TopologyDescriptionGetMemorySpaceKindIdsArgs &args) {
  static constexpr int kinds[] = {0, 1, 2};
  static_assert(std::size(kinds) == memoryKindCount);
  args.memorySpaceKindIds = kinds;
  args.numMemorySpaceKindIds = memoryKindCount;
  return Done();
}

} // namespace drumlin::pjrt

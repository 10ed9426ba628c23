// Topologies: what programs can be compiled for without a client. A processor's devices are all
// alike, so that a topology is its name and how many there are.
#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/Compiler.h"
#include "drumlin/support/Hash.h"

namespace drumlin::pjrt {

std::shared_ptr<TopologyDescription> TopologyDescription::make() {
  auto made = std::make_shared<TopologyDescription>();
  made->devices.resize(1);
  for (DeviceDescription &device : made->devices) {
    device.id = static_cast<int>(&device - made->devices.data());
    device.kind = "Drumlin " + targetName();
    device.debugString = "DrumlinDevice(id=" + std::to_string(device.id) + ")";
    device.string = "DrumlinDevice(id=" + std::to_string(device.id) + ")";
    made->list.push_back(&device);
  }
  return made;
}

// What topologies of callers' own are held by.
struct OwnedTopology : TopologyDescription {};

Outcome call(TopologyDescriptionCreateArgs &args) {
  args.topology = nullptr;
  std::string name(args.topologyName, args.topologyNameSize);
  if (!name.empty() && name != "drumlin" && name != targetName()) {
    return invalid("there is no topology `" + name + "`: pass `" + targetName() +
                   "`, or an empty name");
  }
  auto made = std::make_unique<OwnedTopology>();
  std::shared_ptr<TopologyDescription> from = TopologyDescription::make();
  made->devices = from->devices;
  for (DeviceDescription &device : made->devices) {
    made->list.push_back(&device);
  }
  args.topology = made.release();
  return Done();
}

Outcome call(TopologyDescriptionDestroyArgs &args) {
  delete static_cast<OwnedTopology *>(args.topology);
  return Done();
}

Outcome call(TopologyDescriptionPlatformNameArgs &args) {
  giveText(platformName(), args.platformName, args.platformNameSize);
  return Done();
}

Outcome call(TopologyDescriptionPlatformVersionArgs &args) {
  giveText(platformVersion(), args.platformVersion, args.platformVersionSize);
  return Done();
}

Outcome call(TopologyDescriptionGetDeviceDescriptionsArgs &args) {
  args.descriptions = args.topology->list.data();
  args.numDescriptions = args.topology->list.size();
  return Done();
}

Outcome call(TopologyDescriptionAttributesArgs &args) {
  args.attributes = nullptr;
  args.numAttributes = 0;
  return Done();
}

Outcome call(TopologyDescriptionSerializeArgs &args) {
  giveText(targetName(), args.serializedBytes, args.serializedBytesSize);
  args.serializedTopology = nullptr;
  args.serializedTopologyDeleter = [](SerializedTopology *) {};
  return Done();
}

Outcome call(TopologyDescriptionDeserializeArgs &args) {
  TopologyDescriptionCreateArgs create = {};
  create.topologyName = args.serializedTopology;
  create.topologyNameSize = args.serializedTopologySize;
  Outcome outcome = call(create);
  args.topology = create.topology;
  return outcome;
}

Outcome call(TopologyDescriptionFingerprintArgs &args) {
  args.fingerprint = std::strtoull(contentHash(platformVersion()).substr(16).c_str(), nullptr, 16);
  return Done();
}

Outcome call(TopologyDescriptionGetMemorySpaceKindIdsArgs &args) {
  static constexpr int kinds[] = {0, 1, 2};
  static_assert(std::size(kinds) == memoryKindCount);
  args.memorySpaceKindIds = kinds;
  args.numMemorySpaceKindIds = memoryKindCount;
  return Done();
}

} // namespace drumlin::pjrt

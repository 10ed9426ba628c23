// Topologies: what programs can be compiled for without a client. A processor's devices are all
// alike, so that a topology is its name and how many there are.
#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/Compiler.h"
#include "drumlin/support/Hash.h"

namespace drumlin::pjrt {

std::unique_ptr<TopologyDescription> TopologyDescription::make() {
  auto made = std::make_unique<TopologyDescription>();
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

Outcome call(TopologyDescriptionCreateArgs &args) {
  args.topology = nullptr;
  std::string name(args.topologyName, args.topologyNameSize);
  if (!name.empty() && name != "drumlin" && name != targetName()) {
    return invalid("there is no topology `" + name + "`: pass `" + targetName() +
                   "`, or an empty name");
  }
  args.topology = TopologyDescription::make().release();
  return Done();
}

Outcome call(TopologyDescriptionDestroyArgs &args) {
  delete args.topology;
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

// A topology is what it is named by.
Outcome call(TopologyDescriptionSerializeArgs &args) {
  static const auto *name = new std::string(targetName());
  giveText(*name, args.serializedBytes, args.serializedBytesSize);
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
  args.fingerprint =
      std::strtoull(contentHash(platformVersion()).substr(0, 16).c_str(), nullptr, 16);
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

// Clients, devices, memories, topologies.
#include "drumlin/pjrt/test/Calls.h"

#include <map>

using namespace drumlin::pjrt;

template <typename Size> static std::string_view text(const char *begin, Size size) {
  return {begin, size};
}

static NamedValue number(const char *name, int64_t value) {
  NamedValue made{.structSize = sizeof(NamedValue),
                  .name = name,
                  .nameSize = std::strlen(name),
                  .type = NamedValueType::Int64,
                  .valueSize = 1};
  made.int64Value = value;
  return made;
}

static NamedValue words(const char *name, std::string_view value) {
  NamedValue made = number(name, 0);
  made.type = NamedValueType::String;
  made.stringValue = value.data();
  made.valueSize = value.size();
  return made;
}

static Answer makeWith(const NamedValue &option) {
  ClientCreateArgs args{.createOptions = &option, .numOptions = 1};
  Answer answer = ask(args);
  Owned<Client> free(answer == ErrorCode::Ok ? args.client : nullptr);
  return answer;
}

// JAX passes users' option values as strings.
TEST(PjrtClient, TakesThreadsAsItsOption) {
  NamedValue many = number("threads", 1 << 30), negative = number("threads", -1),
             typed = number("threads", 1);
  typed.type = NamedValueType::Bool;
  EXPECT_EQ(makeWith(number("threads", 2)), ErrorCode::Ok);
  EXPECT_EQ(makeWith(words("threads", "2")), ErrorCode::Ok);
  for (const NamedValue *wrong : {&many, &negative, &typed}) {
    EXPECT_EQ(makeWith(*wrong), ErrorCode::InvalidArgument);
  }
  for (std::string_view wrong : {"", "two", "2x", "-1", "2.5", "99999999999999999999"}) {
    Answer answer = makeWith(words("threads", wrong));
    EXPECT_EQ(answer, ErrorCode::InvalidArgument) << wrong;
    EXPECT_NE(answer.message.find("`threads` is"), std::string::npos) << answer.message;
    EXPECT_NE(answer.message.find(wrong), std::string::npos) << answer.message;
  }
}

// Callers send XLA's options to every plugin.
TEST(PjrtClient, IgnoresOptionsOfOtherClients) {
  size_t count = 0;
  auto check = [&](const char *name, NamedValueType type, std::string_view meaning) {
    SCOPED_TRACE(name);
    const char *good[] = {"bfc", "3", "0,1", "0.75", "true"};
    testing::internal::CaptureStderr();
    EXPECT_EQ(makeWith(words(name, good[static_cast<size_t>(type)])), ErrorCode::Ok);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              meaning == "Ignored"
                  ? std::string("drumlin: client options without effect here: `") + name + "`\n"
                  : "");
    if (type != NamedValueType::String) {
      Answer answer = makeWith(words(name, "some"));
      EXPECT_EQ(answer, ErrorCode::InvalidArgument);
      EXPECT_NE(answer.message.find(std::string("`") + name + "` is `some`"), std::string::npos)
          << answer.message;
    }
    ++count;
  };
#define PJRT_CLIENT_OPTION(name, type, meaning) check(#name, NamedValueType::type, #meaning);
#include "drumlin/pjrt/ClientOptions.def"
  EXPECT_GT(count, 15U);

  NamedValue option = number("preallocate", 0);
  option.type = NamedValueType::Bool;
  option.boolValue = false;
  testing::internal::CaptureStderr();
  NamedValue both[] = {option, words("mock_gpu_topology", "1x1x1")};
  Owned<Client> client(get(ClientCreateArgs{.createOptions = both, .numOptions = 2}).client);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), ""); // the options were reported above
  option.name = "memory_fraction";
  option.nameSize = 15;
  option.type = NamedValueType::Bool;
  EXPECT_EQ(makeWith(option), ErrorCode::InvalidArgument);
}

TEST(PjrtClient, NamesTheNearestOption) {
  for (auto [wrong, near] : {std::pair("thread", "threads"), std::pair("preallocat", "preallocate"),
                             std::pair("", "threads")}) {
    Answer answer = makeWith(number(wrong, 2));
    EXPECT_EQ(answer, ErrorCode::InvalidArgument);
    std::string says = std::string("the client has no option `") + wrong + "`";
    EXPECT_NE(answer.message.find(says), std::string::npos) << answer.message;
    EXPECT_NE(answer.message.find(std::string("did you mean `") + near), std::string::npos)
        << answer.message;
  }
}

TEST(PjrtClient, DescribesItself) {
  Owned<Client> client = makeClient();
  auto name = get(ClientPlatformNameArgs{.client = client.get()});
  EXPECT_EQ(text(name.platformName, name.platformNameSize), "cpu");
  auto version = get(ClientPlatformVersionArgs{.client = client.get()});
  EXPECT_EQ(text(version.platformVersion, version.platformVersionSize), "stub 1");
  EXPECT_EQ(get(ClientProcessIndexArgs{.client = client.get()}).processIndex, 0);
  EXPECT_EQ(tried(ClientDmaMapArgs{.client = client.get()}), ErrorCode::Ok);
  EXPECT_EQ(tried(ClientDmaUnmapArgs{.client = client.get()}), ErrorCode::Ok);
}

TEST(PjrtClient, HasDevices) {
  Owned<Client> client = makeClient();
  auto devices = get(ClientDevicesArgs{.client = client.get()});
  auto addressable = get(ClientAddressableDevicesArgs{.client = client.get()});
  ASSERT_EQ(devices.numDevices, 1U);
  ASSERT_EQ(addressable.numAddressableDevices, 1U);
  Device *device = devices.devices[0];
  EXPECT_EQ(addressable.addressableDevices[0], device);
  EXPECT_EQ(get(ClientLookupDeviceArgs{.client = client.get(), .id = 0}).device, device);
  EXPECT_EQ(get(ClientLookupAddressableDeviceArgs{.client = client.get(), .localHardwareId = 0})
                .addressableDevice,
            device);
  for (int wrong : {1, -1}) {
    EXPECT_EQ(tried(ClientLookupDeviceArgs{.client = client.get(), .id = wrong}),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(
        tried(ClientLookupAddressableDeviceArgs{.client = client.get(), .localHardwareId = wrong}),
        ErrorCode::InvalidArgument);
  }
  EXPECT_TRUE(get(DeviceIsAddressableArgs{.device = device}).isAddressable);
  EXPECT_EQ(get(DeviceLocalHardwareIdArgs{.device = device}).localHardwareId, 0);
  auto attributes = get(DeviceGetAttributesArgs{.device = device});
  EXPECT_EQ(attributes.numAttributes, 0U);
  attributes.attributesDeleter(attributes.deviceAttributes);
  auto event = get(DeviceCreateAsyncTrackingEventArgs{
      .device = device, .description = "step", .descriptionSize = 4});
  ASSERT_NE(event.event, nullptr);
  get(AsyncTrackingEventDestroyArgs{.event = event.event});

  DeviceDescription *description =
      get(DeviceGetDescriptionArgs{.device = device}).deviceDescription;
  EXPECT_EQ(get(DeviceDescriptionIdArgs{.deviceDescription = description}).id, 0);
  EXPECT_EQ(get(DeviceDescriptionProcessIndexArgs{.deviceDescription = description}).processIndex,
            0);
  EXPECT_EQ(get(DeviceDescriptionAttributesArgs{.deviceDescription = description}).numAttributes,
            0U);
  auto kind = get(DeviceDescriptionKindArgs{.deviceDescription = description});
  EXPECT_EQ(text(kind.deviceKind, kind.deviceKindSize), "Drumlin stub-cpu");
  auto debug = get(DeviceDescriptionDebugStringArgs{.deviceDescription = description});
  EXPECT_EQ(text(debug.debugString, debug.debugStringSize), "DrumlinDevice(id=0)");
  auto string = get(DeviceDescriptionToStringArgs{.deviceDescription = description});
  EXPECT_EQ(text(string.toString, string.toStringSize), "DrumlinDevice(id=0)");
}

TEST(PjrtClient, AssignsProgramsToDevices) {
  Owned<Client> client = makeClient();
  auto assign = [&](int replicas, int partitions, size_t size) {
    int assignment[4] = {9, 9, 9, 9};
    Answer answer = tried(ClientDefaultDeviceAssignmentArgs{.client = client.get(),
                                                            .numReplicas = replicas,
                                                            .numPartitions = partitions,
                                                            .defaultAssignmentSize = size,
                                                            .defaultAssignment = assignment});
    EXPECT_EQ(assignment[0], answer == ErrorCode::Ok ? 0 : 9);
    return answer;
  };
  EXPECT_EQ(assign(1, 1, 1), ErrorCode::Ok);
  EXPECT_EQ(assign(1, 1, 4), ErrorCode::Ok);
  EXPECT_EQ(assign(1, 1, 0), ErrorCode::InvalidArgument);
  EXPECT_EQ(assign(2, 2, 4), ErrorCode::InvalidArgument);
  EXPECT_EQ(assign(-1, -1, 4), ErrorCode::InvalidArgument);
  EXPECT_EQ(assign(0, 1, 4), ErrorCode::InvalidArgument);
}

TEST(PjrtMemory, IsOfThreeKinds) {
  Owned<Client> client = makeClient();
  auto memories = get(ClientAddressableMemoriesArgs{.client = client.get()});
  Device *device = get(ClientDevicesArgs{.client = client.get()}).devices[0];
  auto ofDevice = get(DeviceAddressableMemoriesArgs{.device = device});
  ASSERT_EQ(memories.numAddressableMemories, 3U);
  ASSERT_EQ(ofDevice.numMemories, 3U);
  const char *kinds[] = {"device", "pinned_host", "unpinned_host"};
  for (int i = 0; i < 3; ++i) {
    Memory *memory = memories.addressableMemories[i];
    EXPECT_EQ(ofDevice.memories[i], memory);
    EXPECT_EQ(get(MemoryIdArgs{.memory = memory}).id, i);
    EXPECT_EQ(get(MemoryKindIdArgs{.memory = memory}).kindId, i);
    auto kind = get(MemoryKindArgs{.memory = memory});
    EXPECT_EQ(text(kind.kind, kind.kindSize), kinds[i]);
    auto debug = get(MemoryDebugStringArgs{.memory = memory});
    EXPECT_EQ(text(debug.debugString, debug.debugStringSize),
              std::string(kinds[i]) + " memory of DrumlinDevice(id=0)");
    auto string = get(MemoryToStringArgs{.memory = memory});
    EXPECT_EQ(text(string.toString, string.toStringSize),
              "DrumlinMemory(id=" + std::to_string(i) + ", kind=" + kinds[i] + ")");
    auto devices = get(MemoryAddressableByDevicesArgs{.memory = memory});
    ASSERT_EQ(devices.numDevices, 1U);
    EXPECT_EQ(devices.devices[0], device);
  }
  EXPECT_EQ(get(DeviceDefaultMemoryArgs{.device = device}).memory, memories.addressableMemories[0]);
}

TEST(PjrtMemory, KeepsCallersData) {
  Owned<Client> client = makeClient();
  Memory *memory =
      get(ClientAddressableMemoriesArgs{.client = client.get()}).addressableMemories[1];
  const MemoryTable *table = *reinterpret_cast<const MemoryTable *const *>(memory);
  EXPECT_EQ(table->structSize, sizeof(MemoryTable));
  static int destroyed;
  destroyed = 0;
  auto destroy = [](void *data) { destroyed += *static_cast<int *>(data); };
  int keys[2], one = 1, ten = 10, hundred = 100;
  EXPECT_EQ(table->getUserData(memory, &keys[0]), nullptr);
  table->setUserData(memory, &keys[0], &one, destroy);
  table->setUserData(memory, &keys[1], &ten, destroy);
  EXPECT_EQ(table->getUserData(memory, &keys[0]), &one);
  EXPECT_EQ(destroyed, 0);
  table->setUserData(memory, &keys[0], &hundred, nullptr);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(table->getUserData(memory, &keys[0]), &hundred);
  client.reset();
  EXPECT_EQ(destroyed, 11);
}

TEST(PjrtMemory, CountsWhatBuffersHold) {
  Owned<Client> client = makeClient();
  Device *device = get(ClientDevicesArgs{.client = client.get()}).devices[0];
  auto before = get(DeviceMemoryStatsArgs{.device = device});
  EXPECT_EQ(before.bytesInUse, 0);
  EXPECT_TRUE(before.peakBytesInUseIsSet && before.numAllocsIsSet && before.bytesLimitIsSet &&
              before.largestAllocSizeIsSet);
  EXPECT_FALSE(before.bytesReservedIsSet || before.poolBytesIsSet || before.peakPoolBytesIsSet);
  EXPECT_GT(before.bytesLimit, int64_t(1) << 28);
  std::vector<float> data(1000);
  Owned<Buffer> first = makeBuffer(client.get(), data.data(), BufferType::F32, {10, 100});
  Owned<Buffer> second = makeBuffer(client.get(), data.data(), BufferType::F32, {50});
  first.reset();
  auto after = get(DeviceMemoryStatsArgs{.device = device});
  EXPECT_EQ(after.bytesInUse, 200);
  EXPECT_EQ(after.peakBytesInUse, 4200);
  EXPECT_EQ(after.numAllocs, 2);
  EXPECT_EQ(after.largestAllocSize, 4000);
  get(DeviceClearMemoryStatsArgs{.device = device});
  after = get(DeviceMemoryStatsArgs{.device = device});
  EXPECT_EQ(after.bytesInUse, 200);
  EXPECT_EQ(after.peakBytesInUse, 200);
  EXPECT_EQ(after.numAllocs, 0);
  EXPECT_EQ(after.largestAllocSize, 0);
}

static void checkTopology(TopologyDescription *topology) {
  auto name = get(TopologyDescriptionPlatformNameArgs{.topology = topology});
  EXPECT_EQ(text(name.platformName, name.platformNameSize), "cpu");
  auto version = get(TopologyDescriptionPlatformVersionArgs{.topology = topology});
  EXPECT_EQ(text(version.platformVersion, version.platformVersionSize), "stub 1");
  auto devices = get(TopologyDescriptionGetDeviceDescriptionsArgs{.topology = topology});
  ASSERT_EQ(devices.numDescriptions, 1U);
  EXPECT_EQ(get(DeviceDescriptionIdArgs{.deviceDescription = devices.descriptions[0]}).id, 0);
  EXPECT_EQ(get(TopologyDescriptionAttributesArgs{.topology = topology}).numAttributes, 0U);
  auto kinds = get(TopologyDescriptionGetMemorySpaceKindIdsArgs{.topology = topology});
  ASSERT_EQ(kinds.numMemorySpaceKindIds, 3U);
  EXPECT_EQ(kinds.memorySpaceKindIds[2], 2);
  EXPECT_NE(get(TopologyDescriptionFingerprintArgs{.topology = topology}).fingerprint, 0U);
}

TEST(PjrtTopology, IsMadeByNameAndFromBytes) {
  Owned<Client> client = makeClient();
  TopologyDescription *ofClient =
      get(ClientTopologyDescriptionArgs{.client = client.get()}).topology;
  checkTopology(ofClient);
  auto bytes = get(TopologyDescriptionSerializeArgs{.topology = ofClient});
  EXPECT_EQ(text(bytes.serializedBytes, bytes.serializedBytesSize), "stub-cpu");
  Owned<TopologyDescription> read(
      get(TopologyDescriptionDeserializeArgs{.serializedTopology = bytes.serializedBytes,
                                             .serializedTopologySize = bytes.serializedBytesSize})
          .topology);
  bytes.serializedTopologyDeleter(bytes.serializedTopology);
  checkTopology(read.get());
  for (std::string_view name : {"", "drumlin", "stub-cpu"}) {
    Owned<TopologyDescription> made(
        get(TopologyDescriptionCreateArgs{.topologyName = name.data(),
                                          .topologyNameSize = name.size()})
            .topology);
    checkTopology(made.get());
    EXPECT_EQ(get(TopologyDescriptionFingerprintArgs{.topology = made.get()}).fingerprint,
              get(TopologyDescriptionFingerprintArgs{.topology = ofClient}).fingerprint);
  }
  Answer answer =
      tried(TopologyDescriptionCreateArgs{.topologyName = "v5e:2x2", .topologyNameSize = 7});
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("v5e:2x2"), std::string::npos);
  EXPECT_EQ(tried(TopologyDescriptionDeserializeArgs{.serializedTopology = "\x01\x02",
                                                     .serializedTopologySize = 2}),
            ErrorCode::InvalidArgument);
}

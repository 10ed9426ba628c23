// Several devices of one client.
#include "drumlin/pjrt/test/Calls.h"

#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/ProtoWriter.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>
#include <thread>

namespace drumlin::pjrt {

static NamedValue devicesOption(int64_t count) {
  NamedValue option{.structSize = sizeof(NamedValue),
                    .name = "num_devices",
                    .nameSize = 11,
                    .type = NamedValueType::Int64,
                    .valueSize = 1};
  option.int64Value = count;
  return option;
}

static Answer makeWith(int64_t count, Owned<Client> &made) {
  NamedValue option = devicesOption(count);
  ClientCreateArgs args{.createOptions = &option, .numOptions = 1};
  Answer answer = ask(args);
  made.reset(answer == ErrorCode::Ok ? args.client : nullptr);
  return answer;
}

// Encodes the message that assigns a program to a device.
static std::string assignedTo(int64_t device) {
  std::string ids, computation, assignment, build, options;
  addVarint(ids, static_cast<uint64_t>(device));
  addField(computation, 1, ids);
  addField(assignment, 3, computation);
  addField(build, 9, assignment);
  addField(options, 3, build);
  return options;
}

namespace {
class PjrtDevices : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(makeWith(3, client), ErrorCode::Ok);
    auto all = get(ClientAddressableDevicesArgs{.client = client.get()});
    ASSERT_EQ(all.numAddressableDevices, 3U);
    devices.assign(all.addressableDevices, all.addressableDevices + 3);
    std::iota(data.begin(), data.end(), 0.0F);
  }

  Owned<Buffer> put(Device *device, const void *from, const Dims &dims) {
    auto args = get(ClientBufferFromHostBufferArgs{.client = client.get(),
                                                   .data = from,
                                                   .type = BufferType::F32,
                                                   .dims = dims.data(),
                                                   .numDims = dims.size(),
                                                   .hostBufferSemantics =
                                                       HostBufferSemantics::ImmutableOnlyDuringCall,
                                                   .device = device});
    EXPECT_EQ(end(args.doneWithHostBuffer), ErrorCode::Ok);
    return Owned<Buffer>(args.buffer);
  }
  // Creates the arguments of the stub's program `plain`.
  std::vector<Owned<Buffer>> argumentsOn(Device *device) {
    std::vector<Owned<Buffer>> made;
    float total = 5;
    made.push_back(put(device, data.data(), {10, 100}));
    made.push_back(put(device, data.data(), {10, 100}));
    made.push_back(put(device, &total, {}));
    made.push_back(put(device, data.data(), {0}));
    return made;
  }
  static std::vector<Buffer *> pointers(const std::vector<Owned<Buffer>> &owned) {
    std::vector<Buffer *> made;
    for (const Owned<Buffer> &each : owned) {
      made.push_back(each.get());
    }
    return made;
  }
  // Runs a program; `on` is null for the program's own device.
  Answer run(LoadedExecutable *program, const std::vector<Owned<Buffer>> &arguments, Device *on,
             std::vector<Owned<Buffer>> &results) {
    ExecuteOptions options = {.structSize = sizeof(ExecuteOptions)};
    std::vector<Buffer *> passed = pointers(arguments);
    std::array<Buffer *, 3> outputs = {};
    Buffer *const *arrays[] = {passed.data()};
    Buffer **lists[] = {outputs.data()};
    LoadedExecutableExecuteArgs args{.executable = program,
                                     .options = &options,
                                     .argumentLists = arrays,
                                     .numDevices = 1,
                                     .numArgs = passed.size(),
                                     .outputLists = lists,
                                     .executeDevice = on};
    Answer answer = ask(args);
    for (Buffer *output : outputs) {
      if (output) {
        results.emplace_back(output);
      }
    }
    return answer;
  }
  void checkResults(const std::vector<Owned<Buffer>> &results, Device *device) {
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(readAs<float>(results[2].get()), std::vector<float>{6});
    for (const Owned<Buffer> &each : results) {
      EXPECT_EQ(get(BufferDeviceArgs{.buffer = each.get()}).device, device);
    }
  }

  Owned<Client> client;
  std::vector<Device *> devices;
  std::vector<float> data = std::vector<float>(1000);
};
} // namespace

TEST(PjrtDeviceOption, HasLimits) {
  Owned<Client> made;
  for (int64_t count : {1, 64}) {
    ASSERT_EQ(makeWith(count, made), ErrorCode::Ok) << count;
    EXPECT_EQ(get(ClientDevicesArgs{.client = made.get()}).numDevices, static_cast<size_t>(count));
  }
  for (int64_t count : {int64_t(0), int64_t(-1), int64_t(65), INT64_MAX}) {
    Answer answer = makeWith(count, made);
    EXPECT_EQ(answer, ErrorCode::InvalidArgument);
    EXPECT_NE(answer.message.find("`num_devices` is " + std::to_string(count)), std::string::npos)
        << answer.message;
    EXPECT_NE(answer.message.find("pass 1 to 64"), std::string::npos) << answer.message;
  }
}

TEST_F(PjrtDevices, HaveMemoriesOfTheirOwn) {
  std::set<int> ids;
  for (Device *device : devices) {
    auto memories = get(DeviceAddressableMemoriesArgs{.device = device});
    ASSERT_EQ(memories.numMemories, memoryKindCount);
    for (size_t i = 0; i < memories.numMemories; ++i) {
      ids.insert(get(MemoryIdArgs{.memory = memories.memories[i]}).id);
      auto reached = get(MemoryAddressableByDevicesArgs{.memory = memories.memories[i]});
      ASSERT_EQ(reached.numDevices, 1U);
      EXPECT_EQ(reached.devices[0], device);
    }
    auto id = get(DeviceDescriptionIdArgs{
        .deviceDescription = get(DeviceGetDescriptionArgs{.device = device}).deviceDescription});
    EXPECT_EQ(get(ClientLookupDeviceArgs{.client = client.get(), .id = id.id}).device, device);
  }
  EXPECT_EQ(ids.size(), 3 * memoryKindCount);
  int assigned[3] = {-1, -1, -1};
  get(ClientDefaultDeviceAssignmentArgs{.client = client.get(),
                                        .numReplicas = 3,
                                        .numPartitions = 1,
                                        .defaultAssignmentSize = 3,
                                        .defaultAssignment = assigned});
  EXPECT_TRUE(std::ranges::equal(assigned, std::array{0, 1, 2}));
}

TEST_F(PjrtDevices, RunTheProgramsThatAreAssignedToThem) {
  for (Device *device : devices) {
    int64_t id = device->description->id;
    Owned<LoadedExecutable> program = compile(client.get(), "plain", assignedTo(id));
    auto of = get(LoadedExecutableAddressableDevicesArgs{.executable = program.get()});
    ASSERT_EQ(of.numAddressableDevices, 1U);
    EXPECT_EQ(of.addressableDevices[0], device);
    std::vector<Owned<Buffer>> arguments = argumentsOn(device), results;
    ASSERT_EQ(run(program.get(), arguments, nullptr, results), ErrorCode::Ok);
    checkResults(results, device);
    // The memory is allocated on this device, not on another one.
    EXPECT_GT(get(DeviceMemoryStatsArgs{.device = device}).bytesInUse, 0);
    results.clear();
    arguments.clear();
    EXPECT_EQ(get(DeviceMemoryStatsArgs{.device = device}).bytesInUse, 0);
  }
  Owned<LoadedExecutable> none;
  Answer answer = compile(client.get(), "plain", none, assignedTo(3));
  EXPECT_NE(answer.message.find("assigned to device 3, which doesn't exist"), std::string::npos)
      << answer.message;
}

TEST_F(PjrtDevices, TakeNoOthersArguments) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain", assignedTo(1));
  std::vector<Owned<Buffer>> arguments = argumentsOn(devices[1]), results;
  arguments[1] = put(devices[2], data.data(), {10, 100});
  Answer answer = run(program.get(), arguments, nullptr, results);
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("argument 1 is on DrumlinDevice(id=2), and the program runs on "
                                "DrumlinDevice(id=1)"),
            std::string::npos)
      << answer.message;
  Buffer *copied =
      get(BufferCopyToDeviceArgs{.buffer = arguments[1].get(), .dstDevice = devices[1]}).dstBuffer;
  arguments[1].reset(copied);
  ASSERT_EQ(run(program.get(), arguments, nullptr, results), ErrorCode::Ok);
  checkResults(results, devices[1]);
}

// A program without an assignment runs on the caller's device.
TEST_F(PjrtDevices, RunProgramsOfNoDevice) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain");
  for (Device *device : {devices[2], devices[0], devices[2]}) {
    std::vector<Owned<Buffer>> results;
    ASSERT_EQ(run(program.get(), argumentsOn(device), device, results), ErrorCode::Ok);
    checkResults(results, device);
  }
  Owned<LoadedExecutable> assigned = compile(client.get(), "plain", assignedTo(1));
  std::vector<Owned<Buffer>> results;
  Answer answer = run(assigned.get(), argumentsOn(devices[2]), devices[2], results);
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("compiled for DrumlinDevice(id=1), and is to run on "
                                "DrumlinDevice(id=2)"),
            std::string::npos)
      << answer.message;
  get(LoadedExecutableDeleteArgs{.executable = program.get()});
  answer = run(program.get(), argumentsOn(devices[2]), devices[2], results);
  EXPECT_NE(answer.message.find("was deleted"), std::string::npos) << answer.message;
}

TEST_F(PjrtDevices, RunAtTheSameTime) {
  std::vector<std::thread> threads;
  for (Device *device : devices) {
    threads.emplace_back([this, device] {
      Owned<LoadedExecutable> program =
          compile(client.get(), "plain slow", assignedTo(device->description->id));
      for (int i = 0; i < 50; ++i) {
        std::vector<Owned<Buffer>> results;
        ASSERT_EQ(run(program.get(), argumentsOn(device), nullptr, results), ErrorCode::Ok);
        checkResults(results, device);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

TEST_F(PjrtDevices, AreInTheTopologysName) {
  TopologyDescription *topology =
      get(ClientTopologyDescriptionArgs{.client = client.get()}).topology;
  auto bytes = get(TopologyDescriptionSerializeArgs{.topology = topology});
  std::string name(bytes.serializedBytes, bytes.serializedBytesSize);
  bytes.serializedTopologyDeleter(bytes.serializedTopology);
  EXPECT_EQ(name, "stub-cpu:3");
  NamedValue option = devicesOption(3);
  for (auto args :
       {TopologyDescriptionCreateArgs{.topologyName = name.data(), .topologyNameSize = name.size()},
        TopologyDescriptionCreateArgs{.createOptions = &option, .numOptions = 1}}) {
    Owned<TopologyDescription> made(get(args).topology);
    auto described = get(TopologyDescriptionGetDeviceDescriptionsArgs{.topology = made.get()});
    ASSERT_EQ(described.numDescriptions, 3U);
    EXPECT_EQ(get(DeviceDescriptionIdArgs{.deviceDescription = described.descriptions[2]}).id, 2);
    EXPECT_EQ(get(TopologyDescriptionFingerprintArgs{.topology = made.get()}).fingerprint,
              get(TopologyDescriptionFingerprintArgs{.topology = topology}).fingerprint);
  }
  for (std::string_view wrong :
       {"stub-cpu:0", "stub-cpu:65", "stub-cpu:", "stub-cpu:2x", ":", "x:2"}) {
    EXPECT_EQ(tried(TopologyDescriptionCreateArgs{.topologyName = wrong.data(),
                                                  .topologyNameSize = wrong.size()}),
              ErrorCode::InvalidArgument)
        << wrong;
  }
}

} // namespace drumlin::pjrt

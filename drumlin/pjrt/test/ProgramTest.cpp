// Compiled programs: queries, options, serialization, extensions.
#include "drumlin/pjrt/test/Calls.h"

#include "drumlin/pjrt/interface/ExtensionFunctions.h"

#include <map>

using namespace drumlin::pjrt;

namespace {
struct PjrtProgram : testing::Test {
  Owned<Client> client = makeClient();

  Answer load(std::string_view bytes, Owned<LoadedExecutable> &made) const {
    ExecutableDeserializeAndLoadArgs args{.client = client.get(),
                                          .serializedExecutable = bytes.data(),
                                          .serializedExecutableSize = bytes.size()};
    Answer answer = ask(args);
    made.reset(answer == ErrorCode::Ok ? args.loadedExecutable : nullptr);
    return answer;
  }
};
} // namespace

static std::string serialize(LoadedExecutable *loaded) {
  Owned<Executable> executable = executableOf(loaded);
  auto args = get(ExecutableSerializeArgs{.executable = executable.get()});
  executable.reset(); // the bytes stay valid until their deleter is called
  std::string bytes(args.serializedBytes, args.serializedBytesSize);
  args.serializedExecutableDeleter(args.serializedExecutable);
  return bytes;
}

static std::string fingerprint(LoadedExecutable *loaded) {
  auto args = get(LoadedExecutableFingerprintArgs{.executable = loaded});
  return {args.executableFingerprint, args.executableFingerprintSize};
}

template <typename Extension> static const Extension &extension(ExtensionType type) {
  const ExtensionBase *each = api()->extensions;
  while (each->type != type) {
    each = each->next;
  }
  return *reinterpret_cast<const Extension *>(each);
}

// Encodes a field of xla's CompileOptionsProto.
static std::string field(int number, std::string_view bytes) {
  EXPECT_LT(bytes.size(), 128U);
  std::string made = {static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())};
  return made.append(bytes);
}
static std::string field(int number, int64_t value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}
static std::string optionText(std::string_view name, std::string_view value) {
  return field(7, field(1, name) + field(2, field(1, value)));
}

TEST_F(PjrtProgram, DescribesItself) {
  Owned<LoadedExecutable> loaded = compile(client.get(), "plain donate pinned tokens");
  Owned<Executable> executable = executableOf(loaded.get());
  Executable *program = executable.get();
  auto name = get(ExecutableNameArgs{.executable = program});
  EXPECT_EQ(std::string_view(name.executableName, name.executableNameSize), "plain");
  EXPECT_EQ(get(ExecutableNumReplicasArgs{.executable = program}).numReplicas, 1U);
  EXPECT_EQ(get(ExecutableNumPartitionsArgs{.executable = program}).numPartitions, 1U);
  EXPECT_EQ(get(ExecutableNumOutputsArgs{.executable = program}).numOutputs, 4U);
  int64_t codeBytes =
      get(ExecutableSizeOfGeneratedCodeInBytesArgs{.executable = program}).sizeInBytes;
  EXPECT_GT(codeBytes, 1000);
  auto types = get(ExecutableOutputElementTypesArgs{.executable = program});
  EXPECT_EQ(std::vector<BufferType>(types.outputTypes, types.outputTypes + types.numOutputTypes),
            (std::vector<BufferType>{BufferType::F32, BufferType::F32, BufferType::F32,
                                     BufferType::Token}));
  auto dims = get(ExecutableOutputDimensionsArgs{.executable = program});
  ASSERT_EQ(dims.numOutputs, 4U);
  EXPECT_EQ(std::vector<size_t>(dims.dimSizes, dims.dimSizes + 4),
            (std::vector<size_t>{2, 0, 0, 0}));
  EXPECT_EQ(Dims(dims.dims, dims.dims + 2), (Dims{10, 100}));
  auto parameters = get(ExecutableParameterMemoryKindsArgs{.executable = program});
  ASSERT_EQ(parameters.numParameters, 5U);
  EXPECT_EQ(std::string_view(parameters.memoryKinds[4], parameters.memoryKindSizes[4]), "device");
  auto outputs = get(ExecutableOutputMemoryKindsArgs{.executable = program});
  ASSERT_EQ(outputs.numOutputs, 4U);
  EXPECT_EQ(std::string_view(outputs.memoryKinds[0], outputs.memoryKindSizes[0]), "pinned_host");
  EXPECT_EQ(std::string_view(outputs.memoryKinds[1], outputs.memoryKindSizes[1]), "device");

  auto stats = get(ExecutableGetCompiledMemoryStatsArgs{.executable = program});
  EXPECT_EQ(stats.generatedCodeSizeInBytes, codeBytes);
  // A token counts as one element of one byte.
  EXPECT_EQ(stats.argumentSizeInBytes, 8004 + 1);
  EXPECT_EQ(stats.outputSizeInBytes, 4008 + 1);
  EXPECT_EQ(stats.aliasSizeInBytes, 4);
  EXPECT_EQ(stats.tempSizeInBytes, 4000);
  EXPECT_EQ(stats.peakMemoryInBytes, 12345);
  EXPECT_EQ(stats.totalSizeInBytes, 8005 + 4009 - 4 + 4000);
  EXPECT_EQ(stats.hostTempSizeInBytes, 0);

  auto costs = get(ExecutableGetCostAnalysisArgs{.executable = program});
  std::map<std::string, float> cost;
  for (size_t i = 0; i < costs.numProperties; ++i) {
    const NamedValue &each = costs.properties[i];
    ASSERT_EQ(each.type, NamedValueType::Float);
    EXPECT_TRUE(cost.emplace(std::string(each.name, each.nameSize), each.floatValue).second);
  }
  EXPECT_EQ(cost.at("flops"), 2000);
  EXPECT_EQ(cost.at("bytes accessed"), 4000);
  EXPECT_EQ(cost.at("matrix_flops"), 2000);
  EXPECT_EQ(cost.at("optimal_seconds"), 0);
  EXPECT_EQ(cost.at("predicted_seconds"), 0);

  auto first = get(ExecutableFingerprintArgs{.executable = program});
  EXPECT_EQ(std::string(first.executableFingerprint, first.executableFingerprintSize),
            fingerprint(loaded.get()));
  EXPECT_NE(fingerprint(compile(client.get(), "failing").get()), fingerprint(loaded.get()));
  EXPECT_EQ(fingerprint(compile(client.get(), "plain").get()),
            fingerprint(compile(client.get(), "plain").get()));
}

TEST_F(PjrtProgram, GivesItsText) {
  Owned<Executable> executable = executableOf(compile(client.get(), "plain slow").get());
  static constexpr std::string_view expected = "the text of plain";
  Program program = {.structSize = sizeof(Program)};
  ExecutableOptimizedProgramArgs args{.executable = executable.get(), .program = &program};
  get(args);
  EXPECT_EQ(program.codeSize, expected.size());
  EXPECT_EQ(std::string_view(program.format, program.formatSize), "mlir");
  std::string text(expected.size(), ' ');
  program.code = text.data();
  get(args);
  EXPECT_EQ(text, expected);
  --program.codeSize;
  EXPECT_EQ(tried(args), ErrorCode::InvalidArgument);
}

TEST_F(PjrtProgram, IsLoadedOnADevice) {
  Owned<LoadedExecutable> loaded = compile(client.get(), "plain");
  auto devices = get(LoadedExecutableAddressableDevicesArgs{.executable = loaded.get()});
  ASSERT_EQ(devices.numAddressableDevices, 1U);
  EXPECT_EQ(devices.addressableDevices[0],
            get(ClientDevicesArgs{.client = client.get()}).devices[0]);
  auto ids = get(LoadedExecutableAddressableDeviceLogicalIdsArgs{.executable = loaded.get()});
  ASSERT_EQ(ids.numAddressableDeviceLogicalIds, 1U);
  EXPECT_EQ(ids.addressableDeviceLogicalIds[0].replica, 0);
  EXPECT_EQ(ids.addressableDeviceLogicalIds[0].partition, 0);
  auto assignment = get(LoadedExecutableGetDeviceAssignmentArgs{.executable = loaded.get()});
  EXPECT_EQ(std::string(assignment.serializedBytes, assignment.serializedBytesSize),
            field(1, 1) + field(2, 1) + field(3, field(1, std::string(1, '\0'))));
  assignment.serializedDeviceAssignmentDeleter(assignment.serializedDeviceAssignment);
  EXPECT_FALSE(get(LoadedExecutableIsDeletedArgs{.executable = loaded.get()}).isDeleted);
  get(LoadedExecutableDeleteArgs{.executable = loaded.get()});
  EXPECT_TRUE(get(LoadedExecutableIsDeletedArgs{.executable = loaded.get()}).isDeleted);
  EXPECT_EQ(
      get(ExecutableNumOutputsArgs{.executable = executableOf(loaded.get()).get()}).numOutputs, 3U);
}

TEST_F(PjrtProgram, IsCompiledForATopologyAndLoadedLater) {
  Owned<TopologyDescription> topology(get(TopologyDescriptionCreateArgs{}).topology);
  std::string code = "plain";
  Program program = {sizeof(Program), nullptr, code.data(), code.size(), "mlir", 4};
  CompileArgs args{.topology = topology.get(), .program = &program};
  Owned<Executable> executable(get(args).executable);
  Owned<LoadedExecutable> loaded(
      get(ClientLoadArgs{.client = client.get(), .executable = executable.get()}).loadedExecutable);
  EXPECT_TRUE(loaded);
  for (std::string_view format : {"text", "", "hlo_", "MLIR"}) {
    program.format = format.data();
    program.formatSize = format.size();
    for (const Answer &answer :
         {tried(args), tried(ClientCompileArgs{.client = client.get(), .program = &program})}) {
      EXPECT_EQ(answer, ErrorCode::Unimplemented);
      EXPECT_NE(answer.message.find("format is `" + std::string(format) + "`"), std::string::npos);
    }
  }
  // A program for an imaginary processor can be compiled, but not loaded.
  code = "feature";
  program = {sizeof(Program), nullptr, code.data(), code.size(), "mlir", 4};
  executable.reset(get(args).executable);
  EXPECT_EQ(tried(ClientLoadArgs{.client = client.get(), .executable = executable.get()}),
            ErrorCode::Unimplemented);
}

TEST_F(PjrtProgram, SaysWhyItIsNotCompiled) {
  Owned<LoadedExecutable> made;
  Answer answer = compile(client.get(), "nothing", made);
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("there is no program `nothing`"), std::string::npos);
  EXPECT_EQ(compile(client.get(), "plain fails", made), ErrorCode::Unimplemented);
  answer = compile(client.get(), "plain fails", made, optionText("why", "for a test"));
  EXPECT_NE(answer.message.find("for a test"), std::string::npos);
  EXPECT_NE(answer.message.find("D4002"), std::string::npos);
  EXPECT_EQ(compile(client.get(), "huge", made), ErrorCode::ResourceExhausted);
  for (const char *broken : {"abi", "badmeta", "oldmeta"}) {
    EXPECT_NE(compile(client.get(), broken, made), ErrorCode::Ok) << broken;
  }
}

TEST_F(PjrtProgram, IsCompiledWithOptions) {
  Owned<LoadedExecutable> made;
  auto replicas = [](int64_t count) { return field(3, field(4, count)); };
  auto partitions = [](int64_t count) { return field(3, field(5, count)); };
  auto assigned = [](std::string ids, int computations = 1) {
    std::string assignment = field(1, 1) + field(2, computations);
    for (int i = 0; i < computations; ++i) {
      assignment += field(3, field(1, ids));
    }
    return field(3, field(9, assignment));
  };
  using namespace std::string_literals;
  EXPECT_EQ(compile(client.get(), "plain", made, replicas(1) + partitions(1)), ErrorCode::Ok);
  EXPECT_EQ(compile(client.get(), "plain", made, replicas(2)), ErrorCode::Unimplemented);
  EXPECT_EQ(compile(client.get(), "plain", made, partitions(2)), ErrorCode::Unimplemented);
  EXPECT_EQ(compile(client.get(), "plain", made, assigned("\0"s)), ErrorCode::Ok);
  EXPECT_EQ(compile(client.get(), "plain", made, assigned("\1"s)), ErrorCode::Unimplemented);
  // Device numbers must fit into 32 bits.
  EXPECT_EQ(compile(client.get(), "plain", made, assigned("\x80\x80\x80\x80\x10"s)),
            ErrorCode::Unimplemented);
  EXPECT_EQ(compile(client.get(), "plain", made, assigned("\0\0"s)), ErrorCode::InvalidArgument);
  EXPECT_EQ(compile(client.get(), "plain", made, assigned("\0"s, 2)), ErrorCode::InvalidArgument);
  EXPECT_EQ(compile(client.get(), "plain", made, assigned("\x80"s)), ErrorCode::InvalidArgument);
  EXPECT_EQ(compile(client.get(), "plain", made, "\x07"s), ErrorCode::InvalidArgument);
  std::string options = optionText("xla_gpu_ftz", "True") + optionText("why", "it is so");
  EXPECT_EQ(compile(client.get(), "plain", made, options), ErrorCode::Ok);
  Owned<Executable> executable = executableOf(made.get());
  auto kept = get(ExecutableGetCompileOptionsArgs{.executable = executable.get()});
  EXPECT_EQ(std::string(kept.serializedBytes, kept.serializedBytesSize), options);
  kept.serializedCompileOptionsDeleter(kept.serializedCompileOptions);
}

TEST_F(PjrtProgram, IsWrittenAndRead) {
  for (const char *code : {"plain donate", "sidefile pinned", "timed tokens slow"}) {
    std::string options = optionText("why", "so");
    Owned<LoadedExecutable> first = compile(client.get(), code, options), second, third;
    std::string bytes = serialize(first.get());
    EXPECT_EQ(load(bytes, second), ErrorCode::Ok);
    EXPECT_EQ(fingerprint(first.get()), fingerprint(second.get()));
    EXPECT_EQ(serialize(second.get()), bytes);
    // Programs load from bytes of any alignment.
    for (size_t shift = 0; shift < 9; ++shift) {
      std::string shifted = std::string(shift, ' ') + bytes;
      EXPECT_EQ(load(std::string_view(shifted).substr(shift), third), ErrorCode::Ok);
    }
  }
}

TEST_F(PjrtProgram, IsNotReadFromOtherBytes) {
  Owned<LoadedExecutable> first = compile(client.get(), "sidefile donate"), made;
  const std::string bytes = serialize(first.get());
  std::mt19937 random = randomNumbers(1);
  for (size_t cut : {size_t(0), size_t(1), size_t(31), size_t(32), size_t(40), bytes.size() / 2,
                     bytes.size() - 1}) {
    EXPECT_EQ(load(bytes.substr(0, cut), made), ErrorCode::InvalidArgument);
    EXPECT_EQ(load(bytes.substr(bytes.size() - cut), made), ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(load(bytes + '\0', made), ErrorCode::InvalidArgument);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    EXPECT_EQ(load(damaged, made), ErrorCode::InvalidArgument);
  }
}

// A constant may exceed the size limit of the format.
TEST_F(PjrtProgram, IsNotWrittenWhereItIsTooLarge) {
  std::string code = "plain weights";
  Program program = {sizeof(Program), nullptr, code.data(), code.size(), "mlir", 4};
  Owned<TopologyDescription> topology(get(TopologyDescriptionCreateArgs{}).topology);
  Owned<Executable> executable(
      get(CompileArgs{.topology = topology.get(), .program = &program}).executable);
  EXPECT_EQ(tried(ExecutableSerializeArgs{.executable = executable.get()}),
            ErrorCode::ResourceExhausted);
}

// Calls a function of an extension; returns its arguments with the results.
template <typename Args> static Args ask(Error *(*function)(Args *), Args args) {
  args.structSize = sizeof(Args);
  EXPECT_EQ(take(function(&args)), ErrorCode::Ok);
  return args;
}

TEST_F(PjrtProgram, HasLayouts) {
  const auto &functions = extension<LayoutsExtension>(ExtensionType::Layouts);
  auto text = [&](MemoryLayout *layout) {
    auto args = ask(functions.memoryLayoutSerialize, MemoryLayoutSerializeArgs{.layout = layout});
    std::string made(args.serializedBytes, args.serializedBytesSize);
    args.serializedLayoutDeleter(args.serializedLayout);
    return made;
  };
  auto taken = [&](MemoryLayout *layout) {
    std::string made = text(layout);
    ask(functions.memoryLayoutDestroy, MemoryLayoutDestroyArgs{.layout = layout});
    return made;
  };
  int64_t dims[] = {2, 3, 4}, order[] = {0, 2, 1};
  EXPECT_EQ(
      taken(ask(functions.clientGetDefaultLayout,
                ClientGetDefaultLayoutArgs{
                    .client = client.get(), .type = BufferType::F32, .dims = dims, .numDims = 3})
                .layout),
      "{2,1,0}");
  TopologyDescription *topology =
      get(ClientTopologyDescriptionArgs{.client = client.get()}).topology;
  EXPECT_EQ(taken(ask(functions.topologyGetDefaultLayout,
                      TopologyGetDefaultLayoutArgs{.topology = topology, .type = BufferType::F32})
                      .layout),
            "{}");
  BufferMemoryLayout layout{.structSize = sizeof(layout), .type = MemoryLayoutType::Tiled};
  layout.tiled = {.structSize = sizeof(layout.tiled), .minorToMajor = order, .minorToMajorSize = 3};
  Owned<Buffer> buffer(get(ClientCreateUninitializedBufferArgs{.client = client.get(),
                                                               .shapeDims = dims,
                                                               .shapeNumDims = 3,
                                                               .shapeElementType = BufferType::F32,
                                                               .shapeLayout = &layout})
                           .buffer);
  EXPECT_EQ(
      taken(
          ask(functions.bufferMemoryLayout, BufferMemoryLayoutArgs{.buffer = buffer.get()}).layout),
      "{0,2,1}");
  Owned<Executable> executable = executableOf(compile(client.get(), "static").get());
  auto results = ask(functions.executableGetOutputLayouts,
                     ExecutableGetOutputLayoutsArgs{.executable = executable.get()});
  ASSERT_EQ(results.numOutputs, 3U);
  EXPECT_EQ(text(results.layouts[0]), "{1,0}");
  auto arguments = ask(functions.executableGetParameterLayouts,
                       ExecutableGetParameterLayoutsArgs{.executable = executable.get()});
  ASSERT_EQ(arguments.numParameters, 4U);
  EXPECT_EQ(text(arguments.layouts[1]), "{1,0}"); // static arguments are passed row-major
  EXPECT_EQ(text(arguments.layouts[2]), "{}");
}

TEST_F(PjrtProgram, HasEachValueOnItsDevice) {
  const auto &functions = extension<ShardingsExtension>(ExtensionType::Shardings);
  Owned<Executable> executable = executableOf(compile(client.get(), "plain tokens").get());
  auto arguments = ask(functions.executableParameterShardings,
                       ExecutableParameterShardingsArgs{.executable = executable.get()});
  auto results = ask(functions.executableOutputShardings,
                     ExecutableOutputShardingsArgs{.executable = executable.get()});
  ASSERT_EQ(arguments.numParameters, 5U);
  ASSERT_EQ(results.numOutputs, 4U);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NE(arguments.shardings[i], nullptr);
    EXPECT_EQ(arguments.shardingSizes[i], 0U); // "replicated"
  }
}

TEST_F(PjrtProgram, DescribesMemoriesWithoutAClient) {
  const auto &functions = extension<MemoryDescriptionsExtension>(ExtensionType::MemoryDescriptions);
  Owned<TopologyDescription> topology(get(TopologyDescriptionCreateArgs{}).topology);
  auto devices = get(TopologyDescriptionGetDeviceDescriptionsArgs{.topology = topology.get()});
  auto memories =
      ask(functions.deviceDescriptionMemoryDescriptions,
          DeviceDescriptionMemoryDescriptionsArgs{.deviceDescription = devices.descriptions[0]});
  ASSERT_EQ(memories.numMemoryDescriptions, 3U);
  EXPECT_EQ(memories.defaultMemoryIndex, 0U);
  auto kind = ask(functions.memoryDescriptionKind,
                  MemoryDescriptionKindArgs{.memoryDescription = memories.memoryDescriptions[1]});
  EXPECT_EQ(std::string_view(kind.kind, kind.kindSize), "pinned_host");
  EXPECT_EQ(kind.kindId, 1);
}

TEST_F(PjrtProgram, TakesCodeOfOthers) {
  const auto &functions = extension<FfiExtension>(ExtensionType::Ffi);
  TypeInfo info = {};
  auto first =
      ask(functions.typeRegister,
          TypeRegisterArgs{.typeName = "drumlin_test_a", .typeNameSize = 14, .typeInfo = &info});
  auto second =
      ask(functions.typeRegister,
          TypeRegisterArgs{.typeName = "drumlin_test_b", .typeNameSize = 14, .typeInfo = &info});
  EXPECT_NE(first.typeId, 0);
  EXPECT_NE(first.typeId, second.typeId);
  Owned<ExecuteContext> context(get(ExecuteContextCreateArgs{}).context);
  int object = 0;
  ask(functions.userDataAdd,
      UserDataAddArgs{.context = context.get(), .typeId = first.typeId, .data = &object});
  RegisterHandlerArgs none{.structSize = sizeof(none),
                           .targetName = "t",
                           .targetNameSize = 1,
                           .platformName = "cpu",
                           .platformNameSize = 3};
  EXPECT_NE(take(functions.registerHandler(&none)), ErrorCode::Ok);
}

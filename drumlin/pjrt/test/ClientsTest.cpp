// The plugin with its compiler, called as clients other than JAX call it.
#include "drumlin/pjrt/test/Calls.h"

#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

using namespace drumlin::pjrt;

static std::string fileOf(const std::string &name) {
  std::ifstream file(TEST_PROGRAMS "/" + name, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  EXPECT_GT(bytes.str().size(), 100U) << name;
  return bytes.str();
}

// Encodes a protobuf field with this number, whose value is `bytes`.
static std::string field(int number, const std::string &bytes) {
  std::string made(1, static_cast<char>(number << 3 | 2));
  size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) {
    made += static_cast<char>(size | 0x80);
  }
  return made + static_cast<char>(size) + bytes;
}

static Answer compileAs(std::string_view format, Client *client, std::string code,
                        Owned<LoadedExecutable> &made) {
  Program program = {sizeof(Program), nullptr,       code.data(),
                     code.size(),     format.data(), format.size()};
  ClientCompileArgs args{.client = client, .program = &program};
  Answer answer = ask(args);
  made.reset(answer == ErrorCode::Ok ? args.executable : nullptr);
  return answer;
}

// Creates a buffer of small numbers of both signs.
static Owned<Buffer> patterned(Client *client, const Dims &dims, int seed) {
  auto count = std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>());
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>((i * 37 + seed * 11) % 101 - 50) / 100);
  }
  return makeBuffer(client, values.data(), BufferType::F32, dims);
}

// A training step from PyTorch/XLA: stochastic gradient descent on a linear layer, a ReLU, a second
// layer and the cross entropy. The expected numbers are those of XLA's CPU client.
TEST(PjrtClients, TrainAStepOfTorch) {
  Owned<Client> client = makeClient();
  std::string module = fileOf("torch_step.hlo.pb");
  for (auto [format, code] :
       {std::pair("hlo", module), std::pair("hlo_with_config", field(1, module)),
        std::pair("hlo_with_config", field(2, "") + field(1, module))}) {
    Owned<LoadedExecutable> program;
    ASSERT_EQ(compileAs(format, client.get(), code, program), ErrorCode::Ok);
    std::vector<int64_t> labels(32);
    for (size_t i = 0; i < labels.size(); ++i) {
      labels[i] = static_cast<int64_t>(i % 4);
    }
    float rate = 0.1F;
    std::vector<Owned<Buffer>> arguments;
    arguments.push_back(makeBuffer(client.get(), labels.data(), BufferType::S64, {32}));
    int seed = 0;
    for (const Dims &dims : {Dims{4}, Dims{4, 16}, Dims{16}, Dims{16, 8}, Dims{32, 8}}) {
      arguments.push_back(patterned(client.get(), dims, ++seed));
    }
    arguments.push_back(makeBuffer(client.get(), &rate, BufferType::F32, {}));
    std::vector<Buffer *> passed;
    for (const Owned<Buffer> &argument : arguments) {
      passed.push_back(argument.get());
    }
    Owned<Executable> executable = executableOf(program.get());
    EXPECT_EQ(get(ExecutableNumOutputsArgs{.executable = executable.get()}).numOutputs, 17U);
    Execution run(program.get(), passed);
    ASSERT_EQ(run.answer, ErrorCode::Ok);
    ASSERT_EQ(run.wait(), ErrorCode::Ok);
    ASSERT_EQ(run.results.size(), 17U);
    auto check = [&](size_t result, size_t place, float expected) {
      EXPECT_NEAR(readAs<float>(run.results[result].get())[place], expected, 2e-7) << result;
    };
    check(0, 0, 1.4367484F); // the loss
    check(4, 1, 0.02412021F);
    check(5, 1, -0.00681939F);
    check(10, 1, 0.31003103F); // new weights
    check(12, 2, -0.43849427F);
    check(14, 2, 0.46038043F);
    check(16, 1, -0.01825015F);
    // Results are row-major, so that they can be the next step's arguments.
    for (const Owned<Buffer> &result : run.results) {
      auto layout = get(BufferGetMemoryLayoutArgs{.buffer = result.get()}).layout;
      auto shape = get(BufferDimensionsArgs{.buffer = result.get()});
      ASSERT_EQ(layout.strides.numByteStrides, shape.numDims);
      if (shape.numDims == 2) {
        EXPECT_EQ(layout.strides.byteStrides[0], shape.dims[1] * 4);
      }
    }
  }
}

static bool hasPlace(const std::string &message) {
  size_t place = message.find("<program>:");
  return place != std::string::npos && std::isdigit(message[place + 10]) != 0;
}

TEST(PjrtClients, HearWhatIsWrongWithAModule) {
  Owned<Client> client = makeClient();
  Owned<LoadedExecutable> made;
  std::string whole = fileOf("small.hlo.pb");
  ASSERT_EQ(compileAs("hlo", client.get(), whole, made), ErrorCode::Ok);
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    Answer answer = compileAs("hlo", client.get(), whole.substr(0, size), made);
    if (answer == ErrorCode::Ok) {
      continue; // the cut module only lacks its last fields
    }
    ++refused;
    EXPECT_EQ(answer, ErrorCode::InvalidArgument) << size;
    EXPECT_TRUE(hasPlace(answer.message)) << answer.message;
  }
  EXPECT_GT(refused, whole.size() / 2);
  for (std::string_view text : {"", "module {}", "HloModule m"}) {
    for (std::string_view format : {"hlo", "hlo_with_config"}) {
      Answer answer = compileAs(format, client.get(), std::string(text), made);
      EXPECT_EQ(answer, ErrorCode::InvalidArgument);
      EXPECT_NE(answer.message.find("D2012"), std::string::npos) << answer.message;
    }
  }
  std::string torch = fileOf("torch_step.hlo.pb");
  for (size_t size = 0; size < torch.size(); size += 97) {
    EXPECT_NE(compileAs("hlo", client.get(), torch.substr(0, size), made), ErrorCode::Ok) << size;
  }
}

// Any bytes give a program or an error.
TEST(PjrtClients, SurviveDamagedModules) {
  Owned<Client> client = makeClient();
  std::string whole = fileOf("small.hlo.pb");
  std::mt19937 random = randomNumbers(7);
  size_t errors = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
    }
    Owned<LoadedExecutable> made;
    Answer answer = compileAs("hlo", client.get(), damaged, made);
    errors += answer == ErrorCode::Ok ? 0 : 1;
    EXPECT_NE(answer, ErrorCode::Internal) << answer.message;
  }
  EXPECT_GT(errors, 100U);
}

static NamedValue flag(std::string_view name, bool value) {
  NamedValue made = {.structSize = sizeof(NamedValue),
                     .name = name.data(),
                     .nameSize = name.size(),
                     .type = NamedValueType::Bool};
  made.boolValue = value;
  made.valueSize = 1;
  return made;
}

// Calls the plugin as go-xla does, the client of GoMLX: it sends an option for GPUs, passes a null
// pointer for an empty list, and leaves fields that it doesn't know null.
TEST(PjrtClients, RunProgramsWithoutArguments) {
  EXPECT_EQ(tried(PluginInitializeArgs{}), ErrorCode::Ok);
  NamedValue option = flag("preallocate", false);
  Owned<Client> client(get(ClientCreateArgs{.createOptions = &option, .numOptions = 1}).client);
  Device *device = get(ClientAddressableDevicesArgs{.client = client.get()}).addressableDevices[0];
  std::string code = "func.func @main() -> tensor<f32> {\n"
                     "%0 = stablehlo.constant dense<1.5> : tensor<f32>\n"
                     "return %0 : tensor<f32> }";
  Owned<LoadedExecutable> program;
  ASSERT_EQ(compileAs("mlir", client.get(), code, program), ErrorCode::Ok);
  ExecuteOptions options = {.structSize = 56}; // the size of a version without later fields
  Buffer *result = nullptr, **results = &result;
  LoadedExecutableExecuteArgs args{.executable = program.get(),
                                   .options = &options,
                                   .numDevices = 1,
                                   .outputLists = &results,
                                   .executeDevice = device};
  ASSERT_EQ(ask(args), ErrorCode::Ok);
  Owned<Buffer> owned(result);
  EXPECT_EQ(readAs<float>(result), std::vector<float>{1.5});
  args.outputLists = nullptr;
  Answer answer = ask(args);
  EXPECT_EQ(answer.message,
            "PJRT_LoadedExecutable_Execute: `output_lists` is null, and the program has results");
}

// Passes values as go-xla does: two elements per byte, and arrays of one element for scalars.
TEST(PjrtClients, PassPackedElements) {
  Owned<Client> client = makeClient();
  Owned<LoadedExecutable> packed, ofByte;
  ASSERT_EQ(compileAs("mlir", client.get(),
                      "func.func @main(%x: tensor<2xi4>) -> tensor<2xi8> {\n"
                      "%0 = stablehlo.convert %x : (tensor<2xi4>) -> tensor<2xi8>\n"
                      "return %0 : tensor<2xi8> }",
                      packed),
            ErrorCode::Ok);
  ASSERT_EQ(compileAs("mlir", client.get(),
                      "func.func @main(%x: tensor<ui8>) -> tensor<2xi8> {\n"
                      "%0 = stablehlo.bitcast_convert %x : (tensor<ui8>) -> tensor<2xi4>\n"
                      "%1 = stablehlo.convert %0 : (tensor<2xi4>) -> tensor<2xi8>\n"
                      "return %1 : tensor<2xi8> }",
                      ofByte),
            ErrorCode::Ok);
  Owned<Buffer> byte = makeBuffer(client.get(), "\xe1", BufferType::U8, {}),
                bytes = makeBuffer(client.get(), "\xe1", BufferType::U8, {1});
  int64_t two = 2;
  Owned<Buffer> unpacked(
      get(BufferBitcastArgs{
              .buffer = byte.get(), .elementType = BufferType::S4, .dims = &two, .numDims = 1})
          .outBuffer);
  for (const auto &[program, argument] :
       {std::pair(packed.get(), unpacked.get()), std::pair(ofByte.get(), byte.get()),
        std::pair(ofByte.get(), bytes.get())}) {
    Execution run(program, {argument});
    ASSERT_EQ(run.answer, ErrorCode::Ok);
    EXPECT_EQ(run.wait(), ErrorCode::Ok);
    EXPECT_EQ(read(run.results[0].get()), "\x01\xfe");
  }
}

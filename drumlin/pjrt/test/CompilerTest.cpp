// The plugin with its compiler, as libdrumlin contains them.
#include "drumlin/pjrt/test/Calls.h"

#include <map>
#include <thread>

using namespace drumlin::pjrt;

extern "C" const Api *GetPjrtApi();

const Api *drumlin::pjrt::api() { return GetPjrtApi(); }

static std::string function(const std::string &signature, const std::string &body) {
  return "module @program { func.func @main(" + signature + " {\n" + body + "\n} }";
}

namespace {
struct PjrtCompiler : testing::Test {
  Owned<Client> client = makeClient();
};
} // namespace

TEST_F(PjrtCompiler, CompilesProgramsAndRunsThem) {
  std::string code =
      function("%x: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<f32>) "
               "-> (tensor<2x3xf32>, tensor<f32> {mhlo.memory_kind = \"pinned_host\"})",
               "%0 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<2x3xf32>\n"
               "%1 = stablehlo.add %x, %0 : tensor<2x3xf32>\n"
               "%2 = stablehlo.negate %y : tensor<f32>\n"
               "return %1, %2 : tensor<2x3xf32>, tensor<f32>");
  Owned<LoadedExecutable> first = compile(client.get(), code), second;
  Owned<Executable> executable = executableOf(first.get());
  auto bytes = get(ExecutableSerializeArgs{.executable = executable.get()});
  second.reset(
      get(ExecutableDeserializeAndLoadArgs{.client = client.get(),
                                           .serializedExecutable = bytes.serializedBytes,
                                           .serializedExecutableSize = bytes.serializedBytesSize})
          .loadedExecutable);
  bytes.serializedExecutableDeleter(bytes.serializedExecutable);
  std::vector<float> data = {0, 1, 2, 3, 4, 5};
  for (LoadedExecutable *program : {first.get(), second.get()}) {
    Owned<Buffer> x = makeBuffer(client.get(), data.data(), BufferType::F32, {2, 3}),
                  y = makeBuffer(client.get(), &data[5], BufferType::F32, {});
    auto place = get(BufferUnsafePointerArgs{.buffer = x.get()}).bufferPointer;
    Execution run(program, {x.get(), y.get()});
    ASSERT_EQ(run.answer, ErrorCode::Ok);
    EXPECT_EQ(run.wait(), ErrorCode::Ok);
    EXPECT_EQ(readAs<float>(run.results[0].get()), (std::vector<float>{5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(readAs<float>(run.results[1].get()), std::vector<float>{-5});
    EXPECT_TRUE(isDeleted(x.get()));
    EXPECT_EQ(get(BufferUnsafePointerArgs{.buffer = run.results[0].get()}).bufferPointer, place);
    Memory *memory = get(BufferMemoryArgs{.buffer = run.results[1].get()}).memory;
    EXPECT_EQ(get(MemoryKindIdArgs{.memory = memory}).kindId, 1);
  }
  auto name = get(ExecutableNameArgs{.executable = executable.get()});
  EXPECT_EQ(std::string(name.executableName, name.executableNameSize), "program");
  Program text = {.structSize = sizeof(Program)};
  get(ExecutableOptimizedProgramArgs{.executable = executable.get(), .program = &text});
  EXPECT_GT(text.codeSize, 100U);
  auto stats = get(ExecutableGetCompiledMemoryStatsArgs{.executable = executable.get()});
  EXPECT_EQ(stats.argumentSizeInBytes, 28);
  EXPECT_EQ(stats.aliasSizeInBytes, 24);
  EXPECT_GE(stats.peakMemoryInBytes, 28);
}

static std::string bytesField(int number, const std::string &bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

// Encodes xla's ShapeProto of f32[rows,columns] in this order, the fastest dimension first.
static std::string matrixIn(char rows, char columns, const std::string &order) {
  return "\x10\x0b" + bytesField(3, {rows, columns}) + bytesField(5, bytesField(1, order));
}

// Creates a buffer of 2 rows and 3 columns, with the same order in host and device memory.
static Owned<Buffer> makeMatrix(Client *client, const float *elements, bool isColumnMajor) {
  int64_t dims[] = {2, 3}, order[] = {isColumnMajor ? 0 : 1, isColumnMajor ? 1 : 0};
  int64_t strides[] = {isColumnMajor ? 4 : 12, isColumnMajor ? 8 : 4};
  BufferMemoryLayout layout{.structSize = sizeof(layout), .type = MemoryLayoutType::Tiled};
  layout.tiled = {.structSize = sizeof(layout.tiled), .minorToMajor = order, .minorToMajorSize = 2};
  return Owned<Buffer>(get(ClientBufferFromHostBufferArgs{.client = client,
                                                          .data = elements,
                                                          .type = BufferType::F32,
                                                          .dims = dims,
                                                          .numDims = 2,
                                                          .byteStrides = strides,
                                                          .numByteStrides = 2,
                                                          .deviceLayout = &layout})
                           .buffer);
}

static constexpr std::string_view sumAndDifference =
    "module { func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, "
    "tensor<2x3xf32> {mhlo.layout_mode = \"{0,1}\"}) {\n"
    "%0 = stablehlo.add %x, %y : tensor<2x3xf32>\n"
    "%1 = stablehlo.subtract %x, %y : tensor<2x3xf32>\n"
    "return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32> } }";

// Layouts in the compile options override the program's layouts: those of the arguments, of the
// results, or of both.
TEST_F(PjrtCompiler, TakesLayoutsOfItsOptions) {
  using namespace std::string_literals;
  std::string columns = matrixIn(2, 3, "\0\x01"s), rows = matrixIn(2, 3, "\x01\0"s);
  std::string arguments = bytesField(1, columns) + bytesField(1, rows);
  std::string results =
      bytesField(3, bytesField(2, "\x10\x0d" + bytesField(4, columns) + bytesField(4, rows)));
  struct Case {
    std::string options;
    bool argument, first, second; // whether these matrices are column-major
  };
  for (const Case &each :
       {Case{"", false, false, true}, Case{arguments, true, false, true},
        Case{results, false, true, false}, Case{arguments + results, true, true, false}}) {
    Owned<LoadedExecutable> program =
        compile(client.get(), std::string(sumAndDifference), each.options);
    // Row 0 of x is 1, 2, 3.
    std::vector<float> x =
        each.argument ? std::vector<float>{1, 4, 2, 5, 3, 6} : std::vector<float>{1, 2, 3, 4, 5, 6};
    std::vector<float> y = {10, 20, 30, 40, 50, 60};
    Owned<Buffer> first = makeMatrix(client.get(), x.data(), each.argument);
    Owned<Buffer> second = makeMatrix(client.get(), y.data(), /*isColumnMajor=*/false);
    Execution run(program.get(), {first.get(), second.get()});
    ASSERT_EQ(run.answer, ErrorCode::Ok);
    ASSERT_EQ(run.wait(), ErrorCode::Ok);
    bool expected[] = {each.first, each.second};
    for (size_t i = 0; i < 2; ++i) {
      Buffer *result = run.results[i].get();
      auto layout = get(BufferGetMemoryLayoutArgs{.buffer = result}).layout;
      ASSERT_EQ(layout.strides.numByteStrides, 2U);
      EXPECT_EQ(layout.strides.byteStrides[0], expected[i] ? 4 : 12) << i;
      const auto *elements = reinterpret_cast<const float *>(
          get(BufferUnsafePointerArgs{.buffer = result}).bufferPointer);
      // Element [0, 1].
      EXPECT_EQ(elements[expected[i] ? 2 : 1], i == 0 ? 22 : -18) << i;
    }
  }
}

TEST_F(PjrtCompiler, RefusesLayoutsOfOtherArrays) {
  using namespace std::string_literals;
  std::string code(sumAndDifference), rows = matrixIn(2, 3, "\x01\0"s);
  // Also tests a layout whose order names a dimension twice.
  std::string twice = bytesField(1, rows) + bytesField(1, matrixIn(2, 3, "\0\0"s));
  const std::pair<std::string, std::string> refused[] = {
      {bytesField(1, rows), "layouts of 1 arguments, and the program has 2"},
      {bytesField(1, rows) + bytesField(1, matrixIn(3, 2, "\x01\0"s)),
       "a layout of `f32[3,2]` for argument 1, which is `f32[2,3]`"},
      {bytesField(3, bytesField(2, rows)), "layouts of 1 results, and the program has 2"},
      {twice, "argument 1 has the requested layout `{0,0}`"}};
  for (const auto &[options, message] : refused) {
    Owned<LoadedExecutable> made;
    Answer answer = compile(client.get(), code, made, options);
    EXPECT_NE(answer, ErrorCode::Ok);
    EXPECT_NE(answer.message.find(message), std::string::npos) << answer.message;
    EXPECT_NE(answer.message.find("<program>:1:"), std::string::npos) << answer.message;
  }
}

// The interface can't pass arrays whose sizes only a run determines.
TEST_F(PjrtCompiler, RefusesResultsOfSizesThatOnlyRunsTell) {
  std::string code = function(
      "%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>",
      "%0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> "
      "tensor<?xf32, #stablehlo.bounds<8>>\n"
      "return %0 : tensor<?xf32, #stablehlo.bounds<8>>");
  Owned<LoadedExecutable> made;
  Answer answer = compile(client.get(), code, made);
  EXPECT_EQ(answer, ErrorCode::Unimplemented);
  EXPECT_NE(answer.message.find("a result has a size that is known only at run time"),
            std::string::npos)
      << answer.message;
}

// As in XLA, a module without a name is called `main`.
TEST_F(PjrtCompiler, CallsAModuleWithoutANameMain) {
  Owned<LoadedExecutable> program = compile(client.get(), std::string(sumAndDifference));
  Owned<Executable> executable = executableOf(program.get());
  auto name = get(ExecutableNameArgs{.executable = executable.get()});
  EXPECT_EQ(std::string(name.executableName, name.executableNameSize), "main");
}

// Tests each type of the interface's arrays as an argument and a result.
TEST_F(PjrtCompiler, KnowsAllTypes) {
  const std::map<std::string, std::pair<BufferType, size_t>> types = {
      {"i1", {BufferType::Pred, 1}},
      {"i2", {BufferType::S2, 1}},
      {"i4", {BufferType::S4, 1}},
      {"i8", {BufferType::S8, 1}},
      {"i16", {BufferType::S16, 2}},
      {"i32", {BufferType::S32, 4}},
      {"i64", {BufferType::S64, 8}},
      {"ui2", {BufferType::U2, 1}},
      {"ui4", {BufferType::U4, 1}},
      {"ui8", {BufferType::U8, 1}},
      {"ui16", {BufferType::U16, 2}},
      {"ui32", {BufferType::U32, 4}},
      {"ui64", {BufferType::U64, 8}},
      {"f4E2M1FN", {BufferType::F4E2M1FN, 1}},
      {"f8E3M4", {BufferType::F8E3M4, 1}},
      {"f8E4M3", {BufferType::F8E4M3, 1}},
      {"f8E4M3FN", {BufferType::F8E4M3FN, 1}},
      {"f8E4M3FNUZ", {BufferType::F8E4M3FNUZ, 1}},
      {"f8E4M3B11FNUZ", {BufferType::F8E4M3B11FNUZ, 1}},
      {"f8E5M2", {BufferType::F8E5M2, 1}},
      {"f8E5M2FNUZ", {BufferType::F8E5M2FNUZ, 1}},
      {"f8E8M0FNU", {BufferType::F8E8M0FNU, 1}},
      {"bf16", {BufferType::BF16, 2}},
      {"f16", {BufferType::F16, 2}},
      {"f32", {BufferType::F32, 4}},
      {"f64", {BufferType::F64, 8}},
      {"complex<f32>", {BufferType::C64, 8}},
      {"complex<f64>", {BufferType::C128, 16}}};
  for (const auto &[name, type] : types) {
    std::string array = "tensor<3x" + name + ">", twice = "tensor<6x" + name + ">";
    Owned<LoadedExecutable> program = compile(
        client.get(), function("%x: " + array + ") -> " + twice,
                               "%0 = stablehlo.concatenate %x, %x, dim = 0 : (" + array + ", " +
                                   array + ") -> " + twice + "\nreturn %0 : " + twice));
    ASSERT_TRUE(program) << name;
    std::string data(3 * type.second, '\1');
    data.back() = '\0';
    Owned<Buffer> x = makeBuffer(client.get(), data.data(), type.first, {3});
    Execution run(program.get(), {x.get()});
    ASSERT_EQ(run.answer, ErrorCode::Ok) << name;
    EXPECT_EQ(get(BufferElementTypeArgs{.buffer = run.results[0].get()}).type, type.first);
    EXPECT_EQ(read(run.results[0].get()), data + data) << name;
  }
}

TEST_F(PjrtCompiler, SaysWhatIsWrong) {
  Owned<LoadedExecutable> made;
  Answer answer = compile(client.get(), "module { what }", made);
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("<program>:1:"), std::string::npos);
  EXPECT_EQ(compile(client.get(), "", made), ErrorCode::InvalidArgument);
  std::string code =
      function("%x: tensor<4xf32>) -> tensor<4xf32>",
               "%0 = stablehlo.custom_call @nobody(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
               "return %0 : tensor<4xf32>");
  answer = compile(client.get(), code, made);
  EXPECT_NE(answer, ErrorCode::Ok);
  EXPECT_NE(answer.message.find("nobody"), std::string::npos) << answer.message;
  // An option `what`, encoded as an entry of field 7 of CompileOptionsProto.
  std::string entry = std::string("\x0a\x04what\x12\x03\x0a\x01") + "1";
  std::string option = std::string("\x3a") + static_cast<char>(entry.size()) + entry;
  code = function("%x: tensor<4xf32>) -> tensor<4xf32>", "return %x : tensor<4xf32>");
  answer = compile(client.get(), code, made, option);
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("No such compile option: 'what'"), std::string::npos);
  EXPECT_EQ(compile(client.get(), code, made), ErrorCode::Ok);
}

// The data that a program's transfer callbacks read and record.
namespace {
struct Transfers {
  std::string sent;
  bool fails = false, closes = false;
  std::thread later;

  static Error *send(Chunk *chunk, CallbackError *makeError, size_t total, bool isLast,
                     void *place) {
    auto &self = *static_cast<Transfers *>(place);
    EXPECT_EQ(total, 24U);
    EXPECT_TRUE(isLast);
    self.sent.append(static_cast<char *>(chunk->data), chunk->size);
    chunk->deleter(chunk->data, chunk->deleterArg);
    return self.fails ? (*makeError)(ErrorCode::DataLoss, "no line", 7) : nullptr;
  }
  static Answer add(CopyToDeviceStream *stream, const void *bytes, size_t size, int &freed) {
    Chunk chunk = {const_cast<void *>(bytes), size,
                   [](void *, void *count) { ++*static_cast<int *>(count); }, &freed};
    return end(
        get(CopyToDeviceStreamAddChunkArgs{.stream = stream, .chunk = &chunk}).transferComplete);
  }
  // Sends the values in pieces from another thread.
  static void receive(CopyToDeviceStream *stream, void *place) {
    auto &self = *static_cast<Transfers *>(place);
    EXPECT_EQ(get(CopyToDeviceStreamTotalBytesArgs{.stream = stream}).totalBytes, 16);
    EXPECT_EQ(get(CopyToDeviceStreamGranuleSizeArgs{.stream = stream}).granuleSizeInBytes, 1);
    self.later = std::thread([stream, closes = self.closes] {
      const float values[] = {1, 2, 3, 4};
      int freed = 0;
      EXPECT_EQ(add(stream, values, 6, freed), ErrorCode::Ok);
      EXPECT_EQ(get(CopyToDeviceStreamCurrentBytesArgs{.stream = stream}).currentBytes, 6);
      EXPECT_EQ(add(stream, values, 11, freed), ErrorCode::InvalidArgument);
      if (!closes) {
        EXPECT_EQ(add(stream, reinterpret_cast<const char *>(values) + 6, 10, freed),
                  ErrorCode::Ok);
        EXPECT_EQ(add(stream, values, 1, freed), ErrorCode::InvalidArgument);
      }
      EXPECT_EQ(freed, closes ? 2 : 4);
      get(CopyToDeviceStreamDestroyArgs{.stream = stream});
    });
  }
};
} // namespace

TEST_F(PjrtCompiler, TransfersWhileProgramsRun) {
  std::string code = function(
      "%x: tensor<2x3xf32>) -> tensor<4xf32>",
      "%t = stablehlo.create_token : !stablehlo.token\n"
      "%s = \"stablehlo.send\"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, "
      "type "
      "= 2>, is_host_transfer = true}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token\n"
      "%r:2 = \"stablehlo.recv\"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 2, type "
      "= "
      "3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)\n"
      "%0 = stablehlo.add %r#0, %r#0 : tensor<4xf32>\n"
      "return %0 : tensor<4xf32>");
  Owned<LoadedExecutable> program = compile(client.get(), code);
  std::vector<float> data = {0, 1, 2, 3, 4, 5};
  Owned<Buffer> x = makeBuffer(client.get(), data.data(), BufferType::F32, {2, 3});
  get(CopyToDeviceStreamDestroyArgs{.stream = nullptr});
  enum { Good, Fails, Closes, NoSend, NoReceive };
  for (int kind : {Good, Fails, Closes, NoSend, NoReceive}) {
    Transfers transfers;
    transfers.fails = kind == Fails;
    transfers.closes = kind == Closes;
    SendCallbackInfo send = {1, &transfers, Transfers::send}, *sends[] = {&send};
    RecvCallbackInfo receive = {kind == NoReceive ? 3 : 2, &transfers, Transfers::receive},
                     *receives[] = {&receive};
    Execution run(program.get(), {x.get()},
                  {.sendCallbacks = sends,
                   .recvCallbacks = receives,
                   .numSendOps = kind == NoSend ? size_t(0) : size_t(1),
                   .numRecvOps = 1});
    ASSERT_EQ(run.answer, ErrorCode::Ok);
    Answer answer = run.wait();
    if (transfers.later.joinable()) {
      transfers.later.join();
    }
    EXPECT_EQ(transfers.sent, kind == NoSend ? "" : read(x.get()));
    if (kind == Good) {
      EXPECT_EQ(answer, ErrorCode::Ok);
      EXPECT_EQ(readAs<float>(run.results[0].get()), (std::vector<float>{2, 4, 6, 8}));
      continue;
    }
    EXPECT_EQ(answer, ErrorCode::Internal);
    const char *why[] = {"", "no line", "16 bytes, of which 6 arrived",
                         "without a callback for the `send` on channel 1",
                         "without a callback for the `recv` on channel 2"};
    EXPECT_NE(answer.message.find(why[kind]), std::string::npos) << answer.message;
  }
}

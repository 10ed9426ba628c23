// Uses the PJRT plugin while allocations fail: failing_plugin compile|run PROGRAM POINTS. Runs
// POINTS processes, in each of which one allocation fails. A compilation may end its process with
// status 6 and D1005. `run` loads and runs the file that `failing_plugin serialize PROGRAM OUT`
// wrote: it must fail with D1005 and then succeed.
#include "points.h"

#include "drumlin/pjrt/interface/Interface.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

using namespace drumlin::pjrt;

extern "C" const Api *GetPjrtApi();
static const Api *const api = GetPjrtApi();

static constexpr size_t size = 64;
alignas(64) static float x[size];
static const int64_t dims[] = {size};

static char code[64];

// Calls a function of the PJRT table and returns whether it succeeded. If not, `code` is the error.
template <typename Args> static bool call(Error *(*function)(Args *), Args &args) {
  args.structSize = sizeof(Args);
  Error *error = function(&args);
  if (!error) {
    return true;
  }
  ErrorMessageArgs text = {.structSize = sizeof(text), .error = error};
  ErrorGetCodeArgs asked = {.structSize = sizeof(asked), .error = error};
  ErrorDestroyArgs destroy = {.structSize = sizeof(destroy), .error = error};
  (void)api->ErrorMessage(&text);
  (void)api->ErrorGetCode(&asked);
  // Messages of failed allocations contain sizes, so only the code is compared.
  bool isMemory = asked.code == ErrorCode::ResourceExhausted;
  std::snprintf(code, sizeof(code), "%.*s", isMemory ? 5 : static_cast<int>(text.messageSize),
                isMemory ? "D1005" : text.message);
  (void)api->ErrorDestroy(&destroy);
  return false;
}

static bool waitFor(Event *event) {
  if (!event) {
    return true;
  }
  EventAwaitArgs await = {.event = event};
  EventDestroyArgs destroy = {.event = event};
  bool isGood = call(api->EventAwait, await);
  return call(api->EventDestroy, destroy) && isGood;
}

static std::string contents(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static Client *client = nullptr;

static const char *createClient(const char *) {
  ClientCreateArgs made = {};
  bool isGood = call(api->ClientCreate, made);
  client = made.client;
  return isGood ? nullptr : code;
}

static bool destroyClient() {
  ClientDestroyArgs args = {.client = client};
  return call(api->ClientDestroy, args);
}

static bool compile(std::string_view text, LoadedExecutable *&executable) {
  static constexpr std::string_view format = "mlir";
  Program program = {.structSize = sizeof(program),
                     .code = const_cast<char *>(text.data()),
                     .codeSize = text.size(),
                     .format = format.data(),
                     .formatSize = format.size()};
  ClientCompileArgs args = {.client = client, .program = &program};
  bool isGood = call(api->ClientCompile, args);
  executable = args.executable;
  return isGood;
}

namespace {
struct World {
  LoadedExecutable *executable = nullptr;
  Buffer *buffers[3] = {}; // each is the square of the previous buffer
  std::string text;        // read before allocations fail

  bool load() {
    ExecutableDeserializeAndLoadArgs args = {.client = client,
                                             .serializedExecutable = text.data(),
                                             .serializedExecutableSize = text.size()};
    bool isGood = call(api->ExecutableDeserializeAndLoad, args);
    executable = args.loadedExecutable;
    return isGood;
  }
  bool toDevice() {
    ClientAddressableDevicesArgs devices = {.client = client};
    if (!call(api->ClientAddressableDevices, devices)) {
      return false;
    }
    ClientBufferFromHostBufferArgs made = {.client = client,
                                           .data = x,
                                           .type = BufferType::F32,
                                           .dims = dims,
                                           .numDims = 1,
                                           .hostBufferSemantics =
                                               HostBufferSemantics::ImmutableOnlyDuringCall,
                                           .device = devices.addressableDevices[0]};
    bool isGood = call(api->ClientBufferFromHostBuffer, made);
    buffers[0] = made.buffer;
    return waitFor(made.doneWithHostBuffer) && isGood;
  }
  bool run(Buffer *from, Buffer *&to, Event *&done) {
    ExecuteOptions options = {.structSize = sizeof(options)};
    Buffer *const *arguments = &from;
    Buffer **results = &to;
    LoadedExecutableExecuteArgs args = {.executable = executable,
                                        .options = &options,
                                        .argumentLists = &arguments,
                                        .numDevices = 1,
                                        .numArgs = 1,
                                        .outputLists = &results,
                                        .deviceCompleteEvents = &done};
    return call(api->LoadedExecutableExecute, args);
  }
  // The second run starts while the first may still be running.
  bool runTwice() {
    Event *done[2] = {};
    bool isGood = run(buffers[0], buffers[1], done[0]) && run(buffers[1], buffers[2], done[1]);
    bool ended[] = {waitFor(done[0]), waitFor(done[1])};
    return isGood && ended[0] && ended[1];
  }
  bool check() {
    for (Buffer *&buffer : std::span(buffers).subspan(1)) {
      float y[size] = {};
      BufferToHostBufferArgs copied = {.src = buffer, .dst = y, .dstSize = sizeof(y)};
      if (!call(api->BufferToHostBuffer, copied) || !waitFor(copied.event)) {
        return false;
      }
      for (size_t i = 0; i < size; ++i) {
        float expected = &buffer == &buffers[1] ? x[i] * x[i] : x[i] * x[i] * x[i] * x[i];
        if (y[i] != expected) {
          std::strcpy(code, "wrong numbers");
          return false;
        }
      }
    }
    return true;
  }
  bool destroy() {
    bool isGood = true;
    for (Buffer *buffer : buffers) {
      BufferDestroyArgs args = {.buffer = buffer};
      isGood = (!buffer || call(api->BufferDestroy, args)) && isGood;
    }
    LoadedExecutableDestroyArgs args = {.executable = executable};
    isGood = (!executable || call(api->LoadedExecutableDestroy, args)) && isGood;
    return isGood;
  }
};
} // namespace

static std::string program; // read before allocations fail

static const char *compileOnce(const char *) {
  World world;
  if (createClient(nullptr)) {
    return code;
  }
  bool isGood = compile(program, world.executable);
  isGood = world.destroy() && isGood;
  isGood = destroyClient() && isGood;
  return isGood ? nullptr : code;
}

static const char *loadAndRun(const char *) {
  World world;
  world.text.swap(program);
  bool isGood = world.load() && world.toDevice() && world.runTwice() && world.check();
  isGood = world.destroy() && isGood;
  program.swap(world.text);
  return isGood ? nullptr : code;
}

static int serialize(const char *to) {
  World world;
  if (createClient(nullptr) || !compile(program, world.executable)) {
    std::fprintf(stderr, "%s\n", code);
    return 1;
  }
  LoadedExecutableGetExecutableArgs asked = {.loadedExecutable = world.executable};
  if (!call(api->LoadedExecutableGetExecutable, asked)) {
    return 1;
  }
  ExecutableSerializeArgs args = {.executable = asked.executable};
  if (!call(api->ExecutableSerialize, args)) {
    return 1;
  }
  std::ofstream(to, std::ios::binary)
      .write(args.serializedBytes, static_cast<std::streamsize>(args.serializedBytesSize));
  args.serializedExecutableDeleter(args.serializedExecutable);
  ExecutableDestroyArgs gone = {.executable = asked.executable};
  return call(api->ExecutableDestroy, gone) && world.destroy() && destroyClient() ? 0 : 1;
}

int main(int count, char **arguments) {
  if (count != 4) {
    return 2;
  }
  for (size_t i = 0; i < size; ++i) {
    x[i] = static_cast<float>(i) - 3;
  }
  program = contents(arguments[2]);
  std::string_view action = arguments[1];
  if (action == "serialize") {
    return serialize(arguments[3]);
  }
  bool compiles = action == "compile";
  return checkPoints(compiles ? nullptr : createClient, compiles ? compileOnce : loadAndRun,
                     compiles, arguments[2], std::atol(arguments[3]));
}

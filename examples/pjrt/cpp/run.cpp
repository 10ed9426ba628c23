// Compiles and runs two programs through the PJRT C API, as a framework does: it loads the plugin
// by its path, and uses only the plugin's table of functions.
#include "drumlin/pjrt/interface/Interface.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

using namespace drumlin::pjrt;

static const Api *api;

static void stop(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

// Calls a function of the table with its struct, whose first member is its size. The caller owns an
// error that the function returns.
template <typename Args> static Args call(Error *(*function)(Args *), Args args) {
  args.structSize = sizeof(Args);
  if (Error *error = function(&args)) {
    ErrorMessageArgs text = {.structSize = sizeof(text), .error = error};
    api->ErrorMessage(&text);
    std::string message(text.message, text.messageSize);
    ErrorDestroyArgs destroy = {.structSize = sizeof(destroy), .error = error};
    api->ErrorDestroy(&destroy);
    stop(message);
  }
  return args;
}

// Waits until a transfer or run has ended. Both continue after the call that starts them.
static void waitFor(Event *event) {
  if (event) {
    call(api->EventAwait, EventAwaitArgs{.event = event});
    call(api->EventDestroy, EventDestroyArgs{.event = event});
  }
}

struct Array {
  std::vector<int64_t> dims;
  std::vector<float> elements;
};

static Buffer *toDevice(Client *client, Device *device, const Array &array) {
  auto made = call(api->ClientBufferFromHostBuffer,
                   ClientBufferFromHostBufferArgs{.client = client,
                                                  .data = array.elements.data(),
                                                  .type = BufferType::F32,
                                                  .dims = array.dims.data(),
                                                  .numDims = array.dims.size(),
                                                  .hostBufferSemantics =
                                                      HostBufferSemantics::ImmutableOnlyDuringCall,
                                                  .device = device});
  waitFor(made.doneWithHostBuffer);
  return made.buffer;
}

static Array toHost(Buffer *buffer) {
  auto sizes = call(api->BufferDimensions, BufferDimensionsArgs{.buffer = buffer});
  Array array = {{sizes.dims, sizes.dims + sizes.numDims}, {}};
  // If no memory to copy to is passed, the call returns the required size.
  auto asked = call(api->BufferToHostBuffer, BufferToHostBufferArgs{.src = buffer});
  array.elements.resize(asked.dstSize / sizeof(float));
  auto copied = call(api->BufferToHostBuffer,
                     BufferToHostBufferArgs{.src = buffer,
                                            .dst = array.elements.data(),
                                            .dstSize = array.elements.size() * sizeof(float)});
  waitFor(copied.event);
  return array;
}

// Runs a program with one result.
static Array run(Client *client, Device *device, std::string text,
                 const std::vector<Array> &arguments) {
  static const std::string format = "mlir";
  Program program = {.structSize = sizeof(program),
                     .code = text.data(),
                     .codeSize = text.size(),
                     .format = format.data(),
                     .formatSize = format.size()};
  auto compiled =
      call(api->ClientCompile, ClientCompileArgs{.client = client, .program = &program});

  std::vector<Buffer *> buffers;
  for (const Array &argument : arguments) {
    buffers.push_back(toDevice(client, device, argument));
  }
  // One list of arguments for each device that runs the program. Here, there is only one device.
  ExecuteOptions options = {.structSize = sizeof(options)};
  Buffer *const *argumentList = buffers.data();
  Buffer *result = nullptr;
  Buffer **resultList = &result;
  Event *isDone = nullptr;
  call(api->LoadedExecutableExecute, LoadedExecutableExecuteArgs{.executable = compiled.executable,
                                                                 .options = &options,
                                                                 .argumentLists = &argumentList,
                                                                 .numDevices = 1,
                                                                 .numArgs = buffers.size(),
                                                                 .outputLists = &resultList,
                                                                 .deviceCompleteEvents = &isDone});
  waitFor(isDone);

  Array made = toHost(result);
  buffers.push_back(result);
  for (Buffer *buffer : buffers) {
    call(api->BufferDestroy, BufferDestroyArgs{.buffer = buffer});
  }
  call(api->LoadedExecutableDestroy,
       LoadedExecutableDestroyArgs{.executable = compiled.executable});
  return made;
}

static void print(const char *name, const Array &array) {
  std::printf("%s: f32[", name);
  for (size_t i = 0; i < array.dims.size(); ++i) {
    std::printf("%s%lld", i ? "," : "", static_cast<long long>(array.dims[i]));
  }
  std::printf("]");
  for (float element : array.elements) {
    std::printf(" %g", element);
  }
  std::printf("\n");
}

static const char product[] = R"(
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})";

static const char squares[] = R"(
func.func @main() -> tensor<5xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<5xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<5xf32>
  return %1 : tensor<5xf32>
})";

int main(int argc, char **argv) {
  if (argc != 2) {
    stop("usage: run LIBRARY");
  }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void *getApi = library ? dlsym(library, "GetPjrtApi") : nullptr;
  if (!getApi) {
    stop(dlerror());
  }
  api = reinterpret_cast<const Api *(*)()>(getApi)();
  call(api->PluginInitialize, PluginInitializeArgs{});
  Client *client = call(api->ClientCreate, ClientCreateArgs{}).client;
  auto devices =
      call(api->ClientAddressableDevices, ClientAddressableDevicesArgs{.client = client});
  Device *device = devices.addressableDevices[0];
  auto name = call(api->ClientPlatformName, ClientPlatformNameArgs{.client = client});
  std::printf("platform: %.*s, PJRT %d.%d\n", static_cast<int>(name.platformNameSize),
              name.platformName, api->version.majorVersion, api->version.minorVersion);

  print("product",
        run(client, device, product, {{{2, 3}, {1, 2, 3, 4, 5, 6}}, {{3, 2}, {1, 0, 0, 1, 1, 1}}}));
  print("squares", run(client, device, squares, {}));
  call(api->ClientDestroy, ClientDestroyArgs{.client = client});
}

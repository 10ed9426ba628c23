// Helpers that call the plugin through its table, as frameworks do, choosing the function by the
// type of its arguments.
#pragma once

#include "drumlin/pjrt/PjrtPlugin.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::pjrt {

// The outcome of a call.
struct Answer {
  ErrorCode code = ErrorCode::Ok;
  std::string message = {};
  bool operator==(ErrorCode other) const { return code == other; }
};

inline void PrintTo(const Answer &answer, std::ostream *out) {
  *out << static_cast<int>(answer.code) << ": " << answer.message;
}
inline void PrintTo(ErrorCode code, std::ostream *out) { *out << static_cast<int>(code); }

// Returns the code and message of an error, and frees it; Ok for null.
Answer take(Error *error);

#define PJRT_FUNCTION(name, size, ...)                                                             \
  inline Answer ask(name##Args &args) {                                                            \
    args.structSize = size;                                                                        \
    return take(api()->name(&args));                                                               \
  }
#define PJRT_VOID_FUNCTION(name, size, ...)                                                        \
  inline Answer ask(name##Args &args) {                                                            \
    args.structSize = size;                                                                        \
    api()->name(&args);                                                                            \
    return {};                                                                                     \
  }
#include "drumlin/pjrt/interface/Functions.def"

// Makes a call that must succeed; returns its arguments with the results.
template <typename Args> Args get(Args args) {
  Answer answer = ask(args);
  EXPECT_EQ(answer, ErrorCode::Ok);
  return args;
}
// Makes a call; returns its outcome.
template <typename Args> Answer tried(Args args) { return ask(args); }

inline Answer take(Error *error) {
  if (!error) {
    return {};
  }
  ErrorGetCodeArgs code{.error = error};
  EXPECT_EQ(ask(code), ErrorCode::Ok);
  ErrorMessageArgs message{.error = error};
  ask(message);
  Answer answer{code.code, std::string(message.message, message.messageSize)};
  ErrorDestroyArgs destroy{.error = error};
  ask(destroy);
  return answer;
}

// Frees objects that the plugin returned.
struct Destroy {
  void operator()(Client *each) const { get(ClientDestroyArgs{.client = each}); }
  void operator()(Event *each) const { get(EventDestroyArgs{.event = each}); }
  void operator()(Buffer *each) const { get(BufferDestroyArgs{.buffer = each}); }
  void operator()(Executable *each) const { get(ExecutableDestroyArgs{.executable = each}); }
  void operator()(LoadedExecutable *each) const {
    get(LoadedExecutableDestroyArgs{.executable = each});
  }
  void operator()(TopologyDescription *each) const {
    get(TopologyDescriptionDestroyArgs{.topology = each});
  }
  void operator()(ExecuteContext *each) const { get(ExecuteContextDestroyArgs{.context = each}); }
  void operator()(AsyncHostToDeviceTransferManager *each) const {
    get(AsyncHostToDeviceTransferManagerDestroyArgs{.transferManager = each});
  }
};
template <typename T> using Owned = std::unique_ptr<T, Destroy>;

inline Owned<Client> makeClient() { return Owned<Client>(get(ClientCreateArgs{}).client); }

// Whether the host can read buffers' memory: it can't if StubDevice.cpp is compiled with
// UNREADABLE.
#ifdef UNREADABLE
inline constexpr bool isMemoryHosts = false;
#else
inline constexpr bool isMemoryHosts = true;
#endif

using Dims = std::vector<int64_t>;

// Returns a generator that gives the same numbers at each run of the tests.
inline std::mt19937 randomNumbers(unsigned seed) { return std::mt19937(seed); }

// Waits for an event, frees it, and returns its outcome.
inline Answer end(Event *event) {
  Owned<Event> owned(event);
  return tried(EventAwaitArgs{.event = event});
}

inline bool isReady(Buffer *buffer) {
  Owned<Event> event(get(BufferReadyEventArgs{.buffer = buffer}).event);
  return get(EventIsReadyArgs{.event = event.get()}).isReady;
}
inline bool isDeleted(Buffer *buffer) {
  return get(BufferIsDeletedArgs{.buffer = buffer}).isDeleted;
}
// Waits for a buffer; returns the outcome of creating its elements.
inline Answer wait(Buffer *buffer) {
  return end(get(BufferReadyEventArgs{.buffer = buffer}).event);
}

// Creates a buffer from row-major data.
inline Owned<Buffer> makeBuffer(Client *client, const void *data, BufferType type,
                                const Dims &dims) {
  ClientBufferFromHostBufferArgs args = get(ClientBufferFromHostBufferArgs{
      .client = client,
      .data = data,
      .type = type,
      .dims = dims.data(),
      .numDims = dims.size(),
      .hostBufferSemantics = HostBufferSemantics::ImmutableOnlyDuringCall});
  EXPECT_EQ(end(args.doneWithHostBuffer), ErrorCode::Ok);
  return Owned<Buffer>(args.buffer);
}

// Returns a buffer's elements as bytes, row-major.
inline std::string read(Buffer *buffer) {
  BufferDimensionsArgs shape = get(BufferDimensionsArgs{.buffer = buffer});
  Dims order;
  for (size_t i = shape.numDims; i-- > 0;) {
    order.push_back(static_cast<int64_t>(i));
  }
  BufferMemoryLayout layout = {sizeof(layout), nullptr, {}, MemoryLayoutType::Tiled};
  layout.tiled = {sizeof(layout.tiled), nullptr, order.data(), order.size(), nullptr, nullptr, 0};
  size_t size = get(BufferToHostBufferArgs{.src = buffer, .hostLayout = &layout}).dstSize;
  std::string bytes(size + 1, '\0'); // so that its data() isn't null, even without elements
  BufferToHostBufferArgs copy = get(BufferToHostBufferArgs{
      .src = buffer, .hostLayout = &layout, .dst = bytes.data(), .dstSize = size});
  EXPECT_EQ(end(copy.event), ErrorCode::Ok);
  bytes.pop_back();
  return bytes;
}
template <typename T> std::vector<T> readAs(Buffer *buffer) {
  std::string bytes = read(buffer);
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
  return elements;
}

// A scalar float buffer whose element arrives when `fulfil` is called.
struct LaterScalar {
  Client *client;
  Owned<Buffer> buffer;
  FulfillAliasBufferCallback *callback = nullptr;

  explicit LaterScalar(Client *client) : client(client) {
    auto made =
        get(ClientCreateAliasBufferArgs{.client = client, .shapeElementType = BufferType::F32});
    buffer.reset(made.aliasBuffer);
    callback = made.fulfillAliasBufferCb;
  }
  Answer fulfil(float value) const {
    Owned<Buffer> from = makeBuffer(client, &value, BufferType::F32, {});
    return tried(ClientFulfillAliasBufferArgs{
        .client = client, .buffer = from.get(), .fulfillAliasBufferCb = callback});
  }
  Answer fail(ErrorCode code, std::string_view message) const {
    return tried(ClientFulfillAliasBufferArgs{.client = client,
                                              .statusCode = code,
                                              .errorMessage = message.data(),
                                              .errorMessageSize = message.size(),
                                              .fulfillAliasBufferCb = callback});
  }
};

// Compiles one of the stub's programs (StubCompiler.cpp).
inline Answer compile(Client *client, std::string code, Owned<LoadedExecutable> &made,
                      const std::string &options = {}) {
  Program program = {sizeof(Program), nullptr, code.data(), code.size(), "mlir", 4};
  ClientCompileArgs args{.client = client,
                         .program = &program,
                         .compileOptions = options.data(),
                         .compileOptionsSize = options.size()};
  Answer answer = ask(args);
  made.reset(answer == ErrorCode::Ok ? args.executable : nullptr);
  return answer;
}
inline Owned<LoadedExecutable> compile(Client *client, std::string code,
                                       const std::string &options = {}) {
  Owned<LoadedExecutable> made;
  EXPECT_EQ(compile(client, std::move(code), made, options), ErrorCode::Ok);
  return made;
}
inline Owned<Executable> executableOf(LoadedExecutable *loaded) {
  return Owned<Executable>(
      get(LoadedExecutableGetExecutableArgs{.loadedExecutable = loaded}).executable);
}

// A run on one device.
struct Execution {
  std::vector<Owned<Buffer>> results;
  Owned<Event> done; // null if the run's `answer` is an error
  Answer answer;

  Execution(LoadedExecutable *executable, const std::vector<Buffer *> &arguments,
            ExecuteOptions options = {}, size_t devices = 1) {
    options.structSize = sizeof(options);
    std::vector<Buffer *> outputs(32);
    Buffer *const *arrays[] = {arguments.data(), arguments.data()};
    Buffer **outputLists[] = {outputs.data(), outputs.data()};
    Event *events[2] = {};
    LoadedExecutableExecuteArgs args{.executable = executable,
                                     .options = &options,
                                     .argumentLists = arrays,
                                     .numDevices = devices,
                                     .numArgs = arguments.size(),
                                     .outputLists = outputLists,
                                     .deviceCompleteEvents = events};
    answer = ask(args);
    done.reset(events[0]);
    for (Buffer *output : outputs) {
      if (output) {
        results.emplace_back(output);
      }
    }
  }
  Answer wait() const { return tried(EventAwaitArgs{.event = done.get()}); }
};

} // namespace drumlin::pjrt

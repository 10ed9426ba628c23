// Creates arguments for every function of the interface: objects of each kind and structs with all
// fields set; frees them and the results of calls.
#pragma once

#include "drumlin/pjrt/CopyToDeviceStream.h"
#include "drumlin/pjrt/interface/Fields.h"
#include "drumlin/pjrt/test/Calls.h"

#include <functional>
#include <map>

namespace drumlin::pjrt {

// Returns an extension, found as callers find it.
template <typename Extension> const Extension &extension(ExtensionType type) {
  for (const ExtensionBase *each = api()->extensions;; each = each->next) {
    if (each->type == type) {
      return *reinterpret_cast<const Extension *>(each);
    }
  }
}

// Returns the function with these arguments.
template <typename Args> auto extensionFunction();
#define EXTENSION_FUNCTION(name, table, member)                                                    \
  template <> inline auto extensionFunction<name##Args>() { return (table).member; }
#define LAYOUTS(name, member)                                                                      \
  EXTENSION_FUNCTION(name, extension<LayoutsExtension>(ExtensionType::Layouts), member)
LAYOUTS(MemoryLayoutDestroy, memoryLayoutDestroy)
LAYOUTS(MemoryLayoutSerialize, memoryLayoutSerialize)
LAYOUTS(ClientGetDefaultLayout, clientGetDefaultLayout)
LAYOUTS(BufferMemoryLayout, bufferMemoryLayout)
LAYOUTS(TopologyGetDefaultLayout, topologyGetDefaultLayout)
LAYOUTS(ExecutableGetOutputLayouts, executableGetOutputLayouts)
LAYOUTS(ExecutableGetParameterLayouts, executableGetParameterLayouts)
#define FFI(name, member)                                                                          \
  EXTENSION_FUNCTION(name, extension<FfiExtension>(ExtensionType::Ffi), member)
FFI(TypeRegister, typeRegister)
FFI(UserDataAdd, userDataAdd)
FFI(RegisterHandler, registerHandler)
#define MEMORIES(name, member)                                                                     \
  EXTENSION_FUNCTION(                                                                              \
      name, extension<MemoryDescriptionsExtension>(ExtensionType::MemoryDescriptions), member)
MEMORIES(DeviceDescriptionMemoryDescriptions, deviceDescriptionMemoryDescriptions)
MEMORIES(MemoryDescriptionKind, memoryDescriptionKind)
#define SHARDINGS(name, member)                                                                    \
  EXTENSION_FUNCTION(name, extension<ShardingsExtension>(ExtensionType::Shardings), member)
SHARDINGS(ExecutableParameterShardings, executableParameterShardings)
SHARDINGS(ExecutableOutputShardings, executableOutputShardings)
#define PROFILER(name, member)                                                                     \
  EXTENSION_FUNCTION(name, *extension<ProfilerExtension>(ExtensionType::Profiler).api, member)
PROFILER(ProfilerErrorDestroy, errorDestroy)
PROFILER(ProfilerErrorMessage, errorMessage)
PROFILER(ProfilerErrorGetCode, errorGetCode)
PROFILER(ProfilerCreate, create)
PROFILER(ProfilerDestroy, destroy)
PROFILER(ProfilerStart, start)
PROFILER(ProfilerStop, stop)
PROFILER(ProfilerCollectData, collectData)
#undef LAYOUTS
#undef FFI
#undef MEMORIES
#undef SHARDINGS
#undef PROFILER
#undef EXTENSION_FUNCTION

template <typename T>
concept Described = requires { FieldsOf<std::remove_const_t<T>>::asStruct; };

class World {
public:
  World() = default;
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  ~World() {
    while (!owned.empty()) { // freeing an object may free others
      auto first = owned.begin();
      std::function<void()> free = std::move(first->second);
      owned.erase(first);
      free();
    }
    for (Buffer *output : outputs) {
      Owned<Buffer> free(output);
    }
    Owned<Event> free(events[0]);
  }

  // Sets each field that callers must set.
  template <typename Args> void fill(Args &args);
  // Keeps the results of a successful call, to free them later.
  template <typename Args> void keepResults(Args &args);
  // Forgets an object that a call has freed.
  template <typename T> void forget(T *object) { owned.erase(object); }
  void forget(Client *) { (void)client.release(); }

  // Set object fields.
  void give(Client *&object) {
    if (!client) {
      NamedValue threads = {};
      setThreads(threads);
      client.reset(get(ClientCreateArgs{.createOptions = &threads, .numOptions = 1}).client);
    }
    object = client.get();
  }
  void give(Device *&object) {
    object = get(ClientDevicesArgs{.client = make<Client *>()}).devices[0];
  }
  void give(DeviceDescription *&object) {
    object = get(DeviceGetDescriptionArgs{.device = make<Device *>()}).deviceDescription;
  }
  void give(Memory *&object) {
    object = get(DeviceDefaultMemoryArgs{.device = make<Device *>()}).memory;
  }
  void give(Buffer *&object) {
    static const float data[3] = {};
    keep(object = makeBuffer(make<Client *>(), data, BufferType::F32, {3}).release());
  }
  void give(Event *&object) {
    keep(object = get(BufferReadyEventArgs{.buffer = make<Buffer *>()}).event);
  }
  void give(LoadedExecutable *&object) {
    keep(object = compile(make<Client *>(), "plain").release());
  }
  void give(Executable *&object) {
    keep(object = executableOf(make<LoadedExecutable *>()).release());
  }
  void give(TopologyDescription *&object) {
    keep(object = get(TopologyDescriptionCreateArgs{}).topology);
  }
  void give(ExecuteContext *&object) { keep(object = get(ExecuteContextCreateArgs{}).context); }
  void give(AsyncTrackingEvent *&object) {
    keep(object = get(DeviceCreateAsyncTrackingEventArgs{.device = make<Device *>()}).event);
  }
  void give(AsyncHostToDeviceTransferManager *&object) {
    static const int64_t dims[] = {3};
    ShapeSpec spec = {sizeof(spec), nullptr, dims, 1, BufferType::F32};
    keep(object = get(ClientCreateBuffersForAsyncHostToDeviceArgs{
                          .client = make<Client *>(), .shapeSpecs = &spec, .numShapeSpecs = 1})
                      .transferManager);
  }
  void give(FulfillAliasBufferCallback *&object) {
    static const int64_t dims[] = {3};
    auto alias = get(ClientCreateAliasBufferArgs{.client = make<Client *>(),
                                                 .shapeDims = dims,
                                                 .shapeNumDims = 1,
                                                 .shapeElementType = BufferType::F32});
    keep(alias.aliasBuffer);
    keep(object = alias.fulfillAliasBufferCb);
  }
  void give(CopyToDeviceStream *&object) {
    auto values = std::make_shared<ReceivedValues>(
        std::vector<std::span<std::byte>>{{memory.bytes, size_t(16)}});
    keep(object = new CopyToDeviceStream{values});
  }
  void give(Error *&object) {
    ClientLookupDeviceArgs args{.client = make<Client *>(), .id = 77};
    args.structSize = sizeof(args);
    keep(object = api()->ClientLookupDevice(&args));
  }
  void give(MemoryLayout *&object) {
    ClientGetDefaultLayoutArgs args = {
        .structSize = sizeof(args), .client = make<Client *>(), .type = BufferType::F32};
    EXPECT_EQ(take(extensionFunction<ClientGetDefaultLayoutArgs>()(&args)), ErrorCode::Ok);
    keep(object = args.layout);
  }
  void give(const MemoryDescription *&object) {
    DeviceDescriptionMemoryDescriptionsArgs args = {
        .structSize = sizeof(args), .deviceDescription = make<DeviceDescription *>()};
    EXPECT_EQ(take(extensionFunction<DeviceDescriptionMemoryDescriptionsArgs>()(&args)),
              ErrorCode::Ok);
    object = args.memoryDescriptions[0];
  }
  void give(Profiler *&object) {
    ProfilerCreateArgs args = {};
    EXPECT_EQ(take(extensionFunction<ProfilerCreateArgs>()(&args)), ErrorCode::Ok);
    keep(object = args.profiler);
  }
  void give(const Error *&object) { object = make<Error *>(); }
  void give(const Executable *&object) { object = make<Executable *>(); }
  void give(const TopologyDescription *&object) { object = make<TopologyDescription *>(); }

  // Set function fields.
  void give(EventOnReadyCallback &function) {
    function = [](Error *error, void *) { take(error); };
  }
  void give(ErrorPayloadVisitor &function) {
    function = [](const char *, size_t, const char *, size_t, void *) {};
  }
  void give(OnDeleteCallback &function) {
    function = [](void *, void *) {};
  }
  void give(SendCallback &function) {
    function = [](Chunk *, CallbackError *, size_t, bool, void *) -> Error * { return nullptr; };
  }
  void give(RecvCallback &function) {
    function = [](CopyToDeviceStream *, void *) {};
  }

  // Sets a pointer to memory; other values stay zero.
  void give(void *&pointer) { pointer = memory.bytes; }
  void give(const void *&pointer) { pointer = memory.bytes; }
  void give(uint8_t *&pointer) { pointer = reinterpret_cast<uint8_t *>(memory.bytes); }
  void give(Buffer **const *&lists) { lists = &outputList; }
  void give(Event **&places) { places = events; }
  void give(BufferType &type) { type = BufferType::F32; }
  template <Described T> void give(T &inside) { fill(inside); }
  template <Described T> void give(T *&place) { place = &makeStruct<std::remove_const_t<T>>(); }
  template <typename T> void give(T &) {}

  // Set arrays; those of structs or dimensions have one element.
  void giveArray(const int64_t *&array, size_t &count) {
    static const int64_t three[] = {3};
    array = three;
    count = 1;
  }
  template <Described T> void giveArray(T **&array, size_t &count) { giveLists(array, count); }
  template <Described T> void giveArray(T *&array, size_t &count) {
    give(array);
    count = 1;
  }
  template <typename T> void giveArray(T *&array, size_t &count) {
    array = reinterpret_cast<T *>(memory.bytes);
    count = 0;
  }
  void giveArray(const void *&data, int64_t &bytes) {
    give(data);
    bytes = 4;
  }
  void giveArray(void *&data, int64_t &bytes) {
    give(data);
    bytes = 4;
  }
  void giveArray(void *&data, size_t &bytes) {
    give(data);
    bytes = 4;
  }
  // Sets the arguments that the program `plain` takes.
  void giveLists(Buffer *const *const *&lists, size_t &count) {
    static const float data[1000] = {};
    size_t place = 0;
    for (const Dims &dims : {Dims{10, 100}, Dims{10, 100}, Dims{}, Dims{0}}) {
      arguments[place] = makeBuffer(make<Client *>(), data, BufferType::F32, dims).release();
      keep(arguments[place++]);
    }
    lists = &argumentList;
    count = place;
  }
  template <Described T> void giveLists(T **&lists, size_t &count) {
    auto list = std::make_shared<T *>();
    give(*list);
    lists = list.get();
    structs.push_back(std::move(list));
    count = 1;
  }

private:
  template <typename T> T make() {
    T made = nullptr;
    give(made);
    return made;
  }
  template <typename T> T &makeStruct() {
    auto made = std::make_shared<T>();
    fill(*made);
    structs.push_back(made);
    return *made;
  }

  static void setThreads(NamedValue &value) {
    value = {.structSize = sizeof(value),
             .name = "threads",
             .nameSize = 7,
             .type = NamedValueType::Int64};
    value.int64Value = 1;
    value.valueSize = 1;
  }
  // Set the fields that the tables don't determine, such as a union's case.
  void finish(NamedValue &value) { setThreads(value); }
  void finish(BufferMemoryLayout &value) {
    static const int64_t fastestFirst[] = {0};
    static const size_t noSizes[] = {0};
    value.type = MemoryLayoutType::Tiled;
    value.tiled = {sizeof(value.tiled), nullptr, fastestFirst, 1, fastestFirst, noSizes, 0};
  }
  void finish(Program &value) {
    static char code[] = "plain";
    value.code = code;
    value.codeSize = 5;
    value.format = "mlir";
    value.formatSize = 4;
  }
  void finish(LoadedExecutableExecuteArgs &value) { value.numDevices = 1; }
  void finish(RegisterHandlerArgs &value) {
    value.handler = reinterpret_cast<void *>(+[](void *) -> void * { return nullptr; });
  }
  template <typename T> void finish(T &) {}

  template <typename T>
    requires requires(T *object) { Destroy()(object); }
  void keep(T *object) {
    keepBy(object, [object] { Destroy()(object); });
  }
  void keep(AsyncTrackingEvent *object) {
    keepBy(object, [object] { get(AsyncTrackingEventDestroyArgs{.event = object}); });
  }
  void keep(CopyToDeviceStream *object) {
    keepBy(object, [object] { get(CopyToDeviceStreamDestroyArgs{.stream = object}); });
  }
  void keep(Error *object) {
    keepBy(object, [object] { take(object); });
  }
  void keep(FulfillAliasBufferCallback *object) {
    keepBy(object, [object, client = make<Client *>()] {
      get(ClientFulfillAliasBufferArgs{
          .client = client, .statusCode = ErrorCode::Cancelled, .fulfillAliasBufferCb = object});
    });
  }
  void keep(MemoryLayout *object) {
    keepBy(object, [object] {
      MemoryLayoutDestroyArgs args = {sizeof(args), nullptr, object};
      EXPECT_EQ(take(extensionFunction<MemoryLayoutDestroyArgs>()(&args)), ErrorCode::Ok);
    });
  }
  void keep(Profiler *object) {
    keepBy(object, [object] {
      ProfilerStopArgs stop = {sizeof(stop), object};
      EXPECT_EQ(take(extensionFunction<ProfilerStopArgs>()(&stop)), ErrorCode::Ok);
      ProfilerDestroyArgs args = {sizeof(args), object};
      EXPECT_EQ(take(extensionFunction<ProfilerDestroyArgs>()(&args)), ErrorCode::Ok);
    });
  }
  template <typename T> void keep(const T &) {}
  template <typename T> void keepBy(T *object, std::function<void()> free) {
    if (object) {
      owned.emplace(object, std::move(free));
    }
  }

  struct {
    alignas(64) std::byte bytes[8192] = {};
  } memory;
  Owned<Client> client;
  std::map<const void *, std::function<void()>> owned;
  std::vector<std::shared_ptr<void>> structs;
  Buffer *arguments[4] = {}, *outputs[8] = {};
  Buffer *const *argumentList = arguments;
  Buffer **outputList = outputs;
  Event *events[1] = {};
};

// Define how each kind of field is set, and which results are kept.
#define PJRT_FILLED(name, ...)                                                                     \
  template <> inline void World::fill(name &args) {                                                \
    __VA_ARGS__                                                                                    \
    finish(args);                                                                                  \
    if constexpr (structOf<name>.isSized) {                                                        \
      std::memcpy(static_cast<void *>(&args), &structOf<name>.statedSize, sizeof(size_t));         \
    }                                                                                              \
  }
#define PJRT_STRUCT(name, ...) PJRT_FILLED(name, __VA_ARGS__)
#include "drumlin/pjrt/test/FilledFields.def"

#include "drumlin/pjrt/interface/Structs.def"
#define PJRT_FUNCTION(name, size, ...) PJRT_FILLED(name##Args, __VA_ARGS__)
#define PJRT_VOID_FUNCTION PJRT_FUNCTION
#include "drumlin/pjrt/test/FilledFields.def"

#include "drumlin/pjrt/interface/Functions.def"
#define PJRT_EXTENSION_FUNCTION(name, published, ...) PJRT_FILLED(name##Args, __VA_ARGS__)
#include "drumlin/pjrt/test/FilledFields.def"

#include "drumlin/pjrt/interface/ExtensionFunctions.def"
#undef PJRT_FILLED

#define PJRT_KEPT(name, ...)                                                                       \
  template <> inline void World::keepResults([[maybe_unused]] name &args) { __VA_ARGS__ }
#define PJRT_FUNCTION(name, size, ...) PJRT_KEPT(name##Args, __VA_ARGS__)
#define PJRT_VOID_FUNCTION PJRT_FUNCTION
#include "drumlin/pjrt/test/KeptFields.def"

#include "drumlin/pjrt/interface/Functions.def"
#define PJRT_EXTENSION_FUNCTION(name, published, ...) PJRT_KEPT(name##Args, __VA_ARGS__)
#include "drumlin/pjrt/test/KeptFields.def"

#include "drumlin/pjrt/interface/ExtensionFunctions.def"
#undef PJRT_KEPT

} // namespace drumlin::pjrt

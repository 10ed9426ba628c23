#include "drumlin/runtime/calls/FfiApi.h"

#include "drumlin/runtime/calls/Registry.h"
#include "drumlin/runtime/cpu/ThreadPool.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace drumlin::ffi {

// Not inlined, to keep its many callers small.
[[gnu::noinline]] static Error *fail(ErrorCode code, std::string message) {
  return new Error(code, std::move(message));
}

static std::string textOf(ByteSpan span) { return {span.data, span.size}; }

//===-- types and states ----------------------------------------------------------------------===//

namespace {
struct Type {
  std::string name;
  int64_t id;
  void (*destroy)(void *object);
};
struct Types {
  std::mutex mutex;
  std::vector<Type> all; // a library registers only a few types
};
} // namespace

// Never destroyed: handlers' libraries register types from their constructors, and states may be
// destroyed at any time.
static Types &types() {
  static auto *made = new Types();
  return *made;
}

State::~State() {
  if (!object) {
    return;
  }
  if (!destroy) {
    std::lock_guard<std::mutex> lock(types().mutex);
    for (const Type &each : types().all) {
      destroy = each.id == type.id ? each.destroy : destroy;
    }
  }
  if (destroy) {
    destroy(object);
  }
}

// Frameworks number the types in their own registries from 1, and pass these numbers: the runtime's
// own numbers begin above them.
static constexpr int64_t firstOwnTypeId = int64_t(1) << 32;

// Registers a type. Within a process, names and numbers of types correspond one to one.
Error *registerType(const std::string &name, TypeId &id, void (*destroy)(void *object)) {
  std::lock_guard<std::mutex> lock(types().mutex);
  for (Type &each : types().all) {
    bool isNamed = each.name == name, isNumbered = each.id == id.id;
    if (isNamed && (isNumbered || id.id == 0)) {
      id.id = each.id;
      each.destroy = destroy ? destroy : each.destroy;
      return nullptr;
    }
    if (isNamed || isNumbered) {
      return fail(ErrorCode::InvalidArgument,
                  "the type `" + name +
                      "` is registered with another number, or its number with another type");
    }
  }
  if (id.id == 0) {
    id.id = firstOwnTypeId + static_cast<int64_t>(types().all.size());
  }
  types().all.push_back({name, id.id, destroy});
  return nullptr;
}

// Copies from memory that may be unmapped; returns false if it is. Copies through a pipe: the
// operating system refuses to write unmapped memory to a pipe.
static bool copyIfReadable(void *to, const void *from, size_t size) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return false;
  }
  // Calls the system directly: sanitizers intercept write(), and would check that the memory is
  // valid.
  bool isRead = syscall(SYS_write, ends[1], from, size) == static_cast<ssize_t>(size) &&
                read(ends[0], to, size) == static_cast<ssize_t>(size);
  close(ends[0]);
  close(ends[1]);
  return isRead;
}

// Registers a type. `structSize` doesn't show whether the caller's struct has the field `info`: no
// version counts this field, and version 0.1 lacks it. So `info` is used only if it points to a
// valid TypeInfo.
static Error *registerType(TypeRegister *args) {
  const TypeInfo *place = nullptr;
  TypeInfo info = {};
  bool isThere = copyIfReadable(&place, &args->info, sizeof(const TypeInfo *)) && place &&
                 copyIfReadable(&info, place, sizeof(info)) &&
                 info.structSize == sizeof(TypeInfo) && !info.extensions;
  return registerType(textOf(args->name), *args->id, isThere ? info.destroy : nullptr);
}

State *ExecutionContext::stateOf(Stage stage) {
  switch (stage) {
  case Stage::Instantiate:
    return instance;
  case Stage::Prepare:
    return &prepared;
  case Stage::Initialize:
    return &initialized;
  case Stage::Execute:
  case Stage::Record:
    return nullptr;
  }
  return nullptr;
}

static Error *set(State *state, const TypeId &type, void *object, void (*destroy)(void *)) {
  if (!state || state->object) {
    return fail(ErrorCode::InvalidArgument,
                state ? "the stage has a state already" : "no state can be set in this stage");
  }
  state->type = type;
  state->object = object;
  state->destroy = destroy;
  return nullptr;
}

static Error *get(const State *state, const TypeId &type, void *&object) {
  if (!state || !state->object || state->type.id != type.id) {
    return fail(ErrorCode::InvalidArgument, "the stage has no state of this type");
  }
  object = state->object;
  return nullptr;
}

// Returns the arguments of a handler compiled before version 0.3, else null. Such arguments are
// smaller than today's, except those of version 0.1, which are equally large because of `destroy`.
static InstanceStateAccess *before3(StateAccess *args) {
  bool isOld = args->structSize < sizeof(StateAccess) || args->context->handlerMinorVersion < 2;
  return isOld ? reinterpret_cast<InstanceStateAccess *>(args) : nullptr;
}

static Error *setState(StateAccess *args) {
  if (InstanceStateAccess *old = before3(args)) {
    return set(args->context->instance, *old->id, old->state,
               old->structSize >= sizeof(InstanceStateAccess) ? old->destroy : nullptr);
  }
  return set(args->context->stateOf(args->stage), *args->id, args->state, nullptr);
}

static Error *getState(StateAccess *args) {
  if (InstanceStateAccess *old = before3(args)) {
    return get(args->context->instance, *old->id, old->state);
  }
  return get(args->context->stateOf(args->stage), *args->id, args->state);
}

//===-- futures -------------------------------------------------------------------------------===//

Error *Future::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return isDone; });
  return error;
}

void Future::finish(Error *with) {
  // Notifies under the lock, since the waiting thread destroys the future.
  std::lock_guard<std::mutex> lock(mutex);
  isDone = true;
  error = with;
  changed.notify_all();
}

//===-- the table -----------------------------------------------------------------------------===//

static Error *createError(ErrorCreate *args) {
  return fail(args->code, args->message ? args->message : "");
}
static void getDetails(ErrorGetDetails *args) {
  args->message = args->error->message.c_str();
  if (args->structSize >= offsetof(ErrorGetDetails, code) + sizeof(ErrorCode)) {
    args->code = args->error->code;
  }
}
static void destroyError(ErrorDestroy *args) { delete args->error; }

static Error *registerHandler(HandlerRegister *args) {
  std::string platform = textOf(args->platform);
  // Handlers for other platforms are accepted, but never called.
  if (platform != "Host" && platform != "host" && platform != "cpu" && platform != "CPU") {
    return nullptr;
  }
  Status status = registerHostCode(textOf(args->name), args->bundle);
  return status ? nullptr : fail(ErrorCode::InvalidArgument, status.error().message);
}

// Uses XLA's message, which handlers pass on and programs look for.
static Error *getStream(StreamGet *) {
  return fail(ErrorCode::Unimplemented, "XLA FFI GPU context is not available");
}

static Error *getFromContext(ContextGet *args) {
  if (const HostRun *run = args->context->run) {
    auto ofRun = std::ranges::find(run->dataOfRun, args->id->id, &UserData::type);
    if (ofRun != run->dataOfRun.end()) {
      args->data = ofRun->data;
      return nullptr;
    }
    if (auto found = run->userData.find(args->id->id); found != run->userData.end()) {
      args->data = found->second;
      return nullptr;
    }
  }
  return fail(ErrorCode::InvalidArgument, "the run was given no data of this type");
}

// Finds no extension: the published ones concern GPU command buffers and collectives, and the
// runtime attaches none.
static Error *findExtension(ExtensionFind *args) {
  args->extension = nullptr;
  return nullptr;
}

// Returns no options, since the PJRT C API can't pass options to a run.
static Error *getOptions(OptionsGet *args) {
  static const Attributes none = {sizeof(Attributes), nullptr, 0, nullptr, nullptr, nullptr};
  args->options = &none;
  return nullptr;
}

static Error *allocate(MemoryAllocate *args) {
  // aligned_alloc() requires sizes that are multiples of the alignment.
  size_t alignment =
      args->alignment < alignof(std::max_align_t) ? alignof(std::max_align_t) : args->alignment;
  size_t size = (args->size + alignment - 1) / alignment * alignment;
  args->data = size < args->size ? nullptr : std::aligned_alloc(alignment, size);
  return args->data || args->size == 0
             ? nullptr
             : fail(ErrorCode::Unknown, "no memory for " + std::to_string(args->size) + " bytes");
}

static Error *freeMemory(MemoryFree *args) {
  std::free(args->data);
  return nullptr;
}

// Schedules a task. On a thread that runs jobs, runs it at once, since handlers wait for their
// tasks.
static Error *schedule(ThreadPoolSchedule *args) {
  ThreadPool *pool = args->context->pool();
  if (pool && pool->threads() > 1 && !JobQueue::isJobThread()) {
    pool->jobs().submit([task = args->task, data = args->data] { task(data); });
  } else {
    args->task(args->data);
  }
  return nullptr;
}

static Error *threadCount(ThreadPoolThreads *args) {
  ThreadPool *pool = args->context->pool();
  *args->threads = pool ? pool->threads() : 1;
  return nullptr;
}

static Error *createFuture(FutureCreate *args) {
  args->future = new Future();
  return nullptr;
}
static Error *setAvailable(FutureSetAvailable *args) {
  args->future->finish(nullptr);
  return nullptr;
}
static Error *setError(FutureSetError *args) {
  if (!args->error) {
    return fail(ErrorCode::InvalidArgument, "a future is set to a null error");
  }
  args->future->finish(args->error);
  return nullptr;
}

static Error *getRunId(RunIdGet *args) {
  args->id = args->context->run ? args->context->run->id : 0;
  return nullptr;
}

static Error *getDeviceOrdinal(DeviceOrdinalGet *args) {
  args->ordinal = 0;
  return nullptr;
}

// Returns the smallest size of a function's arguments over all versions. A size of 0 means that the
// version lacks the function.
static constexpr size_t leastOf(std::initializer_list<size_t> sizes) {
  size_t least = SIZE_MAX;
  for (size_t size : sizes) {
    least = size != 0 && size < least ? size : least;
  }
  return least;
}

static Error *refuse(size_t size, size_t leastSize) {
  return fail(ErrorCode::InvalidArgument, "arguments of " + std::to_string(size) +
                                              " bytes, expected at least " +
                                              std::to_string(leastSize));
}

} // namespace drumlin::ffi

namespace drumlin {

const ffi::Api &ffiApi() {
  using namespace ffi;
  static const Api api = {
      .structSize = sizeof(Api),
      .extensions = nullptr,
      .version = {sizeof(ApiVersion), nullptr, majorVersion, minorVersion},
      .internal = nullptr,
// Each function checks that its arguments have the smallest size of all versions.
#define FFI_FUNCTION(name, published, Args, ...)                                                   \
  .name = [](Args *args) {                                                                         \
    constexpr size_t least = leastOf({__VA_ARGS__});                                               \
    return args->structSize < least ? refuse(args->structSize, least) : ffi::name(args);           \
  },
#define FFI_VOID_FUNCTION(name, published, Args, ...) .name = ffi::name,
#include "drumlin/runtime/calls/FfiFunctions.def"
  };
  return api;
}

} // namespace drumlin

#include "drumlin/runtime/calls/FfiApi.h"

#include "drumlin/runtime/calls/FfiCall.h"
#include "drumlin/runtime/calls/Registry.h"
#include "drumlin/runtime/cpu/ThreadPool.h"

#include <cstdlib>
#include <map>

namespace drumlin::ffi {

static Error *fail(ErrorCode code, std::string message) {
  return new Error(code, std::move(message));
}

static std::string textOf(ByteSpan span) { return {span.data, span.size}; }

//===-- types and states ----------------------------------------------------------------------===//

namespace {
struct Types {
  std::mutex mutex;
  std::map<std::string, int64_t> ids;
  std::map<int64_t, void (*)(void *)> destroyers;
};
} // namespace

// Never destroyed: handlers' libraries register from their constructors, and states end at any
// time.
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
    auto found = types().destroyers.find(type.id);
    destroy = found == types().destroyers.end() ? nullptr : found->second;
  }
  if (destroy) {
    destroy(object);
  }
}

// A name has one number in the process, given or chosen here.
Error *registerType(TypeRegister *args) {
  std::string name = textOf(args->name);
  std::lock_guard<std::mutex> lock(types().mutex);
  auto [place, isNew] = types().ids.try_emplace(name, static_cast<int64_t>(types().ids.size()) + 1);
  if (args->id->id != 0 && args->id->id != place->second) {
    return fail(ErrorCode::InvalidArgument, "the type `" + name + "` has another number already");
  }
  args->id->id = place->second;
  // Before version 0.2 the struct ends before it.
  if (args->structSize >= sizeof(TypeRegister) && args->info && args->info->destroy) {
    types().destroyers[place->second] = args->info->destroy;
  }
  return nullptr;
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

// The arguments of a handler compiled before version 0.3; their sizes don't tell.
static InstanceStateAccess *before3(StateAccess *args) {
  return args->context->handlerMinorVersion < 3 ? reinterpret_cast<InstanceStateAccess *>(args)
                                                : nullptr;
}

static Error *setState(StateAccess *args) {
  if (InstanceStateAccess *old = before3(args)) {
    return set(args->context->instance, *old->id, old->state,
               args->context->handlerMinorVersion < 2 ? old->destroy : nullptr);
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
  // Notified under the lock: the one who waits destroys the future.
  std::lock_guard<std::mutex> lock(mutex);
  isDone = true;
  error = with;
  changed.notify_all();
}

//===-- the table -----------------------------------------------------------------------------===//

static Error *createError(ErrorCreate *args) {
  return fail(args->code, args->message ? args->message : "");
}
static void getMessage(ErrorGetMessage *args) { args->message = args->error->message.c_str(); }
static void destroyError(ErrorDestroy *args) { delete args->error; }

static Error *registerHandler(HandlerRegister *args) {
  std::string platform = textOf(args->platform);
  // Handlers of other processors' memory are never called.
  if (platform != "Host" && platform != "host" && platform != "cpu" && platform != "CPU") {
    return nullptr;
  }
  Status status = registerHostCode(textOf(args->name), args->bundle);
  return status ? nullptr : fail(ErrorCode::InvalidArgument, status.error().message);
}

static Error *getStream(StreamGet *) {
  return fail(ErrorCode::Unimplemented, "a processor has no streams");
}

static Error *getFromContext(ContextGet *args) {
  if (const HostRun *run = args->context->run) {
    if (auto found = run->userData.find(args->id->id); found != run->userData.end()) {
      args->data = found->second;
      return nullptr;
    }
  }
  return fail(ErrorCode::InvalidArgument, "the run was given no data of this type");
}

static Error *allocate(MemoryAllocate *args) {
  // aligned_alloc() takes sizes that are multiples.
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

// A thread that other jobs may wait for does the task itself, at once: handlers wait for tasks.
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

} // namespace drumlin::ffi

namespace drumlin {

const ffi::Api &ffiApi() {
  static const ffi::Api api = {
      .structSize = sizeof(ffi::Api),
      .extensions = nullptr,
      .version = {sizeof(ffi::ApiVersion), nullptr, ffi::majorVersion, ffi::minorVersion},
      .internal = nullptr,
      .createError = ffi::createError,
      .getMessage = ffi::getMessage,
      .destroyError = ffi::destroyError,
      .registerHandler = ffi::registerHandler,
      .getStream = ffi::getStream,
      .registerType = ffi::registerType,
      .getFromContext = ffi::getFromContext,
      .setState = ffi::setState,
      .getState = ffi::getState,
      .allocate = ffi::allocate,
      .free = ffi::freeMemory,
      .schedule = ffi::schedule,
      .threadCount = ffi::threadCount,
      .createFuture = ffi::createFuture,
      .setAvailable = ffi::setAvailable,
      .setError = ffi::setError,
      .getRunId = ffi::getRunId,
      .getDeviceOrdinal = ffi::getDeviceOrdinal,
  };
  return api;
}

} // namespace drumlin

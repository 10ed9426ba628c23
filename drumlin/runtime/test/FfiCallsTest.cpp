// Tests the functions that handlers call back, for handlers compiled for each version of XLA's
// interface: states, user data, tasks. Handlers compiled against XLA's headers are in
// test/custom_calls.
#include "drumlin/runtime/calls/CallPreparation.h"
#include "drumlin/runtime/calls/FfiApi.h"
#include "drumlin/runtime/calls/FfiCall.h"
#include "drumlin/runtime/calls/Registry.h"
#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

using namespace drumlin;
using ffi::CallFrame;

namespace {
// The body of the handler below, set by each test.
std::function<ffi::Error *(CallFrame *)> handle;
int handlerMinorVersion = ffi::minorVersion;

// A handler that returns its version if asked, as handlers do through the frame's extension, and
// else calls `handle`.
ffi::Error *handler(CallFrame *frame) {
  if (frame->extensions) {
    auto *extension = reinterpret_cast<ffi::MetadataExtension *>(frame->extensions);
    extension->metadata->version.major = ffi::majorVersion;
    extension->metadata->version.minor = handlerMinorVersion;
    return nullptr;
  }
  return handle(frame);
}

class FfiCalls : public testing::Test {
protected:
  ~FfiCalls() override { handle = nullptr; }

  // Prepares a call of `handler` for instantiation and execution, as if it were compiled for this
  // version. Before 0.3, only instantiation can create a state.
  std::unique_ptr<PreparedCall> prepare(int minorVersion = ffi::minorVersion) {
    handlerMinorVersion = minorVersion;
    Result<std::unique_ptr<PreparedCall>> made =
        prepareFfiCall({.interface = HostInterface::TypedFfi, .target = "t"},
                       {handler, nullptr, nullptr, handler});
    EXPECT_TRUE(made) << (made ? "" : made.error().str());
    return made ? std::move(*made) : nullptr;
  }
};

struct Counted {
  static inline int alive = 0;
  int number;
  explicit Counted(int number) : number(number) { ++alive; }
  ~Counted() { --alive; }
  static void destroy(void *object) { delete static_cast<Counted *>(object); }
};

// Registers a type with this name and returns its number. `destroy` is null for handlers before
// version 0.2, which have no type destructors.
ffi::TypeId registered(const char *name, void (*destroy)(void *)) {
  ffi::TypeInfo info = {sizeof(info), nullptr, destroy};
  ffi::TypeId id = {0};
  ffi::TypeRegister args = {destroy ? sizeof(args) : offsetof(ffi::TypeRegister, info),
                            nullptr,
                            {name, std::strlen(name)},
                            &id,
                            &info};
  EXPECT_EQ(ffiApi().registerType(&args), nullptr);
  return id;
}
} // namespace

TEST_F(FfiCalls, KeepStatesOfEachVersion) {
  for (int version : {1, 2, 3}) {
    ffi::TypeId type = registered(version == 1 ? "counted before 0.2" : "counted",
                                  version == 1 ? nullptr : Counted::destroy);
    handle = [&](CallFrame *frame) -> ffi::Error * {
      const ffi::Api &api = *frame->api;
      bool isFirst = frame->stage == ffi::Stage::Instantiate;
      void *object = isFirst ? new Counted(7) : nullptr;
      // Arguments in either of two layouts: before 0.3 their members have other offsets.
      union {
        ffi::StateAccess now;
        ffi::InstanceStateAccess before;
      } access;
      if (version == 3) {
        access.now = {sizeof(access.now),      nullptr, frame->context,
                      ffi::Stage::Instantiate, &type,   object};
      } else {
        access.before = {version == 2 ? offsetof(ffi::InstanceStateAccess, destroy)
                                      : sizeof(access.before),
                         nullptr,
                         frame->context,
                         &type,
                         object,
                         version == 1 ? Counted::destroy : nullptr};
      }
      if (isFirst) {
        return api.setState(&access.now);
      }
      ffi::Error *error = api.getState(&access.now);
      object = version == 3 ? access.now.state : access.before.state;
      EXPECT_EQ(static_cast<Counted *>(object)->number, 7) << version;
      return error;
    };
    {
      std::unique_ptr<PreparedCall> call = prepare(version);
      ASSERT_TRUE(call);
      EXPECT_EQ(Counted::alive, 1) << version;
      EXPECT_TRUE(call->run({}, {}, {})) << version;
      EXPECT_TRUE(call->run({}, {}, {})) << version;
    }
    EXPECT_EQ(Counted::alive, 0) << version;
  }
}

TEST_F(FfiCalls, FindUserDataOfTheRun) {
  ffi::TypeId type = registered("user data", Counted::destroy);
  int given = 42, found = 0;
  handle = [&](CallFrame *frame) -> ffi::Error * {
    ffi::ContextGet get = {sizeof(get), nullptr, frame->context, &type, nullptr};
    ffi::Error *error = frame->api->getFromContext(&get);
    if (frame->stage == ffi::Stage::Instantiate) {
      EXPECT_NE(error, nullptr) << "there is no run yet";
      ffi::ErrorDestroy destroy = {sizeof(destroy), nullptr, error};
      frame->api->destroyError(&destroy);
      return nullptr;
    }
    found = get.data ? *static_cast<int *>(get.data) : 0;
    return error;
  };
  std::unique_ptr<PreparedCall> call = prepare();
  ASSERT_TRUE(call);
  HostRun run;
  Status without = call->run({}, {}, run);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().message, "`@t`: the run was given no data of this type");
  run.userData[type.id] = &given;
  EXPECT_TRUE(call->run({}, {}, run));
  EXPECT_EQ(found, 42);
}

// jaxlib's eigenvalue handler, given matrices without rows, asks for a workspace of arbitrary size
// and throws.
TEST_F(FfiCalls, FailByWhatHandlersThrow) {
  handle = [&](CallFrame *frame) -> ffi::Error * {
    if (frame->stage == ffi::Stage::Execute) {
      throw std::runtime_error("no workspace");
    }
    return nullptr;
  };
  std::unique_ptr<PreparedCall> call = prepare();
  ASSERT_TRUE(call);
  Status status = call->run({}, {}, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::HostCallFailed);
  EXPECT_EQ(status.error().message, "`@t` threw no workspace");
}

TEST(PlainCalls, FailByWhatFunctionsThrow) {
  auto function = +[](void *, const void **) { throw std::runtime_error("no workspace"); };
  Status registered = registerHostCode(
      "throws", PlainFunction{reinterpret_cast<void *>(function), HostInterface::Original});
  ASSERT_TRUE(registered);
  Result<std::unique_ptr<PreparedCall>> call =
      prepareCall({.interface = HostInterface::Original, .target = "throws"}, "");
  ASSERT_TRUE(call) << call.error().str();
  Status status = (*call)->run({}, {}, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "`@throws` threw no workspace");
}

// Tasks run concurrently with the handler, which waits for them. If the handler runs on a job
// thread, that thread runs the tasks itself.
TEST_F(FfiCalls, SpreadTasksOverThreads) {
  struct Task {
    std::atomic<int> left{8};
    std::atomic<bool> wasElsewhere{false};
    std::thread::id caller = std::this_thread::get_id();
  };
  int64_t threads = 0;
  bool wasElsewhere = false;
  handle = [&](CallFrame *frame) -> ffi::Error * {
    if (frame->stage == ffi::Stage::Instantiate) {
      return nullptr;
    }
    ffi::ThreadPoolThreads count = {sizeof(count), nullptr, frame->context, &threads};
    EXPECT_EQ(frame->api->threadCount(&count), nullptr);
    Task task;
    for (int i = 0; i < 8; ++i) {
      ffi::ThreadPoolSchedule schedule = {sizeof(schedule), nullptr, frame->context,
                                          [](void *data) {
                                            auto &task = *static_cast<Task *>(data);
                                            if (std::this_thread::get_id() != task.caller) {
                                              task.wasElsewhere = true;
                                            }
                                            if (--task.left == 0) {
                                              task.left.notify_one();
                                            }
                                          },
                                          &task};
      EXPECT_EQ(frame->api->schedule(&schedule), nullptr);
    }
    for (int left = task.left; left > 0; left = task.left) {
      task.left.wait(left);
    }
    wasElsewhere = task.wasElsewhere;
    return nullptr;
  };
  std::unique_ptr<PreparedCall> call = prepare();
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->run({}, {}, {}));
  EXPECT_EQ(threads, 1);
  EXPECT_FALSE(wasElsewhere);
  ThreadPool pool(3, 3);
  EXPECT_TRUE(call->run({}, {}, {.pool = &pool}));
  EXPECT_EQ(threads, 3);
  EXPECT_TRUE(wasElsewhere);
  std::atomic<bool> isDone{false};
  pool.jobs().submit([&] {
    EXPECT_TRUE(call->run({}, {}, {.pool = &pool}));
    EXPECT_FALSE(wasElsewhere);
    isDone = true;
    isDone.notify_one();
  });
  isDone.wait(false);
}

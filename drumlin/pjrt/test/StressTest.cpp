// Threads that dispatch, compile, donate, delete, view, copy, wait and serialize concurrently, on
// shared arrays and programs whose values are known.
#include "drumlin/pjrt/test/Calls.h"

#include <chrono>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

using namespace drumlin::pjrt;

static constexpr int threadCount = 8;
static constexpr size_t slotCount = 24, keptCount = 16;

// Returns the test's duration, which an environment variable can set for longer runs by hand.
static std::chrono::seconds duration() {
  const char *given = std::getenv("DRUMLIN_STRESS_SECONDS");
  return std::chrono::seconds(given ? std::strtol(given, nullptr, 10) : STRESS_SECONDS);
}

namespace {
// A scalar buffer with its present or future value.
struct Value {
  Owned<Buffer> buffer;
  float expected = 0;
  bool fails = false;
};
using Shared = std::shared_ptr<const Value>;

// An alias buffer that isn't fulfilled yet.
struct Promise {
  FulfillAliasBufferCallback *callback;
  float value;
  bool fails;
};

struct World {
  Owned<Client> client = makeClient();
  Owned<Buffer> x, y, empty;
  std::mutex mutex;
  std::vector<Shared> values = std::vector<Shared>(slotCount);
  std::vector<std::shared_ptr<LoadedExecutable>> programs;
  std::deque<Promise> promises;

  World() {
    std::vector<float> data(1000, 1);
    x = makeBuffer(client.get(), data.data(), BufferType::F32, {10, 100});
    y = makeBuffer(client.get(), data.data(), BufferType::F32, {10, 100});
    empty = makeBuffer(client.get(), data.data(), BufferType::F32, {0});
    for (const char *code : codes) {
      programs.emplace_back(compile(client.get(), code));
    }
    for (Shared &value : values) {
      value = make(0);
    }
  }
  static constexpr const char *codes[] = {"plain", "plain donate", "plain slow",
                                          "plain donate slow"};

  Shared make(float number) const {
    return std::make_shared<Value>(
        Value{makeBuffer(client.get(), &number, BufferType::F32, {}), number});
  }
  void fulfilAll() {
    for (;;) {
      Promise promise{};
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (promises.empty()) {
          return;
        }
        promise = promises.front();
        promises.pop_front();
      }
      fulfil(promise);
    }
  }
  void fulfil(const Promise &promise) const {
    Owned<Buffer> from = makeBuffer(client.get(), &promise.value, BufferType::F32, {});
    get(ClientFulfillAliasBufferArgs{.client = client.get(),
                                     .buffer = from.get(),
                                     .statusCode =
                                         promise.fails ? ErrorCode::Aborted : ErrorCode::Ok,
                                     .errorMessage = "no more",
                                     .errorMessageSize = 7,
                                     .fulfillAliasBufferCb = promise.callback});
  }
};

// The work of one thread. Calls fail with InvalidArgument if another thread has deleted their array
// or program.
struct Worker {
  World &world;
  std::mt19937 random;
  std::deque<Shared> kept = {};
  size_t dispatches = 0, deleted = 0;

  size_t below(size_t limit) { return random() % limit; }
  Shared pick() {
    std::lock_guard<std::mutex> lock(world.mutex);
    return world.values[below(slotCount)];
  }
  void put(Shared value) {
    {
      std::lock_guard<std::mutex> lock(world.mutex);
      std::swap(world.values[below(slotCount)], value);
    }
    keep(std::move(value));
  }
  // Keeps a value; if there are too many, drops a random one.
  void keep(Shared value) {
    kept.push_back(std::move(value));
    if (kept.size() > keptCount) {
      kept.erase(kept.begin() + static_cast<ptrdiff_t>(below(kept.size())));
    }
  }
  bool isThere(const Answer &answer) {
    EXPECT_TRUE(answer == ErrorCode::Ok || answer == ErrorCode::InvalidArgument) << answer.message;
    deleted += answer == ErrorCode::InvalidArgument;
    return answer == ErrorCode::Ok;
  }
  void checkEnd(const Value &value, const Answer &answer) {
    EXPECT_EQ(answer, value.fails ? ErrorCode::Aborted : ErrorCode::Ok);
  }

  void dispatch() {
    size_t number = below(std::size(World::codes));
    std::shared_ptr<LoadedExecutable> program;
    {
      std::lock_guard<std::mutex> lock(world.mutex);
      program = world.programs[number];
    }
    Shared value = pick();
    Execution run(program.get(),
                  {world.x.get(), world.y.get(), value->buffer.get(), world.empty.get()});
    if (!isThere(run.answer)) {
      return;
    }
    ++dispatches;
    EXPECT_TRUE(number % 2 == 0 || isDeleted(value->buffer.get()));
    put(std::make_shared<Value>(
        Value{std::move(run.results[2]), value->expected + 1, value->fails}));
    if (below(4) == 0) {
      world.fulfilAll();
      checkEnd(*value, run.wait());
      if (!value->fails) {
        EXPECT_EQ(readAs<float>(run.results[1].get()), std::vector<float>{3000});
      }
    }
  }
  void read() {
    Shared value = pick();
    float room[2] = {-1, -1};
    BufferToHostBufferArgs args{.src = value->buffer.get(), .dst = room, .dstSize = 4};
    if (isThere(ask(args))) {
      world.fulfilAll();
      checkEnd(*value, end(args.event));
      EXPECT_EQ(room[0], value->fails ? -1 : value->expected);
      EXPECT_EQ(room[1], -1);
    }
  }
  void view() {
    Shared value = pick();
    if (!isThere(tried(BufferIncreaseExternalReferenceCountArgs{.buffer = value->buffer.get()}))) {
      return;
    }
    world.fulfilAll();
    checkEnd(*value, wait(value->buffer.get()));
    auto *data = static_cast<const volatile float *>(
        get(BufferOpaqueDeviceMemoryDataPointerArgs{.buffer = value->buffer.get()})
            .deviceMemoryPtr);
    for (int i = 0; i < 3 && !value->fails && isMemoryHosts; ++i) {
      EXPECT_EQ(*data, value->expected);
      std::this_thread::yield();
    }
    get(BufferDecreaseExternalReferenceCountArgs{.buffer = value->buffer.get()});
  }
  void copy() {
    Shared value = pick();
    Memory *memory = get(ClientAddressableMemoriesArgs{.client = world.client.get()})
                         .addressableMemories[below(3)];
    BufferCopyToMemoryArgs args{.buffer = value->buffer.get(), .dstMemory = memory};
    if (isThere(ask(args))) {
      put(std::make_shared<Value>(
          Value{Owned<Buffer>(args.dstBuffer), value->expected, value->fails}));
    }
  }
  void share() {
    Shared value = pick();
    BufferBitcastArgs args{.buffer = value->buffer.get(), .elementType = BufferType::F32};
    if (isThere(ask(args))) {
      put(std::make_shared<Value>(
          Value{Owned<Buffer>(args.outBuffer), value->expected, value->fails}));
    }
  }
  void copyLater() {
    Shared value = pick();
    BufferCopyRawToHostFutureArgs args{.buffer = value->buffer.get(), .transferSize = 4};
    if (!isThere(ask(args))) {
      return;
    }
    dispatch();
    float room = -1;
    BufferCopyRawToHostFutureCallbackArgs ready{
        .structSize = sizeof(ready), .callbackData = args.callbackData, .dst = &room};
    args.futureReadyCallback(&ready);
    world.fulfilAll();
    checkEnd(*value, end(args.event));
    EXPECT_EQ(room, value->fails ? -1 : value->expected);
  }
  void promise() {
    LaterScalar later(world.client.get());
    auto value = std::make_shared<Value>(
        Value{std::move(later.buffer), static_cast<float>(below(1000)), below(8) == 0});
    {
      std::lock_guard<std::mutex> lock(world.mutex);
      world.promises.push_back({later.callback, value->expected, value->fails});
    }
    put(std::move(value));
  }
  void lend() {
    struct alignas(64) Host {
      float value[16];
    };
    auto *host = new Host{{static_cast<float>(below(1000))}};
    auto made = get(ClientBufferFromHostBufferArgs{
        .client = world.client.get(),
        .data = host,
        .type = BufferType::F32,
        .hostBufferSemantics = below(2) ? HostBufferSemantics::ImmutableZeroCopy
                                        : HostBufferSemantics::MutableZeroCopy});
    float expected = host->value[0];
    get(EventOnReadyArgs{.event = made.doneWithHostBuffer,
                         .callback =
                             [](Error *error, void *memory) {
                               EXPECT_EQ(take(error), ErrorCode::Ok);
                               delete static_cast<Host *>(memory);
                             },
                         .userArg = host});
    get(EventDestroyArgs{.event = made.doneWithHostBuffer});
    put(std::make_shared<Value>(Value{Owned<Buffer>(made.buffer), expected}));
  }
  void remove() { get(BufferDeleteArgs{.buffer = pick()->buffer.get()}); }
  void listen() {
    Shared value = pick();
    Owned<Event> event(get(BufferReadyEventArgs{.buffer = value->buffer.get()}).event);
    get(EventOnReadyArgs{.event = event.get(),
                         .callback =
                             [](Error *error, void *fails) {
                               EXPECT_EQ(take(error), fails ? ErrorCode::Aborted : ErrorCode::Ok);
                             },
                         .userArg = value->fails ? this : nullptr});
  }
  void compileAgain() {
    size_t number = below(std::size(World::codes));
    std::shared_ptr<LoadedExecutable> program;
    {
      std::lock_guard<std::mutex> lock(world.mutex);
      program = world.programs[number];
    }
    std::shared_ptr<LoadedExecutable> made;
    if (below(2) == 0) {
      made = compile(world.client.get(), World::codes[number]);
    } else {
      Owned<Executable> executable = executableOf(program.get());
      auto bytes = get(ExecutableSerializeArgs{.executable = executable.get()});
      made = Owned<LoadedExecutable>(get(ExecutableDeserializeAndLoadArgs{
                                             .client = world.client.get(),
                                             .serializedExecutable = bytes.serializedBytes,
                                             .serializedExecutableSize = bytes.serializedBytesSize})
                                         .loadedExecutable);
      bytes.serializedExecutableDeleter(bytes.serializedExecutable);
    }
    {
      std::lock_guard<std::mutex> lock(world.mutex);
      world.programs[number] = std::move(made);
    }
    if (below(2) == 0) {
      get(LoadedExecutableDeleteArgs{.executable = program.get()});
    }
  }
  void work(std::chrono::steady_clock::time_point until) {
    while (std::chrono::steady_clock::now() < until) {
      size_t kind = below(64);
      kind < 24   ? dispatch()
      : kind < 30 ? read()
      : kind < 34 ? view()
      : kind < 38 ? copy()
      : kind < 42 ? share()
      : kind < 46 ? copyLater()
      : kind < 50 ? promise()
      : kind < 54 ? lend()
      : kind < 58 ? listen()
      : kind < 60 ? remove()
      : kind < 63 ? put(world.make(static_cast<float>(kind)))
                  : compileAgain();
    }
  }
};
} // namespace

TEST(SlowPjrtStress, ThreadsDoEverythingAtOnce) {
  auto until = std::chrono::steady_clock::now() + duration();
  World world;
  std::vector<Worker> workers;
  for (unsigned i = 0; i < threadCount; ++i) {
    workers.push_back({world, randomNumbers(i)});
  }
  std::vector<std::thread> threads;
  for (Worker &worker : workers) {
    threads.emplace_back([&worker, until] { worker.work(until); });
  }
  size_t dispatches = 0, deleted = 0;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    dispatches += workers[i].dispatches;
    deleted += workers[i].deleted;
  }
  world.fulfilAll();
  // All memory is freed once the last run has ended.
  std::vector<Shared> last = std::move(world.values);
  for (const Shared &value : last) {
    EXPECT_EQ(wait(value->buffer.get()), value->fails ? ErrorCode::Aborted : ErrorCode::Ok);
  }
  last.clear();
  workers.clear();
  world.programs.clear();
  for (Owned<Buffer> *each : {&world.x, &world.y, &world.empty}) {
    each->reset();
  }
  EXPECT_GT(dispatches, 100U);
  std::printf("%zu dispatches; %zu calls found what they asked for deleted\n", dispatches, deleted);
  Device *device = get(ClientDevicesArgs{.client = world.client.get()}).devices[0];
  auto inUse = [&] { return get(DeviceMemoryStatsArgs{.device = device}).bytesInUse; };
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (inUse() != 0 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::yield();
  }
  EXPECT_EQ(inUse(), 0);
}

// Tests that many runs with donation, and with arrays of any lifetime, don't grow the device's
// memory in use.
#include "drumlin/pjrt/test/Calls.h"

#include <deque>
#include <fstream>
#include <unistd.h>

using namespace drumlin::pjrt;

static int64_t residentBytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream file("/proc/self/statm");
  EXPECT_TRUE(file >> pages >> resident);
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(SlowPjrtSoak, MemoryStaysFlat) {
  constexpr int dispatches = 100'000, settled = 20'000;
  Owned<Client> client = makeClient();
  Device *device = get(ClientDevicesArgs{.client = client.get()}).devices[0];
  std::vector<float> data(1000, 1);
  Owned<Buffer> x = makeBuffer(client.get(), data.data(), BufferType::F32, {10, 100}),
                empty = makeBuffer(client.get(), data.data(), BufferType::F32, {0}), total;
  const char *codes[] = {"plain donate", "plain donate slow", "plain"};
  std::vector<Owned<LoadedExecutable>> programs;
  for (const char *code : codes) {
    programs.push_back(compile(client.get(), code));
  }
  std::mt19937 random = randomNumbers(1);
  std::deque<Owned<Buffer>> kept;
  std::deque<Owned<Event>> events;
  float expected = 0;
  int64_t before = 0, peak = 0;
  total = makeBuffer(client.get(), &expected, BufferType::F32, {});
  for (int i = 0; i < dispatches; ++i) {
    if (i == settled) {
      before = residentBytes();
      peak = get(DeviceMemoryStatsArgs{.device = device}).peakBytesInUse;
    }
    size_t number = random() % 3;
    if (random() % 1000 == 0) {
      programs[number] = compile(client.get(), codes[number]);
    }
    Execution run(programs[number].get(), {x.get(), x.get(), total.get(), empty.get()});
    ASSERT_EQ(run.answer, ErrorCode::Ok);
    kept.push_back(std::move(total));
    total = std::move(run.results[2]);
    expected += 1;
    for (Owned<Buffer> &result : run.results) {
      if (result && random() % 2) {
        kept.push_back(std::move(result));
      }
    }
    events.push_back(std::move(run.done));
    while (kept.size() > 64) {
      size_t place = random() % kept.size();
      std::swap(kept[place], kept.front());
      kept.pop_front();
    }
    // Limits pending runs, as frameworks do.
    if (events.size() > 32) {
      EXPECT_EQ(tried(EventAwaitArgs{.event = events.front().get()}), ErrorCode::Ok);
      events.pop_front();
    }
    if (random() % 1000 == 0) {
      ASSERT_EQ(readAs<float>(total.get()), std::vector<float>{expected});
    }
  }
  EXPECT_EQ(readAs<float>(total.get()), std::vector<float>{expected});
  EXPECT_LT(residentBytes() - before, int64_t(MAX_GROWN_MIB) << 20);
  // Allows for arrays that are kept and for runs in progress.
  EXPECT_LT(get(DeviceMemoryStatsArgs{.device = device}).peakBytesInUse, peak + (1 << 20));
  for (Owned<Event> &event : events) {
    EXPECT_EQ(tried(EventAwaitArgs{.event = event.get()}), ErrorCode::Ok);
  }
  events.clear();
  kept.clear();
  for (Owned<Buffer> *each : {&x, &empty, &total}) {
    each->reset();
  }
  EXPECT_EQ(get(DeviceMemoryStatsArgs{.device = device}).bytesInUse, 0);
}

// The devices of the tests' clients: the host or, if UNREADABLE is set, a device whose memory the
// host can't read and whose queue delays jobs at random. Programs of such a device also run on host
// threads, which access its memory through a second mapping.
#include "drumlin/pjrt/Devices.h"
#include "drumlin/runtime/device/HostDevice.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <sys/mman.h>
#include <thread>

namespace drumlin::pjrt {

namespace {
class UnreadableMemory : public DeviceMemory {
public:
  std::optional<Block> take(size_t bytes) override {
    std::optional<AlignedMemory> shadow = AlignedMemory::allocate(bytes);
    if (!shadow) {
      return std::nullopt;
    }
    void *mapped = mmap(nullptr, mappedBytes(bytes), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      return std::nullopt;
    }
    Block block;
    block.address = static_cast<std::byte *>(mapped);
    block.bytes = bytes;
    std::lock_guard<std::mutex> lock(mutex);
    blocks.emplace(block.address, std::move(*shadow));
    return block;
  }
  void giveBack(Block block) override {
    {
      std::lock_guard<std::mutex> lock(mutex);
      blocks.erase(block.address);
    }
    munmap(block.address, mappedBytes(block.bytes));
  }
  bool isHosts() const override { return false; }
  void copyFromHost(std::byte *to, const std::byte *from, size_t bytes) override {
    if (bytes != 0) {
      std::memcpy(shadowOf(to), from, bytes);
    }
  }
  void copyToHost(std::byte *to, const std::byte *from, size_t bytes) override {
    if (bytes != 0) {
      std::memcpy(to, shadowOf(from), bytes);
    }
  }
  // Returns the host address for a device address. Memory lent by callers has the same address on
  // both.
  std::byte *shadowOf(const void *address) {
    auto *place = static_cast<std::byte *>(const_cast<void *>(address));
    std::lock_guard<std::mutex> lock(mutex);
    auto behind = blocks.upper_bound(place);
    if (behind == blocks.begin()) {
      return place;
    }
    auto &[first, shadow] = *std::prev(behind);
    auto offset = static_cast<size_t>(place - first);
    return offset <= shadow.size() ? shadow.data() + offset : place;
  }

private:
  static size_t mappedBytes(size_t bytes) {
    constexpr size_t page = 4096;
    return (bytes + page) / page * page;
  }

  std::mutex mutex;
  std::map<std::byte *, AlignedMemory> blocks; // maps a device address to memory
};

class LateQueue : public Queue {
public:
  explicit LateQueue(Queue &queue) : queue(queue) {}
  void submit(std::function<void()> job) override { queue.submit(late(std::move(job))); }
  [[nodiscard]] bool submitTogether(std::vector<std::function<void()>> jobs) override {
    for (std::function<void()> &job : jobs) {
      job = late(std::move(job));
    }
    return queue.submitTogether(std::move(jobs));
  }

private:
  std::function<void()> late(std::function<void()> job) {
    std::lock_guard<std::mutex> lock(mutex);
    // Half of the jobs aren't delayed, so that they overtake delayed ones.
    int64_t most = std::uniform_int_distribution<int>(0, 1)(random) == 0 ? 0 : 300;
    std::chrono::microseconds delay(std::uniform_int_distribution<int64_t>(0, most)(random));
    return [job = std::move(job), delay] {
      if (delay.count() != 0) {
        std::this_thread::sleep_for(delay);
      }
      job();
    };
  }

  Queue &queue;
  std::mutex mutex;
  std::mt19937 random{1};
};

class UnreadableDevice : public drumlin::Device {
public:
  explicit UnreadableDevice(unsigned threads) : host(threads) {}
  DeviceMemory &memory() override { return unreadable; }
  Queue &queue() override { return late; }
  double measureHandOver() override { return host.measureHandOver(); }
  Result<std::unique_ptr<drumlin::Executable>>
  load(std::span<const std::byte> image, const std::string &name, LoadOptions options) override {
    return host.load(image, name, std::move(options));
  }
  Status run(drumlin::Executable &executable, const RunRequest &request) override {
    std::vector<const void *> args;
    std::vector<void *> results;
    for (const void *each : request.args) {
      args.push_back(unreadable.shadowOf(each));
    }
    for (void *each : request.results) {
      results.push_back(unreadable.shadowOf(each));
    }
    RunRequest there = request;
    there.args = args;
    there.results = results;
    return host.run(executable, there);
  }

private:
  UnreadableMemory unreadable;
  HostDevice host;
  LateQueue late{host.queue()};
};
} // namespace

std::shared_ptr<drumlin::Device> makeDevice(unsigned threads) {
#ifdef UNREADABLE
  return std::make_shared<UnreadableDevice>(threads);
#else
  return std::make_shared<HostDevice>(threads);
#endif
}

} // namespace drumlin::pjrt

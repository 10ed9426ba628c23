// A client, its devices, their memories and their descriptions. Only the code that creates the
// topology sets the number of devices.
#pragma once

#include "drumlin/pjrt/Outcome.h"
#include "drumlin/pjrt/Storage.h"
#include "drumlin/runtime/device/Device.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace drumlin::pjrt {

// Returns the platform's name, by which frameworks choose lowering rules: `cpu`, since code lowered
// for it runs here.
const std::string &platformName();
// Returns the version of Drumlin and the processor: frameworks cache compiled programs under it.
const std::string &platformVersion();

// The kinds of memory that a device can access. All are the machine's main memory.
inline constexpr const char *memoryKinds[] = {"device", "pinned_host", "unpinned_host"};
inline constexpr size_t memoryKindCount = std::size(memoryKinds);

struct DeviceDescription {
  int id = 0;
  std::string kind, debugString, string;
};

struct TopologyDescription {
  std::vector<DeviceDescription> devices;
  std::vector<DeviceDescription *> list; // contains pointers to `devices`

  static std::unique_ptr<TopologyDescription> make(unsigned devices = 1);
  TopologyDescription() = default;
  TopologyDescription(const TopologyDescription &) = delete;
  TopologyDescription &operator=(const TopologyDescription &) = delete;
};

struct Memory {
  const MemoryTable *table; // must be the first member: callers read it
  Client *client;
  Device *device;
  int id, kind; // `kind` is an index of `memoryKinds`
  std::string debugString, string;

  // Data that callers attach to a memory under their own keys.
  struct UserData {
    void *data;
    void (*destroy)(void *);
  };
  std::mutex mutex;
  std::map<const void *, UserData> userData;

  Memory(Client &client, Device &device, int id, int kind);
  ~Memory();
};

// Orders the ends of a device's runs that call other code: none ends before an earlier one. Needed
// since a framework that waits for the effects of all runs waits only for the last one.
class CallOrder : public std::enable_shared_from_this<CallOrder> {
public:
  // Returns a completion that has the outcome of `run`, and becomes ready after `run` and all
  // earlier runs.
  std::shared_ptr<Completion> append(const std::shared_ptr<Completion> &run);

private:
  void advance();

  struct Entry {
    std::shared_ptr<Completion> run, made;
  };
  std::mutex mutex;
  std::deque<Entry> waiting;
  bool isAdvancing = false;
};

// A device with its own threads, memory and statistics.
struct Device {
  Client *client;
  DeviceDescription *description;
  const std::shared_ptr<drumlin::Device> machine;
  std::vector<std::unique_ptr<Memory>> memories; // the first one is the default memory
  std::vector<Memory *> memoryList;
  Device *self = this; // for calls that take a list of devices
  const std::shared_ptr<MemoryStatistics> statistics;
  std::shared_ptr<CallOrder> calls = std::make_shared<CallOrder>();

  Device(Client *client, DeviceDescription *description, std::shared_ptr<drumlin::Device> given)
      : client(client), description(description), machine(std::move(given)),
        statistics(std::make_shared<MemoryStatistics>(machine)) {}
  Memory &defaultMemory() { return *memories.front(); }
};

// The unfinished runs of a client. If the client is destroyed first, this object lives until the
// last run has ended.
class RunningPrograms {
public:
  // Creates and registers the object for a new client.
  static std::shared_ptr<RunningPrograms> make();
  // Waits until no client has unfinished runs.
  static void waitForAllClients();

  void begin();
  void end();
  void waitForAll();

private:
  std::mutex mutex;
  std::condition_variable changed;
  size_t count = 0;
};

struct Client {
  std::unique_ptr<TopologyDescription> topology;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<Device *> deviceList;
  std::vector<Memory *> memoryList;
  std::shared_ptr<RunningPrograms> running = RunningPrograms::make();
  // Programs that are expected to take at most this many seconds run on the caller's thread. It is
  // a multiple of the time of handing a run to another thread, which is measured when the client is
  // created.
  double secondsOnCallersThread = 0;

  // Creates a client; `threads` is per device, as in ClientOptions.
  explicit Client(std::unique_ptr<TopologyDescription> topology, unsigned threads);
  ~Client() { running->waitForAll(); }
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  // Returns the device with this id, or null.
  Device *find(int64_t id) const;
};

} // namespace drumlin::pjrt

// A client and what it consists of: devices, their memories, and what describes them. How many
// devices there are is decided where the topology is made, and nowhere else.
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

// The name that frameworks choose lowering rules by: code for it runs here.
const std::string &platformName();
// Says which version of Drumlin on which processor: compiled programs are kept under it.
const std::string &platformVersion();

// The kinds of memory that a device reaches. All are the machine's own.
inline constexpr const char *memoryKinds[] = {"device", "pinned_host", "unpinned_host"};
inline constexpr size_t memoryKindCount = std::size(memoryKinds);

struct DeviceDescription {
  int id = 0;
  std::string kind, debugString, string;
};

struct TopologyDescription {
  std::vector<DeviceDescription> devices;
  std::vector<DeviceDescription *> list; // of the same

  static std::unique_ptr<TopologyDescription> make(unsigned devices = 1);
  TopologyDescription() = default;
  TopologyDescription(const TopologyDescription &) = delete;
  TopologyDescription &operator=(const TopologyDescription &) = delete;
};

struct Memory {
  const MemoryTable *table; // callers read it
  Client *client;
  Device *device;
  int id, kind; // a place in `memoryKinds`
  std::string debugString, string;

  // What callers keep with a memory, by keys of theirs.
  struct UserData {
    void *data;
    void (*destroy)(void *);
  };
  std::mutex mutex;
  std::map<const void *, UserData> userData;

  Memory(Client &client, Device &device, int id, int kind);
  ~Memory();
};

// The runs of a device that call other code, in the order of their beginnings. A framework that
// waits for all effects waits for the last run alone.
class CallOrder : public std::enable_shared_from_this<CallOrder> {
public:
  // Ready with the outcome of `run` when it is and the runs before are.
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

// With threads, memory and statistics of its own.
struct Device {
  Client *client;
  DeviceDescription *description;
  const std::shared_ptr<drumlin::Device> machine;
  std::vector<std::unique_ptr<Memory>> memories; // the first one is the default
  std::vector<Memory *> memoryList;
  Device *self = this; // a list of one device
  const std::shared_ptr<MemoryStatistics> statistics;
  std::shared_ptr<CallOrder> calls = std::make_shared<CallOrder>();

  Device(Client *client, DeviceDescription *description, std::shared_ptr<drumlin::Device> given)
      : client(client), description(description), machine(std::move(given)),
        statistics(std::make_shared<MemoryStatistics>(machine)) {}
  Memory &defaultMemory() { return *memories.front(); }
};

// The runs of a client that haven't ended. Outlives the client where runs do.
class RunningPrograms {
public:
  // Of a client that is new.
  static std::shared_ptr<RunningPrograms> make();
  // Returns when no client has any.
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
  // How much later a caller has its result if the run is handed to another thread, measured when
  // the client is made. Programs that are predicted to take no longer run on the caller's thread.
  double handOverSeconds = 0;

  // `threads`: of each device, as ClientOptions has them.
  explicit Client(std::unique_ptr<TopologyDescription> topology, unsigned threads);
  ~Client() { running->waitForAll(); }
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  // Null where there is none.
  Device *find(int64_t id) const;
};

} // namespace drumlin::pjrt

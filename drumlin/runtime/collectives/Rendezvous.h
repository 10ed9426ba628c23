// Where the processes of one run meet. Each is a thread of this one, reads what it takes from the
// memory of those that bring it, and goes on once all that take from it have done so.
#pragma once

#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/support/Exchange.h"
#include "drumlin/support/ProcessGroups.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace drumlin {

// An exchange as all runs need it.
struct PreparedExchange {
  ExchangeTable table;
  // Calls of one number are one meeting: whichever of them a process comes to, it meets those that
  // come to any other.
  size_t meeting = 0;
  std::vector<std::vector<int64_t>> givers, takers; // of each process
};

PreparedExchange prepareExchange(ExchangeTable table, size_t meeting);

class Rendezvous {
public:
  Rendezvous(GridShape grid, size_t meetings);
  Rendezvous(const Rendezvous &) = delete;
  Rendezvous &operator=(const Rendezvous &) = delete;

  const GridShape &grid() const { return shape; }

  // A process's part of an exchange: its n-th visit to a meeting meets the n-th of the others.
  // Fails with the error that ended the run, with ProcessesBlocked where all that still run wait,
  // and as takeOperands() does. Nobody reads the operands after it has returned.
  Status exchange(int64_t process, const PreparedExchange &exchange, const HostCall &call,
                  HostBuffers operands, HostBuffers results);

  // Channels keep what is sent until it is received, in order. ProcessGridMismatch where it is
  // received as other values than were sent, OutOfMemory.
  Status send(int64_t process, int64_t to, const HostCall &call, HostBuffers operands);
  Status receive(int64_t process, int64_t from, const HostCall &call, HostBuffers results);

  // A process has ended. An error ends all others where they wait.
  void end(int64_t process, const Status &status);
  // The error that ended the run, if one did: the first. After all have ended.
  const std::optional<Diagnostic> &error() const { return failure; }

private:
  // A process's visits to a meeting.
  struct Arrival {
    uint64_t visits = 0;
    HostBuffers operands;
    size_t missingTakers = 0; // that don't have the operands yet
    size_t copying = 0;       // that read them at this moment
  };
  struct Process {
    std::condition_variable woken;
    size_t missing = 0;             // what it waits for; 0: it doesn't wait
    const void *waitsFor = nullptr; // one of its arrivals' counts, or a queue
    std::string place;
  };
  using Payload = std::vector<std::pair<AlignedMemory, size_t>>; // with the bytes of each value
  using Queue = std::deque<Payload>;

  Arrival &arrivalAt(size_t meeting, int64_t process) {
    return arrivals[meeting * processes.size() + static_cast<size_t>(process)];
  }
  Process &at(int64_t process) { return processes[static_cast<size_t>(process)]; }
  // All of these are called under the mutex.
  bool wait(std::unique_lock<std::mutex> &lock, int64_t process, size_t missing,
            const void *waitsFor, const HostCall &call);
  void countDown(int64_t process, const void *waitsFor);
  void fail(Diagnostic diagnostic);
  void failWhereBlocked();
  bool waitForGivers(std::unique_lock<std::mutex> &lock, int64_t process,
                     const PreparedExchange &exchange, const HostCall &call);
  Queue &queueOf(const HostCall &call, int64_t from, int64_t to) {
    return queues[{call.target, from, to}];
  }

  GridShape shape;
  std::mutex mutex;
  std::vector<Process> processes;
  std::vector<Arrival> arrivals; // by meeting and process
  std::map<std::tuple<std::string, int64_t, int64_t>, Queue> queues;
  size_t running, waiting = 0;
  std::optional<Diagnostic> failure;
};

} // namespace drumlin

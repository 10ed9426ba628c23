// Communication between the processes of one run, each of which is a thread. A process copies
// operands directly from the memory of the processes that give them. It continues once all
// processes that take its own operands have copied them.
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

// An exchange, and for each process the processes that give it operands and those that take its
// operands. Computed once for all runs.
struct PreparedExchange {
  ExchangeTable table;
  // The number of the meeting. Processes meet if they call exchanges with the same number, even if
  // these are different calls of the program.
  size_t meeting = 0;
  std::vector<std::vector<int64_t>> givers, takers; // by process
};

PreparedExchange prepareExchange(ExchangeTable table, size_t meeting);

class Rendezvous {
public:
  Rendezvous(GridShape grid, size_t meetings);
  Rendezvous(const Rendezvous &) = delete;
  Rendezvous &operator=(const Rendezvous &) = delete;

  const GridShape &grid() const { return shape; }

  // Performs a process's side of an exchange: its n-th visit to a meeting matches the n-th visits
  // of all other processes. Fails with the error that ended the run, with ProcessesBlocked if all
  // running processes wait, and as takeOperands() does. After it returns, no process reads the
  // operands.
  Status exchange(int64_t process, const PreparedExchange &exchange, const HostCall &call,
                  HostBuffers operands, HostBuffers results);

  // Sends values on a channel, which keeps them in order until receive() takes them. send() fails
  // with OutOfMemory; receive() fails with ProcessGridMismatch if the received values' sizes differ
  // from those of the sent values.
  Status send(int64_t process, int64_t to, const HostCall &call, HostBuffers operands);
  Status receive(int64_t process, int64_t from, const HostCall &call, HostBuffers results);

  // Marks a process as ended. An error ends all processes that wait.
  void end(int64_t process, const Status &status);
  // Returns the first error, which ended the run, if any. Valid after all processes have ended.
  const std::optional<Diagnostic> &error() const { return failure; }

private:
  // The state of one process at one meeting.
  struct Arrival {
    uint64_t visits = 0;
    HostBuffers operands;
    size_t missingTakers = 0; // processes that haven't copied the operands yet
    size_t copying = 0;       // processes that are copying the operands now
  };
  struct Process {
    std::condition_variable woken;
    size_t missing = 0;             // the number of events that the process waits for
    const void *waitsFor = nullptr; // what counts these events: an arrival's counter, or a queue
    std::string place;
  };
  using Payload = std::vector<std::pair<AlignedMemory, size_t>>; // memory and bytes of each value
  using Queue = std::deque<Payload>;

  Arrival &arrivalAt(size_t meeting, int64_t process) {
    return arrivals[meeting * processes.size() + static_cast<size_t>(process)];
  }
  Process &at(int64_t process) { return processes[static_cast<size_t>(process)]; }
  // The caller of these functions holds the mutex.
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
  std::vector<Arrival> arrivals; // indexed by meeting and process
  std::map<std::tuple<std::string, int64_t, int64_t>, Queue> queues;
  size_t running, waiting = 0;
  std::optional<Diagnostic> failure;
};

} // namespace drumlin

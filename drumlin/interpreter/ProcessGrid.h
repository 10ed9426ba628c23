// The state that the processes of a running grid share. The processes run one at a time, in a fixed
// order; each runs until it waits for another process or ends. So nothing depends on the machine's
// scheduling, and only the turn itself needs a lock.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/ProcessGroups.h"
#include "drumlin/support/Tensor.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace drumlin {

class ProcessGrid {
public:
  using Tensors = std::vector<Tensor>;

  ProcessGrid(GridShape shape, std::vector<Tensors> infeed);

  const GridShape &shape() const { return gridShape; }
  const std::vector<Tensors> &outfeed() const { return written; }

  // Executed operations and live bytes of all processes together, for the limits.
  int64_t steps = 0;
  int64_t liveBytes = 0;

  //===-- turns -------------------------------------------------------------------------------===//

  // A process calls `begin` to wait for its first turn and `end` to pass the turn on; an error ends
  // all processes.
  void begin(size_t process);
  void end(size_t process, const Diagnostic *error);
  // Returns the error that ended the run, if any.
  const std::optional<Diagnostic> &error() const { return failure; }

  //===-- exchanges between processes ---------------------------------------------------------===//

  // Waits until every process of the group has called exchange() with this name equally often.
  // Returns the tensors that each process passed as `brought` in this call, in the group's order.
  // Errors: the error that ended the run, ProcessesBlocked.
  Result<std::vector<Tensors>> exchange(const ProcessId &self, const std::string &name,
                                        const ProcessGroup &group, Tensors brought);

  // Send and receive tensors through a channel, which keeps them in order until they are received.
  void send(const std::string &channel, Tensors payload);
  Result<Tensors> receive(const ProcessId &self, const std::string &channel);

  // Read the next values of the infeed (error: InfeedEmpty), and append values to the outfeed.
  Result<Tensors> readInfeed();
  void writeOutfeed(Tensors payload) { written.push_back(std::move(payload)); }

private:
  struct Meeting {
    std::map<size_t, Tensors> brought; // keyed by index in the group
    size_t taken = 0;
  };
  struct Process {
    bool ended = false;
    std::function<bool()> isReady; // set while the process waits
    std::string waitsFor;
  };

  size_t indexOf(const ProcessId &process) const {
    return static_cast<size_t>(process.flattened(gridShape));
  }
  // Gives the turn to other processes until isReady() returns true. Returns false if the run
  // failed.
  bool wait(size_t self, std::string what, std::function<bool()> isReady);
  void passTurn(size_t from);
  void failBlocked();

  GridShape gridShape;
  std::deque<Tensors> infeed;
  std::vector<Tensors> written;
  std::map<std::string, Meeting> meetings;
  std::map<std::string, int64_t> visits; // keyed by meeting and process
  std::map<std::string, std::deque<Tensors>> channels;

  std::mutex mutex;
  std::condition_variable turned;
  size_t turn = 0;
  std::vector<Process> processes;
  std::optional<Diagnostic> failure;
};

} // namespace drumlin

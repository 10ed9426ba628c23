// What the processes of a running grid share. They run one at a time, each until it waits for
// another or ends, always in the same order: nothing depends on the machine's scheduling, and
// nothing but the turn itself needs a lock.
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

  // What counts against the limits: of all processes together.
  int64_t steps = 0;
  int64_t liveBytes = 0;

  //===-- turns -------------------------------------------------------------------------------===//

  // A process waits for its first turn, and hands the turn on when it has ended. An error ends all.
  void begin(size_t process);
  void end(size_t process, const Diagnostic *error);
  // The error that ended the run, if one did: the first.
  const std::optional<Diagnostic> &error() const { return failure; }

  //===-- what processes do together ----------------------------------------------------------===//

  // Waits until every process of the group has come to the same meeting, by name and by how often
  // it has been to it, and gives what each brought, in the group's order. Errors: those that ended
  // the run, ProcessesBlocked.
  Result<std::vector<Tensors>> exchange(const ProcessId &self, const std::string &name,
                                        const ProcessGroup &group, Tensors brought);

  // Channels keep what is sent until it is received, in order.
  void send(const std::string &channel, Tensors payload);
  Result<Tensors> receive(const ProcessId &self, const std::string &channel);

  // The next values of the infeed (InfeedEmpty), and the way out.
  Result<Tensors> readInfeed();
  void writeOutfeed(Tensors payload) { written.push_back(std::move(payload)); }

private:
  struct Meeting {
    std::map<size_t, Tensors> brought; // by place in the group
    size_t taken = 0;
  };
  struct Process {
    bool ended = false;
    std::function<bool()> isReady; // set while it waits
    std::string waitsFor;
  };

  size_t indexOf(const ProcessId &process) const {
    return static_cast<size_t>(process.flattened(gridShape));
  }
  // Gives the turn to others until the condition holds; false when the run has failed.
  bool wait(size_t self, std::string what, std::function<bool()> isReady);
  void passTurn(size_t from);
  void failBlocked();

  GridShape gridShape;
  std::deque<Tensors> infeed;
  std::vector<Tensors> written;
  std::map<std::string, Meeting> meetings;
  std::map<std::string, int64_t> visits; // by meeting and process
  std::map<std::string, std::deque<Tensors>> channels;

  std::mutex mutex;
  std::condition_variable turned;
  size_t turn = 0;
  std::vector<Process> processes;
  std::optional<Diagnostic> failure;
};

} // namespace drumlin

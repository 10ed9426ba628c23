#include "drumlin/interpreter/ProcessGrid.h"

#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <algorithm>

namespace drumlin {

ProcessGrid::ProcessGrid(GridShape shape, std::vector<Tensors> infeed)
    : gridShape(shape),
      infeed(std::make_move_iterator(infeed.begin()), std::make_move_iterator(infeed.end())),
      processes(static_cast<size_t>(shape.processes())) {}

//===-- turns ---------------------------------------------------------------------------------===//

void ProcessGrid::begin(size_t process) {
  std::unique_lock lock(mutex);
  turned.wait(lock, [&] { return turn == process; });
}

void ProcessGrid::end(size_t process, const Diagnostic *error) {
  std::unique_lock lock(mutex);
  processes[process].ended = true;
  if (error && !failure) {
    failure = *error;
  }
  passTurn(process);
}

// Gives the turn to the next process after `from` that can continue. After a failure every process
// can continue, in order to return the error.
void ProcessGrid::passTurn(size_t from) {
  auto findNext = [&] {
    for (size_t k = 1; k <= processes.size(); ++k) {
      size_t next = (from + k) % processes.size();
      const Process &process = processes[next];
      if (!process.ended && (failure || !process.isReady || process.isReady())) {
        turn = next;
        return true;
      }
    }
    return false;
  };
  bool found = findNext();
  bool allEnded = std::all_of(processes.begin(), processes.end(),
                              [](const Process &process) { return process.ended; });
  if (!found && !allEnded) {
    failBlocked();
    findNext();
  }
  turned.notify_all();
}

void ProcessGrid::failBlocked() {
  std::string message = "no process can go on:";
  size_t named = 0;
  for (size_t i = 0; i < processes.size() && named < 4; ++i) {
    if (processes[i].ended) {
      continue;
    }
    ProcessId process{static_cast<int64_t>(i) / gridShape.partitions,
                      static_cast<int64_t>(i) % gridShape.partitions};
    message += (named++ == 0 ? " " : ", ") + process.str() + " waits in " + processes[i].waitsFor;
  }
  failure = diagnose(errors::ProcessesBlocked, std::move(message));
}

bool ProcessGrid::wait(size_t self, std::string what, std::function<bool()> isReady) {
  if (failure) {
    return false;
  }
  if (isReady()) {
    return true;
  }
  std::unique_lock lock(mutex);
  processes[self].waitsFor = std::move(what);
  processes[self].isReady = std::move(isReady);
  passTurn(self);
  turned.wait(lock, [&] { return turn == self; });
  processes[self].isReady = nullptr;
  return !failure;
}

//===-- meetings, channels, streams -----------------------------------------------------------===//

Result<std::vector<ProcessGrid::Tensors>> ProcessGrid::exchange(const ProcessId &self,
                                                                const std::string &name,
                                                                const ProcessGroup &group,
                                                                Tensors brought) {
  std::string place = name;
  for (const ProcessId &member : group) {
    place += member.str();
  }
  int64_t visit = visits[place + " " + self.str()]++;
  std::string key = place + " " + std::to_string(visit);
  size_t index = 0;
  while (group[index] != self) {
    ++index;
  }
  meetings[key].brought[index] = std::move(brought);
  bool met = wait(indexOf(self), name, [this, key, size = group.size()] {
    return meetings[key].brought.size() == size;
  });
  if (!met) {
    return *failure;
  }
  Meeting &meeting = meetings[key];
  std::vector<Tensors> all;
  for (const auto &[place, tensors] : meeting.brought) {
    all.push_back(tensors);
  }
  if (++meeting.taken == group.size()) {
    meetings.erase(key);
  }
  return all;
}

void ProcessGrid::send(const std::string &channel, Tensors payload) {
  channels[channel].push_back(std::move(payload));
}

Result<ProcessGrid::Tensors> ProcessGrid::receive(const ProcessId &self,
                                                  const std::string &channel) {
  if (!wait(indexOf(self), "recv on " + channel,
            [this, channel] { return !channels[channel].empty(); })) {
    return *failure;
  }
  std::deque<Tensors> &queue = channels[channel];
  Tensors payload = std::move(queue.front());
  queue.pop_front();
  return payload;
}

Result<ProcessGrid::Tensors> ProcessGrid::readInfeed() {
  if (infeed.empty()) {
    return diagnose(errors::InfeedEmpty, "the infeed has no more values");
  }
  Tensors payload = std::move(infeed.front());
  infeed.pop_front();
  return payload;
}

} // namespace drumlin

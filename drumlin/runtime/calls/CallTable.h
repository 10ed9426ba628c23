// The table of an image's calls to code outside of it, prepared for all runs.
#pragma once

#include "drumlin/runtime/calls/PreparedCall.h"
#include "drumlin/runtime/collectives/Rendezvous.h"

#include <string>
#include <vector>

namespace drumlin {

class CallTable {
public:
  // Prepares all calls. Fails as prepareCall() does, and with ProcessGridMismatch if calls between
  // processes don't fit the grid.
  Status prepare(const std::vector<HostCall> &calls, const GridShape &grid,
                 const std::string &location);

  // Whether the program depends on the processes of a run: some call communicates between them, or
  // returns the number of its own process.
  bool needsProcesses() const { return isOfProcesses; }
  // Returns the number of distinct meetings of the program's exchanges (PreparedExchange::meeting).
  size_t meetings() const { return meetingCount; }
  // Whether the call with this number may wait for other processes.
  bool mayWait(size_t number) const { return entries.at(number).mayWait(); }

  // Sets the function that performs transfers with the host (infeed, outfeed, send, recv). It is
  // called on the thread of the process that makes the transfer, with the process's number. Not
  // allowed during a run.
  using TransferCaller = std::function<Status(const HostCall &call, int64_t process,
                                              HostBuffers operands, HostBuffers results)>;
  void setTransfers(TransferCaller caller) { transfers = std::move(caller); }

  // Makes the call with this number. `buffers` are the call's operands, then its results, without
  // tokens.
  Status call(size_t number, void *const *buffers, const HostRun &run) const;

private:
  struct Entry {
    HostCall call;
    std::unique_ptr<PreparedCall> prepared = {}; // null unless the call is of registered code
    std::optional<PreparedExchange> exchange = {};
    std::vector<int64_t> peers = {}; // only filled for `send` and `recv` between processes

    bool isOfProcesses() const { return mayWait() || call.interface == HostInterface::Process; }
    bool mayWait() const { return exchange || !peers.empty(); }
  };
  Status prepare(Entry &entry, const GridShape &grid, const std::string &location);
  size_t meetingOf(const HostCall &call) const;
  // Makes a call. `call` is the entry's call with the shapes that its values have in this run.
  Status call(const Entry &entry, const HostCall &call, void *const *buffers,
              const HostRun &run) const;
  static Status callProcesses(const Entry &entry, const HostCall &call, HostBuffers operands,
                              HostBuffers results, const HostRun &run);

  std::vector<Entry> entries;
  bool isOfProcesses = false;
  size_t meetingCount = 0;
  TransferCaller transfers;
};

} // namespace drumlin

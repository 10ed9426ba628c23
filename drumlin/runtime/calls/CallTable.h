// The calls that an image makes of code outside of it, ready to be made by any of its runs.
#pragma once

#include "drumlin/runtime/calls/PreparedCall.h"
#include "drumlin/runtime/collectives/Rendezvous.h"

#include <string>
#include <vector>

namespace drumlin {

class CallTable {
public:
  // Finds the code of each. Fails as prepareCall() does, and with ProcessGridMismatch where calls
  // between processes aren't made for the grid.
  Status prepare(const std::vector<HostCall> &calls, const GridShape &grid,
                 const std::string &location);

  // Whether some call is between the processes of a run, or says which of them makes it.
  bool needsProcesses() const { return isOfProcesses; }
  // How many different meetings the exchanges are.
  size_t meetings() const { return meetingCount; }
  // Whether the call of that number may wait for other processes.
  bool mayWait(size_t number) const { return entries.at(number).mayWait(); }

  // What transfers with the host are given to (infeed, outfeed, send, recv), on the thread of the
  // process that makes them, with its number. Not while there is a run.
  using TransferCaller = std::function<Status(const HostCall &call, int64_t process,
                                              HostBuffers operands, HostBuffers results)>;
  void setTransfers(TransferCaller caller) { transfers = std::move(caller); }

  // Makes the call of that number. `buffers`: its operands, then its results, without those that
  // are tokens.
  Status call(size_t number, void *const *buffers, const HostRun &run) const;

private:
  struct Entry {
    HostCall call;
    std::unique_ptr<PreparedCall> prepared = {}; // of code that is registered
    std::optional<PreparedExchange> exchange = {};
    std::vector<int64_t> peers = {}; // of `send` and `recv` between processes

    bool isOfProcesses() const { return mayWait() || call.interface == HostInterface::Process; }
    bool mayWait() const { return exchange || !peers.empty(); }
  };
  Status prepare(Entry &entry, const GridShape &grid, const std::string &location);
  size_t meetingOf(const HostCall &call) const;
  // `call`: the entry's, at the sizes of the run.
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

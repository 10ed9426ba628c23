// The calls that an image makes of code outside of it, ready to be made by any of its runs.
#pragma once

#include "drumlin/runtime/calls/PreparedCall.h"

#include <string>
#include <vector>

namespace drumlin {

class CallTable {
public:
  // Finds the code of each. Fails as prepareCall() does.
  Status prepare(const std::vector<HostCall> &calls, const std::string &location);

  // What transfers with the host are given to (infeed, outfeed, send, recv), on the thread of the
  // run. Not while there is one.
  void setTransfers(HostCaller caller) { transfers = std::move(caller); }

  // Makes the call of that number. `buffers`: its operands, then its results, without those that
  // are tokens.
  Status call(size_t number, void *const *buffers, const HostRun &run) const;

private:
  struct Entry {
    HostCall call;
    std::unique_ptr<PreparedCall> prepared; // null of a transfer
  };
  std::vector<Entry> entries;
  HostCaller transfers;
};

} // namespace drumlin

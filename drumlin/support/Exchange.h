// The data that the processes of one run exchange in one call (HostInterface::Exchange).
#pragma once

#include "drumlin/support/HostCall.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace drumlin {

// The sources of each process's results. Result k of a process concatenates operand k of its
// sources. With `hasRoots`, the call has an additional i64 operand, whose element k is an index of
// a source; result k is then operand k of only this source.
struct ExchangeTable {
  int64_t processes = 0;
  int64_t width = 0;            // the number of sources that each process has
  std::vector<int64_t> sources; // process 0's sources, then process 1's, …; -1: gives zeros
  // For each process, the index of the block that it takes along an operand's first dimension;
  // empty: each process takes the full operand.
  std::vector<int64_t> blocks;
  bool hasRoots = false;

  std::span<const int64_t> sourcesOf(int64_t process) const {
    return std::span(sources).subspan(static_cast<size_t>(process * width),
                                      static_cast<size_t>(width));
  }
  // giversOf() returns the processes from which a process takes operands, takersOf() the processes
  // to which it gives operands: each process once, in increasing order, without the process itself.
  std::vector<int64_t> giversOf(int64_t process) const;
  std::vector<int64_t> takersOf(int64_t process) const;
  // Return the number of bytes that a process takes from a source's operand, and their offset in
  // it.
  size_t bytesOf(const HostValue &operand) const;
  size_t offsetIn(const HostValue &operand, int64_t process) const;
};

// The names of the attributes of a call that contain the table or, for `Send` and `Recv`, the
// peers.
inline constexpr const char *sourcesAttribute = "sources", *blocksAttribute = "blocks",
                            *rootsAttribute = "roots", *peersAttribute = "peers";

// Returns the table in the call's attributes. Fails with ProcessGridMismatch if it doesn't fit the
// values or the number of processes.
Result<ExchangeTable> exchangeTableOf(const HostCall &call, int64_t processes);

// Returns the peer of each process for `Send` and `Recv` between processes; -1 for a process
// without a peer. Returns an empty list if the call transfers with the host. Fails with
// ProcessGridMismatch if the call was made for another number of processes.
Result<std::vector<int64_t>> peersOf(const HostCall &call, int64_t processes);

// Writes a process's results. `operandsOf(q)` are the operands of process q, which stay valid until
// all takers have copied them. Fails with ProcessGridMismatch if a root isn't an index in the
// process's group.
using OperandsOf = std::function<HostBuffers(int64_t process)>;
Status takeOperands(const HostCall &call, const ExchangeTable &table, int64_t process,
                    HostBuffers operands, HostBuffers results, const OperandsOf &operandsOf);

} // namespace drumlin

// What the processes of one run bring to each other in one call (HostInterface::Exchange).
#pragma once

#include "drumlin/support/HostCall.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace drumlin {

// Result k of a process is what its sources bring as operand k, one behind the other. With `roots`,
// the call has one operand more, of i64, and result k is what one source alone brings: the one
// whose place operand `roots` says at k.
struct ExchangeTable {
  int64_t processes = 0;
  int64_t width = 0;            // how many sources each process has
  std::vector<int64_t> sources; // of process 0, of process 1, …; -1: zeros
  std::vector<int64_t> blocks;  // of each process: which of the blocks along an operand's first
                                // dimension it takes; empty: the whole operand
  bool hasRoots = false;

  std::span<const int64_t> sourcesOf(int64_t process) const {
    return std::span(sources).subspan(static_cast<size_t>(process * width),
                                      static_cast<size_t>(width));
  }
  // Those that bring something to a process, and those that it brings something to; each once, in
  // their order, without itself.
  std::vector<int64_t> giversOf(int64_t process) const;
  std::vector<int64_t> takersOf(int64_t process) const;
  // The bytes that a process takes of a source's operand, and where they begin.
  size_t bytesOf(const HostValue &operand) const;
  size_t offsetIn(const HostValue &operand, int64_t process) const;
};

// What tables are called in the attributes of a call.
inline constexpr const char *sourcesAttribute = "sources", *blocksAttribute = "blocks",
                            *rootsAttribute = "roots", *peersAttribute = "peers";

// The table that the call's attributes state. ProcessGridMismatch where they don't fit the values
// or the number of processes.
Result<ExchangeTable> exchangeTableOf(const HostCall &call, int64_t processes);

// Of `Send` and `Recv` between processes: the other one of each process, -1 for none. Empty: the
// call is one with the host. ProcessGridMismatch where it is of another number of processes.
Result<std::vector<int64_t>> peersOf(const HostCall &call, int64_t processes);

// Writes a process's results. `operandsOf(q)` are the operands of process q, which are there until
// all takers have them. ProcessGridMismatch where a root is no place in the process's group.
using OperandsOf = std::function<HostBuffers(int64_t process)>;
Status takeOperands(const HostCall &call, const ExchangeTable &table, int64_t process,
                    HostBuffers operands, HostBuffers results, const OperandsOf &operandsOf);

} // namespace drumlin

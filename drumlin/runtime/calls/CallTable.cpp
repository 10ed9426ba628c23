#include "drumlin/runtime/calls/CallTable.h"

#include "drumlin/runtime/calls/CallPreparation.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <algorithm>
#include <cstring>
#include <list>

namespace drumlin {

static bool areEqual(const HostAttribute &a, const HostAttribute &b) {
  const auto *first = std::get_if<HostAttribute::Array>(&a.value);
  const auto *second = std::get_if<HostAttribute::Array>(&b.value);
  return a.name == b.name && first && second && first->bytes == second->bytes;
}

static bool areEqual(const HostValue &a, const HostValue &b) {
  return a.type == b.type && a.shape == b.shape;
}

// Returns the number of the meeting (PreparedExchange::meeting) at which processes make a call.
// Equal calls share a meeting, since processes may make them in different branches of the program.
size_t CallTable::meetingOf(const HostCall &call) const {
  for (const Entry &other : entries) {
    auto same = [](const auto &a, const auto &b) {
      return std::ranges::equal(a, b, [](const auto &x, const auto &y) { return areEqual(x, y); });
    };
    if (other.exchange && other.call.target == call.target &&
        same(other.call.attributes, call.attributes) && same(other.call.operands, call.operands)) {
      return other.exchange->meeting;
    }
  }
  return meetingCount;
}

Status CallTable::prepare(Entry &entry, const GridShape &grid, const std::string &location) {
  auto located = [&](const Diagnostic &error) {
    return diagnose(error.code, error.message, location, error.remedy);
  };
  const HostCall &call = entry.call;
  switch (call.interface) {
  case HostInterface::Infeed:
  case HostInterface::Outfeed:
    return Done();
  case HostInterface::Send:
  case HostInterface::Recv: {
    Result<std::vector<int64_t>> peers = peersOf(call, grid.processes());
    if (!peers) {
      return located(peers.error());
    }
    entry.peers = std::move(*peers);
    return Done();
  }
  case HostInterface::Exchange: {
    Result<ExchangeTable> table = exchangeTableOf(call, grid.processes());
    if (!table) {
      return located(table.error());
    }
    entry.exchange = prepareExchange(std::move(*table), meetingOf(call));
    meetingCount = std::max(meetingCount, entry.exchange->meeting + 1);
    return Done();
  }
  case HostInterface::Process: {
    bool isNumber = call.operands.empty() && call.results.size() == 1 &&
                    call.results.front().type == ElementType::UI32 &&
                    call.results.front().shape.empty();
    return isNumber ? Done()
                    : Status(diagnose(errors::ProcessGridMismatch,
                                      "`" + call.target + "` isn't one number", location));
  }
  default: {
    Result<std::unique_ptr<PreparedCall>> made = prepareCall(call, location);
    if (!made) {
      return made.error();
    }
    entry.prepared = std::move(*made);
    return Done();
  }
  }
}

Status CallTable::prepare(const std::vector<HostCall> &calls, const GridShape &grid,
                          const std::string &location) {
  for (const HostCall &call : calls) {
    Entry entry{.call = call};
    if (Status status = prepare(entry, grid, location); !status) {
      return status;
    }
    isOfProcesses |= entry.isOfProcesses();
    entries.push_back(std::move(entry));
  }
  return Done();
}

// Sets values to zero: a process that takes no part in a transfer receives zeros.
static void clear(const std::vector<HostValue> &values, HostBuffers buffers) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].isToken()) {
      int64_t bytes = byteCount(*values[i].type, values[i].shape).value_or(0);
      std::memset(buffers[i], 0, static_cast<size_t>(bytes));
    }
  }
}

// Makes a call between processes. A program with such calls only runs as several processes.
Status CallTable::callProcesses(const Entry &entry, const HostCall &call, HostBuffers operands,
                                HostBuffers results, const HostRun &run) {
  Rendezvous &rendezvous = *run.rendezvous;
  if (entry.exchange) {
    return rendezvous.exchange(run.process, *entry.exchange, call, operands, results);
  }
  if (call.interface == HostInterface::Process) {
    const GridShape &grid = rendezvous.grid();
    uint32_t number = ProcessId::of(run.process, grid).number(call.target, grid);
    std::memcpy(results.front(), &number, sizeof(number));
    return Done();
  }
  int64_t peer = entry.peers[static_cast<size_t>(run.process)];
  if (call.interface == HostInterface::Send) {
    return peer < 0 ? Done() : rendezvous.send(run.process, peer, call, operands);
  }
  if (peer < 0) {
    clear(call.results, results);
    return Done();
  }
  return rendezvous.receive(run.process, peer, call, results);
}

static bool hasSizes(const HostCall &call) {
  auto any = [](const std::vector<HostValue> &values) {
    return std::ranges::any_of(values, [](const HostValue &value) { return !value.sizes.empty(); });
  };
  return any(call.operands) || any(call.results);
}

// Computes the shapes of `values` from the values of the size symbols. Returns false if a size
// can't be computed, or if a tensor exceeds the memory of any machine.
static bool setSizes(std::vector<HostValue> &values, const SizeExpression::Values &at) {
  for (HostValue &value : values) {
    for (size_t d = 0; d < value.sizes.size(); ++d) {
      value.shape[d] = value.sizes[d].evaluate(at).value_or(-1);
    }
    bool isWell = std::ranges::all_of(value.shape, [](int64_t size) { return size >= 0; });
    if (!isWell || (value.type && !byteCount(*value.type, value.shape))) {
      return false;
    }
  }
  return true;
}

Status CallTable::call(size_t number, void *const *buffers, const HostRun &run) const {
  const Entry &entry = entries.at(number);
  if (!run.sizes || !hasSizes(entry.call)) {
    return call(entry, entry.call, buffers, run);
  }
  HostCall sized = entry.call;
  HostRun sizedRun = run;
  sizedRun.sized = &sized;
  if (!setSizes(sized.operands, *run.sizes) || !setSizes(sized.results, *run.sizes)) {
    return diagnose(errors::OutOfMemory, "the values of `@" + sized.target +
                                             "` exceed the memory of any machine at these sizes");
  }
  return call(entry, sized, buffers, sizedRun);
}

// Sign- or zero-extends an integer of 2 or 4 bits to a byte. Callers leave the byte's other bits
// undefined, but code outside of the image reads all eight bits.
static std::byte extended(ElementType type, std::byte element) {
  auto others = 8 - info(type).bits;
  auto high = static_cast<uint8_t>(std::to_integer<unsigned>(element) << others);
  return isSigned(type) ? static_cast<std::byte>(static_cast<int8_t>(high) >> others)
                        : static_cast<std::byte>(high >> others);
}

// Extends narrow integers among the operands: in place if an operand shares its memory with a
// result, else in a copy, since the memory may belong to the caller.
static void extendNarrow(const std::vector<HostValue> &values, std::vector<void *> &operands,
                         HostBuffers results, std::list<std::vector<std::byte>> &copies) {
  for (size_t i = 0; i < values.size(); ++i) {
    const HostValue &value = values[i];
    if (!value.type || !isInteger(*value.type) || info(*value.type).bits >= 8) {
      continue;
    }
    auto *elements = static_cast<std::byte *>(operands[i]);
    auto count = static_cast<size_t>(byteCount(*value.type, value.shape).value_or(0));
    if (std::ranges::find(results, operands[i]) == results.end()) {
      copies.emplace_back(elements, elements + count);
      operands[i] = elements = copies.back().data();
    }
    std::transform(elements, elements + count, elements,
                   [&](std::byte element) { return extended(*value.type, element); });
  }
}

Status CallTable::call(const Entry &entry, const HostCall &call, void *const *buffers,
                       const HostRun &run) const {
  std::vector<void *> operands, results;
  for (const HostValue &value : call.operands) {
    operands.push_back(value.isToken() ? nullptr : *buffers++);
  }
  for (const HostValue &value : call.results) {
    results.push_back(value.isToken() ? nullptr : *buffers++);
  }
  std::list<std::vector<std::byte>> copies;
  extendNarrow(call.operands, operands, results, copies);
  if (entry.isOfProcesses()) {
    return callProcesses(entry, call, operands, results, run);
  }
  if (entry.prepared) {
    return entry.prepared->run(operands, results, run);
  }
  if (!transfers) {
    return diagnose(errors::HostCodeMissing,
                    "the program transfers values from or to the host while it runs, and no "
                    "function was registered for these transfers",
                    "", "register a function for it with `drumlin_on_transfer` (drumlin.h)");
  }
  return transfers(call, run.process, operands, results);
}

} // namespace drumlin

#include "drumlin/runtime/calls/CallTable.h"

namespace drumlin {

Status CallTable::prepare(const std::vector<HostCall> &calls, const std::string &location) {
  for (const HostCall &call : calls) {
    Entry &entry = entries.emplace_back(call, nullptr);
    if (call.interface >= HostInterface::Infeed) {
      continue;
    }
    Result<std::unique_ptr<PreparedCall>> made = prepareCall(call, location);
    if (!made) {
      return made.error();
    }
    entry.prepared = std::move(*made);
  }
  return Done();
}

Status CallTable::call(size_t number, void *const *buffers, const HostRun &run) const {
  const Entry &entry = entries.at(number);
  std::vector<void *> operands, results;
  for (const HostValue &value : entry.call.operands) {
    operands.push_back(value.isToken() ? nullptr : *buffers++);
  }
  for (const HostValue &value : entry.call.results) {
    results.push_back(value.isToken() ? nullptr : *buffers++);
  }
  if (entry.prepared) {
    return entry.prepared->run(operands, results, run);
  }
  if (!transfers) {
    return diagnose(DiagnosticCode::HostCodeMissing,
                    "the program transfers values from or to the host while it runs, and nothing "
                    "was registered for that",
                    "", "register a function for it with `drumlin_on_transfer` (drumlin.h)");
  }
  return transfers(entry.call, operands, results);
}

} // namespace drumlin

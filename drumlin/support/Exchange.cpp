#include "drumlin/support/Exchange.h"

#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <algorithm>
#include <cstring>

namespace drumlin {

static size_t bytesIn(const HostValue &value) {
  return value.type ? static_cast<size_t>(byteCount(*value.type, value.shape).value_or(0)) : 0;
}

std::vector<int64_t> ExchangeTable::giversOf(int64_t process) const {
  std::vector<int64_t> givers;
  for (int64_t source : sourcesOf(process)) {
    if (source >= 0 && source != process) {
      givers.push_back(source);
    }
  }
  std::ranges::sort(givers);
  givers.erase(std::ranges::unique(givers).begin(), givers.end());
  return givers;
}

std::vector<int64_t> ExchangeTable::takersOf(int64_t process) const {
  std::vector<int64_t> takers;
  for (int64_t other = 0; other < processes; ++other) {
    if (other != process &&
        std::ranges::find(sourcesOf(other), process) != sourcesOf(other).end()) {
      takers.push_back(other);
    }
  }
  return takers;
}

size_t ExchangeTable::bytesOf(const HostValue &operand) const {
  return blocks.empty() ? bytesIn(operand)
                        : bytesIn(operand) / static_cast<size_t>(operand.shape.front());
}

size_t ExchangeTable::offsetIn(const HostValue &operand, int64_t process) const {
  return blocks.empty()
             ? 0
             : bytesOf(operand) * static_cast<size_t>(blocks[static_cast<size_t>(process)]);
}

static std::vector<int64_t> numbersOf(const HostCall &call, const char *name) {
  for (const HostAttribute &attribute : call.attributes) {
    const auto *array = std::get_if<HostAttribute::Array>(&attribute.value);
    if (attribute.name == name && array && array->type == ElementType::SI64) {
      std::vector<int64_t> numbers(array->bytes.size() / sizeof(int64_t));
      if (!numbers.empty()) {
        std::memcpy(numbers.data(), array->bytes.data(), numbers.size() * sizeof(int64_t));
      }
      return numbers;
    }
  }
  return {};
}

static Diagnostic unfit(const HostCall &call, int64_t processes) {
  return diagnose(errors::ProcessGridMismatch, "`" + call.target + "` isn't made for " +
                                                   std::to_string(processes) +
                                                   (processes == 1 ? " process" : " processes"));
}

static bool areProcesses(const std::vector<int64_t> &ids, int64_t processes) {
  return std::ranges::all_of(ids, [&](int64_t id) { return id >= -1 && id < processes; });
}

static bool fits(const HostCall &call, const ExchangeTable &table) {
  size_t operands = call.operands.size() - (table.hasRoots ? 1 : 0);
  if (call.results.size() != operands) {
    return false;
  }
  for (size_t k = 0; k < operands; ++k) {
    const HostValue &operand = call.operands[k], &result = call.results[k];
    if (operand.isToken() || result.isToken()) {
      return false;
    }
    bool areBlocks = table.blocks.empty() || (!operand.shape.empty() && operand.shape.front() > 0 &&
                                              std::ranges::all_of(table.blocks, [&](int64_t block) {
                                                return block >= 0 && block < operand.shape.front();
                                              }));
    size_t count = table.hasRoots ? 1 : static_cast<size_t>(table.width);
    if (!areBlocks || bytesIn(result) != count * table.bytesOf(operand)) {
      return false;
    }
  }
  return !table.hasRoots || bytesIn(call.operands.back()) == operands * sizeof(int64_t);
}

Result<ExchangeTable> exchangeTableOf(const HostCall &call, int64_t processes) {
  ExchangeTable table;
  table.processes = processes;
  table.sources = numbersOf(call, sourcesAttribute);
  table.blocks = numbersOf(call, blocksAttribute);
  table.hasRoots = !numbersOf(call, rootsAttribute).empty();
  auto count = static_cast<int64_t>(table.sources.size());
  bool isOfAll = count > 0 && count % processes == 0 && areProcesses(table.sources, processes) &&
                 (table.blocks.empty() || static_cast<int64_t>(table.blocks.size()) == processes) &&
                 call.operands.size() >= (table.hasRoots ? 1u : 0u);
  table.width = count / processes;
  if (!isOfAll || !fits(call, table)) {
    return unfit(call, processes);
  }
  return table;
}

Result<std::vector<int64_t>> peersOf(const HostCall &call, int64_t processes) {
  std::vector<int64_t> peers = numbersOf(call, peersAttribute);
  bool isOfAll = static_cast<int64_t>(peers.size()) == processes && areProcesses(peers, processes);
  if (!peers.empty() && !isOfAll) {
    return unfit(call, processes);
  }
  return peers;
}

// Returns the source that a root selects; -1 for a process that is in no group.
static Result<int64_t> rootOf(const ExchangeTable &table, int64_t process, HostBuffers operands,
                              size_t k) {
  std::span<const int64_t> sources = table.sourcesOf(process);
  auto end = std::ranges::find(sources, -1);
  int64_t size = end - sources.begin(), root = 0;
  std::memcpy(&root, static_cast<const std::byte *>(operands.back()) + k * sizeof(root),
              sizeof(root));
  if (size == 0) {
    return -1;
  }
  if (root < 0 || root >= size) {
    return diagnose(errors::ProcessGridMismatch,
                    "a root " + std::to_string(root) + " is out of range in a group of " +
                        std::to_string(size) + " processes (collective_broadcast_c6)");
  }
  return sources[static_cast<size_t>(root)];
}

Status takeOperands(const HostCall &call, const ExchangeTable &table, int64_t process,
                    HostBuffers operands, HostBuffers results, const OperandsOf &operandsOf) {
  std::vector<int64_t> roots;
  for (size_t k = 0; table.hasRoots && k < results.size(); ++k) {
    Result<int64_t> root = rootOf(table, process, operands, k);
    if (!root) {
      return root.error();
    }
    roots.push_back(*root);
  }
  for (size_t k = 0; k < results.size(); ++k) {
    const HostValue &operand = call.operands[k];
    size_t bytes = table.bytesOf(operand), offset = table.offsetIn(operand, process);
    auto *to = static_cast<std::byte *>(results[k]);
    std::span<const int64_t> sources =
        table.hasRoots ? std::span<const int64_t>(&roots[k], 1) : table.sourcesOf(process);
    for (int64_t source : sources) {
      if (bytes == 0) {
        break;
      }
      if (source < 0) {
        std::memset(to, 0, bytes);
      } else {
        const auto *from =
            static_cast<const std::byte *>(source == process ? operands[k] : operandsOf(source)[k]);
        std::memcpy(to, from + offset, bytes);
      }
      to += bytes;
    }
  }
  return Done();
}

} // namespace drumlin

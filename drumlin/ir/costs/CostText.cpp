#include "drumlin/ir/costs/CostText.h"

#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/ConstantPrinting.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/json/JsonStream.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace drumlin {

// Maximum number of elements of a constant whose elements the text prints. Larger constants are
// elided.
static constexpr int64_t shownElements = 64;

static std::string withPrefix(int64_t count, StringRef unit) {
  static constexpr const char *prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  double value = static_cast<double>(count);
  size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (prefix == 0) {
    stream << count;
  } else {
    stream << llvm::format("%.2f", value);
  }
  stream << (unit.empty() ? "" : " ") << prefixes[prefix] << unit;
  return text;
}

std::string countText(int64_t count) { return withPrefix(count, ""); }
std::string bytesText(int64_t bytes) { return withPrefix(bytes, "B"); }

std::string costText(const Cost &cost) {
  std::string text = countText(cost.hardwareFlops()) + " FLOP";
  auto part = [&](const char *name, int64_t flops) {
    if (flops != 0) {
      text += ", " + std::string(name) + " " + countText(flops);
    }
  };
  if (cost.hardwareFlops() != cost.modelFlops()) {
    part("model", cost.modelFlops());
  }
  part("pad", cost.padFlops);
  part("transpose", cost.transposeFlops);
  part("upcast", cost.upcastFlops);
  part("recompute", cost.recomputeFlops);
  text += "; " + bytesText(cost.askedBytes()) + " asked for";
  if (cost.otherBytes() != 0) {
    text += ", " + bytesText(cost.otherBytes()) + " not";
  }
  if (cost.transposedBytes != 0) {
    text += ", " + bytesText(cost.transposedBytes) + " transposed";
  }
  return text;
}

static std::string countText(const std::optional<SizeExpression> &count) {
  return count ? count->str() : "(no polynomial)";
}

std::string costText(const SymbolicCost &cost) {
  return countText(cost.modelFlops) + " FLOP of the model; " + countText(cost.askedBytes) +
         " B asked for, " + countText(cost.otherBytes) + " B not";
}

std::string expectedText(const PlanCost &costs) {
  return costs.expectedBytes == costs.total.bytes()
             ? ""
             : "expected " + bytesText(costs.expectedBytes) +
                   ", if all data-dependent indices and branches are equally likely\n";
}

std::string symbolicText(const PlanCost &costs) {
  if (costs.nominalSizes.empty()) {
    return "";
  }
  std::string text = "symbolic sizes: costs are for " + costs.nominalSizes + "\n";
  if (costs.inSymbols) {
    text += "at any: " + costText(*costs.inSymbols) + "; peak memory " +
            countText(costs.memoryInSymbols) + " B\n";
  }
  return text;
}

std::string memoryText(const PeakMemory &memory, size_t maxHolders) {
  std::string text =
      "peak memory " + bytesText(memory.total()) + ": arguments " +
      bytesText(memory.argumentBytes) + ", results " + bytesText(memory.resultBytes) +
      ", constants " + bytesText(memory.constantBytes) +
      (memory.laidOutBytes > 0 ? ", static arguments laid out " + bytesText(memory.laidOutBytes)
                               : "") +
      ", temporaries " + bytesText(memory.temporaryBytes);
  text += memory.at.empty() ? "\n" : " (at " + memory.at + ")\n";
  for (const MemoryHolder &holder : memory.holders) {
    if (maxHolders-- == 0 || holder.bytes == 0) {
      break;
    }
    text += "  held by " + holder.kind + " " + holder.name + ": " + bytesText(holder.bytes) +
            (holder.source.empty() ? "" : " at " + holder.source) + "\n";
  }
  return text;
}

// Returns a kernel's cost with requested bytes counted as other bytes. Which bytes are requested
// bytes depends on the launch.
static Cost withoutAsking(Cost cost) {
  cost.otherBytesRead = addSaturating(cost.otherBytesRead, std::exchange(cost.askedBytesRead, 0));
  cost.otherBytesWritten =
      addSaturating(cost.otherBytesWritten, std::exchange(cost.askedBytesWritten, 0));
  return cost;
}

//===- the program's text -----------------------------------------------------===//

// Returns the text with which a launch, a copy or a kernel-forming operation is printed, up to its
// first operand and without its results. Returns an empty text for other operations.
static std::string spelling(const LaunchCost &launch) {
  if (isa<plan::LaunchOp>(launch.op)) {
    return "plan.launch @" + launch.kernel + "(";
  }
  if (isa<plan::CopyOp>(launch.op)) {
    return "plan.copy ";
  }
  return plan::kernelKindOf(launch.op) ? launch.kernel + "(" : "";
}

std::string planText(ModuleOp module, const PlanCost &costs) {
  std::string plain;
  llvm::raw_string_ostream plainStream(plain);
  stablehlo::ElidedPrinting elided(module.getContext());
  module->print(plainStream, OpPrintingFlags().elideLargeElementsAttrs(shownElements));

  llvm::StringMap<std::string> ofKernel;
  llvm::StringMap<int64_t> calls;
  for (const LaunchCost &launch : costs.launches) {
    calls[launch.kernel] = addSaturating(calls[launch.kernel], launch.calls);
    ofKernel.try_emplace(launch.kernel, countText(launch.cost.hardwareFlops()) + " FLOP and " +
                                            bytesText(launch.cost.bytes()) + " a call");
  }

  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "// total: " << costText(costs.total) << "\n";
  std::string head = expectedText(costs) + symbolicText(costs) + memoryText(costs.memory, 3);
  SmallVector<StringRef> lines;
  StringRef(head).trim().split(lines, '\n');
  for (StringRef line : lines) {
    stream << "// " << line << "\n";
  }
  for (const std::string &loop : costs.unknownLoops) {
    stream << "// the loop at " << loop << " counts as one trip: how often it runs is not known\n";
  }
  // The printer visits operations in the order in which costs are listed.
  size_t next = 0;
  auto skipUnmarked = [&]() {
    while (next < costs.launches.size() && spelling(costs.launches[next]).empty()) {
      ++next;
    }
  };
  lines.clear();
  StringRef(plain).split(lines, '\n');
  for (StringRef line : lines) {
    stream << line;
    StringRef content = line.ltrim();
    skipUnmarked();
    if (content.consume_front("plan.kernel @")) {
      StringRef name = content.take_until([](char c) { return c == ' '; });
      auto found = ofKernel.find(name);
      if (found != ofKernel.end()) {
        stream << " // " << found->second << ", " << calls[name]
               << (calls[name] == 1 ? " call" : " calls");
      }
    } else if (next < costs.launches.size()) {
      const LaunchCost &launch = costs.launches[next];
      StringRef behind = content.starts_with("%") ? content.split(" = ").second : content;
      if (behind.starts_with(spelling(launch))) {
        stream << " // " << costText(launch.cost);
        if (launch.calls != 1) {
          stream << "; " << launch.calls << " calls";
        }
        stream << (launch.source.empty() ? "" : "; " + launch.source);
        ++next;
      }
    }
    stream << "\n";
  }
  return text;
}

//===- JSON -------------------------------------------------------------------===//

void writeJson(JsonStream &json, const Cost &cost) {
  json.object([&] {
    json.attribute("model_flops", cost.modelFlops());
    json.attribute("hardware_flops", cost.hardwareFlops());
    for (const CostField &each : costFields) {
      json.attribute(each.name, cost.*each.field);
    }
  });
}

static void writeJson(JsonStream &json, const SymbolicCost &cost) {
  auto write = [&](const char *name, const std::optional<SizeExpression> &count) {
    count ? json.attribute(name, count->str()) : json.attribute(name, nullptr);
  };
  json.attributeObject("in_symbols", [&] {
    write("model_flops", cost.modelFlops);
    write("asked_bytes", cost.askedBytes);
    write("other_bytes", cost.otherBytes);
  });
}

void writeJson(JsonStream &json, const PeakMemory &memory) {
  json.object([&] {
    json.attribute("peak_bytes", memory.total());
    json.attribute("argument_bytes", memory.argumentBytes);
    json.attribute("result_bytes", memory.resultBytes);
    json.attribute("constant_bytes", memory.constantBytes);
    json.attribute("laid_out_bytes", memory.laidOutBytes);
    json.attribute("temporary_bytes", memory.temporaryBytes);
    json.attribute("arena_bytes", memory.arenaBytes);
    json.attribute("at", memory.at);
    json.attributeArray("holders", [&] {
      for (const MemoryHolder &holder : memory.holders) {
        json.object([&] {
          json.attribute("kind", holder.kind);
          json.attribute("name", holder.name);
          json.attribute("source", holder.source);
          json.attribute("bytes", holder.bytes);
        });
      }
    });
  });
}

static void writeBuffers(JsonStream &json, ValueRange values) {
  for (Value value : values) {
    Value storage = storageOf(value);
    bool isPlaced =
        isa<BlockArgument>(storage)
            ? !loopOfArgument(storage) || loopOfArgument(storage)->hasAttr(buffersAttribute)
            : storage.getDefiningOp()->hasAttr(buffersAttribute);
    if (!isPlaced) {
      json.value(nullptr);
      continue;
    }
    plan::BufferAttr buffer = bufferOf(value);
    json.object([&] {
      json.attribute("memory", plan::stringifyBufferKind(buffer.getKind()));
      json.attribute("index", buffer.getIndex());
      json.attribute("offset", buffer.getOffset());
      json.attribute("bytes", buffer.getSize());
    });
  }
}

static void writeEstimate(JsonStream &json, const TimeEstimate &estimate) {
  json.attributeObject("estimate", [&] {
    json.attribute("seconds", estimate.seconds());
    json.attribute("compute_seconds", estimate.computeSeconds);
    json.attribute("memory_seconds", estimate.memorySeconds);
    json.attribute("launch_seconds", estimate.launchSeconds);
    json.attribute("bound_by", estimate.boundBy());
  });
}

static void writeLaunch(JsonStream &json, const LaunchCost &launch) {
  json.object([&] {
    json.attribute("kernel", launch.kernel);
    json.attribute("kind", launch.kind);
    json.attribute("source", launch.source);
    json.attributeArray("origins", [&] {
      for (int64_t origin : plan::originsOfLaunch(launch.op)) {
        json.value(origin);
      }
    });
    json.attribute("calls", launch.calls);
    json.attribute("in_total", launch.isInTotal);
    json.attribute("expected_bytes", launch.expectedBytes);
    json.attributeBegin("cost");
    writeJson(json, launch.cost);
    json.attributeEnd();
    if (launch.inSymbols) {
      writeJson(json, *launch.inSymbols);
    }
    if (launch.estimate) {
      writeEstimate(json, *launch.estimate);
    }
    json.attributeArray("inputs", [&] { writeBuffers(json, launch.op->getOperands()); });
    json.attributeArray("outputs", [&] { writeBuffers(json, launch.op->getResults()); });
  });
}

std::string planJson(ModuleOp module, const PlanCost &costs,
                     llvm::function_ref<void(JsonStream &)> more) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream, 1);
  json.object([&] {
    json.attributeBegin("total");
    writeJson(json, costs.total);
    json.attributeEnd();
    json.attribute("expected_bytes", costs.expectedBytes);
    json.attributeBegin("memory");
    writeJson(json, costs.memory);
    json.attributeEnd();
    if (!costs.nominalSizes.empty()) {
      json.attribute("sizes", costs.nominalSizes);
    }
    if (costs.inSymbols) {
      writeJson(json, *costs.inSymbols);
    }
    if (more) {
      more(json);
    }
    json.attributeArray("unknown_loops", [&] {
      for (const std::string &loop : costs.unknownLoops) {
        json.value(loop);
      }
    });
    json.attributeArray("kernels", [&] {
      llvm::StringMap<std::pair<int64_t, int64_t>> uses; // launches, calls
      llvm::StringMap<Cost> ofOneCall;
      for (const LaunchCost &launch : costs.launches) {
        ofOneCall.try_emplace(launch.kernel, withoutAsking(launch.cost));
        uses[launch.kernel].first += 1;
        uses[launch.kernel].second = addSaturating(uses[launch.kernel].second, launch.calls);
      }
      for (plan::KernelOp kernel : module.getOps<plan::KernelOp>()) {
        json.object([&] {
          json.attribute("name", kernel.getSymName());
          json.attribute("kind", plan::stringifyKernelKind(kernel.getKind()));
          json.attribute("key", kernel.getKey());
          json.attribute("source", plan::sourceOf(kernel.getLoc()));
          json.attribute("launches", uses[kernel.getSymName()].first);
          json.attribute("calls", uses[kernel.getSymName()].second);
          json.attributeBegin("cost");
          writeJson(json, ofOneCall[kernel.getSymName()]);
          json.attributeEnd();
        });
      }
    });
    json.attributeArray("launches", [&] {
      for (const LaunchCost &launch : costs.launches) {
        writeLaunch(json, launch);
      }
    });
  });
  return text;
}

} // namespace drumlin

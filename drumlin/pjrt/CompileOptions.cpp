#include "drumlin/pjrt/CompileOptions.h"

#include "drumlin/hlo/proto/ProtoShapes.h"
#include "drumlin/hlo/proto/View.h"
#include "drumlin/hlo/proto/Wire.h"
#include "drumlin/pjrt/ProtoWriter.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <algorithm>
#include <optional>

namespace drumlin::pjrt {

namespace {
using hlo::proto::Items;
using hlo::proto::Numbers;
using hlo::proto::View;

// Views of the serialized messages. Each function reads one field, by its number.
struct ComputationDevice : View {
  using View::View;
  Numbers<int64_t> deviceIds() const { return {*this, 1}; }
  // The device ids in packed encoding.
  Items<std::string_view> packedDeviceIds() const { return {*this, 1}; }
};
struct DeviceAssignment : View {
  using View::View;
  Items<ComputationDevice> computationDevices() const { return {*this, 3}; }
};
struct DebugOptions : View {
  using View::View;
  // Returns the level, or nothing if it isn't set: 0 is a level.
  std::optional<int64_t> backendOptimizationLevel() const {
    constexpr uint32_t number = 31;
    hlo::proto::WireField field{};
    for (hlo::proto::Cursor fields = cursor(); fields.take(field);) {
      if (field.tag >> 3 == number) {
        return View::number<int32_t>(number);
      }
    }
    return std::nullopt;
  }
};
struct ExecutableBuildOptions : View {
  using View::View;
  std::string_view resultLayout() const { return text(2); }
  // The options set by `XLA_FLAGS` and JAX's `jax_disable_most_optimizations`.
  DebugOptions debugOptions() const { return DebugOptions(text(3)); }
  int64_t numReplicas() const { return number<int64_t>(4); }
  int64_t numPartitions() const { return number<int64_t>(5); }
  DeviceAssignment deviceAssignment() const { return DeviceAssignment(text(9)); }
  // ExecutionOptions::EffortLevel: O0 is 9, O3 is 39; 0 if not set.
  int64_t optimizationLevel() const { return number<int64_t>(24); }
};
struct OptionOverride : View {
  using View::View;
  enum Kind : uint32_t { String = 1, Bool = 2, Int = 3, Double = 4 };

  // Returns the field of the `oneof` that is set; protobuf writes it even if it is zero.
  OptionValue value() const {
    OptionValue made;
    hlo::proto::WireField field{};
    for (hlo::proto::Cursor fields = cursor(); fields.take(field);) {
      switch (field.tag >> 3) {
      case String:
        made = std::string(field.bytes());
        break;
      case Bool:
        made = number<bool>(Bool);
        break;
      case Int:
        made = number<int64_t>(Int);
        break;
      case Double:
        made = number<double>(Double);
        break;
      default:
        break;
      }
    }
    return made;
  }
};
struct OverrideEntry : View {
  using View::View;
  std::string_view key() const { return text(1); }
  OptionOverride value() const { return OptionOverride(text(2)); }
};
struct CompileOptionsMessage : View {
  using View::View;
  Items<std::string_view> argumentLayouts() const { return {*this, 1}; }
  ExecutableBuildOptions executableBuildOptions() const { return ExecutableBuildOptions(text(3)); }
  Items<OverrideEntry> envOptionOverrides() const { return {*this, 7}; }
};
} // namespace

// Checks the bytes and all nested messages that are read, since views trust lengths.
static bool isWellFormed(std::string_view bytes) {
  using hlo::isMessage;
  if (!isMessage(bytes)) {
    return false;
  }
  CompileOptionsMessage options(bytes);
  for (OverrideEntry entry : options.envOptionOverrides()) {
    if (!isMessage(entry.bytes()) || !isMessage(entry.value().bytes())) {
      return false;
    }
  }
  ExecutableBuildOptions build = options.executableBuildOptions();
  if (!isMessage(build.bytes()) || !hlo::isShapeMessage(build.resultLayout()) ||
      !std::ranges::all_of(options.argumentLayouts(), hlo::isShapeMessage) ||
      !isMessage(build.debugOptions().bytes()) || !isMessage(build.deviceAssignment().bytes())) {
    return false;
  }
  for (ComputationDevice computation : build.deviceAssignment().computationDevices()) {
    if (!isMessage(computation.bytes()) ||
        !std::ranges::all_of(computation.packedDeviceIds(), hlo::areVarints)) {
      return false;
    }
  }
  return true;
}

// Whether `option`, as the user wrote it, is the option of `drumlin compile` with this name. Users
// may write names in several forms.
static bool isNamed(const CompileOption &option, std::string_view name) {
  std::string given = option.first;
  std::ranges::replace(given, '-', '_');
  return given == name || (name == "O" && given == "optimization_level");
}

// Adds the counterparts of XLA's options and of JAX's `optimization_level`. Skips a counterpart if
// Drumlin's own option of that name is given, too.
static void addCounterparts(const std::vector<CompileOption> &counterparts,
                            CompileRequest &request) {
  for (const CompileOption &each : counterparts) {
    if (std::ranges::none_of(request.options,
                             [&](const CompileOption &o) { return isNamed(o, each.first); })) {
      request.options.push_back(each);
    }
  }
}

static Status readOptions(const CompileOptionsMessage &message, CompileRequest &request) {
  std::vector<CompileOption> counterparts;
  for (OverrideEntry entry : message.envOptionOverrides()) {
    std::string name(entry.key());
    OptionValue value = entry.value().value();
    if (!isXlaOption(name)) {
      request.options.emplace_back(std::move(name), toString(value));
      continue;
    }
    if (Status status = checkXlaOption(name, value); !status) {
      return status;
    }
    if (std::optional<CompileOption> counterpart = counterpartOf(name, value)) {
      counterparts.push_back(std::move(*counterpart));
    } else {
      request.ignored.push_back(std::move(name));
    }
  }
  ExecutableBuildOptions build = message.executableBuildOptions();
  constexpr int64_t xlasOwnLevel = 3;
  std::optional<int64_t> level = build.debugOptions().backendOptimizationLevel();
  if (level && *level < xlasOwnLevel) {
    counterparts.push_back(*counterpartOf("xla_backend_optimization_level", *level));
  }
  int64_t effort = build.optimizationLevel();
  if (effort > 0 && effort < 40) {
    counterparts.emplace_back("O", std::to_string(effort / 10));
  }
  addCounterparts(counterparts, request);
  return Done();
}

static void addArrays(const hlo::Shape &shape, std::vector<ArrayLayout> &arrays) {
  if (shape.kind == hlo::Shape::Kind::Tuple || shape.kind == hlo::Shape::Kind::Buffer) {
    for (const hlo::Shape &element : shape.elements) {
      addArrays(element, arrays);
    }
    return;
  }
  ArrayLayout &made = arrays.emplace_back(ArrayLayout{shape.str(/*withLayout=*/false), {}});
  if (shape.layout) {
    shape.layout->print(made.order);
  }
}

static EntryLayouts readLayouts(const CompileOptionsMessage &message) {
  EntryLayouts made;
  auto add = [](std::string_view bytes, std::optional<std::vector<ArrayLayout>> &to) {
    addArrays(hlo::readShape(hlo::proto::ShapeProto(bytes)), to ? *to : to.emplace());
  };
  for (std::string_view argument : message.argumentLayouts()) {
    add(argument, made.arguments);
  }
  if (std::string_view result = message.executableBuildOptions().resultLayout(); !result.empty()) {
    add(result, made.results);
  }
  return made;
}

Result<CompileRequest> readCompileOptions(std::string_view bytes) {
  if (!isWellFormed(bytes)) {
    return diagnose(errors::CommandLineInvalid,
                    "the compile options aren't a message of xla's CompileOptionsProto");
  }
  CompileOptionsMessage message(bytes);
  CompileRequest request;
  ExecutableBuildOptions build = message.executableBuildOptions();
  request.replicas = std::max<int64_t>(build.numReplicas(), 1);
  request.partitions = std::max<int64_t>(build.numPartitions(), 1);
  // The message lists, for each partition, the devices of its replicas.
  std::vector<std::vector<int64_t>> partitions;
  for (ComputationDevice computation : build.deviceAssignment().computationDevices()) {
    std::vector<int64_t> &devices = partitions.emplace_back();
    for (int64_t id : computation.deviceIds()) {
      devices.push_back(id);
    }
  }
  if (!partitions.empty()) {
    bool isGrid = static_cast<int64_t>(partitions.size()) == request.partitions;
    for (const std::vector<int64_t> &devices : partitions) {
      isGrid &= static_cast<int64_t>(devices.size()) == request.replicas;
    }
    if (!isGrid) {
      return diagnose(errors::CommandLineInvalid,
                      "the device assignment has other sizes than the program's replicas and "
                      "partitions");
    }
    for (size_t replica = 0; replica < static_cast<size_t>(request.replicas); ++replica) {
      for (const std::vector<int64_t> &devices : partitions) {
        request.devices.push_back(devices[replica]);
      }
    }
  }
  request.layouts = readLayouts(message);
  if (Status status = readOptions(message, request); !status) {
    return status.error();
  }
  return request;
}

std::string writeDeviceAssignment(const CompileRequest &request) {
  std::string made;
  addField(made, 1, request.replicas);
  addField(made, 2, request.partitions);
  for (int64_t partition = 0; partition < request.partitions; ++partition) {
    std::string ids, computation;
    for (int64_t replica = 0; replica < request.replicas; ++replica) {
      auto place = static_cast<size_t>(replica * request.partitions + partition);
      addVarint(ids, static_cast<uint64_t>(request.devices.empty() ? static_cast<int64_t>(place)
                                                                   : request.devices[place]));
    }
    addField(computation, 1, ids);
    addField(made, 3, computation);
  }
  return made;
}

} // namespace drumlin::pjrt

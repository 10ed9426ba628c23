// The interface's functions that query compiled programs.
#include "drumlin/pjrt/PjrtProgram.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace drumlin::pjrt {

static TextList kindsOf(const std::vector<EntryValue> &values) {
  TextList kinds;
  for (const EntryValue &value : values) {
    kinds.add(memoryKinds[value.memoryKind]);
  }
  return kinds;
}

// Returns the shardings of values: a program runs on one device, so each is an empty message,
// xla.OpSharding's "replicated".
static TextList shardingsOf(const std::vector<EntryValue> &values) {
  TextList shardings;
  for (size_t i = 0; i < values.size(); ++i) {
    shardings.add("");
  }
  return shardings;
}

static NamedValue property(const char *name, double value) {
  NamedValue made = {};
  made.structSize = sizeof(NamedValue);
  made.name = name;
  made.nameSize = std::strlen(name);
  made.type = NamedValueType::Float;
  made.floatValue = static_cast<float>(value);
  made.valueSize = 1;
  return made;
}

MemoryLayout::MemoryLayout(const ArrayType &type)
    : text(layoutText(type.order.empty() ? rowMajorOrder(type.shape.size()) : type.order)) {}

MemoryLayouts::MemoryLayouts(const std::vector<ArrayType> &types)
    : layouts(types.begin(), types.end()) {
  for (MemoryLayout &layout : layouts) {
    places.push_back(&layout);
  }
}

Executable::Executable(std::shared_ptr<const ProgramOfFramework> given)
    : program(std::move(given)), argumentLayouts(program->arguments),
      resultLayouts(program->results) {
  for (const ArrayType &result : program->results) {
    resultTypes.push_back(result.type);
    resultRanks.push_back(result.shape.size());
    resultDims.insert(resultDims.end(), result.shape.begin(), result.shape.end());
  }
  argumentKinds = kindsOf(program->compiled.arguments);
  resultKinds = kindsOf(program->compiled.results);
  argumentShardings = shardingsOf(program->compiled.arguments);
  resultShardings = shardingsOf(program->compiled.results);
  // Lists the counts that XLA also has under XLA's names, then all counts of `drumlin cost` under
  // Drumlin's names.
  const Cost &cost = program->compiled.description.cost;
  costs.push_back(property("flops", static_cast<double>(cost.modelFlops())));
  costs.push_back(property("bytes accessed", static_cast<double>(cost.bytes())));
  costs.push_back(property("optimal_seconds", program->compiled.optimalSeconds));
  if (std::isfinite(program->compiled.seconds)) {
    costs.push_back(property("predicted_seconds", program->compiled.seconds));
  }
  costs.push_back(property("hardware_flops", static_cast<double>(cost.hardwareFlops())));
  for (const CostField &field : costFields) {
    costs.push_back(property(field.name, static_cast<double>(cost.*field.field)));
  }
}

Outcome handleExecutableDestroy(ExecutableDestroyArgs &args) {
  delete args.executable;
  return Done();
}

Outcome handleExecutableName(ExecutableNameArgs &args) {
  giveText(args.executable->program->compiled.name, args.executableName, args.executableNameSize);
  return Done();
}

Outcome handleExecutableNumReplicas(ExecutableNumReplicasArgs &args) {
  args.numReplicas = static_cast<size_t>(args.executable->program->request.replicas);
  return Done();
}

Outcome handleExecutableNumPartitions(ExecutableNumPartitionsArgs &args) {
  args.numPartitions = static_cast<size_t>(args.executable->program->request.partitions);
  return Done();
}

Outcome handleExecutableNumOutputs(ExecutableNumOutputsArgs &args) {
  args.numOutputs = args.executable->program->results.size();
  return Done();
}

// Returns the bytes of code and constants, wherever the constants are stored.
static int64_t codeBytes(const ProgramOfFramework &program) {
  return static_cast<int64_t>(program.compiled.image.size() +
                              program.compiled.description.appendedBytes);
}

Outcome handleExecutableSizeOfGeneratedCodeInBytes(ExecutableSizeOfGeneratedCodeInBytesArgs &args) {
  args.sizeInBytes = codeBytes(*args.executable->program);
  return Done();
}

Outcome handleExecutableGetCostAnalysis(ExecutableGetCostAnalysisArgs &args) {
  args.properties = args.executable->costs.data();
  args.numProperties = args.executable->costs.size();
  return Done();
}

Outcome handleExecutableGetCompiledMemoryStats(ExecutableGetCompiledMemoryStatsArgs &args) {
  const ProgramOfFramework &program = *args.executable->program;
  clearResults(args, &ExecutableGetCompiledMemoryStatsArgs::executable);
  args.generatedCodeSizeInBytes = codeBytes(program);
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    args.argumentSizeInBytes += static_cast<int64_t>(program.arguments[i].bytes());
  }
  for (const ArrayType &result : program.results) {
    args.outputSizeInBytes += static_cast<int64_t>(result.bytes());
  }
  for (const ValueDescription &argument : program.compiled.description.arguments) {
    if (argument.donatedTo >= 0) {
      args.aliasSizeInBytes += static_cast<int64_t>(argument.bytes());
    }
  }
  args.tempSizeInBytes = static_cast<int64_t>(program.compiled.description.arenaBytes);
  args.peakMemoryInBytes = program.compiled.peakBytes;
  args.totalSizeInBytes = args.argumentSizeInBytes + args.outputSizeInBytes -
                          args.aliasSizeInBytes + args.tempSizeInBytes;
  args.totalAllocationBytes = args.totalSizeInBytes;
  args.peakUnpaddedHeapBytes = args.tempSizeInBytes;
  return Done();
}

Outcome handleExecutableOutputElementTypes(ExecutableOutputElementTypesArgs &args) {
  args.outputTypes = args.executable->resultTypes.data();
  args.numOutputTypes = args.executable->resultTypes.size();
  return Done();
}

Outcome handleExecutableOutputDimensions(ExecutableOutputDimensionsArgs &args) {
  args.numOutputs = args.executable->resultRanks.size();
  args.dims = args.executable->resultDims.data();
  args.dimSizes = args.executable->resultRanks.data();
  return Done();
}

Outcome handleExecutableParameterMemoryKinds(ExecutableParameterMemoryKindsArgs &args) {
  args.numParameters = args.executable->argumentKinds.texts.size();
  args.memoryKinds = args.executable->argumentKinds.texts.data();
  args.memoryKindSizes = args.executable->argumentKinds.sizes.data();
  return Done();
}

Outcome handleExecutableOutputMemoryKinds(ExecutableOutputMemoryKindsArgs &args) {
  args.numOutputs = args.executable->resultKinds.texts.size();
  args.memoryKinds = args.executable->resultKinds.texts.data();
  args.memoryKindSizes = args.executable->resultKinds.sizes.data();
  return Done();
}

// Returns the optimized program. Called twice: for the size, then to fill the caller's memory.
Outcome handleExecutableOptimizedProgram(ExecutableOptimizedProgramArgs &args) {
  const Result<std::string> &made = args.executable->program->text();
  if (!made) {
    return made.error();
  }
  const std::string &text = *made;
  static constexpr std::string_view format = "mlir";
  Program &program = *args.program;
  program.format = format.data();
  program.formatSize = format.size();
  if (program.code) {
    if (program.codeSize < text.size()) {
      return invalid("the program has " + std::to_string(text.size()) + " bytes");
    }
    std::memcpy(program.code, text.data(), text.size());
  }
  program.codeSize = text.size();
  return Done();
}

Outcome handleExecutableFingerprint(ExecutableFingerprintArgs &args) {
  giveText(args.executable->program->fingerprint, args.executableFingerprint,
           args.executableFingerprintSize);
  return Done();
}

// The owners of serialized texts, which callers pass to the texts' deleters.
struct SerializedExecutable {
  std::string bytes;
};
struct SerializedCompileOptions {};
struct DeviceAssignmentSerialized {};

Outcome handleExecutableSerialize(ExecutableSerializeArgs &args) {
  Result<std::string> bytes = args.executable->program->serialize();
  if (!bytes) {
    return bytes.error();
  }
  auto *kept = new SerializedExecutable{std::move(*bytes)};
  giveText(kept->bytes, args.serializedBytes, args.serializedBytesSize);
  args.serializedExecutable = kept;
  args.serializedExecutableDeleter = [](SerializedExecutable *done) { delete done; };
  return Done();
}

Outcome handleExecutableGetCompileOptions(ExecutableGetCompileOptionsArgs &args) {
  giveText(args.executable->program->compileOptions, args.serializedBytes,
           args.serializedBytesSize);
  args.serializedCompileOptions = nullptr;
  args.serializedCompileOptionsDeleter = [](SerializedCompileOptions *) {};
  return Done();
}

// Compiles a caller's program.
static Result<std::shared_ptr<const ProgramOfFramework>> compile(const Program &program,
                                                                 std::string_view compileOptions) {
  std::string_view format(program.format, program.formatSize);
  const auto *found = std::ranges::find(programFormats, format);
  if (found == std::end(programFormats)) {
    return diagnose(errors::UnsupportedFormat,
                    "the program's format is `" + std::string(format) + "`", {},
                    "pass it as `mlir`, `hlo` or `hlo_with_config`");
  }
  return ProgramOfFramework::compile({program.code, program.codeSize},
                                     static_cast<ProgramFormat>(found - std::begin(programFormats)),
                                     std::string(compileOptions));
}

Outcome handleCompile(CompileArgs &args) {
  auto program = compile(*args.program, {args.compileOptions, args.compileOptionsSize});
  if (!program) {
    return program.error();
  }
  args.executable = new Executable(std::move(*program));
  return Done();
}

static Outcome loadInto(Client &client, Result<std::shared_ptr<const ProgramOfFramework>> program,
                        LoadedExecutable *&loaded) {
  if (!program) {
    return program.error();
  }
  Result<LoadedExecutable *> made = load(client, std::move(*program));
  if (!made) {
    return made.error();
  }
  loaded = *made;
  return Done();
}

Outcome handleClientCompile(ClientCompileArgs &args) {
  return loadInto(*args.client,
                  compile(*args.program, {args.compileOptions, args.compileOptionsSize}),
                  args.executable);
}

Outcome handleClientLoad(ClientLoadArgs &args) {
  return loadInto(*args.client, args.executable->program, args.loadedExecutable);
}

// Loads a program with the options that it was compiled with; ignores overriding options.
Outcome handleExecutableDeserializeAndLoad(ExecutableDeserializeAndLoadArgs &args) {
  return loadInto(
      *args.client,
      ProgramOfFramework::deserialize({args.serializedExecutable, args.serializedExecutableSize}),
      args.loadedExecutable);
}

Outcome handleLoadedExecutableDestroy(LoadedExecutableDestroyArgs &args) {
  delete args.executable;
  return Done();
}

Outcome handleLoadedExecutableGetExecutable(LoadedExecutableGetExecutableArgs &args) {
  args.executable = new Executable(args.loadedExecutable->program);
  return Done();
}

Outcome handleLoadedExecutableAddressableDevices(LoadedExecutableAddressableDevicesArgs &args) {
  args.addressableDevices = args.executable->devices.data();
  args.numAddressableDevices = args.executable->devices.size();
  return Done();
}

Outcome handleLoadedExecutableAddressableDeviceLogicalIds(
    LoadedExecutableAddressableDeviceLogicalIdsArgs &args) {
  args.addressableDeviceLogicalIds = args.executable->logicalIds.data();
  args.numAddressableDeviceLogicalIds = args.executable->logicalIds.size();
  return Done();
}

Outcome handleLoadedExecutableGetDeviceAssignment(LoadedExecutableGetDeviceAssignmentArgs &args) {
  giveText(args.executable->deviceAssignment, args.serializedBytes, args.serializedBytesSize);
  args.serializedDeviceAssignment = nullptr;
  args.serializedDeviceAssignmentDeleter = [](DeviceAssignmentSerialized *) {};
  return Done();
}

Outcome handleLoadedExecutableDelete(LoadedExecutableDeleteArgs &args) {
  args.executable->remove();
  return Done();
}

Outcome handleLoadedExecutableIsDeleted(LoadedExecutableIsDeletedArgs &args) {
  args.isDeleted = args.executable->isDeleted();
  return Done();
}

Outcome handleLoadedExecutableFingerprint(LoadedExecutableFingerprintArgs &args) {
  giveText(args.executable->program->fingerprint, args.executableFingerprint,
           args.executableFingerprintSize);
  return Done();
}

} // namespace drumlin::pjrt

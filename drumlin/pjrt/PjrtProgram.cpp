#include "drumlin/pjrt/PjrtProgram.h"

#include "drumlin/pjrt/HostCallbacks.h"
#include "drumlin/pjrt/HostTransfers.h"
#include "drumlin/pjrt/Profile.h"
#include "drumlin/pjrt/SerializedProgram_generated.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace drumlin::pjrt {

using Shared = std::shared_ptr<const ProgramOfFramework>;

CallsOfProgram CallsOfProgram::of(const std::vector<HostCall> &calls) {
  CallsOfProgram made;
  for (const HostCall &call : calls) {
    made.any = true;
    switch (call.interface) {
    case HostInterface::Infeed:
    case HostInterface::Outfeed:
    case HostInterface::Send:
    case HostInterface::Recv:
      made.transfers = true;
      break;
    default:
      made.functions |= isCallback(call.target);
    }
  }
  return made;
}

// Returns the array types of the program's values. `described`: the values that the image lists,
// which are all except tokens.
static Result<std::vector<ArrayType>> arraysOf(const std::vector<EntryValue> &values,
                                               const std::vector<ValueDescription> &described) {
  std::vector<ArrayType> arrays;
  auto next = described.begin();
  for (const EntryValue &value : values) {
    if (value.isToken) {
      arrays.push_back({BufferType::Token, ElementType::I1, {}});
      continue;
    }
    if (next == described.end()) {
      return diagnose(errors::ImageInvalid, "the image has fewer values than its program");
    }
    Result<BufferType> type = bufferTypeOf(next->type);
    if (!type) {
      return type.error();
    }
    // Static arguments are passed row-major.
    arrays.push_back(
        {*type, next->type, next->shape, next->isStatic ? DimensionOrder() : next->layout});
    ++next;
  }
  if (next != described.end()) {
    return diagnose(errors::ImageInvalid, "the image has more values than its program");
  }
  return arrays;
}

Result<Shared> ProgramOfFramework::make(CompiledProgram compiled, ProgramCode code,
                                        ProgramFormat format, std::string compileOptions,
                                        CompileRequest request) {
  auto program = std::make_shared<ProgramOfFramework>();
  const ImageDescription &image = compiled.description;
  Result<std::vector<ArrayType>> arguments = arraysOf(compiled.arguments, image.arguments);
  if (!arguments) {
    return arguments.error();
  }
  Result<std::vector<ArrayType>> results = arraysOf(compiled.results, image.results);
  if (!results) {
    return results.error();
  }
  Hasher hasher;
  hasher.addField(compiled.image);
  hasher.addField(compileOptions);
  program->fingerprint = hasher.str();
  program->arguments = std::move(*arguments);
  program->results = std::move(*results);
  program->compiled = std::move(compiled);
  program->code = std::move(code);
  program->format = format;
  program->compileOptions = std::move(compileOptions);
  program->request = std::move(request);
  program->calls = CallsOfProgram::of(program->compiled.description.hostCalls);
  return Shared(std::move(program));
}

static Result<CompileRequest> readRequest(std::string_view compileOptions) {
  Result<CompileRequest> request = readCompileOptions(compileOptions);
  if (request && (request->replicas != 1 || request->partitions != 1)) {
    return diagnose(errors::DistributionUnsupported,
                    "the program is one of " + std::to_string(request->replicas) +
                        " replicas and " + std::to_string(request->partitions) +
                        " partitions, and programs run on one device each",
                    {}, "jit it for one device");
  }
  return request;
}

Result<Shared> ProgramOfFramework::compile(std::string_view code, ProgramFormat format,
                                           std::string compileOptions) {
  Result<CompileRequest> request = readRequest(compileOptions);
  if (!request) {
    return request.error();
  }
  Result<CompiledProgram> compiled =
      compileProgram(code, format, request->options, request->layouts);
  if (!compiled) {
    return compiled.error();
  }
  ProgramCode kept = ProgramCode::of(code, std::move(compiled->inCode));
  return make(std::move(*compiled), std::move(kept), format, std::move(compileOptions),
              std::move(*request));
}

const Result<std::string> &ProgramOfFramework::text() const {
  std::call_once(textIsMade, [&] { madeText.emplace(programText(compiled, request.ignored)); });
  return *madeText;
}

static std::vector<flatbuffers::Offset<flat::EntryValue>>
write(flatbuffers::FlatBufferBuilder &builder, const std::vector<EntryValue> &values) {
  std::vector<flatbuffers::Offset<flat::EntryValue>> made;
  for (const EntryValue &value : values) {
    made.push_back(
        flat::CreateEntryValue(builder, value.isToken, value.isDonated, value.memoryKind));
  }
  return made;
}

static flatbuffers::Offset<flatbuffers::Vector<uint8_t>>
write(flatbuffers::FlatBufferBuilder &builder, const void *bytes, size_t size) {
  return builder.CreateVector(static_cast<const uint8_t *>(bytes), size);
}

static flatbuffers::Offset<flat::WeightInCode> write(flatbuffers::FlatBufferBuilder &builder,
                                                     const WeightInCode &weight) {
  std::vector<flatbuffers::Offset<flat::Layout>> layouts;
  for (const BlockedLayout &layout : weight.layouts) {
    auto shape = builder.CreateVector(layout.shape);
    auto blocks = builder.CreateVector(layout.blocks);
    layouts.push_back(
        flat::CreateLayout(builder, shape, blocks, builder.CreateVector(layout.order)));
  }
  return flat::CreateWeightInCode(builder, weight.begin, weight.bytes, weight.weight,
                                  builder.CreateVector(layouts));
}

// The length of the hash that precedes the bytes of a serialized program.
static constexpr size_t hashSize = contentHashDigits;

Result<std::string> ProgramOfFramework::serialize() const {
  size_t size = compiled.image.size() + compileOptions.size() + code.rest.size();
  for (const Tensor &weight : compiled.weights) {
    size += static_cast<size_t>(weight.bytes());
  }
  static constexpr size_t most = FLATBUFFERS_MAX_BUFFER_SIZE - (size_t(64) << 20);
  if (size > most) {
    return diagnose(errors::InputTooLarge, "a program of " + std::to_string(size) +
                                               " bytes can't be serialized: the limit is " +
                                               std::to_string(most));
  }
  // Reserves enough memory, since a builder copies all its data when it grows; besides the large
  // fields there are only names and numbers.
  static constexpr size_t others = size_t(64) << 10;
  flatbuffers::FlatBufferBuilder builder(size + others);
  std::vector<flatbuffers::Offset<flat::Weight>> weights;
  for (const Tensor &weight : compiled.weights) {
    auto bytes = write(builder, weight.data(), static_cast<size_t>(weight.bytes()));
    weights.push_back(flat::CreateWeight(builder,
                                         builder.CreateString(std::string(name(weight.type()))),
                                         builder.CreateVector(weight.shape()), bytes));
  }
  std::vector<flatbuffers::Offset<flat::WeightInCode>> inCode;
  for (const WeightInCode &weight : code.weights) {
    inCode.push_back(write(builder, weight));
  }
  auto made = flat::CreateProgram(
      builder, builder.CreateString(compilerVersion()), builder.CreateString(compiled.name),
      write(builder, compiled.image.data(), compiled.image.size()), builder.CreateVector(weights),
      builder.CreateVector(write(builder, compiled.arguments)),
      builder.CreateVector(write(builder, compiled.results)), compiled.seconds,
      compiled.optimalSeconds, compiled.peakBytes,
      write(builder, compileOptions.data(), compileOptions.size()),
      write(builder, code.rest.data(), code.rest.size()), static_cast<uint8_t>(format),
      builder.CreateVector(inCode));
  builder.Finish(made, flat::ProgramIdentifier());
  std::string_view bytes(reinterpret_cast<const char *>(builder.GetBufferPointer()),
                         builder.GetSize());
  return contentHash(bytes).append(bytes);
}

static std::string_view textOf(const flatbuffers::String *text) {
  return text ? text->string_view() : std::string_view();
}

static std::string_view bytesOf(const flatbuffers::Vector<uint8_t> *bytes) {
  return bytes ? std::string_view(reinterpret_cast<const char *>(bytes->data()), bytes->size())
               : std::string_view();
}

static std::vector<EntryValue>
read(const flatbuffers::Vector<flatbuffers::Offset<flat::EntryValue>> *values) {
  std::vector<EntryValue> made;
  for (size_t i = 0; values && i < values->size(); ++i) {
    const flat::EntryValue *value = values->Get(static_cast<flatbuffers::uoffset_t>(i));
    int kind = value->memory_kind();
    bool isKind = kind >= 0 && static_cast<size_t>(kind) < memoryKindCount;
    made.push_back({value->is_token(), value->is_donated(), isKind ? kind : 0});
  }
  return made;
}

static Diagnostic unreadable(std::string what) {
  return diagnose(errors::ImageInvalid, std::move(what), {}, "compile the program again");
}

static Result<std::vector<Tensor>> readWeights(const flat::Program &from) {
  std::vector<Tensor> weights;
  for (size_t i = 0; from.weights() && i < from.weights()->size(); ++i) {
    const flat::Weight *weight = from.weights()->Get(static_cast<flatbuffers::uoffset_t>(i));
    std::optional<ElementType> type = elementTypeFromName(textOf(weight->type()));
    std::string_view bytes = bytesOf(weight->bytes());
    Shape shape;
    if (weight->shape()) {
      shape.assign(weight->shape()->begin(), weight->shape()->end());
    }
    if (!type || byteCount(*type, shape) != static_cast<int64_t>(bytes.size())) {
      return unreadable("a constant of the serialized program is incomplete");
    }
    std::optional<Tensor> tensor = Tensor::allocate(*type, shape);
    if (!tensor) {
      return diagnose(errors::OutOfMemory, "no memory for a constant of the program");
    }
    std::memcpy(tensor->data(), bytes.data(), bytes.size());
    weights.push_back(std::move(*tensor));
  }
  return weights;
}

static std::vector<int64_t> numbersOf(const flatbuffers::Vector<int64_t> *from) {
  return from ? std::vector<int64_t>(from->begin(), from->end()) : std::vector<int64_t>();
}

static ProgramCode readCode(const flat::Program &from) {
  ProgramCode code;
  code.rest = bytesOf(from.code());
  for (size_t i = 0; from.in_code() && i < from.in_code()->size(); ++i) {
    const flat::WeightInCode *weight = from.in_code()->Get(static_cast<flatbuffers::uoffset_t>(i));
    WeightInCode &made =
        code.weights.emplace_back(WeightInCode{weight->begin(), weight->bytes(), weight->weight()});
    for (size_t l = 0; weight->layouts() && l < weight->layouts()->size(); ++l) {
      const flat::Layout *layout = weight->layouts()->Get(static_cast<flatbuffers::uoffset_t>(l));
      made.layouts.push_back(
          {numbersOf(layout->shape()), numbersOf(layout->blocks()), numbersOf(layout->order())});
    }
  }
  return code;
}

static Result<ImageDescription> descriptionOf(const std::string &image, const std::string &name) {
  Result<ImageLayout> layout = inspectImage(std::as_bytes(std::span(image)), name);
  return layout ? parse(layout->metadata, name, ImageTexts::Skip)
                : Result<ImageDescription>(layout.error());
}

Result<Shared> ProgramOfFramework::deserialize(std::string_view bytes) {
  std::string_view hash = bytes.substr(0, hashSize);
  bytes.remove_prefix(hash.size());
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  if (contentHash(bytes) != hash || !flat::VerifyProgramBuffer(verifier)) {
    return unreadable("the bytes aren't a serialized program, or are incomplete");
  }
  const flat::Program *from = flat::GetProgram(bytes.data());
  if (textOf(from->version()) != compilerVersion()) {
    return unreadable("the program was compiled by `" + std::string(textOf(from->version())) +
                      "`, and this is `" + compilerVersion() + "`");
  }
  std::string options(bytesOf(from->compile_options()));
  Result<CompileRequest> request = readRequest(options);
  if (!request) {
    return request.error();
  }
  Result<std::vector<Tensor>> weights = readWeights(*from);
  if (!weights) {
    return weights.error();
  }
  ProgramCode code = readCode(*from);
  if (!code.isValid(*weights)) {
    return unreadable("the code of the serialized program is incomplete");
  }
  CompiledProgram compiled;
  compiled.name = textOf(from->name());
  compiled.image = bytesOf(from->image());
  Result<ImageDescription> description = descriptionOf(compiled.image, compiled.name);
  if (!description) {
    return description.error();
  }
  compiled.description = std::move(*description);
  compiled.weights = std::move(*weights);
  compiled.arguments = read(from->arguments());
  compiled.results = read(from->results());
  compiled.seconds = from->seconds();
  compiled.optimalSeconds = from->optimal_seconds();
  compiled.peakBytes = from->peak_bytes();
  size_t format = from->format() < std::size(programFormats) ? from->format() : 0;
  return make(std::move(compiled), std::move(code), static_cast<ProgramFormat>(format),
              std::move(options), std::move(*request));
}

// Performs the program's transfers by the callbacks of the run that makes them.
static void followTransfers(drumlin::Executable &native) {
  if (!native.description().hostCalls.empty()) {
    native.setTransfers(
        [](const HostCall &call, int64_t, HostBuffers operands, HostBuffers results) {
          return HostTransfers::transfer(call, operands, results);
        });
  }
}

Result<std::shared_ptr<RunnableProgram>> RunnableProgram::load(Shared program, Device &device) {
  drumlin::LoadOptions options;
  options.weights = program->compiled.weights;
  Result<std::unique_ptr<drumlin::Executable>> native =
      device.machine->load(std::as_bytes(std::span(program->compiled.image)),
                           program->compiled.name, std::move(options));
  if (!native) {
    return native.error();
  }
  followTransfers(**native);
  auto made = std::make_shared<RunnableProgram>();
  made->program = std::move(program);
  made->native = std::move(*native);
  made->device = &device;
  return made;
}

Result<LoadedExecutable *> load(Client &client, Shared program) {
  // The devices are for one replica and one partition, so there is at most one.
  const std::vector<int64_t> &assigned = program->request.devices;
  Device *device = assigned.empty() ? client.deviceList.front() : client.find(assigned.front());
  if (!device) {
    return diagnose(errors::DistributionUnsupported, "the program is assigned to device " +
                                                         std::to_string(assigned.front()) +
                                                         ", which doesn't exist");
  }
  Result<std::shared_ptr<RunnableProgram>> runnable = RunnableProgram::load(program, *device);
  if (!runnable) {
    return runnable.error();
  }
  auto *loaded = new LoadedExecutable(std::move(*runnable));
  loaded->logicalIds = {{0, 0}};
  loaded->deviceAssignment = writeDeviceAssignment(program->request);
  return loaded;
}

bool LoadedExecutable::isDeleted() const {
  std::lock_guard<std::mutex> lock(mutex);
  return runnable.empty();
}

Outcome LoadedExecutable::on(Device *device, std::shared_ptr<RunnableProgram> &made) {
  std::lock_guard<std::mutex> lock(mutex);
  if (runnable.empty()) {
    return invalid("the executable was deleted");
  }
  if (!device || device == runnable.front()->device) {
    made = runnable.front();
    return Done();
  }
  const Device &own = *runnable.front()->device;
  if (device->client != own.client || !program->request.devices.empty()) {
    return invalid("the program was compiled for " + own.description->string +
                   ", and is to run on " + device->description->string);
  }
  auto found = std::ranges::find(runnable, device, [](const auto &each) { return each->device; });
  if (found == runnable.end()) {
    Result<std::shared_ptr<RunnableProgram>> loaded = RunnableProgram::load(program, *device);
    if (!loaded) {
      return loaded.error();
    }
    found = runnable.insert(runnable.end(), std::move(*loaded));
  }
  made = *found;
  return Done();
}

void LoadedExecutable::remove() {
  std::vector<std::shared_ptr<RunnableProgram>> gone;
  std::lock_guard<std::mutex> lock(mutex);
  std::swap(gone, runnable);
}

std::shared_ptr<drumlin::Executable> RunnableProgram::code() {
  if (!Profile::current()) {
    return native;
  }
  std::call_once(timing, [&] { timed = compileWithTimers(); });
  return timed ? timed : native;
}

std::shared_ptr<drumlin::Executable> RunnableProgram::compileWithTimers() const {
  Result<CompiledProgram> compiled =
      compileProgram(program->code.whole(program->compiled.weights), program->format,
                     program->request.options, program->request.layouts, KernelTimers::Each);
  if (!compiled) {
    return nullptr;
  }
  auto names = std::make_shared<std::vector<std::string>>();
  drumlin::LoadOptions options;
  options.weights = std::move(compiled->weights);
  options.tilesObserver = [names, name = program->compiled.name](int64_t kernel, int64_t tileBegin,
                                                                 int64_t tileEnd,
                                                                 Profile::Time begin) {
    if (std::shared_ptr<Profile> profile = Profile::current()) {
      profile->add(name, names->at(static_cast<size_t>(kernel)), tileBegin, tileEnd, begin,
                   std::chrono::steady_clock::now());
    }
  };
  Result<std::unique_ptr<drumlin::Executable>> loaded = device->machine->load(
      std::as_bytes(std::span(compiled->image)), compiled->name, std::move(options));
  if (!loaded) {
    return nullptr;
  }
  followTransfers(**loaded);
  for (const KernelDescription &kernel : (*loaded)->description().kernels) {
    names->push_back(kernel.name);
  }
  return std::shared_ptr<drumlin::Executable>(std::move(*loaded));
}

double RunnableProgram::expectedSeconds() const {
  const double last = lastSeconds.load(std::memory_order_relaxed);
  return std::min(last, program->compiled.seconds);
}

Status RunnableProgram::run(const RunRequest &request) {
  auto begin = std::chrono::steady_clock::now();
  Status status = device->machine->run(*code(), request);
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  lastSeconds.store(taken.count(), std::memory_order_relaxed);
  return status;
}

void RunnableProgram::useStatic(size_t argument, const std::shared_ptr<Storage> &storage) {
  // The runtime keeps copies for the last two addresses.
  static constexpr size_t mostSeen = 2;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<SeenStatic> &places = seen[argument];
  auto found = std::ranges::find(places, storage->address(), &SeenStatic::place);
  if (found != places.end()) {
    if (found->storage.lock() == storage) {
      return;
    }
    (void)native->argumentChanged(argument);
    places.erase(found);
  }
  places.insert(places.begin(), {storage->address(), storage});
  places.resize(std::min(places.size(), mostSeen));
}

} // namespace drumlin::pjrt

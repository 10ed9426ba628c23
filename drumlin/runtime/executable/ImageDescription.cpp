#include "drumlin/runtime/executable/ImageDescription.h"

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/executable/HostCallTable.h"
#include "drumlin/runtime/executable/Image_generated.h"
#include "drumlin/runtime/executable/LinearSize.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/diagnostics/ImageErrors.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <zlib.h>

namespace drumlin {

// Limits on the numbers in a description. Larger numbers show that the image is damaged: no machine
// has that much memory.
static constexpr uint64_t maximumMemory = uint64_t(1) << 46;
static constexpr uint64_t maximumScratch = uint64_t(1) << 36;
static constexpr uint64_t maximumText = uint64_t(1) << 32;
// The maximum number of tiles that a kernel computes together. WorkSplit's sums of tiles don't
// overflow up to it.
static constexpr int64_t maximumTilesTogether = int64_t(1) << 20;
static constexpr double maximumSeconds = 1e9;
static constexpr size_t maximumRank = 1024;
static constexpr const char *zeroEnd = " == 0", *atLeastZeroEnd = " >= 0";

size_t ValueDescription::bytes() const {
  return static_cast<size_t>(byteCount(type, shape).value_or(0));
}

size_t ValueDescription::storedBytes() const {
  return blocks.empty()
             ? bytes()
             : static_cast<size_t>(byteCount(type, memoryLayout().physicalShape()).value_or(0));
}

std::string ValueDescription::typeText() const {
  std::string text = "tensor<";
  for (size_t d = 0; d < shape.size(); ++d) {
    text += (sizes.empty() ? std::to_string(shape[d]) : "(" + sizes[d].str() + ")") + "x";
  }
  return text + std::string(drumlin::name(type)) + ">";
}

uint64_t alignmentInPlace(ElementType type) {
  // Of a complex number, only the real and imaginary parts must be aligned.
  return std::min(storageBytes(type), 8u);
}

static flatbuffers::Offset<flat::Value> put(flatbuffers::FlatBufferBuilder &builder,
                                            const ValueDescription &value) {
  auto name = builder.CreateString(value.name);
  auto type = builder.CreateString(std::string(drumlin::name(value.type)));
  auto shape = builder.CreateVector(value.shape);
  auto layout = value.layout.empty() ? 0 : builder.CreateVector(value.layout);
  auto blocks = value.blocks.empty() ? 0 : builder.CreateVector(value.blocks);
  auto sizes = value.sizes.empty() ? 0 : builder.CreateString(str(value.sizes));
  auto countedBy = value.countedBy.empty() ? 0 : builder.CreateVector(value.countedBy);
  return flat::CreateValue(builder, name, type, shape, static_cast<int32_t>(value.donatedTo),
                           layout, value.isStatic, blocks, sizes, countedBy);
}

static flatbuffers::Offset<flat::CompressedText> put(flatbuffers::FlatBufferBuilder &builder,
                                                     const std::string &text) {
  // Texts below this size are compressed fast: there is little to gain, and the time matters when
  // small programs are compiled.
  constexpr size_t shortText = 16 * 1024;
  int level = text.size() < shortText ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION;
  uLongf size = compressBound(text.size());
  std::vector<uint8_t> packed(size);
  // Given room for its result, compress2() fails only for lack of memory.
  if (compress2(packed.data(), &size, reinterpret_cast<const Bytef *>(text.data()), text.size(),
                level) != Z_OK) {
    allocationFailed();
  }
  packed.resize(size);
  return flat::CreateCompressedText(builder, builder.CreateVector(packed), text.size());
}

std::string findTooLarge(const ImageDescription &description) {
  auto beyond = [](const std::string &what, uint64_t bytes, uint64_t limit) {
    return what + " " + std::to_string(bytes) + " bytes, and an image can ask for " +
           std::to_string(limit);
  };
  for (const std::vector<ValueDescription> *values :
       {&description.arguments, &description.results}) {
    for (const ValueDescription &value : *values) {
      if (value.bytes() > maximumMemory) {
        return beyond("`" + value.typeText() + "` of the program's signature takes", value.bytes(),
                      maximumMemory);
      }
    }
  }
  if (description.arenaBytes > maximumMemory) {
    return beyond("the program's temporaries take", description.arenaBytes, maximumMemory);
  }
  if (description.scratchBytes > maximumScratch) {
    return beyond("a kernel's working memory takes", description.scratchBytes, maximumScratch);
  }
  return {};
}

std::string findSizeFault(const ImageDescription &image) {
  std::vector<std::string> named, given;
  for (const SizeSymbolDescription &symbol : image.symbols) {
    named.push_back(symbol.name);
    if (!SizeExpression::isName(symbol.name) || symbol.minimum < 0 ||
        symbol.maximum < symbol.minimum) {
      return "a size has no name, or impossible bounds";
    }
  }
  auto knows = [&](const SizeExpression &size) {
    return std::ranges::all_of(size.symbols(), [&](const std::string &name) {
      return std::ranges::count(named, name) == 1;
    });
  };
  for (const std::vector<ValueDescription> *values : {&image.arguments, &image.results}) {
    for (const ValueDescription &value : *values) {
      bool isWell = value.sizes.empty() || value.sizes.size() == value.shape.size();
      for (const SizeExpression &size : value.sizes) {
        isWell &= knows(size);
        if (std::optional<LinearSize> solved = asLinear(size);
            solved && values == &image.arguments) {
          given.push_back(solved->symbol);
        }
      }
      if (!isWell) {
        return "`" + value.name + "` has impossible sizes";
      }
    }
  }
  for (const HostCall &call : image.hostCalls) {
    for (const std::vector<HostValue> *values : {&call.operands, &call.results}) {
      for (const HostValue &value : *values) {
        if (!std::ranges::all_of(value.sizes, knows)) {
          return "a value of a call has impossible sizes";
        }
      }
    }
  }
  bool isWell = knows(image.slotBytes) && std::ranges::all_of(image.scratchSizes, knows) &&
                std::ranges::all_of(image.constraints, knows, &SizeConstraintDescription::size) &&
                std::ranges::all_of(named, [&](const std::string &name) {
                  return std::ranges::count(given, name) > 0;
                });
  return isWell ? "" : "it has a size symbol that no argument determines";
}

std::vector<uint8_t> serialize(const ImageDescription &description) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<flat::Value>> arguments, results;
  for (const ValueDescription &value : description.arguments) {
    arguments.push_back(put(builder, value));
  }
  for (const ValueDescription &value : description.results) {
    results.push_back(put(builder, value));
  }
  std::vector<flatbuffers::Offset<flat::Weight>> weights;
  for (const WeightDescription &weight : description.weights) {
    auto value = put(builder, weight.value);
    auto hash = builder.CreateString(weight.contentHash);
    auto embedded = builder.CreateVector(weight.embedded);
    auto samples = weight.sampleHash.empty() ? 0 : builder.CreateString(weight.sampleHash);
    weights.push_back(flat::CreateWeight(builder, value, hash, weight.value.storedBytes(),
                                         weight.offset, weight.isEmbedded() ? embedded : 0, samples,
                                         weight.isAppended));
  }
  std::vector<flatbuffers::Offset<flat::Kernel>> kernels;
  for (const KernelDescription &kernel : description.kernels) {
    auto name = builder.CreateString(kernel.name);
    auto key = builder.CreateString(kernel.key);
    kernels.push_back(flat::CreateKernel(builder, name, key, kernel.tiles, kernel.modelFlops,
                                         kernel.bytesRead, kernel.bytesWritten,
                                         kernel.tilesTogether, kernel.secondsOfTile));
  }
  std::vector<flatbuffers::Offset<flat::Count>> counts;
  for (const CostField &field : costFields) {
    auto name = builder.CreateString(field.name);
    counts.push_back(flat::CreateCount(builder, name, description.cost.*field.field));
  }
  auto version = builder.CreateString(description.compilerVersion);
  auto program = builder.CreateString(description.program);
  auto cpu = builder.CreateString(description.targetCpu);
  auto features = builder.CreateVectorOfStrings(description.cpuFeatures);
  auto argumentVector = builder.CreateVector(arguments);
  auto resultVector = builder.CreateVector(results);
  auto weightVector = builder.CreateVector(weights);
  auto kernelVector = builder.CreateVector(kernels);
  auto plan = put(builder, description.plan);
  auto ledger = put(builder, description.ledger);
  auto lock = put(builder, description.lock);
  auto header =
      description.hasWeightsInPlace() ? builder.CreateString(description.weightsHeaderHash) : 0;
  std::vector<flatbuffers::Offset<flat::SizeSymbol>> symbols;
  for (const SizeSymbolDescription &symbol : description.symbols) {
    auto name = builder.CreateString(symbol.name);
    symbols.push_back(flat::CreateSizeSymbol(builder, name, symbol.minimum, symbol.maximum));
  }
  std::vector<std::string> constraints;
  for (const SizeConstraintDescription &each : description.constraints) {
    constraints.push_back(each.size.str() + (each.isZero ? zeroEnd : atLeastZeroEnd));
  }
  auto symbolVector = symbols.empty() ? 0 : builder.CreateVector(symbols);
  auto constraintVector = constraints.empty() ? 0 : builder.CreateVectorOfStrings(constraints);
  auto slots = symbols.empty() ? 0 : builder.CreateString(description.slotBytes.str());
  std::vector<std::string> scratch;
  for (const SizeExpression &size : description.scratchSizes) {
    scratch.push_back(size.str());
  }
  auto scratchVector = scratch.empty() ? 0 : builder.CreateVectorOfStrings(scratch);
  auto elided = description.elided.empty() ? 0 : builder.CreateString(description.elided);
  auto image = flat::CreateImage(
      builder, description.abi, version, program, cpu, features, argumentVector, resultVector,
      description.arenaBytes, description.scratchBytes, weightVector, description.weightsFileBytes,
      kernelVector, plan, ledger, builder.CreateVector(counts), description.isTimed, lock,
      description.weightsHeaderBytes, header,
      description.hostCalls.empty() ? 0 : putHostCalls(builder, description.hostCalls),
      symbolVector, constraintVector, slots, description.grid.replicas, description.grid.partitions,
      scratchVector, elided, description.appendedBytes);
  flat::FinishImageBuffer(builder, image);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// Turns verified tables into the description. Every function returns what is wrong, or an empty
// string.
class DescriptionReader {
public:
  DescriptionReader(const flat::Image &image, ImageTexts texts) : image(image), texts(texts) {}

  std::string read(ImageDescription &description) {
    description.abi = image.abi();
    description.compilerVersion = text(image.compiler_version());
    description.program = text(image.program());
    description.targetCpu = text(image.target_cpu());
    if (image.cpu_features()) {
      for (const flatbuffers::String *feature : *image.cpu_features()) {
        description.cpuFeatures.push_back(text(feature));
      }
    }
    description.arenaBytes = image.arena_bytes();
    description.scratchBytes = image.scratch_bytes();
    description.weightsFileBytes = image.weights_file_bytes();
    if (description.arenaBytes > maximumMemory || description.scratchBytes > maximumScratch ||
        description.weightsFileBytes > maximumMemory) {
      return "it needs more memory than any machine has";
    }
    description.weightsHeaderBytes = image.weights_header_bytes();
    description.weightsHeaderHash = text(image.weights_header_hash());
    description.elided = text(image.elided());
    description.appendedBytes = image.appended_bytes();
    if (description.appendedBytes > maximumMemory) {
      return "it has more constants than a machine has memory";
    }
    if (description.weightsHeaderBytes > description.weightsFileBytes) {
      return "the header of the weights' file is longer than the file";
    }
    std::string problem = values(image.arguments(), description.arguments);
    if (problem.empty()) {
      problem = values(image.results(), description.results);
    }
    if (problem.empty()) {
      problem = donations(description);
    }
    if (problem.empty()) {
      problem = counts(description);
    }
    if (problem.empty()) {
      problem = weights(description);
    }
    if (problem.empty()) {
      problem = kernels(description);
    }
    if (problem.empty()) {
      problem = costs(description);
    }
    if (problem.empty()) {
      problem = readHostCalls(image.host_calls(), description.hostCalls);
    }
    if (problem.empty()) {
      problem = sizes(description);
    }
    description.grid = {image.replicas(), image.partitions()};
    if (problem.empty() && !isCompiledGrid(description.grid)) {
      problem = "it runs as an impossible number of processes";
    }
    description.isTimed = image.timed();
    if (problem.empty() && texts == ImageTexts::Read) {
      problem = unpack(image.plan(), description.plan);
    }
    if (problem.empty() && texts == ImageTexts::Read) {
      problem = unpack(image.ledger(), description.ledger);
    }
    if (problem.empty() && texts == ImageTexts::Read) {
      problem = unpack(image.lock(), description.lock);
    }
    return problem;
  }

private:
  static std::string text(const flatbuffers::String *string) {
    return string ? string->str() : std::string();
  }

  // Copies the elements as bytes: the verifier doesn't check that a vector's elements are aligned.
  static std::vector<int64_t> numbers(const flatbuffers::Vector<int64_t> *from) {
    std::vector<int64_t> made(from ? std::min<size_t>(from->size(), maximumRank) : 0);
    if (!made.empty()) {
      std::memcpy(made.data(), from->Data(), made.size() * sizeof(int64_t));
    }
    return made;
  }

  static bool fits(ElementType type, const Shape &shape) {
    std::optional<int64_t> bytes = byteCount(type, shape);
    return bytes && static_cast<uint64_t>(*bytes) <= maximumMemory;
  }

  static std::string value(const flat::Value *from, ValueDescription &to) {
    if (!from) {
      return "a value is missing";
    }
    to.name = text(from->name());
    std::optional<ElementType> type = elementTypeFromName(text(from->type()));
    if (!type) {
      return "`" + to.name + "` has an unknown element type";
    }
    to.type = *type;
    to.donatedTo = from->donated_to();
    if (from->shape()) {
      if (from->shape()->size() > maximumRank) {
        return "`" + to.name + "` has too many dimensions";
      }
      to.shape = numbers(from->shape());
    }
    to.isStatic = from->static_();
    to.layout = numbers(from->layout());
    to.blocks = numbers(from->blocks());
    to.countedBy = numbers(from->counted_by());
    if (from->sizes()) {
      auto sizes = SizeExpression::parseList(text(from->sizes()));
      if (!sizes || !to.layout.empty() || to.isStatic || to.shape.empty()) {
        return "`" + to.name + "` has impossible sizes";
      }
      to.sizesText = str(*sizes);
      to.sizes = std::move(*sizes);
    }
    if (!fits(to.type, to.shape)) {
      return "`" + to.name + "` has an impossible shape";
    }
    bool hasLayout = from->layout() || from->blocks();
    if (hasLayout &&
        (!to.memoryLayout().isValid() || !fits(to.type, to.memoryLayout().physicalShape()))) {
      return "`" + to.name + "` has an impossible layout";
    }
    return {};
  }

  static std::string values(const flatbuffers::Vector<flatbuffers::Offset<flat::Value>> *from,
                            std::vector<ValueDescription> &to) {
    if (!from) {
      return {};
    }
    for (const flat::Value *entry : *from) {
      if (std::string problem = value(entry, to.emplace_back()); !problem.empty()) {
        return problem;
      }
      if (!to.back().blocks.empty() && !to.back().isStatic) {
        return "`" + to.back().name + "` has a blocked layout, but callers pass or receive it";
      }
    }
    return {};
  }

  // Checks `countedBy`: each entry must be the index of an i32 result.
  static std::string counts(const ImageDescription &description) {
    const std::vector<ValueDescription> &results = description.results;
    for (const ValueDescription &value : results) {
      bool isWell = value.countedBy.empty() || value.countedBy.size() == value.shape.size();
      for (int64_t by : value.countedBy) {
        auto number = static_cast<uint64_t>(by);
        isWell &= by == -1 || (number < results.size() && results[number].shape.empty() &&
                               results[number].type == ElementType::SI32);
      }
      if (!isWell) {
        return "`" + value.name + "` has impossible numbers of elements";
      }
    }
    for (const ValueDescription &argument : description.arguments) {
      if (!argument.countedBy.empty()) {
        return "`" + argument.name + "` has impossible numbers of elements";
      }
    }
    return {};
  }

  static std::string donations(const ImageDescription &description) {
    std::set<int64_t> taken;
    for (const ValueDescription &argument : description.arguments) {
      if (argument.donatedTo == -1) {
        continue;
      }
      if (argument.donatedTo < 0 ||
          static_cast<uint64_t>(argument.donatedTo) >= description.results.size() ||
          !taken.insert(argument.donatedTo).second ||
          description.results[static_cast<size_t>(argument.donatedTo)].bytes() !=
              argument.bytes() ||
          str(description.results[static_cast<size_t>(argument.donatedTo)].sizes) !=
              str(argument.sizes)) {
        return "`" + argument.name + "` is donated to a result that it doesn't fit";
      }
    }
    return {};
  }

  std::string weights(ImageDescription &description) {
    if (!image.weights()) {
      return {};
    }
    uint64_t appendedEnd = 0;
    for (const flat::Weight *from : *image.weights()) {
      WeightDescription &to = description.weights.emplace_back();
      if (std::string problem = value(from->value(), to.value); !problem.empty()) {
        return problem;
      }
      to.contentHash = text(from->content_hash());
      to.offset = from->offset();
      to.isAppended = from->appended();
      uint64_t size = from->size();
      if (size != to.value.storedBytes()) {
        return "the weight `" + to.value.name + "` has another size than its shape";
      }
      if (to.isEmbedded()) {
        if ((from->embedded() ? from->embedded()->size() : 0) != size) {
          return "the weight `" + to.value.name + "` is incomplete";
        }
        if (from->embedded()) {
          to.embedded.assign(from->embedded()->begin(), from->embedded()->end());
        }
      } else if (to.isAppended) {
        // Constants must follow each other, so that all bytes of the appended part belong to a
        // constant or are zeros.
        if (to.offset % DRUMLIN_ALIGNMENT != 0 || to.offset < appendedEnd ||
            to.offset > description.appendedBytes || size > description.appendedBytes - to.offset) {
          return "the constant `" + to.value.name + "` lies outside of the image's constants";
        }
        appendedEnd = to.offset + size;
      } else if (to.offset > description.weightsFileBytes ||
                 size > description.weightsFileBytes - to.offset || !isPlaced(description, to)) {
        return "the weight `" + to.value.name + "` lies outside of the file of weights";
      }
      to.sampleHash = text(from->sample_hash());
    }
    return {};
  }

  // Whether the weight's alignment allows code to read it in place.
  static bool isPlaced(const ImageDescription &description, const WeightDescription &weight) {
    if (!description.hasWeightsInPlace()) {
      return weight.offset % DRUMLIN_ALIGNMENT == 0;
    }
    return weight.offset % alignmentInPlace(weight.value.type) == 0 &&
           weight.offset >= description.weightsHeaderBytes && weight.value.layout.empty() &&
           weight.value.blocks.empty();
  }

  std::string kernels(ImageDescription &description) {
    if (!image.kernels()) {
      return {};
    }
    for (const flat::Kernel *from : *image.kernels()) {
      if (from->tiles() < 0) {
        return "a kernel has a negative number of tiles";
      }
      if (from->tiles_together() < 1 || from->tiles_together() > maximumTilesTogether) {
        return "a kernel computes an impossible number of tiles together";
      }
      if (!(from->seconds_of_tile() >= 0 && from->seconds_of_tile() < maximumSeconds)) {
        return "a kernel's predicted time is impossible";
      }
      description.kernels.push_back({text(from->name()), text(from->key()), from->tiles(),
                                     from->model_flops(), from->bytes_read(), from->bytes_written(),
                                     from->tiles_together(), from->seconds_of_tile()});
    }
    return {};
  }

  std::string sizes(ImageDescription &description) {
    if (image.size_symbols()) {
      for (const flat::SizeSymbol *from : *image.size_symbols()) {
        description.symbols.push_back({text(from->name()), from->minimum(), from->maximum()});
      }
    }
    if (image.size_constraints()) {
      for (const flatbuffers::String *from : *image.size_constraints()) {
        std::string constraint = text(from);
        bool isZero = constraint.ends_with(zeroEnd);
        bool isKnown = isZero || constraint.ends_with(atLeastZeroEnd);
        auto size = SizeExpression::parse(
            isKnown ? constraint.substr(0, constraint.rfind(isZero ? zeroEnd : atLeastZeroEnd))
                    : "");
        if (!size) {
          return "it has an impossible constraint of sizes";
        }
        description.constraints.push_back({*size, isZero});
      }
    }
    if (image.slot_bytes()) {
      auto bytes = SizeExpression::parse(text(image.slot_bytes()));
      if (!bytes) {
        return "its temporaries have an impossible size";
      }
      description.slotBytes = *bytes;
    }
    if (image.scratch_sizes()) {
      for (const flatbuffers::String *from : *image.scratch_sizes()) {
        auto bytes = SizeExpression::parse(text(from));
        if (!bytes) {
          return "a kernel's working memory has an impossible size";
        }
        description.scratchSizes.push_back(*bytes);
      }
    }
    return findSizeFault(description);
  }

  std::string costs(ImageDescription &description) {
    if (!image.cost()) {
      return {};
    }
    for (const flat::Count *from : *image.cost()) {
      if (from->count() < 0) {
        return "a cost is negative";
      }
      for (const CostField &field : costFields) {
        if (text(from->name()) == field.name) {
          description.cost.*field.field = from->count();
        }
      }
    }
    return {};
  }

  static std::string unpack(const flat::CompressedText *from, std::string &to) {
    if (!from || !from->zlib() || from->size() == 0) {
      return {};
    }
    // Memory is allocated for the claimed size, so a false one must be refused before. Deflate
    // compresses at most 1032-fold.
    if (from->size() > maximumText || from->size() / 1032 > from->zlib()->size()) {
      return "a text has an impossible size";
    }
    to.resize(from->size());
    uLongf size = from->size();
    int code = uncompress(reinterpret_cast<Bytef *>(to.data()), &size, from->zlib()->data(),
                          from->zlib()->size());
    if (code == Z_MEM_ERROR) {
      allocationFailed();
    }
    return code == Z_OK && size == to.size() ? std::string() : "a text can't be decompressed";
  }

  const flat::Image &image;
  ImageTexts texts;
};

Result<ImageDescription> parse(std::span<const std::byte> metadata, const std::string &location,
                               ImageTexts texts) {
  auto corrupt = [&](const std::string &what) {
    return diagnose(errors::ImageMetadataCorrupt, "the image's description is damaged: " + what,
                    location);
  };
  const uint8_t *bytes = reinterpret_cast<const uint8_t *>(metadata.data());
  // The reader loads whole integers, so the bytes must be aligned as the writer's were.
  std::vector<uint64_t> aligned;
  if (reinterpret_cast<uintptr_t>(bytes) % alignof(uint64_t) != 0) {
    aligned.resize((metadata.size() + 7) / 8);
    std::copy(bytes, bytes + metadata.size(), reinterpret_cast<uint8_t *>(aligned.data()));
    bytes = reinterpret_cast<const uint8_t *>(aligned.data());
  }
  // Smaller buffers can't hold the file identifier, which is checked first.
  if (metadata.size() < 16 || metadata.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return corrupt("it is too small or too large");
  }
  flatbuffers::Verifier verifier(bytes, metadata.size());
  if (!flat::VerifyImageBuffer(verifier)) {
    return corrupt("its structure doesn't verify");
  }
  const flat::Image &image = *flat::GetImage(bytes);
  if (image.abi() != DRUMLIN_IMAGE_ABI) {
    return diagnose(errors::ImageAbiMismatch,
                    "the image has binary interface " + std::to_string(image.abi()) +
                        ", this runtime has " + std::to_string(DRUMLIN_IMAGE_ABI),
                    location);
  }
  ImageDescription description;
  if (std::string problem = DescriptionReader(image, texts).read(description); !problem.empty()) {
    return corrupt(problem);
  }
  return description;
}

} // namespace drumlin

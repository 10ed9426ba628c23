#include "drumlin/driver/WeightTable.h"

#include "drumlin/driver/ValueDescriptions.h"
#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/runtime/executable/AppendedConstants.h"
#include "drumlin/runtime/executable/WeightsFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/SystemLimits.h"
#include "drumlin/support/Threads.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/transforms/Rules.h"

#include <atomic>
#include <filesystem>

namespace drumlin {

// The largest total size, in bytes, of weights that are copied into the image because code can't
// read them in place. Vectors and masks stay below this size; a matrix of a large model exceeds it
// and is reported as an error.
static constexpr uint64_t maxCopiedBytes = uint64_t(1) << 24;
// The number of bytes of a file that are hashed at a time; the file's pages are then released.
static constexpr size_t hashedAtOnce = size_t(1) << 26;

Tensor storedElements(const Tensor &elements, const ValueDescription &value) {
  return value.layout.empty() ? elements : toPhysical(elements, value.memoryLayout());
}

static std::span<const std::byte> bytesOf(const Tensor &tensor) {
  return {tensor.data(), static_cast<size_t>(tensor.bytes())};
}

static void embed(const Tensor &tensor, WeightDescription &weight) {
  std::span<const std::byte> bytes = bytesOf(tensor);
  const auto *raw = reinterpret_cast<const uint8_t *>(bytes.data());
  weight.embedded.assign(raw, raw + bytes.size());
  weight.contentHash = contentHash(bytes);
}

// Calls `work` with each number below `count`, on `options.threads` threads (0: one for each
// processor).
static void forEach(size_t count, const CompileOptions &options,
                    llvm::function_ref<void(size_t)> work) {
  std::atomic<size_t> next{0};
  auto take = [&] {
    for (size_t i = next++; i < count; i = next++) {
      work(i);
    }
  };
  static const size_t processors = usableProcessors();
  size_t wanted = options.threads ? options.threads : processors;
  HelperThreads helpers;
  helpers.start(std::min(std::max<size_t>(wanted, 1), std::max<size_t>(count, 1)) - 1, take);
  take();
  helpers.join();
}

//===- weights in the caller's file -------------------------------------------------===//

namespace {
// Locates the description's bound weights in the caller's file.
class CallersFile {
public:
  CallersFile(mlir::func::FuncOp main, const CompileOptions &options, PhaseResult &phases,
              ImageDescription &description)
      : main(main), options(options), phases(phases), description(description) {}

  Status place() {
    std::error_code error;
    if (!llvm::StringRef(options.weightsFile).ends_with(".safetensors") ||
        !std::filesystem::is_regular_file(options.weightsFile, error)) {
      return diagnose(errors::WeightNotInPlace,
                      "only the arrays of one `.safetensors` file can be used in place",
                      options.weightsFile);
    }
    Result<std::shared_ptr<MappedFile>> opened = MappedFile::open(options.weightsFile);
    if (!opened) {
      return opened.error();
    }
    file = std::move(*opened);
    file->expect(MappedFile::Reading::Scattered);
    for (size_t i = 0; i < description.weights.size(); ++i) {
      if (Status status = placeOne(i); !status) {
        return status;
      }
    }
    if (options.weightsInPlace == CompileOptions::WeightsInPlace::Hashed) {
      hashAll();
    }
    bool isUsed = llvm::any_of(
        description.weights, [](const WeightDescription &weight) { return !weight.isEmbedded(); });
    if (isUsed) {
      description.weightsFileBytes = file->bytes().size();
      description.weightsHeaderBytes = safetensorsHeaderBytes(file->bytes());
      description.weightsHeaderHash =
          contentHash(file->bytes().first(description.weightsHeaderBytes));
    }
    return Done{};
  }

private:
  std::string locationOf(size_t number) const {
    return options.weightsFile + ":" + description.weights[number].value.name;
  }

  Status placeOne(size_t number) {
    WeightDescription &weight = description.weights[number];
    const NamedTensor &array = phases.weights[number];
    if (!weight.value.layout.empty()) {
      return diagnose(errors::WeightNotInPlace,
                      "the plan has the weight `" + weight.value.name +
                          "` in another layout than the file, which is row-major",
                      locationOf(number),
                      "drop `--weights-in-place`; or remove the weight's `mhlo.layout_mode`, and "
                      "pass the option already when phase `layout` runs");
    }
    if (array.fileOffset == 0 || array.fileOffset % alignmentInPlace(weight.value.type) != 0) {
      return copy(number);
    }
    weight.offset = array.fileOffset;
    std::span<const std::byte> bytes = file->bytes();
    if (weight.offset > bytes.size() || weight.value.storedBytes() > bytes.size() - weight.offset) {
      return diagnose(errors::FileNotReadable, "the file was shortened while it was read",
                      options.weightsFile);
    }
    weight.sampleHash = sampleHash(elementsOf(weight));
    return Done{};
  }

  std::span<const std::byte> elementsOf(const WeightDescription &weight) const {
    return file->bytes().subspan(weight.offset, weight.value.storedBytes());
  }

  // Copies a weight that code can't read in place into the image, like a constant.
  Status copy(size_t number) {
    WeightDescription &weight = description.weights[number];
    const Tensor &elements = phases.weights[number].tensor;
    copiedBytes += static_cast<uint64_t>(elements.bytes());
    if (copiedBytes > maxCopiedBytes) {
      return diagnose(
          errors::WeightNotInPlace,
          "code can't read the elements of `" + weight.value.name +
              "` in the file (they need to start at a multiple of " +
              std::to_string(alignmentInPlace(weight.value.type)) + " bytes, for `" +
              std::string(name(weight.value.type)) + "`), and more than " +
              std::to_string(maxCopiedBytes) + " bytes would have to be copied into the image",
          locationOf(number),
          "write the file with a header that ends at a multiple of 8 bytes, as safetensors' own "
          "writer does, and arrays of 1 byte an element last; or drop `--weights-in-place`");
    }
    embed(elements, weight);
    Decision decision = Decision::taken();
    decision.remedy = "copied into the image: code can't read its elements in the file";
    size_t first = main.getNumArguments() - phases.weights.size();
    phases.ledger.record(Rule::BindWeight, main.getArgument(static_cast<unsigned>(first + number)),
                         weight.value.name, decision);
    return Done{};
  }

  // Computes the hash of each array. Each thread hashes one array at a time.
  void hashAll() {
    file->expect(MappedFile::Reading::Ahead);
    forEach(description.weights.size(), options, [&](size_t i) {
      if (!description.weights[i].isEmbedded()) {
        description.weights[i].contentHash = hash(description.weights[i]);
      }
    });
  }

  // Hashes a weight without holding the whole file in memory.
  std::string hash(const WeightDescription &weight) const {
    Hasher hasher;
    std::span<const std::byte> left = elementsOf(weight);
    while (!left.empty()) {
      std::span<const std::byte> piece = left.first(std::min(left.size(), hashedAtOnce));
      hasher.add(piece);
      file->release(piece);
      left = left.subspan(piece.size());
    }
    return hasher.str();
  }

  mlir::func::FuncOp main;
  const CompileOptions &options;
  PhaseResult &phases;
  ImageDescription &description;
  std::shared_ptr<MappedFile> file;
  uint64_t copiedBytes = 0;
};
} // namespace

//===- the table --------------------------------------------------------------------===//

// Returns a constant's elements. They are copied only if the attribute doesn't store them in the
// form of a tensor. The context owns elements that aren't copied, except those of held constants
// (HeldElements.h).
static Result<HeldConstant> elementsOfConstant(mlir::ElementsAttr value) {
  if (const HeldConstant *held = heldConstant(value)) {
    return *held;
  }
  Result<Tensor> tensor = tensorFromAttribute(value);
  return tensor
             ? Result<HeldConstant>(HeldConstant{std::move(*tensor), HeldConstant::Memory::Program})
             : tensor.error();
}

static Status describeConstants(mlir::func::FuncOp main, const CompileOptions &options,
                                ImageDescription &description,
                                std::vector<HeldConstant> &constants) {
  size_t bound = description.weights.size();
  // This size is computed before any constant's elements are expanded, since a splat stores only
  // one element.
  int64_t embedded = 0;
  main.walk([&](stablehlo::ConstantOp constant) {
    int64_t bytes = bytesOf(constant.getResult());
    embedded = bytes > maxEmbeddedConstant ? embedded : addSaturating(embedded, bytes);
  });
  if (embedded > maxEmbeddedBytes) {
    return diagnose(errors::InputTooLarge, "the program has " + std::to_string(embedded) +
                                               " bytes of small constants, and an image holds " +
                                               std::to_string(maxEmbeddedBytes));
  }
  std::optional<Diagnostic> failure;
  std::vector<size_t> numbers; // indices of the large constants in the weight table
  main.walk([&](stablehlo::ConstantOp constant) {
    WeightDescription weight;
    weight.value = describeValue(constant.getType(),
                                 "constant" + std::to_string(description.weights.size() - bound));
    Result<HeldConstant> elements = elementsOfConstant(constant.getValue());
    if (!elements) {
      failure = elements.error();
      return mlir::WalkResult::interrupt();
    }
    if (elements->elements.bytes() > maxEmbeddedConstant) {
      numbers.push_back(description.weights.size());
      constants.push_back(std::move(*elements));
    } else {
      embed(elements->elements, weight);
    }
    description.weights.push_back(std::move(weight));
    return mlir::WalkResult::advance();
  });
  if (failure) {
    return *failure;
  }
  forEach(numbers.size(), options, [&](size_t i) {
    description.weights[numbers[i]].contentHash = contentHash(bytesOf(constants[i].elements));
  });
  placeConstants(description, bound);
  return Done{};
}

Status describeWeights(mlir::func::FuncOp main, const CompileOptions &options, PhaseResult &phases,
                       ImageDescription &description, std::vector<HeldConstant> &constants) {
  size_t expected = weightCount(main);
  if (phases.weights.size() != expected) {
    auto names = main->getAttrOfType<mlir::ArrayAttr>(weightsAttribute);
    return diagnose(errors::WeightMissing,
                    "the program has " + std::to_string(expected) + " bound weights, such as `" +
                        mlir::cast<mlir::StringAttr>(names[0]).str() +
                        "`, but no file provides them",
                    "--weights");
  }
  bool isInPlace = options.weightsInPlace != CompileOptions::WeightsInPlace::Off;
  for (size_t i = 0; i < expected; ++i) {
    WeightDescription weight;
    mlir::BlockArgument argument =
        main.getArgument(static_cast<unsigned>(main.getNumArguments() - expected + i));
    weight.value =
        describeValue(callersArgument(main, argument.getArgNumber()), phases.weights[i].name);
    if (!isInPlace) {
      // The elements are transposed here for the hash, and once more when they are written, so that
      // memory holds only one transposed copy at a time.
      weight.contentHash =
          contentHash(bytesOf(storedElements(phases.weights[i].tensor, weight.value)));
    }
    description.weights.push_back(std::move(weight));
  }
  Status placed = Done{};
  if (!isInPlace) {
    placeWeights(description, /*embedBelow=*/0);
  } else if (expected != 0) {
    placed = CallersFile(main, options, phases, description).place();
  }
  return placed ? describeConstants(main, options, description, constants) : placed;
}

} // namespace drumlin

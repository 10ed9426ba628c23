// Binds arguments to arrays of a file.
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/transforms/PassFailure.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/entry/Passes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_BINDWEIGHTSPASS
#include "drumlin/transforms/entry/Passes.h.inc"

static constexpr size_t namesInRemedy = 8;

namespace {
struct BoundWeight {
  std::string name;
  ElementType type;
  size_t array; // index of the array in the file
};

class WeightBinder {
public:
  WeightBinder(func::FuncOp main, const std::string &path, std::vector<ArrayHeader> arrays)
      : main(main), path(path), arrays(std::move(arrays)), used(this->arrays.size()) {
    for (size_t i = 0; i < this->arrays.size(); ++i) {
      positions.try_emplace(this->arrays[i].name, i);
    }
  }

  // Names the program's weights. The elements are read later, after all arrays are known to fit.
  Status bind() {
    size_t there = weightCount(main);
    Status status = there ? rebind(there) : bindMatching();
    if (!status) {
      return status.error();
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (!used[i]) {
        return unmatched(arrays[i].name);
      }
    }
    return Done{};
  }

  // Returns the arrays of the weights. `elements` are all arrays of the file, in the file's order.
  Result<std::vector<NamedTensor>> take(const std::vector<NamedTensor> &elements) const {
    std::vector<NamedTensor> weights;
    for (const BoundWeight &weight : bound) {
      const NamedTensor &read = elements[weight.array];
      Result<Tensor> typed = reinterpret(read.tensor, weight.type);
      if (!typed) {
        return typed.error();
      }
      bool isShared = typed->data() == read.tensor.data();
      weights.push_back({weight.name, std::move(*typed), isShared ? read.fileOffset : 0});
    }
    return weights;
  }

private:
  // Returns the index of the array that has one of these names.
  std::optional<size_t> find(const std::vector<std::string> &names) const {
    for (const std::string &name : names) {
      if (auto found = positions.find(name); found != positions.end()) {
        return found->second;
      }
    }
    return std::nullopt;
  }

  std::optional<size_t> arrayOf(BlockArgument argument) const {
    return find(namesOfArgument(argument));
  }

  Status bindTo(BlockArgument argument, const std::string &name, size_t index) {
    // The type that callers pass. In the text of a later phase, the argument may have another
    // layout.
    auto main = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    RankedTensorType type = callersArgument(main, argument.getArgNumber()).type;
    std::string location = path + ":" + arrays[index].name;
    std::string wanted;
    llvm::raw_string_ostream(wanted) << type;
    std::string remedy = "write the array with the argument's type and shape, or leave it out of "
                         "the file and pass the argument when the program runs";
    ElementType element = elementTypeOf(type.getElementType());
    if (Status typed = checkReinterpret(arrays[index].type, element); !typed) {
      return diagnose(typed.error().code,
                      typed.error().message + "; the argument `" + name + "` is a `" + wanted + "`",
                      location, remedy);
    }
    if (llvm::ArrayRef<int64_t>(arrays[index].shape) != type.getShape()) {
      std::string shape;
      for (int64_t dimension : arrays[index].shape) {
        shape += (shape.empty() ? "" : "x") + std::to_string(dimension);
      }
      return diagnose(errors::ArrayTypeMismatch,
                      "the array has the shape [" + shape + "], but the argument `" + name +
                          "` is a `" + wanted + "`",
                      location, remedy);
    }
    if (std::optional<int64_t> result = donatedTo(argument)) {
      return diagnose(errors::WeightDonated,
                      "the argument `" + name + "` is donated to result " +
                          std::to_string(*result) +
                          ", which would be written over it, but weights are never written",
                      location);
    }
    used[index] = true;
    bound.push_back({name, element, index});
    return Done{};
  }

  // Binds the weights of a program whose last arguments are already named as weights.
  Status rebind(size_t count) {
    size_t first = main.getNumArguments() - count;
    auto names = main->getAttrOfType<ArrayAttr>(weightsAttribute);
    for (size_t i = 0; i < count; ++i) {
      std::string name = cast<StringAttr>(names[i]).str();
      std::optional<size_t> index = find({name, dottedName(name)});
      if (!index) {
        return diagnose(errors::WeightMissing,
                        "has no array `" + name + "`, which is a weight of the program", path);
      }
      if (Status status = bindTo(main.getArgument(first + i), name, *index); !status) {
        return status;
      }
    }
    return Done{};
  }

  Status bindMatching() {
    llvm::BitVector moved(main.getNumArguments());
    for (BlockArgument argument : main.getArguments()) {
      if (std::optional<size_t> index = arrayOf(argument)) {
        if (Status status = bindTo(argument, argumentName(argument), *index); !status) {
          return status;
        }
        moved.set(argument.getArgNumber());
      }
    }
    if (moved.none()) {
      return Done{};
    }
    Builder builder(main.getContext());
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      main.setArgAttr(i, programNumberAttribute, builder.getI64IntegerAttr(i));
    }
    for (unsigned i : moved.set_bits()) {
      BlockArgument argument = main.getArgument(i);
      unsigned end = main.getNumArguments();
      if (failed(main.insertArgument(end, argument.getType(), main.getArgAttrDict(i),
                                     argument.getLoc()))) {
        return diagnose(errors::InternalError, "an argument can't be moved", path);
      }
      main.getArgument(i).replaceAllUsesWith(main.getArgument(end));
    }
    moved.resize(main.getNumArguments());
    if (failed(main.eraseArguments(moved))) {
      return diagnose(errors::InternalError, "an argument can't be moved", path);
    }
    SmallVector<Attribute> names;
    for (const BoundWeight &weight : bound) {
      names.push_back(StringAttr::get(main.getContext(), weight.name));
    }
    main->setAttr(weightsAttribute, ArrayAttr::get(main.getContext(), names));
    return Done{};
  }

  Diagnostic unmatched(const std::string &name) {
    std::string known;
    size_t shown = std::min<size_t>(main.getNumArguments(), namesInRemedy);
    for (size_t i = 0; i < shown; ++i) {
      known += (known.empty() ? "`" : ", `") + argumentName(main.getArgument(i)) + "`";
    }
    if (shown < main.getNumArguments()) {
      known += " … (" + std::to_string(main.getNumArguments()) + " arguments)";
    }
    return diagnose(errors::WeightUnmatched,
                    "the array `" + name + "` belongs to no argument of the program", path,
                    "remove the array, or name it after an argument: `in0`, `in1`, …" +
                        (known.empty() ? "" : ", or " + known));
  }

  func::FuncOp main;
  const std::string &path;
  std::vector<ArrayHeader> arrays;
  llvm::StringMap<size_t> positions; // index of each array, by name
  std::vector<bool> used;
  std::vector<BoundWeight> bound;
};
} // namespace

// Erases the entry's callers, since their calls would still have the old arguments. The callers
// never run, since nothing that the entry calls may call the entry.
static void eraseCallersOf(func::FuncOp callee, ModuleOp module) {
  SmallVector<func::FuncOp> erased;
  SmallVector<func::FuncOp> called = {callee};
  while (!called.empty()) {
    StringRef name = called.pop_back_val().getSymName();
    for (auto function : module.getOps<func::FuncOp>()) {
      bool calls =
          function
              .walk([&](func::CallOp call) {
                return call.getCallee() == name ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
      if (calls && !llvm::is_contained(erased, function)) {
        erased.push_back(function);
        called.push_back(function);
      }
    }
  }
  for (func::FuncOp function : erased) {
    function.erase();
  }
}

Result<std::vector<NamedTensor>> bindWeights(ModuleOp module, const std::string &path,
                                             WeightPlace place) {
  std::vector<ArrayHeader> headers;
  Result<std::vector<NamedTensor>> none = readArrays(path, [&](const ArrayHeader &header) {
    headers.push_back(header);
    return Result<bool>(false);
  });
  if (!none) {
    return none.error();
  }
  func::FuncOp main = entryFunction(module);
  eraseCallersOf(main, module);
  WeightBinder binder(main, path, std::move(headers));
  if (Status status = binder.bind(); !status) {
    return status.error();
  }
  if (place == WeightPlace::CallersFile && weightCount(main) != 0) {
    main->setAttr(weightsInPlaceAttribute, UnitAttr::get(main.getContext()));
  } else {
    main->removeAttr(weightsInPlaceAttribute);
  }
  Result<std::vector<NamedTensor>> arrays = readArrays(path);
  return arrays ? binder.take(*arrays) : arrays;
}

void recordWeights(ModuleOp module, Ledger &ledger) {
  func::FuncOp main = entryFunction(module);
  // If the program has no entry function, the first pass of the pipeline reports that.
  if (!main) {
    return;
  }
  size_t count = weightCount(main);
  Decision decision = Decision::taken();
  if (main->hasAttr(weightsInPlaceAttribute)) {
    decision.remedy = "used in place in the file";
  }
  for (BlockArgument argument : main.getArguments().take_back(count)) {
    ledger.record(Rule::BindWeight, argument, argumentName(argument), decision);
  }
}

struct BindWeightsPass : impl::BindWeightsPassBase<BindWeightsPass> {
  using impl::BindWeightsPassBase<BindWeightsPass>::BindWeightsPassBase;
  BindWeightsPass(std::string named, WeightPlace place, std::vector<NamedTensor> &weights,
                  std::optional<Diagnostic> &failure)
      : named(std::move(named)), place(place), weights(&weights), failure(&failure) {}

  void runOnOperation() override {
    Result<std::vector<NamedTensor>> bound =
        bindWeights(getOperation(), named.empty() ? file.getValue() : named,
                    inPlace ? WeightPlace::CallersFile : place);
    if (!bound) {
      reportFailure(getOperation(), bound.error(), failure);
      return signalPassFailure();
    }
    if (weights) {
      *weights = std::move(*bound);
    }
  }

private:
  std::string named;
  WeightPlace place = WeightPlace::OwnFile;
  std::vector<NamedTensor> *weights = nullptr;
  std::optional<Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createBindWeightsPass(std::string file, WeightPlace place,
                                            std::vector<NamedTensor> &weights,
                                            std::optional<Diagnostic> &failure) {
  return std::make_unique<BindWeightsPass>(std::move(file), place, weights, failure);
}

} // namespace drumlin

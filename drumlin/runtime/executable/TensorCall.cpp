#include "drumlin/runtime/executable/TensorCall.h"

#include "drumlin/support/diagnostics/CallErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

namespace drumlin {

namespace {
// A call on row-major tensors: pointers to its arguments and results, and the memory behind them.
struct Marshalled {
  std::vector<const void *> args;
  std::vector<void *> results;
  std::vector<Tensor> tensors; // the results
  std::vector<Tensor> inOrder; // copies of arguments, converted to the program's layout
  std::vector<Shape> sizes;    // sizes of the arguments, if the program has dynamic sizes
};
} // namespace

static Diagnostic mismatch(const Executable &executable, std::string message) {
  return diagnose(errors::ArgumentMismatch, std::move(message), executable.imageName());
}

static Result<Marshalled> marshal(const Executable &executable, std::span<const Tensor> args) {
  const ImageDescription &image = executable.description();
  if (args.size() != image.arguments.size()) {
    return mismatch(executable, "the program takes " + std::to_string(image.arguments.size()) +
                                    " arguments, not " + std::to_string(args.size()));
  }
  Marshalled made;
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &expected = image.arguments[i];
    bool isSize = !image.symbols.empty() || args[i].shape() == expected.shape;
    if (args[i].type() != expected.type || !isSize) {
      ValueDescription got = {{}, args[i].type(), args[i].shape()};
      return mismatch(executable, "argument " + std::to_string(i) + " `" + expected.name +
                                      "` is a `" + got.typeText() + "`, the program takes a `" +
                                      expected.typeText() + "`");
    }
    if (!expected.layout.empty() && !expected.isStatic) {
      made.inOrder.push_back(toPhysical(args[i], expected.layout));
      made.args.push_back(made.inOrder.back().data());
    } else {
      made.args.push_back(args[i].data());
    }
  }
  std::vector<Shape> resultSizes;
  if (!image.symbols.empty()) {
    for (const Tensor &arg : args) {
      made.sizes.push_back(arg.shape());
    }
    Result<std::vector<Shape>> sizes = executable.resultSizes(made.sizes);
    if (!sizes) {
      return sizes.error();
    }
    resultSizes = std::move(*sizes);
  }
  for (size_t i = 0; i < image.results.size(); ++i) {
    const ValueDescription &result = image.results[i];
    const Shape &shape = image.symbols.empty() ? result.shape : resultSizes[i];
    bool isRowMajor = result.layout.empty();
    std::optional<Tensor> tensor =
        Tensor::allocate(result.type, isRowMajor ? shape : physicalShape(shape, result.layout));
    if (!tensor) {
      return diagnose(errors::OutOfMemory, "no memory for the result `" + result.name + "`",
                      executable.imageName());
    }
    made.results.push_back(tensor->data());
    made.tensors.push_back(std::move(*tensor));
  }
  return made;
}

static std::vector<Tensor> resultsOf(const ImageDescription &image, Marshalled marshalled) {
  for (size_t i = 0; i < marshalled.tensors.size(); ++i) {
    if (const DimensionOrder &layout = image.results[i].layout; !layout.empty()) {
      marshalled.tensors[i] = fromPhysical(marshalled.tensors[i], layout);
    }
  }
  std::vector<CountedBy> countedBy;
  bool isAny = false;
  for (const ValueDescription &result : image.results) {
    isAny |= !result.countedBy.empty();
    countedBy.push_back(result.countedBy);
  }
  return isAny ? countedResults(std::move(marshalled.tensors), countedBy)
               : std::move(marshalled.tensors);
}

Result<std::vector<Tensor>> call(Executable &executable, std::span<const Tensor> args) {
  Result<Marshalled> marshalled = marshal(executable, args);
  if (!marshalled) {
    return marshalled.error();
  }
  // Copies of static arguments aren't kept: later calls may pass other elements at the same
  // pointers.
  Status status = executable.run({.args = marshalled->args,
                                  .results = marshalled->results,
                                  .sizes = marshalled->sizes,
                                  .keepsStaticArguments = false});
  if (!status) {
    return status.error();
  }
  return resultsOf(executable.description(), std::move(*marshalled));
}

Result<std::vector<std::vector<Tensor>>> callProcesses(Executable &executable,
                                                       std::span<const std::vector<Tensor>> args) {
  std::vector<Marshalled> marshalled;
  for (const std::vector<Tensor> &each : args) {
    Result<Marshalled> made = marshal(executable, each);
    if (!made) {
      return made.error();
    }
    if (!marshalled.empty() && made->sizes != marshalled.front().sizes) {
      return mismatch(executable, "processes take arguments of different sizes");
    }
    marshalled.push_back(std::move(*made));
  }
  std::vector<ProcessValues> processes;
  for (const Marshalled &each : marshalled) {
    processes.push_back({each.args, each.results});
  }
  std::vector<Shape> sizes = marshalled.empty() ? std::vector<Shape>() : marshalled.front().sizes;
  if (Status status = executable.runProcesses(processes, sizes, /*keepsStaticArguments=*/false);
      !status) {
    return status.error();
  }
  std::vector<std::vector<Tensor>> results;
  for (Marshalled &each : marshalled) {
    results.push_back(resultsOf(executable.description(), std::move(each)));
  }
  return results;
}

} // namespace drumlin

#include "drumlin/runtime/executable/Executable.h"

#include "drumlin/runtime/executable/Alignment.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/SystemError.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <new>

namespace drumlin {

std::vector<Executable::KernelTime> Executable::kernelTimes() const {
  std::lock_guard<std::mutex> lock(timing);
  return times;
}

size_t Executable::trim() {
  pool->trimScratch();
  return contexts->trim();
}

Diagnostic Executable::mismatch(std::string message) const {
  return diagnose(DiagnosticCode::ArgumentMismatch, std::move(message), location);
}

Status Executable::argumentChanged(size_t number) {
  if (number >= image.arguments.size()) {
    return mismatch("the program has no argument " + std::to_string(number) + ": it takes " +
                    std::to_string(image.arguments.size()));
  }
  staticArguments.forget(number);
  return Done();
}

size_t Executable::argumentBytes(size_t i, const CallSizes &sizes) const {
  return sizes.arguments.empty()
             ? image.arguments[i].bytes()
             : static_cast<size_t>(*byteCount(image.arguments[i].type, sizes.arguments[i]));
}

size_t Executable::resultBytes(size_t i, const CallSizes &sizes) const {
  return sizes.results.empty()
             ? image.results[i].bytes()
             : static_cast<size_t>(*byteCount(image.results[i].type, sizes.results[i]));
}

Result<CallSizes> Executable::callSizes(std::span<const Shape> sizes) const {
  if (sizes.size() != image.arguments.size()) {
    return mismatch("the program takes " + std::to_string(image.arguments.size()) +
                    " arguments, not " + std::to_string(sizes.size()));
  }
  return sizesOfCall(image, sizes, location);
}

// Those that schedules were chosen for; nothing where sizes are always the same.
Result<CallSizes> Executable::nominalSizes() const {
  if (image.symbols.empty()) {
    return CallSizes();
  }
  std::vector<Shape> shapes;
  for (const ValueDescription &argument : image.arguments) {
    shapes.push_back(argument.shape);
  }
  return callSizes(shapes);
}

Result<std::vector<Shape>> Executable::resultSizes(std::span<const Shape> sizes) const {
  Result<CallSizes> made = callSizes(sizes);
  return made ? Result<std::vector<Shape>>(std::move(made->results)) : made.error();
}

Status Executable::check(const Passed &passed) const {
  if (calls.needsProcesses()) {
    return diagnose(DiagnosticCode::ProcessesNeeded,
                    "the program runs as " + std::to_string(image.grid.replicas) + " replicas of " +
                        std::to_string(image.grid.partitions) +
                        " partitions, which need each other",
                    location);
  }
  return checkValues(passed);
}

Status Executable::checkValues(const Passed &passed) const {
  auto [args, results, sizes] = passed;
  if (args.size() != image.arguments.size() || results.size() != image.results.size()) {
    return mismatch("the program takes " + std::to_string(image.arguments.size()) +
                    " arguments and gives " + std::to_string(image.results.size()) +
                    " results, not " + std::to_string(args.size()) + " and " +
                    std::to_string(results.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i] && argumentBytes(i, sizes) != 0) {
      return mismatch("argument " + std::to_string(i) + " `" + image.arguments[i].name +
                      "` is a null pointer");
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i] && resultBytes(i, sizes) != 0) {
      return mismatch("result " + std::to_string(i) + " `" + image.results[i].name +
                      "` is a null pointer");
    }
  }
  return Done();
}

// What the code takes in another order than callers pass it.
static bool isLaidOut(const ValueDescription &argument) {
  return argument.isStatic && !argument.layout.empty() && argument.bytes() != 0;
}

size_t Executable::bytesToStage(const Passed &passed) const {
  auto [args, results, sizes] = passed;
  size_t total = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    total += isAligned(results[i]) ? 0 : stagedBytes(resultBytes(i, sizes));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &argument = image.arguments[i];
    if (!isAligned(args[i]) && argument.donatedTo < 0 && !isLaidOut(argument)) {
      total += stagedBytes(argumentBytes(i, sizes));
    }
  }
  return total;
}

Status Executable::placeStatic(ExecutionContext &context, size_t number, const void *from,
                               Keep keep) {
  const ValueDescription &argument = image.arguments[number];
  std::shared_ptr<StaticArguments::LaidOut> laidOut =
      keep == Keep::StaticArguments ? staticArguments.get(number, argument, from)
                                    : StaticArguments::make(argument, from);
  if (!laidOut) {
    return diagnose(DiagnosticCode::OutOfMemory,
                    "no memory for the static argument `" + argument.name + "`", location);
  }
  context.args[number] = laidOut->memory.data();
  context.laidOut.push_back(std::move(laidOut));
  return Done();
}

Status Executable::place(ExecutionContext &context, const Passed &passed, Keep keep) {
  auto [args, results, sizes] = passed;
  if (!context.takeSizes(sizes) || !pool->reserveScratch(sizes.scratchBytes)) {
    return diagnose(DiagnosticCode::OutOfMemory,
                    "no memory for the program: it needs " + std::to_string(sizes.arenaBytes) +
                        " bytes, and " + std::to_string(sizes.scratchBytes) +
                        " for each thread, at these sizes",
                    location);
  }
  if (!context.reserveStaging(bytesToStage(passed))) {
    return diagnose(DiagnosticCode::OutOfMemory, "no memory for aligned copies of the arguments",
                    location);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    size_t bytes = resultBytes(i, sizes);
    context.results[i] = bytes == 0              ? context.emptyPlace()
                         : isAligned(results[i]) ? results[i]
                                                 : context.stageResult(results[i], bytes);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &argument = image.arguments[i];
    size_t bytes = argumentBytes(i, sizes);
    void *&placed = context.args[i];
    placed = bytes == 0 ? context.emptyPlace() : const_cast<void *>(args[i]);
    if (isLaidOut(argument)) {
      if (Status status = placeStatic(context, i, args[i], keep); !status) {
        return status;
      }
    } else if (argument.donatedTo >= 0) {
      void *shared = context.results[static_cast<size_t>(argument.donatedTo)];
      if (shared != placed && bytes != 0) {
        std::memmove(shared, placed, bytes);
      }
      placed = shared;
    } else if (!isAligned(placed)) {
      placed = context.stage(bytes);
      std::memcpy(placed, args[i], bytes);
    }
  }
  return Done();
}

Status Executable::runIn(ExecutionContext &context, const Passed &passed, Keep keep) {
  Status status = Done();
  try {
    status = runPlaced(context, passed, keep);
  } catch (const std::bad_alloc &) { // on whichever thread: nobody else there would catch it
    status = outOfMemory();
  }
  context.end(bool(status));
  if (image.isTimed) {
    std::lock_guard<std::mutex> lock(timing);
    context.takeTimes(times);
  }
  return status;
}

Status Executable::runPlaced(ExecutionContext &context, const Passed &passed, Keep keep) {
  Status status = place(context, passed, keep);
  if (status) {
    std::unique_lock<std::mutex> lock(observed, std::defer_lock);
    if (observers.any() && !context.isOfProcess()) {
      lock.lock();
    }
    int32_t code = context.run(entry, weights.data());
    if (context.failure()) {
      status = diagnose(context.failure()->code, context.failure()->message, location,
                        context.failure()->remedy);
    } else if (code != 0) {
      status = diagnose(
          DiagnosticCode::ProgramFailed,
          "the program `" + image.program + "` failed with code " + std::to_string(code), location);
    }
  }
  return status;
}

Status Executable::runInOwnContext(const Passed &passed, Keep keep) {
  TakenContext context(*contexts);
  if (!context.get()) {
    context.set(new ExecutionContext(image, *pool, observers, calls));
  }
  return context->takeMemory() ? runIn(*context, passed, keep) : noMemoryForContext();
}

Status Executable::run(std::span<const void *const> args, std::span<void *const> results) {
  Result<CallSizes> sizes = nominalSizes();
  return sizes ? runSized({args, results, *sizes}) : Status(sizes.error());
}

Status Executable::run(std::span<const void *const> args, std::span<void *const> results,
                       std::span<const Shape> sizes) {
  Result<CallSizes> made = callSizes(sizes);
  return made ? runSized({args, results, *made}) : Status(made.error());
}

Status Executable::runSized(const Passed &passed) {
  Status status = check(passed);
  return status ? runInOwnContext(passed, Keep::StaticArguments) : status;
}

Result<std::unique_ptr<ExecutionContext>> Executable::makeContext() {
  auto context = std::make_unique<ExecutionContext>(image, *pool, observers, calls);
  if (!context->takeMemory()) {
    return noMemoryForContext();
  }
  return context;
}

Status Executable::acquire(ExecutionContext &context) const {
  if (!context.isOf(image)) {
    return diagnose(DiagnosticCode::ContextForeign, "the context is of another executable",
                    location);
  }
  if (!context.acquire()) {
    return diagnose(DiagnosticCode::ContextInUse, "the context has a run that hasn't ended",
                    location);
  }
  return Done();
}

Status Executable::setUserData(ExecutionContext &context, int64_t type, void *data) const {
  if (Status status = acquire(context); !status) {
    return status;
  }
  context.setUserData(type, data);
  context.release();
  return Done();
}

Status Executable::run(ExecutionContext &context, std::span<const void *const> args,
                       std::span<void *const> results, std::span<const Shape> sizes) {
  Result<CallSizes> made = sizes.empty() ? nominalSizes() : callSizes(sizes);
  if (!made) {
    return made.error();
  }
  Passed passed = {args, results, *made};
  if (Status status = check(passed); !status) {
    return status;
  }
  if (Status status = acquire(context); !status) {
    return status;
  }
  Status status = runIn(context, passed, Keep::StaticArguments);
  context.release();
  return status;
}

// A run that waits for others, or for a thread. Those it waits for have it until then.
struct Executable::LaterRun {
  std::shared_ptr<Executable> executable;
  RunRequest request;
  CallSizes sizes = {};
  std::shared_ptr<Event> event = std::make_shared<Event>();
  std::atomic<size_t> missing{1}; // events that aren't ready, and whoever starts it
  std::mutex failing;
  Status before = Done(); // how those before it ended

  void endedBefore(const Status &status) {
    if (!status) {
      std::lock_guard<std::mutex> lock(failing);
      if (before) {
        before = status;
      }
    }
  }
  // What throws here would end the thread.
  Status run() try {
    if (!before) {
      return before;
    }
    Passed passed = {request.args, request.results, sizes};
    return request.context ? executable->runIn(*request.context, passed, Keep::StaticArguments)
                           : executable->runInOwnContext(passed, Keep::StaticArguments);
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
  void execute() {
    Status status = run();
    if (request.context) {
      request.context->release();
      request.context.reset();
    }
    event->setReady(std::move(status));
    // Whoever waits for the end frees the executable, unless it was freed in a callback.
    std::shared_ptr<ContextPool> contexts = executable->contexts;
    executable.reset();
    contexts->end();
  }
};

Result<std::shared_ptr<Event>> Executable::runLater(std::shared_ptr<Executable> executable,
                                                    RunRequest request) {
  Result<CallSizes> sizes =
      request.sizes.empty() ? executable->nominalSizes() : executable->callSizes(request.sizes);
  if (!sizes) {
    return sizes.error();
  }
  if (Status status = executable->check({request.args, request.results, *sizes}); !status) {
    return status.error();
  }
  auto later = std::make_shared<LaterRun>(); // before anything has to be undone
  if (request.context) {
    if (Status status = executable->acquire(*request.context); !status) {
      return status.error();
    }
  }
  executable->contexts->begin();
  std::vector<std::shared_ptr<Event>> after = std::move(request.after);
  later->executable = std::move(executable);
  later->request = std::move(request);
  later->sizes = std::move(*sizes);
  std::shared_ptr<Event> event = later->event;
  auto arrive = [later] {
    if (later->missing.fetch_sub(1) != 1) {
      return;
    }
    try {
      later->executable->pool->jobs().submit([later] { later->execute(); });
    } catch (const std::bad_alloc &) { // nobody else will run it
      later->endedBefore(outOfMemory());
      later->execute();
    }
  };
  for (const std::shared_ptr<Event> &each : after) {
    later->missing.fetch_add(1);
    try {
      each->whenReady([later, arrive](const Status &status) {
        later->endedBefore(status);
        arrive();
      });
    } catch (const std::bad_alloc &) { // it isn't waited for, and the run doesn't begin
      later->endedBefore(outOfMemory());
      later->missing.fetch_sub(1);
    }
  }
  arrive();
  return event;
}

Result<Executable::Marshalled> Executable::marshal(std::span<const Tensor> args) const {
  if (args.size() != image.arguments.size()) {
    return mismatch("the program takes " + std::to_string(image.arguments.size()) +
                    " arguments, not " + std::to_string(args.size()));
  }
  Marshalled made;
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &expected = image.arguments[i];
    bool isSize = !image.symbols.empty() || args[i].shape() == expected.shape;
    if (args[i].type() != expected.type || !isSize) {
      ValueDescription got = {{}, args[i].type(), args[i].shape()};
      return mismatch("argument " + std::to_string(i) + " `" + expected.name + "` is a `" +
                      got.typeText() + "`, the program takes a `" + expected.typeText() + "`");
    }
    if (!expected.layout.empty() && !expected.isStatic) {
      made.inOrder.push_back(toPhysical(args[i], expected.layout));
      made.args.push_back(made.inOrder.back().data());
    } else {
      made.args.push_back(args[i].data());
    }
  }
  if (!image.symbols.empty()) {
    std::vector<Shape> shapes;
    for (const Tensor &arg : args) {
      shapes.push_back(arg.shape());
    }
    Result<CallSizes> sizes = callSizes(shapes);
    if (!sizes) {
      return sizes.error();
    }
    made.sizes = std::move(*sizes);
  }
  for (size_t i = 0; i < image.results.size(); ++i) {
    const ValueDescription &result = image.results[i];
    const Shape &shape = image.symbols.empty() ? result.shape : made.sizes.results[i];
    bool isRowMajor = result.layout.empty();
    std::optional<Tensor> tensor =
        Tensor::allocate(result.type, isRowMajor ? shape : physicalShape(shape, result.layout));
    if (!tensor) {
      return diagnose(DiagnosticCode::OutOfMemory, "no memory for the result `" + result.name + "`",
                      location);
    }
    made.results.push_back(tensor->data());
    made.tensors.push_back(std::move(*tensor));
  }
  return made;
}

std::vector<Tensor> Executable::resultsOf(Marshalled marshalled) const {
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

Result<std::vector<Tensor>> Executable::call(std::span<const Tensor> args) {
  Result<Marshalled> marshalled = marshal(args);
  if (!marshalled) {
    return marshalled.error();
  }
  Status status = check(marshalled->passed());
  // Their pointers may come again with other elements.
  status = status ? runInOwnContext(marshalled->passed(), Keep::Nothing) : status;
  if (!status) {
    return status.error();
  }
  return resultsOf(std::move(*marshalled));
}

} // namespace drumlin

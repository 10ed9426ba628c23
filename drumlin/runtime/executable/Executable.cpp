#include "drumlin/runtime/executable/Executable.h"

#include "drumlin/runtime/executable/Alignment.h"
#include "drumlin/runtime/executable/Dispatch.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/SystemError.h"
#include "drumlin/support/diagnostics/CallErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <algorithm>
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
  return diagnose(errors::ArgumentMismatch, std::move(message), location);
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

static Result<CallSizes> sizesOfArguments(const ImageDescription &image,
                                          std::span<const Shape> sizes,
                                          const std::string &location) {
  if (sizes.size() != image.arguments.size()) {
    return diagnose(errors::ArgumentMismatch,
                    "the program takes " + std::to_string(image.arguments.size()) +
                        " arguments, not " + std::to_string(sizes.size()),
                    location);
  }
  return sizesOfCall(image, sizes, location);
}

Result<CallSizes> Executable::callSizes(std::span<const Shape> sizes) const {
  return sizes.empty() ? nominalSizes() : sizesOfArguments(image, sizes, location);
}

// Returns the sizes that schedules were chosen for; empty if all sizes are fixed.
Result<CallSizes> Executable::nominalSizes() const {
  if (image.symbols.empty()) {
    return CallSizes();
  }
  std::vector<Shape> shapes;
  for (const ValueDescription &argument : image.arguments) {
    shapes.push_back(argument.shape);
  }
  return sizesOfArguments(image, shapes, location);
}

Result<std::vector<Shape>> Executable::resultSizes(std::span<const Shape> sizes) const {
  Result<CallSizes> made = sizesOfArguments(image, sizes, location);
  return made ? Result<std::vector<Shape>>(std::move(made->results)) : made.error();
}

Status Executable::check(const Passed &passed) const {
  if (calls.needsProcesses()) {
    return diagnose(errors::ProcessesNeeded,
                    "the program runs as " + std::to_string(image.grid.replicas) + " replicas of " +
                        std::to_string(image.grid.partitions) +
                        " partitions, which need each other",
                    location);
  }
  return checkValues(passed);
}

Status Executable::checkValues(const Passed &passed) const {
  const auto &[args, results, sizes, keeps, userData] = passed;
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

// Whether the code takes the argument in another layout than callers pass.
static bool isLaidOut(const ValueDescription &argument) {
  return argument.isStatic && !argument.layout.empty() && argument.bytes() != 0;
}

size_t Executable::bytesToStage(const Passed &passed) const {
  const auto &[args, results, sizes, keeps, userData] = passed;
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
                               bool keeps) {
  const ValueDescription &argument = image.arguments[number];
  std::shared_ptr<StaticArguments::LaidOut> laidOut =
      keeps ? staticArguments.get(number, argument, from) : StaticArguments::make(argument, from);
  if (!laidOut) {
    return diagnose(errors::OutOfMemory,
                    "no memory for the static argument `" + argument.name + "`", location);
  }
  context.args[number] = laidOut->memory.data();
  context.laidOut.push_back(std::move(laidOut));
  return Done();
}

Status Executable::place(ExecutionContext &context, const Passed &passed) {
  const auto &[args, results, sizes, keeps, userData] = passed;
  if (!context.takeSizes(sizes) || !pool->reserveScratch(sizes.scratchBytes)) {
    return diagnose(errors::OutOfMemory,
                    "no memory for the program: it needs " + std::to_string(sizes.arenaBytes) +
                        " bytes, and " + std::to_string(sizes.scratchBytes) +
                        " for each thread, at these sizes",
                    location);
  }
  if (!context.reserveStaging(bytesToStage(passed))) {
    return diagnose(errors::OutOfMemory, "no memory for aligned copies of the arguments", location);
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
      if (Status status = placeStatic(context, i, args[i], keeps); !status) {
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

Status Executable::runIn(ExecutionContext &context, const Passed &passed) {
  Status status = Done();
  try {
    status = runPlaced(context, passed);
  } catch (const std::bad_alloc &) { // an exception would end this thread
    status = outOfMemory();
  }
  context.end(bool(status));
  if (image.isTimed) {
    std::lock_guard<std::mutex> lock(timing);
    context.takeTimes(times);
  }
  return status;
}

Status Executable::runPlaced(ExecutionContext &context, const Passed &passed) {
  context.setDataOfRun(passed.userData);
  Status status = place(context, passed);
  if (status) {
    std::unique_lock<std::mutex> lock(observed, std::defer_lock);
    if (observers.any() && !context.isOfProcess()) {
      lock.lock();
    }
    int32_t returned = context.run(*code, weights.data());
    if (context.failure()) {
      status = diagnose(context.failure()->code, context.failure()->message, location,
                        context.failure()->remedy);
    } else if (returned != 0) {
      status = diagnose(errors::ProgramFailed,
                        "the program `" + image.program + "` failed with code " +
                            std::to_string(returned),
                        location);
    }
  }
  return status;
}

Status Executable::runInOwnContext(const Passed &passed) {
  TakenContext context(*contexts);
  if (!context.get()) {
    context.set(new ExecutionContext(image, *pool, observers, calls));
  }
  return context->takeMemory() ? runIn(*context, passed) : noMemoryForContext();
}

Status Executable::run(const RunRequest &request) {
  Result<CallSizes> sizes = callSizes(request.sizes);
  if (!sizes) {
    return sizes.error();
  }
  Passed passed = {request.args, request.results, *sizes, request.keepsStaticArguments,
                   request.userData};
  if (Status status = check(passed); !status) {
    return status;
  }
  if (!request.context) {
    return runInOwnContext(passed);
  }
  if (Status status = acquire(*request.context); !status) {
    return status;
  }
  Status status = runIn(*request.context, passed);
  request.context->release();
  return status;
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
    return diagnose(errors::ContextForeign, "the context belongs to another executable", location);
  }
  if (!context.acquire()) {
    return diagnose(errors::ContextInUse, "the context has a run that hasn't ended", location);
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

// A run that may wait for events or for a thread. While it waits, the events or the queue own it.
struct Executable::LaterRun {
  std::shared_ptr<Executable> executable;
  LaterRequest request;
  CallSizes sizes = {};
  std::shared_ptr<Event> event = std::make_shared<Event>();

  // Catches everything: an exception would end the thread.
  Status run() try {
    Passed passed = {request.args, request.results, sizes};
    return request.context ? executable->runIn(*request.context, passed)
                           : executable->runInOwnContext(passed);
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
  void execute(const Status &before) {
    Status status = before ? run() : before;
    if (request.context) {
      request.context->release();
      request.context.reset();
    }
    event->setReady(std::move(status));
    // The executable is freed by the thread that waits for the run's end, unless a callback freed
    // it.
    std::shared_ptr<ContextPool> contexts = executable->contexts;
    executable.reset();
    contexts->end();
  }
};

Result<std::shared_ptr<Event>> Executable::runLater(std::shared_ptr<Executable> executable,
                                                    LaterRequest request) {
  Result<CallSizes> sizes = executable->callSizes(request.sizes);
  if (!sizes) {
    return sizes.error();
  }
  if (Status status = executable->check({request.args, request.results, *sizes}); !status) {
    return status.error();
  }
  // Allocates first: a failure here leaves nothing to undo.
  auto later = std::make_shared<LaterRun>();
  Dispatch<Status> dispatch([&jobs = executable->pool->jobs()](
                                std::function<void()> job) { jobs.submit(std::move(job)); },
                            [later](const Status &before) { later->execute(before); });
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
  later.reset();
  dispatch.startAfter(after);
  return event;
}

} // namespace drumlin

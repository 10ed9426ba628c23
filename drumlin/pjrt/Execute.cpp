// Runs of programs. A run begins when its arguments are ready; the buffers for its results exist at
// once. A run executes on the caller's thread if it is expected to take no longer than a few
// hand-overs to another thread (Client::secondsOnCallersThread). Whatever its length, it also
// executes there if its program calls callbacks (HostCallbacks.h): the caller then gets control
// back after the callbacks' effects, and gets their errors. XLA's CPU backend does the same.
#include "drumlin/pjrt/Execute.h"

#include "drumlin/pjrt/Arguments.h"
#include "drumlin/pjrt/Buffer.h"
#include "drumlin/pjrt/HostTransfers.h"
#include "drumlin/pjrt/PjrtEvent.h"
#include "drumlin/pjrt/PjrtProgram.h"
#include "drumlin/runtime/executable/Dispatch.h"

#include <algorithm>

namespace drumlin::pjrt {

static std::atomic<uint64_t> started{0};

uint64_t executionCount() { return started.load(); }

namespace {
struct Run {
  std::shared_ptr<RunnableProgram> runnable;
  std::vector<std::shared_ptr<Storage>> held; // memory that the run uses until it ends
  std::vector<const void *> args;
  std::vector<void *> results;
  std::vector<UserData> userData;
  std::optional<HostTransfers> transfers; // only for programs that call other code
  std::shared_ptr<Completion> done;
  std::shared_ptr<RunningPrograms> running;

  // The two functions below don't throw.
  Outcome execute();
  // Executes the run unless `before` is an error, then ends it. `before` is the outcome of the runs
  // that compute the arguments.
  void finish(const Outcome &before);
};
} // namespace

Outcome Run::execute() try {
  std::optional<HostTransfers::Scope> scope;
  if (transfers) {
    scope.emplace(*transfers);
  }
  return runnable->run({.args = args, .results = results, .userData = userData});
} catch (const std::bad_alloc &) {
  return noMemoryLeft();
}

void Run::finish(const Outcome &before) {
  Outcome outcome = before ? execute() : before;
  // Before the run's end is signaled, frees the memory that only this run needs.
  held.clear();
  runnable = nullptr;
  done->setReady(std::move(outcome));
  running->end();
}

// Submits a job. A call of other code may wait for runs submitted later, so such a run gets its own
// thread.
static void submit(Queue &queue, bool callsOtherCode, const std::function<void()> &job) {
  if (!callsOtherCode) {
    queue.submit(job);
  } else if (!queue.submitTogether({job})) {
    job();
  }
}

static bool liesAs(const ArrayType &given, const ArrayType &expected) {
  if (given.order == expected.order) {
    return true;
  }
  auto orderOf = [](const ArrayType &type) {
    return type.order.empty() ? rowMajorOrder(type.shape.size()) : type.order;
  };
  return haveSameBytes(given.shape, orderOf(given), orderOf(expected));
}

namespace {
// Turns the arguments of a call into a run.
class Starter {
public:
  Starter(std::shared_ptr<RunnableProgram> given, const LoadedExecutableExecuteArgs &args)
      : program(*given->program), device(*given->device),
        arguments(args.numDevices && args.numArgs ? args.argumentLists[0] : nullptr, args.numArgs),
        kept(args.options->nonDonatableInputIndices, args.options->numNonDonatableInputIndices),
        runnable(std::move(given)), callsOtherCode(program.calls.any) {
    // Frameworks pass user data with every run; only host calls need it.
    if (!callsOtherCode) {
      return;
    }
    run->transfers.emplace(*args.options);
    if (args.options->context) {
      for (const auto &[type, data] : args.options->context->userData) {
        run->userData.push_back({type, data});
      }
    }
  }

  // Checks whether the arguments fit the program; donates nothing.
  Outcome check(size_t devices) const;
  Outcome takeArguments();
  Outcome makeResults();
  // Restores donated arguments if the run doesn't begin.
  void giveBack();
  // Starts the run and gives the results their events. Fails if the run has already ended with an
  // error.
  Outcome start();
  std::shared_ptr<Completion> done; // becomes ready when the run has ended
  std::shared_ptr<Completion> whenEffectsAreDone() {
    return callsOtherCode ? device.calls->append(done) : done;
  }
  std::vector<std::unique_ptr<Buffer>> results;

private:
  Outcome checkArgument(size_t i) const;
  bool isDonated(size_t i) const {
    return program.compiled.arguments[i].isDonated &&
           std::ranges::find(kept, static_cast<int64_t>(i)) == kept.end();
  }
  bool isForCallersThread() const {
    return after.empty() && !program.calls.transfers && device.machine->memory().isHosts() &&
           (program.calls.functions ||
            runnable->expectedSeconds() <= device.client->secondsOnCallersThread);
  }
  Outcome runNow();
  void runLater();

  const ProgramOfFramework &program;
  Device &device;
  std::span<Buffer *const> arguments;
  std::span<const int64_t> kept;
  std::shared_ptr<RunnableProgram> runnable;
  const bool callsOtherCode;
  std::shared_ptr<Run> run = std::make_shared<Run>();
  // The uses of the arguments' memory, until the run has ended or is registered as a reader of it.
  // Empty for tokens.
  std::vector<StorageUse> uses;
  // Donated memory that the program may write to, by the index of the image's result that takes it
  // over.
  std::vector<std::shared_ptr<Storage>> taken;
  std::vector<std::shared_ptr<Completion>> after;
  bool isNow = false; // whether the run executes on the caller's thread
};
} // namespace

Outcome Starter::check(size_t devices) const {
  if (devices != 1) {
    return fail(ErrorCode::Unimplemented,
                "the program runs on one device, not on " + std::to_string(devices));
  }
  if (arguments.size() != program.arguments.size()) {
    // Uses XLA's sentence (CheckBufferCompatibilities()), which clients look for.
    return invalid("Execution supplied " + std::to_string(arguments.size()) +
                   " buffers but compiled program expected " +
                   std::to_string(program.arguments.size()) + " buffers");
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (Outcome outcome = checkArgument(i); !outcome) {
      return outcome;
    }
  }
  return Done();
}

// Whether an array can be passed where the program expects another: it has the same shape or, as
// XLA's clients allow, the same number of bytes in row-major order, such as `u8[1]` for `u8[]`.
static bool isArrayOf(const ArrayType &given, const ArrayType &expected) {
  bool isRowMajor = given.order.empty() && expected.order.empty();
  return given.element == expected.element &&
         (given.shape == expected.shape || (isRowMajor && given.bytes() == expected.bytes()));
}

Outcome Starter::checkArgument(size_t i) const {
  if (program.compiled.arguments[i].isToken) {
    return Done();
  }
  auto refuse = [i](const char *what) { return invalid("argument " + std::to_string(i) + what); };
  const ArrayType &expected = program.arguments[i], &given = arguments[i]->type;
  if (!isArrayOf(given, expected)) {
    return refuse(" has other sizes or elements than the program takes");
  }
  if (given.shape == expected.shape && !liesAs(given, expected)) {
    return refuse(" has another memory layout than the program takes");
  }
  if (arguments[i]->isDeleted()) {
    return refuse(" was deleted or given to a program (donated) before");
  }
  if (const Device &where = *arguments[i]->memory->device; &where != &device) {
    return invalid("argument " + std::to_string(i) + " is on " + where.description->string +
                   ", and the program runs on " + device.description->string);
  }
  if (isDonated(i) && std::ranges::count(arguments, arguments[i]) > 1) {
    return refuse(" is donated to the program, but is also passed as another argument");
  }
  return Done();
}

Outcome Starter::takeArguments() {
  uses.reserve(arguments.size()); // so that appending a donated argument can't fail
  taken.resize(program.compiled.description.results.size());
  size_t place = 0; // the argument's index in the image, which lists no tokens
  for (size_t i = 0; i < arguments.size(); ++i) {
    Buffer &buffer = *arguments[i];
    if (!buffer.ready->isReady() || !buffer.ready->wait()) {
      after.push_back(buffer.ready);
    }
    if (program.compiled.arguments[i].isToken) {
      uses.emplace_back();
      continue;
    }
    const ValueDescription &described = program.compiled.description.arguments[place];
    bool mayWrite = false;
    uses.push_back(isDonated(i) ? buffer.donate(mayWrite) : buffer.hold());
    const std::shared_ptr<Storage> &storage = uses.back().storage();
    if (!storage) {
      return invalid("argument " + std::to_string(i) + " was deleted while the program started");
    }
    if (described.isStatic) {
      runnable->useStatic(place, storage);
    }
    ++place;
    if (mayWrite && described.donatedTo >= 0) {
      taken[static_cast<size_t>(described.donatedTo)] = storage;
      std::ranges::move(storage->readers(), std::back_inserter(after));
    }
    run->args.push_back(storage->address());
    run->held.push_back(storage);
  }
  return Done();
}

void Starter::giveBack() {
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] && isDonated(i)) {
      arguments[i]->takeBack(std::move(uses[i]));
    }
  }
}

Outcome Starter::makeResults() {
  isNow = isForCallersThread();
  run->done = isNow ? completed() : std::make_shared<Completion>();
  done = run->done;
  size_t place = 0; // the result's index in the image
  for (size_t i = 0; i < program.results.size(); ++i) {
    const EntryValue &value = program.compiled.results[i];
    std::shared_ptr<Storage> storage = value.isToken ? nullptr : taken[place];
    if (!storage) {
      storage = Storage::allocate(program.results[i].bytes(), device.statistics);
    }
    if (!storage) {
      return fail(ErrorCode::ResourceExhausted,
                  "no memory for result " + std::to_string(i) + " of " +
                      std::to_string(program.results[i].bytes()) + " bytes");
    }
    if (!value.isToken) {
      ++place;
      run->results.push_back(storage->address());
      run->held.push_back(storage);
    }
    Memory &memory = *device.memories[static_cast<size_t>(value.memoryKind)];
    results.push_back(
        std::make_unique<Buffer>(memory, program.results[i], std::move(storage), completed()));
  }
  return Done();
}

Outcome Starter::start() {
  run->running = device.client->running;
  run->running->begin();
  started.fetch_add(1, std::memory_order_relaxed);
  run->runnable = std::move(runnable);
  if (isNow) {
    if (Outcome outcome = runNow(); !outcome) {
      return outcome;
    }
  } else {
    runLater();
  }
  for (std::unique_ptr<Buffer> &result : results) {
    result->ready = done;
  }
  return Done();
}

Outcome Starter::runNow() {
  Outcome outcome = run->execute();
  run->running->end();
  return outcome;
}

// Submits the run. From here on `done` always becomes ready, even if no memory is left to begin the
// run.
void Starter::runLater() {
  std::shared_ptr<drumlin::Device> machine = device.machine;
  Outcome prepared = orNoMemory([&] {
    for (const std::shared_ptr<Storage> &storage : run->held) {
      storage->addReader(done);
    }
    Dispatch<Outcome> dispatch(
        [machine, callsOtherCode = callsOtherCode](const std::function<void()> &job) {
          submit(machine->queue(), callsOtherCode, job);
        },
        [run = run](const Outcome &before) { run->finish(before); });
    dispatch.startAfter(after);
  });
  if (!prepared) {
    run->finish(prepared);
  }
}

Outcome handleLoadedExecutableExecute(LoadedExecutableExecuteArgs &args) {
  std::shared_ptr<RunnableProgram> runnable;
  if (Outcome outcome = args.executable->on(args.executeDevice, runnable); !outcome) {
    return outcome;
  }
  bool hasPlace = args.numDevices != 0 && args.outputLists && args.outputLists[0];
  bool needsPlace = args.numDevices != 0 && !runnable->program->results.empty();
  if (needsPlace && !hasPlace) {
    return nullField<LoadedExecutableExecuteArgs>("outputLists", "the program has results");
  }
  Starter starter(std::move(runnable), args);
  Outcome outcome = orNoMemory([&] {
    Outcome prepared = starter.check(args.numDevices);
    prepared = prepared ? starter.takeArguments() : prepared;
    return prepared ? starter.makeResults() : prepared;
  });
  if (!outcome) {
    starter.giveBack();
    return outcome;
  }
  if (Outcome failed = starter.start(); !failed) {
    return failed;
  }
  if (args.deviceCompleteEvents) {
    args.deviceCompleteEvents[0] = new Event{starter.whenEffectsAreDone()};
  }
  for (size_t i = 0; i < starter.results.size(); ++i) {
    args.outputLists[0][i] = starter.results[i].release();
  }
  return Done();
}

Outcome handleExecuteContextCreate(ExecuteContextCreateArgs &args) {
  args.context = new ExecuteContext();
  return Done();
}

Outcome handleExecuteContextDestroy(ExecuteContextDestroyArgs &args) {
  delete args.context;
  return Done();
}

} // namespace drumlin::pjrt

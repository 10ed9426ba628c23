#include "drumlin/runtime/CApi.h"

#include "drumlin/runtime/cpu/JobQueue.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/diagnostics/CallErrors.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace drumlin;

// The error that is returned when no memory is left. It is allocated when the library is loaded;
// loading fails if there is no memory for it.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization)
static drumlin_error *const exhausted = new drumlin_error{outOfMemory()};

drumlin_error *drumlin::noMemory() { return exhausted; }

static drumlin_error *makeError(Diagnostic diagnostic) {
  return new drumlin_error{std::move(diagnostic)};
}

static drumlin_error *missing(const char *what) {
  return makeError(diagnose(errors::ArgumentMismatch, std::string(what) + " is a null pointer"));
}

// Callers compiled against an older header pass a smaller struct; the fields that it lacks keep
// their defaults.
LoadOptions drumlin::loadOptionsFromC(const drumlin_load_options *options) {
  LoadOptions result;
  if (!options) {
    return result;
  }
  auto has = [&](size_t offset, size_t size) { return options->size >= offset + size; };
  if (has(offsetof(drumlin_load_options, threads), sizeof(options->threads))) {
    result.threads = options->threads;
  }
  if (has(offsetof(drumlin_load_options, check_weights), sizeof(options->check_weights)) &&
      options->check_weights) {
    result.weightsCheck = WeightsCheck::Contents;
  }
  if (has(offsetof(drumlin_load_options, weights_path), sizeof(options->weights_path)) &&
      options->weights_path) {
    result.weightsPath = options->weights_path;
  }
  if (has(offsetof(drumlin_load_options, max_idle_bytes), sizeof(options->max_idle_bytes)) &&
      options->max_idle_bytes) {
    result.maxIdleBytes = options->max_idle_bytes;
  }
  return result;
}

static drumlin_error *finish(Result<std::unique_ptr<Executable>> loaded,
                             drumlin_executable **executable) {
  if (!loaded) {
    return makeError(loaded.error());
  }
  *executable = new drumlin_executable{std::move(*loaded)};
  return nullptr;
}

static int describe(const std::vector<ValueDescription> &values, size_t index,
                    drumlin_value *value) {
  if (index >= values.size() || !value) {
    return 0;
  }
  const ValueDescription &from = values[index];
  *value = {from.name.c_str(),
            name(from.type).data(),
            from.shape.data(),
            from.shape.size(),
            from.bytes(),
            from.donatedTo,
            from.isStatic || from.layout.empty() ? nullptr : from.layout.data(),
            from.isStatic};
  return 1;
}

const char *drumlin_version(void) { return DRUMLIN_VERSION; }

drumlin_error *drumlin_load(const char *path, const drumlin_load_options *options,
                            drumlin_executable **executable) try {
  if (!executable) {
    return missing("the address for the executable");
  }
  *executable = nullptr;
  if (!path) {
    return missing("the path");
  }
  return finish(Executable::load(path, loadOptionsFromC(options)), executable);
} catch (const std::bad_alloc &) {
  return noMemory();
}

drumlin_error *drumlin_load_memory(const void *image, size_t size,
                                   const drumlin_load_options *options,
                                   drumlin_executable **executable) try {
  if (!executable) {
    return missing("the address for the executable");
  }
  *executable = nullptr;
  if (!image) {
    return missing("the image");
  }
  std::span<const std::byte> bytes(static_cast<const std::byte *>(image), size);
  return finish(Executable::loadFromMemory(bytes, "<memory>", loadOptionsFromC(options)),
                executable);
} catch (const std::bad_alloc &) {
  return noMemory();
}

// Waits for the executable's runs, then frees it. A thread that runs jobs doesn't wait, since the
// runs may need this thread; the run that ends last then frees the executable.
void drumlin_free(drumlin_executable *executable) {
  if (executable && !JobQueue::isJobThread()) {
    executable->executable->waitForRuns();
  }
  delete executable;
}

const char *drumlin_program_name(const drumlin_executable *executable) {
  return executable ? executable->executable->description().program.c_str() : "";
}

// Returns the program's arguments; a null executable has no arguments and no results.
static const std::vector<ValueDescription> &argumentsOf(const drumlin_executable *executable) {
  static const std::vector<ValueDescription> none;
  return executable ? executable->executable->arguments() : none;
}

static const std::vector<ValueDescription> &resultsOf(const drumlin_executable *executable) {
  static const std::vector<ValueDescription> none;
  return executable ? executable->executable->results() : none;
}

size_t drumlin_argument_count(const drumlin_executable *executable) {
  return argumentsOf(executable).size();
}

size_t drumlin_result_count(const drumlin_executable *executable) {
  return resultsOf(executable).size();
}

int drumlin_argument(const drumlin_executable *executable, size_t index, drumlin_value *value) {
  return describe(argumentsOf(executable), index, value);
}

int drumlin_result(const drumlin_executable *executable, size_t index, drumlin_value *value) {
  return describe(resultsOf(executable), index, value);
}

static const char *sizesOf(const std::vector<ValueDescription> &values, size_t index) {
  bool isSized = index < values.size() && !values[index].sizesText.empty();
  return isSized ? values[index].sizesText.c_str() : nullptr;
}

const char *drumlin_argument_sizes(const drumlin_executable *executable, size_t index) {
  return sizesOf(argumentsOf(executable), index);
}

const char *drumlin_result_sizes(const drumlin_executable *executable, size_t index) {
  return sizesOf(resultsOf(executable), index);
}

int64_t drumlin_result_counted_by(const drumlin_executable *executable, size_t index,
                                  size_t dimension) {
  const std::vector<ValueDescription> &results = resultsOf(executable);
  bool isCounted = index < results.size() && dimension < results[index].countedBy.size();
  return isCounted ? results[index].countedBy[dimension] : -1;
}

drumlin_error *drumlin_run(drumlin_executable *executable, const void *const *args,
                           size_t arg_count, void *const *results, size_t result_count) try {
  if (!executable || (!args && arg_count) || (!results && result_count)) {
    return missing("the executable, the arguments or the results");
  }
  Status status =
      executable->executable->run({.args = {args, arg_count}, .results = {results, result_count}});
  return status ? nullptr : makeError(status.error());
} catch (const std::bad_alloc &) {
  return noMemory();
}

// Returns one shape for each argument of the program.
static std::vector<Shape> shapesFrom(const Executable &executable, const int64_t *const *dims) {
  std::vector<Shape> shapes;
  for (const ValueDescription &argument : executable.arguments()) {
    const int64_t *sizes = dims[shapes.size()];
    shapes.emplace_back(sizes, sizes + argument.shape.size());
  }
  return shapes;
}

// Checks that there is a pointer to each argument's sizes; returns null if so.
static drumlin_error *checkSizes(const drumlin_executable *executable,
                                 const int64_t *const *arg_dims, size_t arg_count) {
  if (!executable || (!arg_dims && arg_count)) {
    return missing("the executable or the arguments' sizes");
  }
  const std::vector<ValueDescription> &arguments = executable->executable->arguments();
  if (arg_count != arguments.size()) {
    return makeError(
        diagnose(errors::ArgumentMismatch, "the program takes " + std::to_string(arguments.size()) +
                                               " arguments, not " + std::to_string(arg_count)));
  }
  for (size_t i = 0; i < arg_count; ++i) {
    if (!arg_dims[i] && !arguments[i].shape.empty()) {
      return missing("an argument's sizes");
    }
  }
  return nullptr;
}

drumlin_error *drumlin_size_result(const drumlin_executable *executable,
                                   const int64_t *const *arg_dims, size_t arg_count, size_t result,
                                   int64_t *dims, size_t rank) try {
  if (drumlin_error *error = checkSizes(executable, arg_dims, arg_count)) {
    return error;
  }
  Result<std::vector<Shape>> shapes =
      executable->executable->resultSizes(shapesFrom(*executable->executable, arg_dims));
  if (!shapes) {
    return makeError(shapes.error());
  }
  bool isResult = result < shapes->size() && (*shapes)[result].size() == rank;
  if (!isResult || (!dims && rank)) {
    return makeError(
        diagnose(errors::ArgumentMismatch, "the program has no result " + std::to_string(result) +
                                               " of " + std::to_string(rank) +
                                               " dimensions, or `dims` is a null pointer"));
  }
  std::copy((*shapes)[result].begin(), (*shapes)[result].end(), dims);
  return nullptr;
} catch (const std::bad_alloc &) {
  return noMemory();
}

drumlin_error *drumlin_run_sized(drumlin_executable *executable, const void *const *args,
                                 const int64_t *const *arg_dims, size_t arg_count,
                                 void *const *results, size_t result_count) try {
  if (drumlin_error *error = checkSizes(executable, arg_dims, arg_count)) {
    return error;
  }
  if ((!args && arg_count) || (!results && result_count)) {
    return missing("the arguments or the results");
  }
  std::vector<Shape> sizes = shapesFrom(*executable->executable, arg_dims);
  Status status = executable->executable->run(
      {.args = {args, arg_count}, .results = {results, result_count}, .sizes = sizes});
  return status ? nullptr : makeError(status.error());
} catch (const std::bad_alloc &) {
  return noMemory();
}

int64_t drumlin_replica_count(const drumlin_executable *executable) {
  return executable ? executable->executable->description().grid.replicas : 0;
}

int64_t drumlin_partition_count(const drumlin_executable *executable) {
  return executable ? executable->executable->description().grid.partitions : 0;
}

drumlin_error *drumlin_run_processes(drumlin_executable *executable, const void *const *args,
                                     const int64_t *const *arg_dims, size_t arg_count,
                                     void *const *results, size_t result_count) try {
  if (!executable || (!args && arg_count) || (!results && result_count)) {
    return missing("the executable, the arguments or the results");
  }
  Executable &program = *executable->executable;
  auto processes = static_cast<size_t>(program.description().grid.processes());
  size_t takes = program.arguments().size(), gives = program.results().size();
  if (arg_count != processes * takes || result_count != processes * gives) {
    return makeError(diagnose(errors::ArgumentMismatch,
                              "the program's " + std::to_string(processes) + " processes take " +
                                  std::to_string(processes * takes) + " arguments and give " +
                                  std::to_string(processes * gives) + " results, not " +
                                  std::to_string(arg_count) + " and " +
                                  std::to_string(result_count)));
  }
  std::vector<Shape> sizes;
  if (arg_dims) {
    if (drumlin_error *error = checkSizes(executable, arg_dims, takes)) {
      return error;
    }
    sizes = shapesFrom(program, arg_dims);
  }
  std::vector<ProcessValues> all;
  for (size_t i = 0; i < processes; ++i) {
    all.push_back({std::span(args, arg_count).subspan(i * takes, takes),
                   std::span(results, result_count).subspan(i * gives, gives)});
  }
  Status status = program.runProcesses(all, sizes);
  return status ? nullptr : makeError(status.error());
} catch (const std::bad_alloc &) {
  return noMemory();
}

size_t drumlin_trim(drumlin_executable *executable) {
  return executable ? executable->executable->trim() : 0;
}

drumlin_error *drumlin_context_create(drumlin_executable *executable,
                                      drumlin_context **context) try {
  if (!context) {
    return missing("the address for the context");
  }
  *context = nullptr;
  if (!executable) {
    return missing("the executable");
  }
  Result<std::unique_ptr<ExecutionContext>> made = executable->executable->makeContext();
  if (!made) {
    return makeError(made.error());
  }
  *context = new drumlin_context{executable->executable, std::move(*made)};
  return nullptr;
} catch (const std::bad_alloc &) {
  return noMemory();
}

drumlin_error *drumlin_context_run(drumlin_context *context, const void *const *args,
                                   size_t arg_count, void *const *results,
                                   size_t result_count) try {
  if (!context || (!args && arg_count) || (!results && result_count)) {
    return missing("the context, the arguments or the results");
  }
  Status status = context->executable->run({.args = {args, arg_count},
                                            .results = {results, result_count},
                                            .context = context->context.get()});
  return status ? nullptr : makeError(status.error());
} catch (const std::bad_alloc &) {
  return noMemory();
}

void drumlin_context_free(drumlin_context *context) { delete context; }

static Result<LaterRequest> requestFromC(const Executable &executable,
                                         const drumlin_run_request &given) {
  auto missing = [](const char *what) {
    return diagnose(errors::ArgumentMismatch, std::string(what) + " is a null pointer");
  };
  // Callers compiled against an older header pass a smaller struct.
  drumlin_run_request request = {};
  std::memcpy(&request, &given, std::min(given.size, sizeof(request)));
  if ((!request.args && request.arg_count) || (!request.results && request.result_count) ||
      (!request.after && request.after_count)) {
    return missing("the arguments, the results or `after`");
  }
  // Checks the counts before any array is read.
  size_t takes = executable.arguments().size(), gives = executable.results().size();
  if (request.arg_count != takes || request.result_count != gives) {
    return diagnose(errors::ArgumentMismatch, "the program takes " + std::to_string(takes) +
                                                  " arguments and gives " + std::to_string(gives) +
                                                  " results, not " +
                                                  std::to_string(request.arg_count) + " and " +
                                                  std::to_string(request.result_count));
  }
  LaterRequest made;
  made.args.assign(request.args, request.args + request.arg_count);
  made.results.assign(request.results, request.results + request.result_count);
  if (request.arg_dims) {
    for (size_t i = 0; i < request.arg_count; ++i) {
      if (!request.arg_dims[i] && !executable.arguments()[i].shape.empty()) {
        return missing("an argument's sizes");
      }
    }
    made.sizes = shapesFrom(executable, request.arg_dims);
  }
  if (request.context) {
    made.context = request.context->context;
  }
  for (size_t i = 0; i < request.after_count; ++i) {
    if (!request.after[i]) {
      return missing("an event in `after`");
    }
    made.after.push_back(request.after[i]->event);
  }
  return made;
}

drumlin_error *drumlin_run_async(drumlin_executable *executable, const drumlin_run_request *request,
                                 drumlin_event **event) try {
  if (!event) {
    return missing("the address for the event");
  }
  *event = nullptr;
  if (!executable || !request) {
    return missing("the executable or the request");
  }
  Result<LaterRequest> read = requestFromC(*executable->executable, *request);
  if (!read) {
    return makeError(read.error());
  }
  Result<std::shared_ptr<Event>> started =
      Executable::runLater(executable->executable, std::move(*read));
  if (!started) {
    return makeError(started.error());
  }
  *event = new drumlin_event{std::move(*started)};
  return nullptr;
} catch (const std::bad_alloc &) {
  return noMemory();
}

int drumlin_event_is_ready(const drumlin_event *event) { return !event || event->event->isReady(); }

drumlin_error *drumlin_event_wait(drumlin_event *event) try {
  if (!event) {
    return missing("the event");
  }
  Status status = event->event->wait();
  return status ? nullptr : makeError(status.error());
} catch (const std::bad_alloc &) {
  return noMemory();
}

drumlin_error *drumlin_event_on_ready(drumlin_event *event,
                                      void (*callback)(void *context, const drumlin_error *error),
                                      void *context) try {
  if (!event || !callback) {
    return missing("the event or the callback");
  }
  event->event->whenReady([callback, context](const Status &status) {
    if (status) {
      callback(context, nullptr);
      return;
    }
    try {
      drumlin_error error = {status.error()};
      callback(context, &error);
    } catch (const std::bad_alloc &) {
      callback(context, exhausted);
    }
  });
  return nullptr;
} catch (const std::bad_alloc &) {
  return noMemory();
}

void drumlin_event_free(drumlin_event *event) { delete event; }

drumlin_error *drumlin_argument_changed(drumlin_executable *executable, size_t index) try {
  if (!executable) {
    return missing("the executable");
  }
  Status status = executable->executable->argumentChanged(index);
  return status ? nullptr : makeError(status.error());
} catch (const std::bad_alloc &) {
  return noMemory();
}

// The texts of the diagnostics table are string literals, so they end with a zero.
const char *drumlin_error_code(const drumlin_error *error) {
  return error ? info(error->diagnostic.code).id.data() : "";
}

const char *drumlin_error_message(const drumlin_error *error) {
  return error ? error->diagnostic.message.c_str() : "";
}

const char *drumlin_error_location(const drumlin_error *error) {
  return error ? error->diagnostic.location.c_str() : "";
}

const char *drumlin_error_remedy(const drumlin_error *error) {
  if (!error) {
    return "";
  }
  return error->diagnostic.remedy.empty() ? info(error->diagnostic.code).remedy.data()
                                          : error->diagnostic.remedy.c_str();
}

int drumlin_error_status(const drumlin_error *error) {
  return static_cast<int>(error ? info(error->diagnostic.code).status : ExitStatus::Done);
}

void drumlin_error_free(drumlin_error *error) {
  if (error != exhausted) {
    delete error;
  }
}

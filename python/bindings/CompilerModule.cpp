// drumlin._compiler: the C interface (drumlin/runtime/drumlin.h) as Python objects.
#include "drumlin/runtime/drumlin.h"
#include "python/bindings/PythonErrors.h"

#include <memory>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace drumlin::python {

namespace {
struct FreeExecutable {
  void operator()(drumlin_executable *executable) const { drumlin_free(executable); }
};
struct FreeError {
  void operator()(drumlin_error *error) const { drumlin_error_free(error); }
};
struct FreeEvent {
  void operator()(drumlin_event *event) const { drumlin_event_free(event); }
};
using ErrorPtr = std::unique_ptr<drumlin_error, FreeError>;

struct Executable {
  std::unique_ptr<drumlin_executable, FreeExecutable> handle;
};

// An argument or a result in the signature.
struct Value {
  std::string name, type;
  std::vector<int64_t> shape;
  std::optional<std::vector<int64_t>> layout;
  size_t bytes;
  bool isStatic;
  std::optional<std::string> sizes;
};

// The shape of each argument; None: the signature's shapes.
using Shapes = std::optional<std::vector<std::vector<int64_t>>>;

using Input = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A started run, with the arrays that it needs until it has ended.
struct Running {
  std::vector<Input> arguments;
  std::vector<Output> results;
  std::unique_ptr<drumlin_event, FreeEvent> event;

  Running() = default;
  Running(Running &&) = default;
  ~Running();
};
// A program's name and its bytes.
using Text = std::pair<std::string, nb::bytes>;
} // namespace

static nb::object toPython(const drumlin_error *error) {
  return makeError(drumlin_error_code(error), drumlin_error_message(error),
                   drumlin_error_location(error), drumlin_error_remedy(error));
}

static void check(ErrorPtr error) {
  if (error) {
    raise(toPython(error.get()));
  }
}

static drumlin_program_text textOf(const Text &text) {
  return {text.first.c_str(), text.second.c_str(), text.second.size()};
}

// Calls a function without the interpreter's lock, so that other Python threads can run.
template <typename Function> static ErrorPtr unlocked(Function function) {
  nb::gil_scoped_release release;
  return ErrorPtr(function());
}

static drumlin_load_options loadOptions(uint32_t threads) {
  drumlin_load_options options = {};
  options.size = sizeof(options);
  options.threads = threads;
  return options;
}

static Executable load(const std::string &path, uint32_t threads,
                       const std::optional<std::string> &weights, bool checksWeights) {
  drumlin_load_options options = loadOptions(threads);
  options.check_weights = checksWeights;
  options.weights_path = weights ? weights->c_str() : nullptr;
  drumlin_executable *executable = nullptr;
  check(unlocked([&] { return drumlin_load(path.c_str(), &options, &executable); }));
  return {std::unique_ptr<drumlin_executable, FreeExecutable>(executable)};
}

static std::optional<Executable>
compile(const std::string &program, const std::optional<nb::bytes> &content,
        const std::vector<std::pair<std::string, std::optional<std::string>>> &options,
        const std::optional<std::string> &output, bool isLoaded, uint32_t threads,
        nb::list warnings) {
  std::vector<const char *> names, values;
  for (const auto &[name, value] : options) {
    names.push_back(name.c_str());
    values.push_back(value ? value->c_str() : nullptr);
  }
  drumlin_load_options load = loadOptions(threads);
  drumlin_program_text text = {program.c_str(), content ? content->c_str() : nullptr,
                               content ? content->size() : 0};
  drumlin_compile_request request = {};
  request.size = sizeof(request);
  request.program = program.c_str();
  request.text = content ? &text : nullptr;
  request.option_names = names.data();
  request.option_values = values.data();
  request.option_count = names.size();
  request.output = output ? output->c_str() : nullptr;
  request.load = &load;
  request.context = &warnings;
  request.warn = [](void *context, const drumlin_error *warning) {
    nb::gil_scoped_acquire acquire;
    static_cast<nb::list *>(context)->append(toPython(warning));
  };
  drumlin_executable *executable = nullptr;
  check(unlocked([&] { return drumlin_compile(&request, isLoaded ? &executable : nullptr); }));
  if (!executable) {
    return std::nullopt;
  }
  return Executable{std::unique_ptr<drumlin_executable, FreeExecutable>(executable)};
}

// Returns the printed output, and the error with which the command failed, or None.
static nb::tuple command(const std::vector<std::string> &words, const std::vector<Text> &texts) {
  std::vector<const char *> all;
  for (const std::string &word : words) {
    all.push_back(word.c_str());
  }
  std::vector<drumlin_program_text> programs;
  for (const Text &text : texts) {
    programs.push_back(textOf(text));
  }
  char *output = nullptr;
  ErrorPtr error = unlocked([&] {
    return drumlin_command(all.data(), all.size(), programs.data(), programs.size(), &output);
  });
  nb::str printed(output ? output : "");
  drumlin_text_free(output);
  return nb::make_tuple(printed, error ? toPython(error.get()) : nb::none());
}

static std::vector<Value> valuesOf(const drumlin_executable *executable,
                                   int (*describe)(const drumlin_executable *, size_t,
                                                   drumlin_value *),
                                   const char *(*sizesOf)(const drumlin_executable *, size_t)) {
  std::vector<Value> all;
  drumlin_value value;
  for (size_t i = 0; describe(executable, i, &value); ++i) {
    std::optional<std::vector<int64_t>> layout;
    if (value.layout) {
      layout.emplace(value.layout, value.layout + value.rank);
    }
    all.push_back({value.name,
                   value.type,
                   {value.dims, value.dims + value.rank},
                   std::move(layout),
                   value.bytes,
                   value.is_static != 0,
                   std::nullopt});
    if (const char *sizes = sizesOf(executable, i)) {
      all.back().sizes = sizes;
    }
  }
  return all;
}

static std::vector<Value> argumentsOf(const Executable &self) {
  return valuesOf(self.handle.get(), drumlin_argument, drumlin_argument_sizes);
}
static std::vector<Value> resultsOf(const Executable &self) {
  return valuesOf(self.handle.get(), drumlin_result, drumlin_result_sizes);
}

static std::vector<const int64_t *> pointersOf(const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<const int64_t *> pointers;
  for (const std::vector<int64_t> &shape : shapes) {
    pointers.push_back(shape.data());
  }
  return pointers;
}

// Checks that there is a shape for each argument, with the rank of the signature.
static void checkRanks(const Executable &self, const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<Value> arguments = argumentsOf(self);
  bool fits = arguments.size() == shapes.size();
  for (size_t i = 0; fits && i < shapes.size(); ++i) {
    fits = arguments[i].shape.size() == shapes[i].size();
  }
  if (!fits) {
    raise(makeError("D6007", "an array has another rank than the signature says", "",
                    "pass arguments as the program's signature says"));
  }
}

// Computes the shapes of the results from the shapes of the arguments.
static std::vector<std::vector<int64_t>>
sizeResults(const Executable &self, const std::vector<std::vector<int64_t>> &shapes) {
  checkRanks(self, shapes);
  std::vector<const int64_t *> dims = pointersOf(shapes);
  std::vector<std::vector<int64_t>> all;
  for (const Value &result : resultsOf(self)) {
    std::vector<int64_t> made(result.shape.size());
    check(ErrorPtr(drumlin_size_result(self.handle.get(), dims.data(), dims.size(), all.size(),
                                       made.data(), made.size())));
    all.push_back(std::move(made));
  }
  return all;
}

namespace {
// The pointers of arrays, after the arrays were checked against the signature.
struct Pointers {
  std::vector<const void *> arguments;
  std::vector<void *> results;
};
} // namespace

static int64_t elementsIn(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  return count;
}

// Whether `bytes` is the size of a value with this shape.
static bool hasBytes(size_t bytes, const Value &value, const std::vector<int64_t> &shape) {
  auto nominal = static_cast<size_t>(elementsIn(value.shape));
  return nominal == 0 ? bytes == value.bytes
                      : bytes == value.bytes / nominal * static_cast<size_t>(elementsIn(shape));
}

// Checks arrays against these shapes; returns their pointers.
static Pointers pointersOf(const Executable &self, const std::vector<Input> &arguments,
                           const std::vector<Output> &results,
                           const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<std::vector<int64_t>> resultShapes = sizeResults(self, shapes);
  std::vector<Value> takes = argumentsOf(self), gives = resultsOf(self);
  Pointers pointers;
  bool fits = arguments.size() == takes.size() && results.size() == gives.size();
  for (size_t i = 0; fits && i < takes.size(); ++i) {
    fits = hasBytes(arguments[i].size(), takes[i], shapes[i]);
    pointers.arguments.push_back(arguments[i].data());
  }
  for (size_t i = 0; fits && i < gives.size(); ++i) {
    fits = hasBytes(results[i].size(), gives[i], resultShapes[i]);
    pointers.results.push_back(results[i].data());
  }
  if (!fits) {
    raise(makeError("D6007", "an array has another number of bytes than its shape says", "",
                    "pass arguments and results as the program's signature says"));
  }
  return pointers;
}

// Checks the arrays of one process, or the concatenated arrays of several; returns their pointers.
static Pointers pointersOf(const drumlin_executable *executable,
                           const std::vector<Input> &arguments, const std::vector<Output> &results,
                           size_t processes = 1) {
  Pointers pointers;
  bool fits = true;
  drumlin_value value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    size_t number = processes == 1 ? i : i % drumlin_argument_count(executable);
    fits &= drumlin_argument(executable, number, &value) && value.bytes == arguments[i].size();
    pointers.arguments.push_back(arguments[i].data());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    size_t number = processes == 1 ? i : i % drumlin_result_count(executable);
    fits &= drumlin_result(executable, number, &value) && value.bytes == results[i].size();
    pointers.results.push_back(results[i].data());
  }
  if (!fits) {
    raise(makeError("D6007", "an array has another number of bytes than the signature says", "",
                    "pass arguments and results as the program's signature says"));
  }
  return pointers;
}

static void run(Executable &self, const std::vector<Input> &arguments,
                const std::vector<Output> &results, const Shapes &shapes) {
  if (shapes) {
    Pointers pointers = pointersOf(self, arguments, results, *shapes);
    std::vector<const int64_t *> dims = pointersOf(*shapes);
    check(unlocked([&] {
      return drumlin_run_sized(self.handle.get(), pointers.arguments.data(), dims.data(),
                               pointers.arguments.size(), pointers.results.data(),
                               pointers.results.size());
    }));
    return;
  }
  Pointers pointers = pointersOf(self.handle.get(), arguments, results);
  check(unlocked([&] {
    return drumlin_run(self.handle.get(), pointers.arguments.data(), pointers.arguments.size(),
                       pointers.results.data(), pointers.results.size());
  }));
}

static void runProcesses(Executable &self, const std::vector<Input> &arguments,
                         const std::vector<Output> &results) {
  auto processes = static_cast<size_t>(drumlin_replica_count(self.handle.get()) *
                                       drumlin_partition_count(self.handle.get()));
  Pointers pointers = pointersOf(self.handle.get(), arguments, results, processes);
  check(unlocked([&] {
    return drumlin_run_processes(self.handle.get(), pointers.arguments.data(), nullptr,
                                 pointers.arguments.size(), pointers.results.data(),
                                 pointers.results.size());
  }));
}

static Running runAsync(Executable &self, std::vector<Input> arguments, std::vector<Output> results,
                        const Shapes &shapes) {
  Pointers pointers = shapes ? pointersOf(self, arguments, results, *shapes)
                             : pointersOf(self.handle.get(), arguments, results);
  std::vector<const int64_t *> dims;
  drumlin_run_request request = {};
  if (shapes) {
    dims = pointersOf(*shapes);
    request.arg_dims = dims.data();
  }
  request.size = sizeof(request);
  request.args = pointers.arguments.data();
  request.arg_count = pointers.arguments.size();
  request.results = pointers.results.data();
  request.result_count = pointers.results.size();
  drumlin_event *event = nullptr;
  check(unlocked([&] { return drumlin_run_async(self.handle.get(), &request, &event); }));
  Running running;
  running.arguments = std::move(arguments);
  running.results = std::move(results);
  running.event.reset(event);
  return running;
}

static ErrorPtr waitFor(const Running &running) {
  return unlocked([&] { return drumlin_event_wait(running.event.get()); });
}

// Keeps the arrays until the run no longer uses them.
Running::~Running() {
  if (event) {
    waitFor(*this);
  }
}

} // namespace drumlin::python

NB_MODULE(_compiler, m) {
  using namespace drumlin::python;
  m.doc() = "The C interface, on which the package drumlin is built.";
  nb::class_<Value>(m, "Value", "An argument or a result of a program.")
      .def_ro("name", &Value::name)
      .def_ro("type", &Value::type, "The element type's StableHLO name, such as `f8E4M3FN`.")
      .def_ro("shape", &Value::shape)
      .def_ro("layout", &Value::layout,
              "The dimensions in memory, slowest first; None for row-major.")
      .def_ro("bytes", &Value::bytes)
      .def_ro("is_static", &Value::isStatic, "Whether callers pass the same array at every call.")
      .def_ro(
          "sizes", &Value::sizes,
          "The sizes as expressions such as `b, 2 * s, 16`, if sizes are dynamic; `shape` is then "
          "an example. None if `shape` is the only possible shape.")
      .def("__repr__", [](const Value &self) {
        std::string text = "<Value " + self.name + ": ";
        for (int64_t size : self.shape) {
          text += std::to_string(size) + "x";
        }
        return text + self.type + ">";
      });
  nb::class_<Executable>(m, "Executable", "A loaded image.")
      .def_prop_ro("name",
                   [](const Executable &self) {
                     return std::string(drumlin_program_name(self.handle.get()));
                   })
      .def_prop_ro("arguments", argumentsOf)
      .def_prop_ro("results", resultsOf)
      .def("run", run, nb::arg("arguments"), nb::arg("results"), nb::arg("shapes") = nb::none(),
           "Runs the program. Arguments and results are arrays of bytes; `shapes`: the arguments' "
           "shapes if sizes are dynamic.")
      .def("size_results", sizeResults, nb::arg("shapes"),
           "Computes the shapes of the results from the shapes of the arguments.")
      .def_prop_ro("replicas",
                   [](const Executable &self) { return drumlin_replica_count(self.handle.get()); })
      .def_prop_ro(
          "partitions",
          [](const Executable &self) { return drumlin_partition_count(self.handle.get()); })
      .def("run_processes", runProcesses, nb::arg("arguments"), nb::arg("results"),
           "Runs all processes at once, with their arguments and results concatenated.")
      .def("run_async", runAsync, nb::arg("arguments"), nb::arg("results"),
           nb::arg("shapes") = nb::none(), nb::keep_alive<0, 1>(),
           "Starts a run and returns without waiting for its end.")
      .def(
          "argument_changed",
          [](Executable &self, size_t index) {
            check(ErrorPtr(drumlin_argument_changed(self.handle.get(), index)));
          },
          nb::arg("index"));
  nb::class_<Running>(m, "Running", "A run that was started.")
      .def("is_ready",
           [](const Running &self) { return drumlin_event_is_ready(self.event.get()) != 0; })
      .def("wait", [](const Running &self) { check(waitFor(self)); });
  m.def("version", [] { return std::string(drumlin_version()); });
  m.def("load", load, nb::arg("path"), nb::arg("threads"), nb::arg("weights"),
        nb::arg("check_weights"));
  m.def("compile", compile, nb::arg("program"), nb::arg("content"), nb::arg("options"),
        nb::arg("output"), nb::arg("load"), nb::arg("threads"), nb::arg("warnings"),
        nb::sig("def compile(program: str, content: bytes | None, "
                "options: collections.abc.Sequence[tuple[str, str | None]], output: str | None, "
                "load: bool, threads: int, warnings: list[drumlin.errors.Error]) -> Executable | "
                "None"));
  m.def("command", command, nb::arg("words"), nb::arg("texts"),
        nb::sig("def command(words: collections.abc.Sequence[str], texts: "
                "collections.abc.Sequence[tuple[str, bytes]]) -> tuple[str, drumlin.errors.Error "
                "| None]"));
}

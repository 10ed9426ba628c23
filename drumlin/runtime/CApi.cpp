#include "drumlin/runtime/CApi.h"

using namespace drumlin;

static drumlin_error *makeError(Diagnostic diagnostic) {
  return new drumlin_error{std::move(diagnostic)};
}

static drumlin_error *missing(const char *what) {
  return makeError(
      diagnose(DiagnosticCode::ArgumentMismatch, std::string(what) + " is a null pointer"));
}

// Callers compiled against an older header give a smaller struct; what it lacks keeps its default.
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
                            drumlin_executable **executable) {
  if (!executable) {
    return missing("the place for the executable");
  }
  *executable = nullptr;
  if (!path) {
    return missing("the path");
  }
  return finish(Executable::load(path, loadOptionsFromC(options)), executable);
}

drumlin_error *drumlin_load_memory(const void *image, size_t size,
                                   const drumlin_load_options *options,
                                   drumlin_executable **executable) {
  if (!executable) {
    return missing("the place for the executable");
  }
  *executable = nullptr;
  if (!image) {
    return missing("the image");
  }
  std::span<const std::byte> bytes(static_cast<const std::byte *>(image), size);
  return finish(Executable::loadFromMemory(bytes, "<memory>", loadOptionsFromC(options)),
                executable);
}

void drumlin_free(drumlin_executable *executable) { delete executable; }

const char *drumlin_program_name(const drumlin_executable *executable) {
  return executable->executable->description().program.c_str();
}

size_t drumlin_argument_count(const drumlin_executable *executable) {
  return executable->executable->arguments().size();
}

size_t drumlin_result_count(const drumlin_executable *executable) {
  return executable->executable->results().size();
}

int drumlin_argument(const drumlin_executable *executable, size_t index, drumlin_value *value) {
  return describe(executable->executable->arguments(), index, value);
}

int drumlin_result(const drumlin_executable *executable, size_t index, drumlin_value *value) {
  return describe(executable->executable->results(), index, value);
}

drumlin_error *drumlin_run(drumlin_executable *executable, const void *const *args,
                           size_t arg_count, void *const *results, size_t result_count) {
  if (!executable || (!args && arg_count) || (!results && result_count)) {
    return missing("the executable, the arguments or the results");
  }
  Status status = executable->executable->run({args, arg_count}, {results, result_count});
  return status ? nullptr : makeError(status.error());
}

drumlin_error *drumlin_argument_changed(drumlin_executable *executable, size_t index) {
  if (!executable) {
    return missing("the executable");
  }
  Status status = executable->executable->argumentChanged(index);
  return status ? nullptr : makeError(status.error());
}

// The registry's texts are literals too.
const char *drumlin_error_code(const drumlin_error *error) {
  return info(error->diagnostic.code).id.data();
}

const char *drumlin_error_message(const drumlin_error *error) {
  return error->diagnostic.message.c_str();
}

const char *drumlin_error_location(const drumlin_error *error) {
  return error->diagnostic.location.c_str();
}

const char *drumlin_error_remedy(const drumlin_error *error) {
  return error->diagnostic.remedy.empty() ? info(error->diagnostic.code).remedy.data()
                                          : error->diagnostic.remedy.c_str();
}

int drumlin_error_status(const drumlin_error *error) {
  return static_cast<int>(info(error->diagnostic.code).status);
}

void drumlin_error_free(drumlin_error *error) { delete error; }

// The compiling part of the C interface (drumlin/runtime/drumlin.h), with the options of the
// command line.
#include "commands/CommandFiles.h"
#include "commands/CommandLine.h"
#include "commands/CommandOptions.h"
#include "commands/Commands.h"
#include "commands/OptionChecks.h"
#include "commands/Printing.h"
#include "drumlin/driver/CompilerMemory.h"
#include "drumlin/runtime/CApi.h"
#include "drumlin/support/diagnostics/CallErrors.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/json/JsonStream.h"

#include <CLI/CLI.hpp>

#include <cstring>
#include <mutex>
#include <new>

using namespace drumlin;
using namespace drumlin::cli;

// Serializes compilations, since programs in memory and the linker are shared by the process.
static std::mutex compileLock;

static drumlin_error *makeError(Diagnostic diagnostic) {
  return new drumlin_error{std::move(diagnostic)};
}

static Diagnostic missing(const char *what) {
  return diagnose(errors::ArgumentMismatch, std::string(what) + " is a null pointer");
}

namespace {
// Programs in memory that a call refers to by name.
struct KeptTexts {
  KeptTexts() = default;
  ~KeptTexts() { forgetSources(); }
  KeptTexts(const KeptTexts &) = delete;
  KeptTexts &operator=(const KeptTexts &) = delete;

  Status keep(const drumlin_program_text &text) {
    if (!text.name || (!text.bytes && text.byte_count)) {
      return missing("a program's name or its bytes");
    }
    return keepSource(text.name, {static_cast<const char *>(text.bytes), text.byte_count});
  }
};

// `drumlin compile` without terminal-only options.
struct CompileCall {
  CompileCall() : sub(app.add_subcommand("compile")) {
    sub->set_help_flag();
    addOption(*sub, "program", program);
    addOption(*sub, "--output", output)
        ->required(false); // a request may ask for the executable without a file
    addCompileOptions(*sub, options);
    addTuningOptions(*sub, options);
  }

  Status parse(const drumlin_compile_request &request);
  // Compiles; returns null if no executable is requested.
  Result<std::unique_ptr<Executable>> run(const drumlin_compile_request &request, bool load);

  CLI::App app;
  CLI::App *sub;
  std::string program, output;
  ProgramOptions options;
};
} // namespace

Status CompileCall::parse(const drumlin_compile_request &request) {
  std::vector<std::string> words = {"compile"};
  if (request.output) {
    words.push_back("--output=" + std::string(request.output));
  }
  for (size_t i = 0; i < request.option_count; ++i) {
    const char *name = request.option_names[i];
    const char *value = request.option_values ? request.option_values[i] : nullptr;
    if (!name) {
      return missing("an option's name");
    }
    words.push_back("--" + std::string(name) + (value ? "=" + std::string(value) : ""));
  }
  words.insert(words.end(), {"--", request.program});
  if (Status status = parseWords(app, std::move(words)); !status) {
    return status;
  }
  if (Status status = checkOptions(*sub); !status) {
    return status;
  }
  if (Status status = checkFiles(*sub); !status) {
    return status;
  }
  return options.takeNames();
}

Result<std::unique_ptr<Executable>> CompileCall::run(const drumlin_compile_request &request,
                                                     bool load) {
  if (Status status = parse(request); !status) {
    return status.error();
  }
  if (request.warn) {
    options.warn = [&](const Diagnostic &warning) {
      drumlin_error handle = {warning};
      request.warn(request.context, &handle);
    };
  }
  Result<Program> read = readProgram(program, options);
  if (!read) {
    return read.error();
  }
  Result<Compilation> compilation =
      compile(*read->module, programName(program), optionsFor(program, options));
  if (!compilation) {
    return compilation.error();
  }
  if (!output.empty()) {
    if (Status status = writeCompilation(*read->module, *compilation, output); !status) {
      return status.error();
    }
  }
  return load ? loadCompilation(*compilation, program, options, loadOptionsFromC(request.load))
              : Result<std::unique_ptr<Executable>>(std::unique_ptr<Executable>());
}

static Status compileTo(const drumlin_compile_request *given, drumlin_executable **executable) {
  drumlin_compile_request request = {};
  if (!given) {
    return missing("the request");
  }
  // Callers compiled against an older header pass a smaller struct.
  std::memcpy(&request, given, std::min(given->size, sizeof(request)));
  if (!request.program || (request.option_count && !request.option_names)) {
    return missing("the program or the options' names");
  }
  if (!executable && !request.output) {
    return missing("the address for the executable");
  }
  KeptTexts texts;
  if (request.text) {
    if (Status status = texts.keep(*request.text); !status) {
      return status;
    }
  }
  Result<std::unique_ptr<Executable>> made = CompileCall().run(request, executable != nullptr);
  if (!made) {
    return made.error();
  }
  if (executable) {
    *executable = new drumlin_executable{std::move(*made)};
  }
  return Done{};
}

static Status runCommandWords(const char *const *words, size_t wordCount,
                              const drumlin_program_text *texts, size_t textCount) {
  if ((!words && wordCount) || (!texts && textCount)) {
    return missing("the words or the programs");
  }
  KeptTexts kept;
  for (size_t i = 0; i < textCount; ++i) {
    if (Status status = kept.keep(texts[i]); !status) {
      return status;
    }
  }
  std::vector<std::string> all;
  for (size_t i = 0; i < wordCount; ++i) {
    if (!words[i]) {
      return missing("a word");
    }
    all.emplace_back(words[i]);
  }
  return runWords(all);
}

// Runs a function and converts exceptions of the standard library to errors.
template <typename Function> static drumlin_error *guarded(Function function) {
  CompilerMemory memory;
  try {
    std::lock_guard<std::mutex> hold(compileLock);
    Status status = function();
    return status ? nullptr : makeError(status.error());
  } catch (const std::bad_alloc &) { // the host's own `operator new` may not call the handler
    EndsWithoutMemory::endNow();
  } catch (const std::exception &error) {
    return makeError(diagnose(errors::InternalError, error.what()));
  }
}

drumlin_error *drumlin_compile(const drumlin_compile_request *request,
                               drumlin_executable **executable) {
  if (executable) {
    *executable = nullptr;
  }
  return guarded([&] { return compileTo(request, executable); });
}

drumlin_error *drumlin_command(const char *const *words, size_t word_count,
                               const drumlin_program_text *texts, size_t text_count,
                               char **output) {
  if (!output) {
    return makeError(missing("the address for the output"));
  }
  *output = nullptr;
  return guarded([&]() -> Status {
    PrintedText printed;
    if (!printed.isOpen()) {
      return diagnose(errors::OutOfMemory, "no memory for what the command prints");
    }
    Status status = runCommandWords(words, word_count, texts, text_count);
    *output = strdup(validText(printed.finish()).c_str());
    return *output ? status
                   : diagnose(errors::OutOfMemory, "no memory for what the command prints");
  });
}

void drumlin_text_free(char *text) { std::free(text); }

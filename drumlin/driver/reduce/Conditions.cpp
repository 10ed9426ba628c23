#include "drumlin/driver/reduce/Conditions.h"

#include "drumlin/driver/reduce/ArgumentNumbers.h"
#include "drumlin/driver/reduce/ForkedRun.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/NumberErrors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

#include <cstring>

namespace drumlin {

using reduce::ForkedEnd;

static std::string replaceAll(std::string text, llvm::StringRef pattern, llvm::StringRef by) {
  llvm::Regex regex(pattern);
  std::string result;
  llvm::StringRef rest(text);
  llvm::SmallVector<llvm::StringRef> matches;
  while (regex.match(rest, &matches)) {
    result += rest.take_front(static_cast<size_t>(matches[0].data() - rest.data()));
    result += by;
    rest = rest.drop_front(static_cast<size_t>(matches[0].end() - rest.data()));
  }
  return result + rest.str();
}

// Returns an error's first line without numbers, so that smaller programs with the same fault give
// the same text.
static std::string withoutNumbers(llvm::StringRef message) {
  std::string text = message.split('\n').first.str();
  // Removes `file:line:column: `. In a message without a location, only the colon remains.
  text = replaceAll(text, "[^ ]+:[0-9]+:[0-9]+: ", "");
  text = replaceAll(text, ": : ", ": ");
  return replaceAll(text, "[0-9]+", "N");
}

// Returns `Assertion …' failed` from the standard error of an aborted process.
static std::string assertionIn(llvm::StringRef errors) {
  size_t begin = errors.find("Assertion `"), end = errors.find("' failed", begin);
  return begin == llvm::StringRef::npos || end == llvm::StringRef::npos
             ? std::string()
             : errors.slice(begin, end + std::strlen("' failed")).str();
}

//===-- running a program in the child --------------------------------------------------------===//

static std::string answerOf(ProgramFault::Kind kind, const std::string &detail) {
  return std::to_string(static_cast<int>(kind)) + " " + detail;
}

static std::string answerOf(const Diagnostic &error) {
  return info(error.code).status == ExitStatus::InternalError
             ? answerOf(ProgramFault::Kind::Fails, withoutNumbers(error.message))
             : answerOf(ProgramFault::Kind::None, "");
}

static std::string compileOnly(mlir::ModuleOp program, const FaultOptions &options) {
  takeArgumentNumbers(program);
  Result<Compilation> compiled = compile(program, "candidate", options.compilation);
  return compiled ? answerOf(ProgramFault::Kind::None, "") : answerOf(compiled.error());
}

static std::string compileAndCheck(mlir::ModuleOp program, const FaultOptions &options) {
  std::vector<std::optional<unsigned>> numbers = takeArgumentNumbers(program);
  Result<CheckReport> report =
      checkProgram(program, "candidate", options.compilation, options.checking,
                   [&](const std::vector<ValueDescription> &arguments) {
                     return options.makeArguments(arguments, numbers);
                   });
  if (!report) {
    return answerOf(report.error());
  }
  Status found = verdict(*report, "candidate");
  if (found) {
    return answerOf(ProgramFault::Kind::None, "");
  }
  std::string detail(info(found.error().code).id);
  bool isPhase = found.error().code == errors::PhaseDiverges;
  return answerOf(ProgramFault::Kind::Differs,
                  isPhase ? detail + " after phase " + report->wrongPhase : detail);
}

//===-- describing faults ---------------------------------------------------------------------===//

std::string ProgramFault::str() const {
  switch (kind) {
  case Kind::None:
    return "no fault";
  case Kind::Differs:
    return "native code differs from the interpreter: " + detail;
  case Kind::Fails:
    return "it ends with status 70: " + detail;
  case Kind::Crashes:
    return "it crashes: " + detail;
  case Kind::TimesOut:
    return "it takes too long";
  }
  return {};
}

static ProgramFault faultOf(const ForkedEnd &ended) {
  switch (ended.kind) {
  case ForkedEnd::Kind::TimedOut:
    return {ProgramFault::Kind::TimesOut, ""};
  case ForkedEnd::Kind::Signalled: {
    const char *name = sigabbrev_np(ended.number);
    std::string assertion = assertionIn(ended.errors);
    return {ProgramFault::Kind::Crashes,
            std::string("SIG") + (name ? name : "?") + (assertion.empty() ? "" : ", " + assertion)};
  }
  case ForkedEnd::Kind::Exited: {
    auto [kind, detail] = llvm::StringRef(ended.answer).split(' ');
    int number = 0;
    if (kind.getAsInteger(10, number)) {
      return {};
    }
    return {static_cast<ProgramFault::Kind>(number), detail.str()};
  }
  case ForkedEnd::Kind::Stopped:
  case ForkedEnd::Kind::NotStarted:
    return {};
  }
  return {};
}

ProgramFault findFault(mlir::ModuleOp program, FaultSearch search, const FaultOptions &options) {
  return faultOf(reduce::runForked(
      [&] {
        return search == FaultSearch::Compile ? compileOnly(program, options)
                                              : compileAndCheck(program, options);
      },
      {options.seconds, options.isStopped}));
}

//===-- commands ------------------------------------------------------------------------------===//

// Quotes a path as one word for the shell.
static std::string inQuotes(const std::string &path) {
  bool isPlain = llvm::all_of(
      path, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("/._-+,:@").contains(c); });
  if (isPlain) {
    return path;
  }
  std::string word = "'";
  for (char c : path) {
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return word + "'";
}

static std::string commandOn(const std::string &command, const std::string &name) {
  std::string text = command, path = inQuotes(name);
  size_t at = text.find("{}");
  if (at == std::string::npos) {
    return text + " " + path;
  }
  for (; at != std::string::npos; at = text.find("{}", at + path.size())) {
    text.replace(at, 2, path);
  }
  return text;
}

Result<bool> runCommand(mlir::ModuleOp program, const std::string &command, double seconds,
                        const std::function<bool()> &isStopped) {
  takeArgumentNumbers(program);
  llvm::SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("drumlin-reduce", "mlir", path)) {
    return diagnose(errors::FileNotWritable, "can't write a candidate: " + error.message());
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  program->print(stream);
  stream << "\n";
  Status written = writeFile(path.str().str(), text);
  bool isInteresting = false;
  if (written) {
    ForkedEnd ended = reduce::runShell(commandOn(command, path.str().str()), {seconds, isStopped});
    isInteresting = ended.kind == ForkedEnd::Kind::Exited && ended.number == 0;
  }
  llvm::sys::fs::remove(path);
  return written ? Result<bool>(isInteresting) : Result<bool>(written.error());
}

} // namespace drumlin

#include "commands/Reproducer.h"

#include "commands/CommandFiles.h"
#include "commands/Commands.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConstantPrinting.h"
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace drumlin::cli {

// Constants with more elements than this are assumed to be weights and aren't copied.
static constexpr int64_t elementsInText = 256;

static std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str(), quoted;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\0', begin), text.size());
    quoted += (quoted.empty() ? "'" : " '");
    for (char c : text.substr(begin, end - begin)) {
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    quoted += "'";
    begin = end + 1;
  }
  return quoted + "\n";
}

static std::string hashOf(const std::string &path) {
  Result<std::shared_ptr<MappedFile>> file = readSource(path);
  return file ? contentHash((*file)->bytes()) : "unreadable";
}

static std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stablehlo::ElidedPrinting elided(module.getContext());
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo(true).elideLargeElementsAttrs(
                            elementsInText));
  return text + "\n";
}

static std::string largeConstants(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->walk([&](stablehlo::ConstantOp constant) {
    std::string_view raw;
    if (const HeldConstant *held = heldConstant(constant.getValue())) {
      raw = {held->elements.as<char>(), static_cast<size_t>(held->elements.bytes())};
    } else if (auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
               elements && !elements.isSplat() && elements.getNumElements() > elementsInText) {
      raw = {elements.getRawData().data(), elements.getRawData().size()};
    }
    if (!raw.empty()) {
      stream << plan::sourceOf(constant.getLoc()) << ": " << constant.getType() << " "
             << contentHash(raw) << "\n";
    }
  });
  return text;
}

// Creates a new folder, whose name has a number so that several reports can exist. Only the owner
// can access the folder and its files, since programs may be secret.
static Result<std::string> makeFolder(const std::string &program) {
  int error = 0;
  const char *temporary = std::getenv("TMPDIR");
  for (const std::string &place : {std::string(), std::string(temporary ? temporary : "/tmp")}) {
    for (int number = 1; number < 1000; ++number) {
      std::filesystem::path path =
          std::filesystem::path(place) /
          ("drumlin-reproducer-" + programName(program) + "-" + std::to_string(number));
      if (mkdir(path.c_str(), 0700) == 0) {
        return path.string();
      }
      error = errno;
      if (error != EEXIST) {
        break;
      }
    }
  }
  return diagnose(errors::FileNotWritable,
                  "can't make a folder for the reproducer: " + std::string(std::strerror(error)));
}

Result<std::string> writeReproducer(const std::string &program, const CompileOptions &options,
                                    const Diagnostic &error) {
  Result<std::string> folder = makeFolder(program);
  if (!folder) {
    return folder.error();
  }
  std::vector<std::pair<std::string, std::string>> files = {
      {"command.txt", commandLine() + "# program: " + program + "\n# its hash: " + hashOf(program) +
                          "\n# to make it smaller, with the compilation options above: drumlin "
                          "reduce " +
                          *folder + "/program.mlir\n"},
      {"message.txt", error.str()},
  };
  Result<Program> again = readProgram(program, options);
  if (again) {
    files.emplace_back("program.mlir", textOf(*again->module));
    if (std::string constants = largeConstants(*again->module); !constants.empty()) {
      files.emplace_back("constants.txt", constants);
    }
    // Compilation is deterministic: a second run makes the same decisions up to the same failure.
    CompileOptions quiet = optionsFor(program, options);
    quiet.dumpPhases.clear();
    quiet.dumpPass.clear();
    PhaseResult phases;
    (void)static_cast<bool>(runPhases(*again->module, quiet, phases));
    files.emplace_back("ledger.json", phases.ledger.json());
  }
  for (const auto &[name, text] : files) {
    if (Status status = writeFile(*folder + "/" + name, text, 0600); !status) {
      return status.error();
    }
  }
  return folder;
}

std::string reproducerRemedy(const Result<std::string> &folder) {
  return folder ? "report it with the reproducer in `" + *folder + "`; `drumlin reduce " + *folder +
                      "/program.mlir` makes it smaller"
                : "report it with the program and the command line; no reproducer could be "
                  "written: " +
                      folder.error().message;
}

} // namespace drumlin::cli

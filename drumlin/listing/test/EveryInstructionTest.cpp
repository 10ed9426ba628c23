// Tests that folding loses nothing: every instruction of every available HLO text is printed, or is
// in a computation that can be found from the printed text.
#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/fold/Fold.h"
#include "drumlin/listing/test/ListedProgram.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

namespace drumlin::listing {

static std::vector<std::filesystem::path> hloFiles(const std::filesystem::path &folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  auto options = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator at(folder, options, error), end;
       !error && at != end; at.increment(error)) {
    std::string name = at->path().filename();
    if (at->is_directory() && (name == "build" || name.starts_with('.'))) {
      at.disable_recursion_pending();
    } else if (at->path().extension() == ".hlo") {
      files.push_back(at->path());
    }
  }
  return files;
}

// Returns the instruction names at the beginnings of lines, such as `  %x = ` and `  ROOT %x:2 = `.
static std::unordered_set<std::string> namesIn(const std::string &text) {
  std::unordered_set<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "ROOT") {
      words >> name;
    }
    if (name.starts_with('%')) {
      names.insert(name.substr(1));
    }
  }
  return names;
}

// Follows names in the folded text to computations that the text doesn't contain, then names in
// these computations, and so on.
class Reader {
public:
  Reader(Module &module, const std::string &file)
      : module(module), file(file), seen(namesIn(textOf(module))) {
    for (const std::unique_ptr<Computation> &computation : module.computations) {
      names.insert(computation->name);
      if (computation->isFolded || computation->isNamed) {
        hidden.push_back(computation.get());
      }
      forEach(*computation, [&](const Instruction &instruction) {
        for (const Computation *called : instruction.calls) {
          callers[called].push_back(instruction.name);
        }
      });
    }
  }

  // Follows names until all computations have been read, and checks that every instruction was
  // seen. Returns the number of computations that the text doesn't contain.
  size_t readAll() {
    size_t count = hidden.size();
    for (bool goesOn = true; goesOn;) {
      goesOn = std::erase_if(hidden, [&](Computation *computation) {
                 return readFromCaller(*computation);
               }) > 0;
    }
    for (const Computation *computation : hidden) {
      ADD_FAILURE() << file << ": nothing leads to " << computation->name;
    }
    for (const std::unique_ptr<Computation> &computation : module.computations) {
      forEach(*computation, [&](const Instruction &instruction) {
        EXPECT_TRUE(seen.contains(instruction.name)) << file << ": " << instruction.name;
      });
    }
    return count;
  }

private:
  // An instruction's name leads to the computations that it calls, unless a computation has that
  // name.
  bool readFromCaller(Computation &computation) {
    for (const std::string &caller : callers[&computation]) {
      if (seen.contains(caller) && !names.contains(caller)) {
        read(computation.name);
        read(computation.fullName);
        read(caller);
        return true;
      }
    }
    return false;
  }

  void read(const std::string &name) {
    Result<std::vector<const Computation *>> found = unfold(module, name);
    if (!found) {
      ADD_FAILURE() << file << ": " << found.error().str();
      return;
    }
    for (const std::string &each : namesIn(textOf(module, Selection().within(*found)))) {
      seen.insert(each);
    }
  }

  Module &module;
  const std::string &file;
  std::unordered_set<std::string> seen, names;
  std::unordered_map<const Computation *, std::vector<std::string>> callers;
  std::vector<Computation *> hidden;
};

TEST(ListingEveryInstruction, IsReached) {
  std::filesystem::path sources = DRUMLIN_SOURCE_DIR;
  std::vector<std::filesystem::path> files = hloFiles(sources);
  if (const char *data = std::getenv("DRUMLIN_DATA")) { // set by `./dev nightly --data`
    for (const std::filesystem::path &other : hloFiles(data)) {
      files.push_back(other);
    }
  }
  size_t read = 0, hidden = 0;
  for (const std::filesystem::path &file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    Result<hlo::Module> parsed = hlo::parse(text, file.filename().string());
    if (!parsed) {
      continue; // invalid texts that test the parser's errors
    }
    ++read;
    Module module = listHlo(std::move(*parsed));
    fold(module);
    hidden += Reader(module, file.string()).readAll();
  }
  EXPECT_GE(read, 25u);
  EXPECT_GE(hidden, 300u);
  RecordProperty("files", static_cast<int>(read));
  RecordProperty("hidden", static_cast<int>(hidden));
}

} // namespace drumlin::listing

#include "drumlin/driver/tuner/TuningRecord.h"

#include "drumlin/driver/tuner/Tuner.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/TuningErrors.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <sys/file.h>
#include <tuple>
#include <unistd.h>

namespace drumlin {

static constexpr std::string_view recordHeader = "drumlin tuning record 1",
                                  timesHeader = "drumlin tuning times 1";
static constexpr std::string_view byHand = "hand";
// A file counts as text if this many bytes at its start are text.
static constexpr size_t longestStart = 4096;

static auto orderOf(std::string_view key, std::string_view target) {
  return std::make_tuple(key, target);
}

//===- the record -------------------------------------------------------------------===//

const RecordedKernel *TuningRecord::find(std::string_view key, std::string_view target) const {
  auto found = std::lower_bound(all.begin(), all.end(), orderOf(key, target),
                                [](const RecordedKernel &x, const auto &wanted) {
                                  return orderOf(x.key, x.target) < wanted;
                                });
  bool isThere = found != all.end() && found->key == key && found->target == target;
  return isThere ? &*found : nullptr;
}

void TuningRecord::put(RecordedKernel kernel) {
  auto place = std::lower_bound(all.begin(), all.end(), kernel,
                                [](const RecordedKernel &x, const RecordedKernel &y) {
                                  return orderOf(x.key, x.target) < orderOf(y.key, y.target);
                                });
  if (place == all.end() || place->key != kernel.key || place->target != kernel.target) {
    all.insert(place, std::move(kernel));
    return;
  }
  if (kernel.comments.empty()) {
    kernel.comments = std::move(place->comments);
  }
  *place = std::move(kernel);
}

static std::string decimal(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

static void printTimes(const RecordedCandidate &candidate, std::ostream &out) {
  out << " outside " << decimal(candidate.outsideNanoseconds);
  if (candidate.bounds) {
    out << " median " << decimal(candidate.bounds->median) << " in "
        << decimal(candidate.bounds->lower) << " to " << decimal(candidate.bounds->upper);
  }
  out << " ns";
  for (const RecordedSample &sample : candidate.samples) {
    out << " " << decimal(sample.nanoseconds) << (sample.disturbed ? "!" : "");
  }
}

static std::string textOf(const std::vector<RecordedKernel> &kernels, TuningText kind) {
  bool hasTimes = kind == TuningText::Times;
  std::ostringstream out;
  out << (hasTimes ? timesHeader : recordHeader) << "\n";
  for (const RecordedKernel &kernel : kernels) {
    out << "\n";
    for (const std::string &comment : kernel.comments) {
      out << comment << "\n";
    }
    out << "kernel " << kernel.key << "\n";
    if (!kernel.subject.empty()) {
      out << "  subject " << kernel.subject << "\n";
    }
    out << "  target " << kernel.target << "\n";
    if (hasTimes && !kernel.processor.empty()) {
      out << "  processor " << kernel.processor << "\n";
    }
    out << "  version " << kernel.version << "\n";
    for (const RecordedCandidate &candidate : kernel.candidates) {
      out << "  candidate " << candidate.name;
      if (hasTimes) {
        printTimes(candidate, out);
      }
      out << "\n";
    }
    out << "  winner " << kernel.winner;
    // The rule that the tuner applied depends on the times, so only the times file states it. The
    // rule `hand` (a person chose) doesn't depend on times, so the record states it, too.
    bool saysRule = !kernel.rule.empty() && (hasTimes || kernel.rule == byHand);
    out << (saysRule ? " rule " + kernel.rule : "") << "\n";
  }
  return out.str();
}

std::string TuningRecord::str() const { return textOf(all, TuningText::Record); }
std::string TuningRecord::timesText() const { return textOf(all, TuningText::Times); }

//===- reading ----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  Parser(std::string_view text, const std::string &location, TuningText kind)
      : lines(std::string(text)), location(location),
        header(kind == TuningText::Record ? recordHeader : timesHeader) {}
  Result<TuningRecord> parse();

private:
  using Words = std::vector<std::string>;
  Status fail(const std::string &message) const {
    return diagnose(errors::TuningRecordInvalid, message, location + ":" + std::to_string(number));
  }
  Status take(const std::string &line);
  Status takeKernel(const Words &words);
  Status takeOneWord(const Words &words, std::string &into);
  Status takeCandidate(const Words &words);
  Status takeWinner(const Words &words);
  Status finishKernel();

  std::istringstream lines;
  const std::string &location;
  std::string header;
  unsigned number = 0;
  std::vector<std::string> comments;
  std::optional<RecordedKernel> current;
  std::vector<RecordedKernel> blocks;
  std::set<std::pair<std::string, std::string>> seenBlocks; // keys and targets of the blocks so far
};
} // namespace

static std::vector<std::string> wordsOf(const std::string &line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

// Parses a time: a finite number that isn't negative.
static std::optional<double> timeOf(const std::string &word) {
  char *end = nullptr;
  double value = std::strtod(word.c_str(), &end);
  bool isWhole = end == word.c_str() + word.size() && !word.empty();
  if (!isWhole || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return value;
}

Status Parser::takeKernel(const Words &words) {
  if (words.size() != 2) {
    return fail("expected `kernel KEY`");
  }
  if (Status status = finishKernel(); !status) {
    return status;
  }
  current.emplace();
  current->key = words[1];
  current->comments = std::move(comments);
  comments.clear();
  return Done{};
}

Status Parser::takeOneWord(const Words &words, std::string &into) {
  if (words.size() != 2) {
    return fail("expected one word after `" + words[0] + "`");
  }
  if (!into.empty()) {
    return fail("a second `" + words[0] + "` of kernel `" + current->key + "`");
  }
  into = words[1];
  return Done{};
}

// Parses `candidate NAME [outside TIME [median TIME in TIME to TIME] ns TIME …]`.
Status Parser::takeCandidate(const Words &words) {
  bool isName = words.size() == 2, hasBounds = words.size() > 4 && words[4] == "median";
  size_t unit = hasBounds ? 10 : 4;
  bool hasTimes = words.size() > unit && words[2] == "outside" && words[unit] == "ns" &&
                  (!hasBounds || (words[6] == "in" && words[8] == "to"));
  if (!isName && !hasTimes) {
    return fail("expected `candidate NAME`, or `candidate NAME outside TIME ns TIME …`, or the "
                "same with `median TIME in TIME to TIME` before `ns`");
  }
  RecordedCandidate candidate;
  candidate.name = words[1];
  for (const RecordedCandidate &other : current->candidates) {
    if (other.name == candidate.name) {
      return fail("a second candidate `" + candidate.name + "`");
    }
  }
  if (isName) {
    current->candidates.push_back(std::move(candidate));
    return Done{};
  }
  MedianBounds bounds;
  std::vector<std::pair<size_t, double *>> wanted = {{3, &candidate.outsideNanoseconds}};
  if (hasBounds) {
    wanted.insert(wanted.end(), {{5, &bounds.median}, {7, &bounds.lower}, {9, &bounds.upper}});
  }
  for (auto [at, into] : wanted) {
    std::optional<double> time = timeOf(words[at]);
    if (!time) {
      return fail("`" + words[at] + "` isn't a time in nanoseconds");
    }
    *into = *time;
  }
  if (hasBounds) {
    candidate.bounds = bounds;
  }
  for (size_t i = unit + 1; i < words.size(); ++i) {
    std::string word = words[i];
    bool disturbed = word.back() == '!';
    if (disturbed) {
      word.pop_back();
    }
    std::optional<double> time = timeOf(word);
    if (!time) {
      return fail("`" + words[i] + "` isn't a time in nanoseconds");
    }
    candidate.samples.push_back({*time, disturbed});
  }
  current->candidates.push_back(std::move(candidate));
  return Done{};
}

Status Parser::takeWinner(const Words &words) {
  bool hasRule = words.size() == 4 && words[2] == "rule";
  if (words.size() != 2 && !hasRule) {
    return fail("expected `winner NAME` or `winner NAME rule RULE`");
  }
  if (!current->winner.empty()) {
    return fail("a second `winner` of kernel `" + current->key + "`");
  }
  if (hasRule && words[3] != byHand && !tunerRuleFromName(words[3])) {
    return fail("`" + words[3] +
                "` isn't a rule, expected `only`, `separated`, `cost-model`, `name` or `hand`");
  }
  current->winner = words[1];
  current->rule = hasRule ? words[3] : "";
  current->winnerLine = number;
  return Done{};
}

Status Parser::finishKernel() {
  if (!current) {
    return Done{};
  }
  for (auto [word, value] : {std::pair{"target", &current->target},
                             {"version", &current->version},
                             {"winner", &current->winner}}) {
    if (value->empty()) {
      return fail("kernel `" + current->key + "`, which ends here, has no `" + word + "`");
    }
  }
  bool isListed = std::any_of(
      current->candidates.begin(), current->candidates.end(),
      [&](const RecordedCandidate &candidate) { return candidate.name == current->winner; });
  if (!isListed) {
    number = current->winnerLine;
    return fail("winner `" + current->winner + "` is none of the kernel's candidates");
  }
  if (!seenBlocks.emplace(current->key, current->target).second) {
    return fail("a second block of kernel `" + current->key + "` on `" + current->target + "`");
  }
  blocks.push_back(std::move(*current));
  current.reset();
  return Done{};
}

// Returns the part of a line after its first word.
static std::string restOf(const std::string &line, const std::string &word) {
  size_t first = line.find_first_not_of(" \t", line.find(word) + word.size());
  size_t last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, last + 1 - first);
}

Status Parser::take(const std::string &line) {
  Words words = wordsOf(line);
  if (words.empty()) {
    return Done{};
  }
  if (words[0][0] == '#') {
    comments.push_back(line);
    return Done{};
  }
  if (words[0] == "kernel") {
    return takeKernel(words);
  }
  if (!current) {
    return fail("`" + words[0] + "` before the first `kernel`");
  }
  if (words[0] == "subject") {
    current->subject = restOf(line, words[0]);
    return Done{};
  }
  if (words[0] == "processor") {
    current->processor = restOf(line, words[0]);
    return Done{};
  }
  if (words[0] == "target") {
    return takeOneWord(words, current->target);
  }
  if (words[0] == "version") {
    return takeOneWord(words, current->version);
  }
  if (words[0] == "candidate") {
    return takeCandidate(words);
  }
  if (words[0] == "winner") {
    return takeWinner(words);
  }
  return fail("`" + words[0] + "` begins no line of a tuning record");
}

Result<TuningRecord> Parser::parse() {
  std::string line;
  bool seen = false;
  while (std::getline(lines, line)) {
    ++number;
    if (!seen) {
      // Comments are allowed above the file's heading. They belong to the first kernel.
      Words words = wordsOf(line);
      if (words.empty() || words[0][0] == '#') {
        if (!words.empty()) {
          comments.push_back(line);
        }
        continue;
      }
      if (words != wordsOf(header)) {
        return fail("expected `" + header + "`").error();
      }
      seen = true;
      continue;
    }
    if (Status status = take(line); !status) {
      return status.error();
    }
  }
  if (!seen) {
    number = std::max(number, 1u);
    return fail("is empty, expected `" + header + "`").error();
  }
  if (Status status = finishKernel(); !status) {
    return status.error();
  }
  // The blocks are sorted so that each put() appends at the end.
  std::ranges::sort(blocks, [](const RecordedKernel &x, const RecordedKernel &y) {
    return orderOf(x.key, x.target) < orderOf(y.key, y.target);
  });
  TuningRecord record;
  for (RecordedKernel &block : blocks) {
    record.put(std::move(block));
  }
  return record;
}

Result<TuningRecord> parseTuningRecord(std::string_view text, const std::string &location,
                                       TuningText kind) {
  return Parser(text, location, kind).parse();
}

Result<TuningRecord> readTuningRecord(const std::string &path, TuningText kind) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file) {
    return file.error();
  }
  std::string_view text = (*file)->text();
  // A file that isn't text isn't read to its end, since the file, or one of its lines, may be
  // large.
  if (text.substr(0, longestStart).find('\0') != std::string_view::npos) {
    return diagnose(errors::TuningRecordInvalid, "isn't text", path + ":1");
  }
  return parseTuningRecord(text, path, kind);
}

std::string timesPath(const std::string &record) { return record + ".times"; }

//===- adding kernels to a record ---------------------------------------------------===//

namespace {
// A lock on a folder, held by one process at a time; it creates no file.
class FolderLock {
public:
  explicit FolderLock(const std::string &path)
      : folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (folder >= 0 && flock(folder, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() {
    if (folder >= 0) {
      close(folder);
    }
  }
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  int folder;
};
} // namespace

// Reads the current contents of a file; returns an empty record if the file doesn't exist.
static Result<TuningRecord> existing(const std::string &path, TuningText kind) {
  std::error_code error;
  return std::filesystem::exists(path, error) ? readTuningRecord(path, kind)
                                              : Result<TuningRecord>(TuningRecord());
}

Status addToTuningRecord(const std::string &path, RecordedKernel kernel) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  FolderLock lock(folder.empty() ? "." : folder.string());
  Result<TuningRecord> record = existing(path, TuningText::Record);
  if (!record) {
    return record.error();
  }
  Result<TuningRecord> times = existing(timesPath(path), TuningText::Times);
  if (!times) {
    return times.error();
  }
  times->put(kernel);
  record->put(std::move(kernel));
  // It is harmless if only one of the two files is written: a kernel with times but no choice is
  // measured again, and a choice needs no times.
  if (Status status = writeFile(timesPath(path), times->timesText()); !status) {
    return status;
  }
  return writeFile(path, record->str());
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  std::map<std::string, std::string> fields; // of the first processor in the file
  for (std::string line; std::getline(file, line) && !line.empty();) {
    size_t colon = line.find(':');
    size_t end = line.find_last_not_of(" \t", colon - 1);
    if (colon != std::string::npos && end != std::string::npos) {
      fields[line.substr(0, end + 1)] = line.size() > colon + 2 ? line.substr(colon + 2) : "";
    }
  }
  std::string name = fields["model name"];
  return name.empty() ? ""
                      : name + ", family " + fields["cpu family"] + " model " + fields["model"] +
                            " stepping " + fields["stepping"];
}

} // namespace drumlin

// Reads and prints HLO texts, and reads and writes HLO protos. Standard input has one path per
// line. Prints one line of tab-separated fields for each file: the path, the number of bytes, the
// outcome, the median seconds of reading and of printing, and details. The outcome is `identical`,
// `stable` (only spaces and comments differ, and printing the printed text again changes nothing),
// `differing` or `refused`.
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/hlo/proto/Proto.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace drumlin;

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// Returns the text without white space and comments outside of strings.
static std::string tokensOf(std::string_view text) {
  std::string tokens;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("/*")) {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text[i] == '"') {
      size_t begin = i;
      while (++i < text.size() && text[i] != '"') {
        i += text[i] == '\\';
      }
      tokens += text.substr(begin, i + 1 - begin);
    } else if (!std::isspace(static_cast<unsigned char>(text[i]))) {
      tokens += text[i];
    }
  }
  return tokens;
}

// Describes the first lines at which two texts differ.
static std::string firstDifference(std::string_view a, std::string_view b) {
  auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  auto line = [&](std::string_view text) {
    size_t place = std::min<size_t>(at, text.size());
    size_t begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
    begin = std::max(begin, place - std::min<size_t>(place, 60));
    return std::string(text.substr(begin, std::min(text.find('\n', place), place + 60) - begin));
  };
  return "`" + line(a) + "` is printed `" + line(b) + "`";
}

static Result<hlo::Module> readAs(bool isProto, std::string_view bytes, const std::string &path) {
  return isProto ? hlo::readProto(bytes, path) : hlo::parse(bytes, path);
}

// Returns the module as text or as a proto, or an empty text if a proto can't represent it.
static std::string writeAs(bool isProto, hlo::Module &module) {
  if (!isProto) {
    return hlo::print(module);
  }
  Result<std::string> bytes = hlo::writeProto(module);
  return bytes ? std::move(*bytes) : std::string();
}

static void answer(const std::string &path, unsigned rounds) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  std::string text = content.str();
  bool isProto = hlo::isProto(text);
  std::vector<double> read, print;
  std::string outcome, note, printed;
  for (unsigned round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    Result<hlo::Module> module = readAs(isProto, text, path);
    read.push_back(secondsSince(start));
    if (!module) {
      outcome = "refused";
      note = module.error().location.substr(path.size()) + " " + module.error().message;
      break;
    }
    start = std::chrono::steady_clock::now();
    printed = writeAs(isProto, *module);
    print.push_back(secondsSince(start));
  }
  if (outcome.empty()) {
    outcome = "identical";
    if (printed != text) {
      Result<hlo::Module> again = readAs(isProto, printed, path);
      std::string second = again ? writeAs(isProto, *again) : again.error().str();
      // A printed proto isn't compared with the original, since XLA's protos have other ids than
      // ours.
      std::string before = isProto ? "" : tokensOf(text), after = isProto ? "" : tokensOf(printed);
      outcome = second == printed && before == after ? "stable" : "differing";
      note = second != printed ? firstDifference(printed, second)
             : before != after ? firstDifference(before, after)
                               : firstDifference(text, printed);
    }
  }
  // Makes the details a single line of text, even if they contain a proto's bytes.
  std::replace_if(
      note.begin(), note.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, ' ');
  std::cout << path << '\t' << text.size() << '\t' << outcome << '\t' << median(read) << '\t'
            << median(print) << '\t' << note << std::endl;
}

int main(int count, char **arguments) {
  unsigned rounds = count > 1 ? std::max(std::atoi(arguments[1]), 1) : 1;
  std::string path;
  while (std::getline(std::cin, path)) {
    answer(path, rounds);
  }
  return 0;
}

// Compares the tables with the recorded answers of a library on a GPU (answers/, made by
// benchmarks/device/ask_library.py). The library must compute every call that the tables accept.
// For calls that only the library accepts, the test must know a reason.
#include "LibraryQuestions.h"

#include "drumlin/target/LibraryCheck.h"
#include "drumlin/target/LibraryTable.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>

namespace drumlin {

// Returns the answers by group and subject, one character for each question.
static std::map<std::string, std::string> answersOf(const std::string &target) {
  std::ifstream file(std::string(DRUMLIN_ANSWERS) + "/" + target + ".txt");
  std::map<std::string, std::string> answers;
  for (std::string line; std::getline(file, line);) {
    size_t end = line.rfind(": ");
    if (!line.starts_with("#") && end != std::string::npos) {
      answers[line.substr(0, end)] = line.substr(end + 2);
    }
  }
  return answers;
}

// Returns why the tables are stricter than the library on the GPU; empty if no reason is known.
static std::string whyStricter(const LibraryQuestion &question, LibraryLimit limit) {
  const LibraryCall &call = question.call;
  bool isGelu = question.variation.starts_with("Gelu");
  if (isInteger(call.a.type)) {
    return "the manual has more rules for integers, and calls that it excludes take 12 to 59 times "
           "as long";
  }
  if (call.computeType.ends_with("TF32")) {
    return "TF32 is only for operands of f32";
  }
  if (call.epilogue == LibraryEpilogue::GeluGradBiasGrad) {
    return "the sum for the bias's gradient takes longer than Drumlin's own kernel";
  }
  if (isGelu && call.d.type == ElementType::F64) {
    return "the library computes a gelu with fewer digits than f64 has";
  }
  if (isGelu && limit == LibraryLimit::Alignment) {
    return "the manual requires multiples of eight, and the forward call needs them";
  }
  if (isGelu && limit == LibraryLimit::AuxType && isNarrow(call.d.type)) {
    return "a gelu's input in a narrow type has a scale and an amax of its own";
  }
  return limit == LibraryLimit::Shape ? "matrices that overlap" : "";
}

TEST(LibraryAnswersTest, TheLibraryComputesWhatTheTablesTake) {
  std::map<std::string, int> stricter;
  for (const GpuTarget &target : gpuTargets()) {
    std::map<std::string, std::string> answers = answersOf(target.name);
    if (answers.empty()) {
      continue; // no answers of this target's library are recorded
    }
    std::map<std::string, size_t> asked;
    for (const LibraryQuestion &question : libraryQuestions(target)) {
      std::string key = question.group + ": " + question.subject;
      SCOPED_TRACE(target.name + " " + key + ": " + question.variation);
      size_t number = asked[key]++;
      ASSERT_LT(number, answers[key].size()) << "nobody has asked: see benchmarks/device";
      char answer = answers[key][number];
      std::optional<LibraryViolation> violation = violationOf(question.call, target);
      bool computes = answer == '=' || answer == '~';
      if (!violation) {
        EXPECT_TRUE(computes) << answer;
        EXPECT_TRUE(answer == '=' || question.variation.starts_with("Gelu"));
      } else if (computes) {
        std::string why = whyStricter(question, violation->limit);
        EXPECT_NE(why, "") << info(violation->limit).name << ": " << violation->detail;
        ++stricter[why];
      }
    }
    for (const auto &[key, characters] : answers) {
      EXPECT_EQ(asked[key], characters.size()) << key;
    }
  }
  EXPECT_FALSE(stricter.empty());
  for (const auto &[why, count] : stricter) {
    RecordProperty(why, count);
  }
}

} // namespace drumlin

// Tests that records are written as they were read, that people can edit them, and that a faulty
// record is refused with the faulty line.
#include "drumlin/driver/tuner/TuningRecord.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/TuningErrors.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace drumlin {

static constexpr const char *small = R"(drumlin tuning record 1

# kept by hand since the first measurement
kernel 0a
  subject dot_general tensor<4x4xf32>
  target x86-64-v4
  version abc
  candidate default outside 0.0 ns 10.0 12.5! 11.0
  candidate parts-64x256 outside 3.5 median 9.1 in 9.0 to 9.2 ns 9.0 9.1 9.2
  winner parts-64x256 rule separated

kernel 0a
  target x86-64-v3
  version abc
  candidate default
  winner default rule hand

kernel 0b
  target x86-64-v3
  version abd
  candidate default outside 0.0 ns 1.0
  candidate gemv outside 0.0 ns 1.0
  winner default rule cost-model
)";

static TuningRecord parsed(const std::string &text) {
  Result<TuningRecord> record = parseTuningRecord(text, "r.txt");
  EXPECT_TRUE(record) << (record ? "" : record.error().str());
  return record ? *record : TuningRecord();
}

TEST(TuningRecord, RoundTripsInStableOrder) {
  TuningRecord record = parsed(small);
  ASSERT_EQ(record.kernels().size(), 3u);
  std::string text = record.str();
  EXPECT_EQ(parsed(text).str(), text);
  // The same blocks in any order give the same record.
  TuningRecord reversed;
  for (size_t i = record.kernels().size(); i-- > 0;) {
    reversed.put(record.kernels()[i]);
  }
  EXPECT_EQ(reversed.str(), text);
  EXPECT_EQ(record.kernels()[0].target, "x86-64-v3");
}

TEST(TuningRecord, HoldsWhatTheTextSays) {
  TuningRecord record = parsed(small);
  const RecordedKernel *kernel = record.find("0a", "x86-64-v4");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->subject, "dot_general tensor<4x4xf32>");
  EXPECT_EQ(kernel->version, "abc");
  ASSERT_EQ(kernel->candidates.size(), 2u);
  ASSERT_EQ(kernel->candidates[0].samples.size(), 3u);
  EXPECT_EQ(kernel->candidates[0].samples[1].nanoseconds, 12.5);
  EXPECT_TRUE(kernel->candidates[0].samples[1].disturbed);
  EXPECT_FALSE(kernel->candidates[0].samples[2].disturbed);
  EXPECT_EQ(kernel->candidates[1].outsideNanoseconds, 3.5);
  EXPECT_FALSE(kernel->candidates[0].bounds);
  ASSERT_TRUE(kernel->candidates[1].bounds);
  EXPECT_EQ(kernel->candidates[1].bounds->lower, 9.0);
  EXPECT_EQ(kernel->candidates[1].bounds->median, 9.1);
  EXPECT_EQ(kernel->candidates[1].bounds->upper, 9.2);
  EXPECT_EQ(kernel->candidates[1].samples.size(), 3u);
  EXPECT_EQ(kernel->winner, "parts-64x256");
  EXPECT_EQ(kernel->rule, "separated");
  EXPECT_EQ(kernel->winnerLine, 10u);
  EXPECT_FALSE(record.find("0a", "x86-64"));
  EXPECT_FALSE(record.find("0c", "x86-64-v4"));
}

// The times file has the measurements and the rule that decided; the record has neither.
TEST(TuningRecord, EqualChoicesAreEqualRecords) {
  TuningRecord record = parsed(small), other = parsed(small);
  RecordedKernel kernel = *record.find("0a", "x86-64-v4");
  kernel.candidates[0].samples = {{99, true}};
  kernel.candidates[1].bounds.reset();
  kernel.processor = "another one";
  kernel.rule = "name";
  other.put(kernel);
  EXPECT_EQ(other.str(), record.str());
  EXPECT_NE(other.timesText(), record.timesText());
  EXPECT_EQ(record.str(), R"(drumlin tuning record 1

kernel 0a
  target x86-64-v3
  version abc
  candidate default
  winner default rule hand

# kept by hand since the first measurement
kernel 0a
  subject dot_general tensor<4x4xf32>
  target x86-64-v4
  version abc
  candidate default
  candidate parts-64x256
  winner parts-64x256

kernel 0b
  target x86-64-v3
  version abd
  candidate default
  candidate gemv
  winner default
)");
  // The times are parsed completely.
  Result<TuningRecord> times = parseTuningRecord(record.timesText(), "r.times", TuningText::Times);
  ASSERT_TRUE(times) << times.error().str();
  EXPECT_EQ(times->timesText(), record.timesText());
  EXPECT_EQ(times->find("0a", "x86-64-v4")->candidates[0].samples.size(), 3u);
  EXPECT_EQ(times->find("0b", "x86-64-v3")->rule, "cost-model");
  EXPECT_FALSE(parseTuningRecord(record.timesText(), "r.times"));
  EXPECT_FALSE(parseTuningRecord(record.str(), "r.times", TuningText::Times));
}

TEST(TuningRecord, AnEmptyOneIsItsFirstLine) {
  EXPECT_EQ(TuningRecord().str(), "drumlin tuning record 1\n");
  EXPECT_TRUE(parsed(TuningRecord().str()).kernels().empty());
}

// A new measurement replaces the old one, and people's comments above the block stay.
TEST(TuningRecord, PutReplacesButKeepsComments) {
  TuningRecord record = parsed(small);
  RecordedKernel kernel = *record.find("0a", "x86-64-v4");
  kernel.comments.clear();
  kernel.winner = "default";
  record.put(kernel);
  EXPECT_EQ(record.kernels().size(), 3u);
  EXPECT_EQ(record.find("0a", "x86-64-v4")->winner, "default");
  EXPECT_NE(record.str().find("# kept by hand since the first measurement\nkernel 0a\n"),
            std::string::npos);
}

// People change indentation and line ends, remove samples, and choose winners.
TEST(TuningRecord, IsEditedByHand) {
  TuningRecord record = parsed("# mine\r\n\r\ndrumlin tuning record 1\r\nkernel 0a\r\n"
                               "\ttarget   t\r\nversion v\r\n# inside\r\n"
                               "candidate b outside 0 ns\r\ncandidate a outside 0.04 ns 7 8e1\r\n"
                               "winner b rule hand");
  ASSERT_EQ(record.kernels().size(), 1u);
  const RecordedKernel &kernel = record.kernels()[0];
  EXPECT_EQ(kernel.winner, "b");
  EXPECT_TRUE(kernel.candidates[0].samples.empty());
  EXPECT_EQ(kernel.candidates[1].samples[1].nanoseconds, 80);
}

TEST(TuningRecord, MistakesAreLocated) {
  const std::string head = "drumlin tuning record 1\n";
  const std::string body = "kernel k\ntarget t\nversion v\ncandidate a outside 0 ns 1\n";
  struct Mistake {
    std::string text;
    unsigned line;
    std::string seen;
  };
  const Mistake mistakes[] = {
      {"", 1, "is empty"},
      {"drumlin tuning record 2\n", 1, "expected `drumlin tuning record 1`"},
      {"# only this\n", 1, "is empty"},
      {head + "target t\n", 2, "before the first `kernel`"},
      {head + "kernel\n", 2, "expected `kernel KEY`"},
      {head + "kernel a b\n", 2, "expected `kernel KEY`"},
      {head + body + "winner b rule hand\n", 6, "winner `b` is none of the kernel's candidates"},
      {head + body + "winner a rule\n", 6, "expected `winner NAME` or `winner NAME rule RULE`"},
      {head + body + "winner a by hand\n", 6, "expected `winner NAME` or"},
      {head + body + "winner a rule magic\n", 6, "`magic` isn't a rule"},
      {head + body + "winner a rule hand\nwinner a rule hand\n", 7, "a second `winner`"},
      {head + body, 5, "has no `winner`"},
      {head + body + "\nkernel l\n", 7, "has no `winner`"},
      {head + body + "candidate a outside 0 ns 1\n", 6, "a second candidate `a`"},
      {head + body + "candidate b outside 0 ns 1 x\n", 6, "`x` isn't a time"},
      {head + body + "candidate b outside 0 ns -1\n", 6, "`-1` isn't a time"},
      {head + body + "candidate b outside 0 ns nan\n", 6, "`nan` isn't a time"},
      {head + body + "candidate b outside 0 ns inf\n", 6, "`inf` isn't a time"},
      {head + body + "candidate b outside 0 ns !\n", 6, "`!` isn't a time"},
      {head + body + "candidate b outside ? ns\n", 6, "`?` isn't a time"},
      {head + body + "candidate b outside 0 median 1 in ? to 2 ns\n", 6, "`?` isn't a time"},
      {head + body + "candidate b outside 0 median 1 to 2 ns 1 2 3\n", 6, "expected `candidate"},
      {head + body + "candidate b outside 0 median\n", 6, "expected `candidate"},
      {head + body + "candidate b 1 2\n", 6, "expected `candidate NAME`, or"},
      {head + body + "target t\n", 6, "a second `target`"},
      {head + body + "version v w\n", 6, "expected one word after `version`"},
      {head + body + "speed 3\n", 6, "`speed` begins no line"},
      {head + body + "winner a rule hand\n" + body + "winner a rule hand\n", 11,
       "a second block of kernel `k` on `t`"},
      {head + "kernel k\nversion v\ncandidate a outside 0 ns\nwinner a rule hand\n", 5,
       "has no `target`"},
  };
  for (const Mistake &mistake : mistakes) {
    SCOPED_TRACE(mistake.text);
    Result<TuningRecord> record = parseTuningRecord(mistake.text, "r.txt");
    ASSERT_FALSE(record);
    EXPECT_EQ(record.error().code, errors::TuningRecordInvalid);
    EXPECT_EQ(record.error().location, "r.txt:" + std::to_string(mistake.line));
    EXPECT_NE(record.error().message.find(mistake.seen), std::string::npos)
        << record.error().message;
  }
}

// Any bytes give a record or a diagnostic.
TEST(TuningRecord, DamagedTextsNeverAbort) {
  std::string text = small;
  for (size_t i = 0; i < text.size(); ++i) {
    for (char byte : {'\0', '\n', '#', '\xff', '!', '9'}) {
      std::string damaged = text;
      damaged[i] = byte;
      Result<TuningRecord> record = parseTuningRecord(damaged, "r.txt");
      if (record) {
        EXPECT_TRUE(parseTuningRecord(record->str(), "r.txt"));
      }
    }
    EXPECT_NO_FATAL_FAILURE((void)parseTuningRecord(text.substr(0, i), "r.txt"));
  }
}

TEST(TuningRecord, FilesAreRead) {
  std::string path = std::filesystem::temp_directory_path() /
                     ("drumlin-record-" + std::to_string(getpid()) + ".txt");
  EXPECT_EQ(readTuningRecord(path).error().code, errors::FileNotReadable);
  std::ofstream(path) << small;
  Result<TuningRecord> record = readTuningRecord(path);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kernels().size(), 3u);
  std::ofstream(path, std::ios::trunc) << "";
  EXPECT_EQ(readTuningRecord(path).error().location, path + ":1");
  std::filesystem::remove(path);
}

// Tuners that write to one record concurrently don't lose each other's entries.
TEST(TuningRecord, KeepsWhatOthersAddMeanwhile) {
  std::string path = testing::TempDir() + "/shared.tuning";
  std::remove(path.c_str());
  std::remove(timesPath(path).c_str());
  constexpr int writers = 6, kernels = 12;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      for (int kernel = 0; kernel < kernels; ++kernel) {
        RecordedKernel made;
        made.key = "k" + std::to_string(writer) + "-" + std::to_string(kernel);
        made.target = "t";
        made.version = "v";
        made.candidates = {{"default", 0, std::nullopt, {{1, false}}}};
        made.winner = "default";
        made.rule = "only";
        EXPECT_TRUE(addToTuningRecord(path, made));
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  Result<TuningRecord> record = readTuningRecord(path);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kernels().size(), size_t(writers * kernels));
  Result<TuningRecord> times = readTuningRecord(timesPath(path), TuningText::Times);
  ASSERT_TRUE(times);
  ASSERT_EQ(times->kernels().size(), size_t(writers * kernels));
  EXPECT_EQ(times->kernels().front().candidates.front().samples.size(), 1u);
  EXPECT_TRUE(record->kernels().front().candidates.front().samples.empty());
}

// Times that can't be read are never overwritten, and nothing is added to the record either.
TEST(TuningRecord, DamagedTimesAreKept) {
  std::string path = testing::TempDir() + "/damaged.tuning";
  std::remove(path.c_str());
  std::ofstream(timesPath(path)) << "no times\n";
  RecordedKernel made;
  made.key = "k";
  made.target = made.version = "v";
  made.candidates = {{"default", 0, std::nullopt, {}}};
  made.winner = "default";
  made.rule = "only";
  Status status = addToTuningRecord(path, made);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().location, timesPath(path) + ":1");
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove(timesPath(path));
}

TEST(TuningRecord, NamesTheProcessor) {
  std::string name = processorName();
  EXPECT_NE(name.find(" stepping "), std::string::npos) << name;
  TuningRecord record =
      parsed("drumlin tuning record 1\nkernel k\n  target t\n  processor " + name +
             "\n  version v\n  candidate default outside 0.0 ns 1.0\n"
             "  winner default rule only\n");
  ASSERT_EQ(record.kernels().size(), 1u);
  EXPECT_EQ(record.kernels().front().processor, name);
  EXPECT_NE(record.timesText().find("\n  processor " + name + "\n"), std::string::npos);
  EXPECT_EQ(record.str().find("processor"), std::string::npos);
}

} // namespace drumlin

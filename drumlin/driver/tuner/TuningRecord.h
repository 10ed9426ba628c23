// The tuner's two files, described in docs/tuning.md. The record has the tuner's choices; people
// read and edit it, and keep it under version control. The times file beside the record has the
// measurements; it is read only when measurements are added. One block of the record is
//
//   kernel 4f0c…
//     subject gemm f32 256x512x128
//     target x86-64-v4
//     version 1f3a…
//     candidate default
//     candidate parts-128x256
//     winner parts-128x256
//
// and the times file adds these lines to the block:
//
//     processor Intel(R) Xeon(R) Processor, family 6 model 207 stepping 2
//     candidate default outside 0.0 median 10240.0 in 10231.0 to 10252.3 ns 10234.1 11873.5! …
//     winner parts-128x256 rule separated
//
// Equal choices give equal records, even if the measured times differ.
#pragma once

#include "drumlin/driver/tuner/OrderStatistics.h"
#include "drumlin/support/Diagnostics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

struct RecordedSample {
  double nanoseconds = 0; // rounded to one decimal
  bool disturbed = false;
};

struct RecordedCandidate {
  std::string name;
  double outsideNanoseconds = 0;
  // Bounds of the median in nanoseconds, as measured; for people. nullopt if there were too few
  // samples.
  std::optional<MedianBounds> bounds;
  std::vector<RecordedSample> samples;
};

struct RecordedKernel {
  std::string key;       // hash of the kernel's computation
  std::string subject;   // the computation described for people; one line
  std::string target;    // one word
  std::string processor; // the processor of the samples; for people; one line, may be empty
  std::string version;   // version of the code generator, which determines candidates; one word
  std::vector<RecordedCandidate> candidates;
  std::string winner;                // one of the candidates' names
  std::string rule;                  // a TunerRule's name, or `hand`; records state only `hand`
  std::vector<std::string> comments; // whole lines that stand above the kernel's block
  unsigned winnerLine = 0;           // line of the winner in its file; 0: not read from a file
};

class TuningRecord {
public:
  const std::vector<RecordedKernel> &kernels() const { return all; }
  // Returns null if there is no entry for this kernel and target.
  const RecordedKernel *find(std::string_view key, std::string_view target) const;
  // Adds the kernel. Replaces an entry with the same key and target, but keeps the comments of that
  // entry.
  void put(RecordedKernel kernel);
  // str() returns the text of the record, and timesText() the text of the times file. Both list the
  // kernels in the order of keys and targets.
  std::string str() const;
  std::string timesText() const;

private:
  std::vector<RecordedKernel> all; // in the order of keys and targets
};

// Parses one of the two texts. Fails with TuningRecordInvalid at `location:line`; `location` is the
// file's name in diagnostics.
enum class TuningText { Record, Times };
Result<TuningRecord> parseTuningRecord(std::string_view text, const std::string &location,
                                       TuningText kind = TuningText::Record);
// Reads a record or a times file. Fails with FileNotReadable if there is no such file.
Result<TuningRecord> readTuningRecord(const std::string &path,
                                      TuningText kind = TuningText::Record);
// Returns the path of the times file that belongs to a record. For `model.tuning`, this is
// `model.tuning.times`.
std::string timesPath(const std::string &record);

// Adds a kernel to a record file and to the times file beside it. Creates the files if they don't
// exist. Locks the folder while it reads and writes the files, so that entries of other processes
// aren't lost. Fails with FileNotWritable if a file can't be written. Never overwrites a file that
// can't be read.
Status addToTuningRecord(const std::string &path, RecordedKernel kernel);

// Returns the name, family, model and stepping of this machine's processor; empty if unknown.
std::string processorName();

} // namespace drumlin

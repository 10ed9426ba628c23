// The tuner's two files, described in docs/tuning.md: the record has its choices, for people to
// read, edit and keep under version control; the times file beside it has the measurements, and is
// read only to add to it. One block of the record is
//
//   kernel 4f0c…
//     subject gemm f32 256x512x128
//     target x86-64-v4
//     version 1f3a…
//     candidate default
//     candidate parts-128x256
//     winner parts-128x256
//
// and the times add to it:
//
//     processor Intel(R) Xeon(R) Processor, family 6 model 207 stepping 2
//     candidate default outside 0.0 median 10240.0 in 10231.0 to 10252.3 ns 10234.1 11873.5! …
//     winner parts-128x256 rule separated
//
// Equal choices give equal records, whatever was measured.
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
  std::string processor; // on which it was measured, for people; one line, may be empty
  std::string version;   // of the code generator: other versions have other candidates; one word
  std::vector<RecordedCandidate> candidates;
  std::string winner;                // one of the candidates' names
  std::string rule;                  // a TunerRule's name, or `hand`; records state only `hand`
  std::vector<std::string> comments; // whole lines, above the block
  unsigned winnerLine = 0;           // 0: not read from a file
};

class TuningRecord {
public:
  const std::vector<RecordedKernel> &kernels() const { return all; }
  // Returns null if there is no entry for this kernel and target.
  const RecordedKernel *find(std::string_view key, std::string_view target) const;
  // Replaces the entry for the same key and target, but keeps its comments.
  void put(RecordedKernel kernel);
  // Return the texts of the choices and of the measurements, in the order of keys and targets.
  std::string str() const;
  std::string timesText() const;

private:
  std::vector<RecordedKernel> all; // in the order of keys and targets
};

// `location`: the file's name in diagnostics, which are TuningRecordInvalid at `location:line`.
enum class TuningText { Record, Times };
Result<TuningRecord> parseTuningRecord(std::string_view text, const std::string &location,
                                       TuningText kind = TuningText::Record);
// Fails with FileNotReadable if there is no such file.
Result<TuningRecord> readTuningRecord(const std::string &path,
                                      TuningText kind = TuningText::Record);
// Returns the path of the times file that belongs to a record: `model.tuning.times`.
std::string timesPath(const std::string &record);

// Adds a kernel to a record file and to the times file beside it, or creates these. Locks the
// folder from reading to writing, so that entries of other processes aren't lost. Fails with
// FileNotWritable if a file can't be written; never overwrites a file that can't be read.
Status addToTuningRecord(const std::string &path, RecordedKernel kernel);

// Returns the name, family, model and stepping of this machine's processor; empty if unknown.
std::string processorName();

} // namespace drumlin

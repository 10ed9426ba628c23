// The two files of the tuner, which docs/tuning.md describes: the record has its choices, for
// people to read, edit and keep under version control; the times beside it have what it measured,
// and are read only to add to them. One block of the record is
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
// Equal choices are equal records, whatever was measured.
#pragma once

#include "drumlin/driver/tuner/OrderStatistics.h"
#include "drumlin/support/Diagnostics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

struct RecordedSample {
  double nanoseconds = 0; // one decimal
  bool disturbed = false;
};

struct RecordedCandidate {
  std::string name;
  double outsideNanoseconds = 0;
  // Of the median, in nanoseconds, as they were measured; for people. None where there were too few
  // samples.
  std::optional<MedianBounds> bounds;
  std::vector<RecordedSample> samples;
};

struct RecordedKernel {
  std::string key;       // of what the kernel computes
  std::string subject;   // the same for people; of one line
  std::string target;    // one word
  std::string processor; // on which it was measured, for people; of one line, may be empty
  std::string version;   // of the code generator: another one has other candidates; one word
  std::vector<RecordedCandidate> candidates;
  std::string winner;                // one of the candidates' names
  std::string rule;                  // a TunerRule's name, or `hand`; records keep `hand` alone
  std::vector<std::string> comments; // whole lines, above the block
  unsigned winnerLine = 0;           // 0: not from a file
};

class TuningRecord {
public:
  const std::vector<RecordedKernel> &kernels() const { return all; }
  // Null where there is none for this kernel and target.
  const RecordedKernel *find(std::string_view key, std::string_view target) const;
  // Takes the place of what is there for the same key and target, whose comments stay.
  void put(RecordedKernel kernel);
  // Return the texts in the order of keys and targets: what was chosen, and what was measured.
  std::string str() const;
  std::string timesText() const;

private:
  std::vector<RecordedKernel> all; // in that order
};

// `location` names the file in diagnostics, which are TuningRecordInvalid at `location:line`.
enum class TuningText { Record, Times };
Result<TuningRecord> parseTuningRecord(std::string_view text, const std::string &location,
                                       TuningText kind = TuningText::Record);
// Fails with FileNotReadable where there is no such file.
Result<TuningRecord> readTuningRecord(const std::string &path,
                                      TuningText kind = TuningText::Record);
// Returns the path of the times that belong to a record: `model.tuning.times`.
std::string timesPath(const std::string &record);

// Puts a kernel into the record in a file and into the times beside it, or makes them. What other
// processes put into them meanwhile stays: the folder is locked from reading to writing.
// FileNotWritable where a file can't be written; one that can't be read is never written over.
Status addToTuningRecord(const std::string &path, RecordedKernel kernel);

// The name, family, model and stepping of this machine's processor; empty where Linux doesn't say.
std::string processorName();

} // namespace drumlin

// The ledger: every decision of the compiler, with its reason. A rule's decide() returns a Decision
// and changes nothing; what it decides is recorded here, one entry for each rule, operation and
// path of calls through which the operation was inlined, and the last word wins. What passes change
// without a decision is counted where all of them run (ChangeRecorder.h).
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace drumlin {

enum class Reason : uint8_t {
#define DRUMLIN_REASON(Name, ...) Name,
#include "drumlin/transforms/Reasons.def"
};

struct ReasonInfo {
  Reason reason;
  std::string_view code;
  std::string_view meaning;
  std::string_view remedy;
};
const ReasonInfo &info(Reason reason);
const std::vector<ReasonInfo> &allReasons();

// What two operations cost apart and in one kernel, as far as they differ: bytes that pass through
// memory between them, against arithmetic operations that are repeated.
struct Tradeoff {
  int64_t bytesApart = 0;
  int64_t operationsJoined = 0;
};

// What one call of a kernel takes, in nanoseconds, as it was measured: with the cost model's
// choice, and with the fastest of the others.
struct MeasuredTimes {
  double before = 0, after = 0;
};

// What a choice among several ways was predicted to take, and the one that came next.
struct Prediction {
  double nanoseconds = 0; // of one call, on one core; 0: a rule chose, without times
  std::string boundBy;    // `multiplying`
  std::string runnerUp;   // empty: there was no other
  double runnerUpNanoseconds = 0;
  // With which sizes the runner-up would be taken; empty: with none that was looked at.
  std::string turningPoint;
};

enum class Rule : uint8_t {
#define DRUMLIN_RULE(Name, ...) Name,
#include "drumlin/transforms/Rules.def"
};

enum class RuleKind : uint8_t { Decides, Reports, Counts }; // see Rules.def

// A rule: what it does, written as `before ==> after`.
struct RuleInfo {
  Rule rule;
  std::string_view name;
  RuleKind kind;
  std::string_view meaning;
};
const RuleInfo &info(Rule rule);
const std::vector<RuleInfo> &allRules();
// Null where no rule has that name.
const RuleInfo *findRule(std::string_view name);

// Taken, or declined with a reason and the operation that stood in the way.
struct [[nodiscard]] Decision {
  Reason reason = Reason::Taken;
  mlir::Operation *blocker = nullptr;
  // What would change a declined one (empty: the reason's own); of a taken one, what it does.
  std::string remedy;
  std::optional<Tradeoff> tradeoff = std::nullopt;     // of decisions about fusion, where known
  std::optional<MeasuredTimes> times = std::nullopt;   // of decisions by measurement, where known
  std::optional<Prediction> prediction = std::nullopt; // of decisions by a cost model

  bool isTaken() const { return reason == Reason::Taken; }
  static Decision taken() { return {}; }
  static Decision declined(Reason reason, mlir::Operation *blocker = nullptr,
                           std::string remedy = {}) {
    Decision made;
    made.reason = reason;
    made.blocker = blocker;
    made.remedy = std::move(remedy);
    return made;
  }
  Decision with(const Tradeoff &known) && {
    tradeoff = known;
    return std::move(*this);
  }
};

struct LedgerEntry {
  std::string phase;
  std::string rule;
  std::vector<int64_t> origins; // of the operation that the rule was about
  std::vector<int64_t> calls;   // through which it was inlined, the outermost first, by number
  int64_t count = 1;            // of a rule that counts: operations that it changed
  std::string operation;        // `stablehlo.dot_general`
  std::string source;           // where the program has it
  Reason reason = Reason::Taken;
  std::string blocker; // the blocking operation and its source, if any
  std::string remedy;
  std::optional<Tradeoff> tradeoff;
  std::optional<MeasuredTimes> times;
  std::optional<Prediction> prediction;
};

class Ledger {
public:
  // The phase that later entries belong to.
  void beginPhase(std::string name) { phase = std::move(name); }
  void record(Rule rule, mlir::Operation *about, const Decision &decision);
  // The same for an argument of the program, which has no origin.
  void record(Rule rule, mlir::BlockArgument about, std::string_view name,
              const Decision &decision);
  // One more operation that a rule which counts has changed.
  void count(Rule rule, mlir::Location about, std::string_view operation);
  // The same for a rule that does what the result says: a rule that is turned off is declined.
  Decision recordUnlessOff(Rule rule, mlir::Operation *about, Decision decision);
  Decision recordUnlessOff(Rule rule, mlir::BlockArgument about, std::string_view name,
                           Decision decision);

  // Between this and the next one, hasAnswered() is about what is recorded meanwhile.
  void beginPass() { answered.clear(); }
  // Whether an entry is about one of these operations of the program.
  bool hasAnswered(llvm::ArrayRef<int64_t> origins) const;
  // `remedy` says what would turn them on, where that isn't what the reason TurnedOff says.
  void turnOff(const std::vector<std::string> &rules, std::string_view remedy = {});
  // In the order of (origins, calls, rule): the same whatever order the rules ran in.
  std::vector<LedgerEntry> entries() const;
  std::string json() const { return json(entries()); }
  static std::string json(const std::vector<LedgerEntry> &entries);
  // Takes up the entries of a ledger written by json(); false where the text is no such ledger.
  bool restore(std::string_view json);
  static std::string text(const LedgerEntry &entry);
  // What was decided, without what it was about: `taken: …`, `repeated: …; to change it: …`.
  static std::string outcome(const LedgerEntry &entry);

private:
  using Key = std::tuple<std::vector<int64_t>, std::vector<int64_t>, std::string>;
  static Key keyOf(const LedgerEntry &entry);
  void put(LedgerEntry entry, const Decision &decision);
  Decision unlessOff(Rule rule, Decision decision) const;

  std::string phase;
  std::map<std::string, std::string, std::less<>> rulesOff; // with what would turn them on
  std::map<Key, LedgerEntry> table;
  llvm::DenseSet<int64_t> answered; // origins
};

} // namespace drumlin

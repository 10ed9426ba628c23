// The ledger: every decision of the compiler, with its reason. A rule's decide() returns a Decision
// and changes nothing; the ledger keeps one entry per rule, operation and inlined call path, and a
// later decision overwrites an earlier one. Changes that passes make without a decision are counted
// by ChangeRecorder.h.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace drumlin {

// A line of Reasons.def; the enumerators are in Reasons.h.
enum class Reason : uint8_t;

struct ReasonInfo {
  Reason reason;
  std::string_view code;
  std::string_view meaning;
  std::string_view remedy;
};
const ReasonInfo &info(Reason reason);
const std::vector<ReasonInfo> &allReasons();

// What fusing two operations saves and costs: the bytes that pass through memory between them if
// they are unfused, and the arithmetic operations that are repeated if they are fused.
struct Tradeoff {
  int64_t bytesApart = 0;
  int64_t operationsJoined = 0;
};

// Measured nanoseconds per call of a kernel: with the cost model's choice (`before`) and with the
// fastest other candidate (`after`).
struct MeasuredTimes {
  double before = 0, after = 0;
};

// The predicted time of the chosen alternative and of the runner-up.
struct Prediction {
  double nanoseconds = 0; // of one call, on one core; 0 if a rule chose, without predicted times
  std::string boundBy;    // e.g. `multiplying`
  std::string runnerUp;   // empty if there is no other alternative
  double runnerUpNanoseconds = 0;
  // Sizes at which the runner-up would be chosen; empty: none of the sizes tried.
  std::string turningPoint;
};

// A line of Rules.def; the enumerators are in Rules.h.
enum class Rule : uint8_t;

enum class RuleKind : uint8_t { Decides, Reports, Counts }; // see Rules.def

// A rule; `meaning` is what it does, written as `before ==> after`.
struct RuleInfo {
  Rule rule;
  std::string_view name;
  RuleKind kind;
  std::string_view meaning;
};
const RuleInfo &info(Rule rule);
const std::vector<RuleInfo> &allRules();
// Returns the rule of that name, or null if there is none.
const RuleInfo *findRule(std::string_view name);

// The outcome of a rule: taken, or declined with a reason and the blocking operation.
struct [[nodiscard]] Decision {
  Reason reason{}; // default: Taken, the first reason in Reasons.def
  mlir::Operation *blocker = nullptr;
  // If declined: what would make the rule fire (empty: the remedy in Reasons.def). If taken: what
  // the rule does.
  std::string remedy;
  std::optional<Tradeoff> tradeoff = std::nullopt;     // set for fusion decisions, if known
  std::optional<MeasuredTimes> times = std::nullopt;   // set for measured decisions, if known
  std::optional<Prediction> prediction = std::nullopt; // set for decisions by a cost model

  bool isTaken() const { return reason == Reason(); }
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
  std::vector<int64_t> origins; // origins of the operation that the rule considered
  std::vector<int64_t> calls;   // numbers of inlined calls around the operation, outermost first
  int64_t count = 1;            // number of operations that a counting rule changed
  std::string operation;        // e.g. `stablehlo.dot_general`
  std::string source;           // location of the operation in the user's program
  Reason reason{};              // default: Taken, the first reason in Reasons.def
  std::string blocker;          // the blocking operation and its source, if any
  std::string remedy;
  std::optional<Tradeoff> tradeoff;
  std::optional<MeasuredTimes> times;
  std::optional<Prediction> prediction;
};

class Ledger {
public:
  // Sets the phase of later entries.
  void beginPhase(std::string name) { phase = std::move(name); }
  void record(Rule rule, mlir::Operation *about, const Decision &decision);
  // Records a decision about a program argument, which has no origin.
  void record(Rule rule, mlir::BlockArgument about, std::string_view name,
              const Decision &decision);
  // Counts one more operation that a counting rule changed.
  void count(Rule rule, mlir::Location about, std::string_view operation);
  // Records the decision and returns it. If the rule is turned off, records and returns `declined`
  // instead.
  Decision recordUnlessOff(Rule rule, mlir::Operation *about, Decision decision);
  Decision recordUnlessOff(Rule rule, mlir::BlockArgument about, std::string_view name,
                           Decision decision);

  // Makes hasAnswered() consider only entries recorded from now on.
  void beginPass() { answered.clear(); }
  // Returns whether an entry recorded since beginPass() is about one of the program operations
  // `origins`.
  bool hasAnswered(llvm::ArrayRef<int64_t> origins) const;
  // Turns rules off. `remedy` says how to turn them on again, if that differs from the remedy of
  // the reason TurnedOff.
  void turnOff(const std::vector<std::string> &rules, std::string_view remedy = {});
  // Returns the entries sorted by (origins, calls, rule). The order in which rules ran doesn't
  // matter.
  std::vector<LedgerEntry> entries() const;
  std::string json() const { return json(entries()); }
  static std::string json(const std::vector<LedgerEntry> &entries);
  // Adds the entries of a ledger written by json(). Returns false if the text isn't valid.
  bool restore(std::string_view json);
  static std::string text(const LedgerEntry &entry);
  // Returns the text of an entry without its operation: `taken: …`, `repeated: …; to change it: …`.
  static std::string outcome(const LedgerEntry &entry);

private:
  using Key = std::tuple<std::vector<int64_t>, std::vector<int64_t>, std::string>;
  static Key keyOf(const LedgerEntry &entry);
  void put(LedgerEntry entry, const Decision &decision);
  Decision unlessOff(Rule rule, Decision decision) const;

  std::string phase;
  std::map<std::string, std::string, std::less<>> rulesOff; // remedy by rule name
  std::map<Key, LedgerEntry> table;
  llvm::DenseSet<int64_t> answered; // origins with an entry since beginPass()
};

} // namespace drumlin

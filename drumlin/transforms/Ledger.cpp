#include "drumlin/transforms/Ledger.h"

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/support/JsonDepth.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace drumlin {

const std::vector<ReasonInfo> &allReasons() {
  static const std::vector<ReasonInfo> reasons = {
#define DRUMLIN_REASON(Name, code, meaning, remedy) {Reason::Name, code, meaning, remedy},
#include "drumlin/transforms/Reasons.def"
  };
  return reasons;
}

const ReasonInfo &info(Reason reason) { return allReasons()[static_cast<size_t>(reason)]; }

static std::string describe(mlir::Operation *op) {
  if (!op) {
    return {};
  }
  std::string source = plan::sourceOf(op->getLoc());
  return op->getName().getStringRef().str() + (source.empty() ? "" : " at " + source);
}

// The key of an entry about an argument includes the argument's name, since arguments have no
// origin.
Ledger::Key Ledger::keyOf(const LedgerEntry &entry) {
  return {entry.origins, entry.calls,
          entry.origins.empty() ? entry.rule + ":" + entry.operation : entry.rule};
}

void Ledger::record(Rule rule, mlir::BlockArgument about, std::string_view name,
                    const Decision &decision) {
  LedgerEntry entry;
  entry.rule = info(rule).name;
  entry.operation = "argument `" + std::string(name) + "`";
  entry.source = plan::sourceOf(about.getLoc());
  put(std::move(entry), decision);
}

void Ledger::record(Rule rule, mlir::Operation *about, const Decision &decision) {
  LedgerEntry entry;
  entry.rule = info(rule).name;
  llvm::SmallVector<int64_t> origins = plan::originsOf(about);
  llvm::SmallVector<int64_t> calls = plan::callPathOf(about->getLoc());
  entry.origins.assign(origins.begin(), origins.end());
  entry.calls.assign(calls.begin(), calls.end());
  entry.operation = about->getName().getStringRef();
  entry.source = plan::sourceOf(about->getLoc());
  put(std::move(entry), decision);
}

void Ledger::count(Rule rule, mlir::Location about, std::string_view operation) {
  LedgerEntry entry;
  entry.phase = phase;
  entry.rule = info(rule).name;
  llvm::SmallVector<int64_t> origins = plan::originsOf(about), calls = plan::callPathOf(about);
  entry.origins.assign(origins.begin(), origins.end());
  entry.calls.assign(calls.begin(), calls.end());
  entry.operation = operation;
  entry.source = plan::sourceOf(about);
  auto [found, isNew] = table.try_emplace(keyOf(entry), entry);
  found->second.count += isNew ? 0 : 1;
}

bool Ledger::hasAnswered(llvm::ArrayRef<int64_t> origins) const {
  return llvm::any_of(origins, [&](int64_t origin) { return answered.contains(origin); });
}

void Ledger::put(LedgerEntry entry, const Decision &decision) {
  entry.phase = phase;
  answered.insert(entry.origins.begin(), entry.origins.end());
  entry.reason = decision.reason;
  entry.blocker = describe(decision.blocker);
  entry.tradeoff = decision.tradeoff;
  entry.times = decision.times;
  entry.prediction = decision.prediction;
  entry.remedy =
      decision.remedy.empty() ? std::string(info(decision.reason).remedy) : decision.remedy;
  auto key = keyOf(entry);
  table[key] = std::move(entry);
}

const std::vector<RuleInfo> &allRules() {
  static const std::vector<RuleInfo> all = {
#define DRUMLIN_RULE(Name, name, kind, meaning) {Rule::Name, name, RuleKind::kind, meaning},
#include "drumlin/transforms/Rules.def"
  };
  return all;
}

const RuleInfo &info(Rule rule) { return allRules()[static_cast<size_t>(rule)]; }

const RuleInfo *findRule(std::string_view name) {
  auto found = llvm::find_if(allRules(), [&](const RuleInfo &rule) { return rule.name == name; });
  return found == allRules().end() ? nullptr : &*found;
}

void Ledger::turnOff(const std::vector<std::string> &rules, std::string_view remedy) {
  for (const std::string &rule : rules) {
    rulesOff.try_emplace(rule, remedy);
  }
}

Decision Ledger::unlessOff(Rule rule, Decision decision) const {
  assert(info(rule).kind == RuleKind::Decides &&
         "rules that can't be turned off must use record()");
  auto found = rulesOff.find(info(rule).name);
  if (decision.isTaken() && found != rulesOff.end()) {
    Decision off = Decision::declined(Reason::TurnedOff, nullptr, found->second);
    off.tradeoff = decision.tradeoff;
    off.times = decision.times;
    decision = std::move(off);
  }
  return decision;
}

Decision Ledger::recordUnlessOff(Rule rule, mlir::Operation *about, Decision decision) {
  decision = unlessOff(rule, std::move(decision));
  record(rule, about, decision);
  return decision;
}

Decision Ledger::recordUnlessOff(Rule rule, mlir::BlockArgument about, std::string_view name,
                                 Decision decision) {
  decision = unlessOff(rule, std::move(decision));
  record(rule, about, name, decision);
  return decision;
}

std::vector<LedgerEntry> Ledger::entries() const {
  std::vector<LedgerEntry> all;
  for (const auto &[key, entry] : table) {
    all.push_back(entry);
  }
  return all;
}

static std::string microseconds(double nanoseconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f us", nanoseconds / 1000);
  return text;
}

static std::string predictionText(const Prediction &prediction) {
  bool hasTimes = prediction.nanoseconds > 0;
  std::string text;
  if (hasTimes) {
    text += "; predicted " + microseconds(prediction.nanoseconds);
    text += prediction.boundBy.empty() ? "" : ", bound by " + prediction.boundBy;
  }
  if (!prediction.runnerUp.empty()) {
    text += "; next: " + prediction.runnerUp;
    text += hasTimes ? ", " + microseconds(prediction.runnerUpNanoseconds) : "";
  }
  if (!prediction.turningPoint.empty()) {
    text += ", which would be taken " + prediction.turningPoint;
  }
  return text;
}

std::string Ledger::text(const LedgerEntry &entry) {
  std::string place =
      entry.source.empty() ? entry.operation : entry.source + ": " + entry.operation;
  return place + ": " + entry.rule + ": " + outcome(entry);
}

std::string Ledger::outcome(const LedgerEntry &entry) {
  std::string text(info(entry.reason).code);
  text += entry.count > 1 ? ", " + std::to_string(entry.count) + " operations" : "";
  if (entry.reason != Reason::Taken) {
    text += ": " + std::string(info(entry.reason).meaning);
    if (!entry.blocker.empty()) {
      text += " (" + entry.blocker + ")";
    }
    if (!entry.remedy.empty()) {
      text += "; to change it: " + entry.remedy;
    }
  }
  if (entry.reason == Reason::Taken && !entry.remedy.empty()) {
    text += ": " + entry.remedy;
  }
  if (entry.tradeoff) {
    text += "; unfused: " + std::to_string(entry.tradeoff->bytesApart) +
            " bytes through memory, fused: " + std::to_string(entry.tradeoff->operationsJoined) +
            " operations repeated";
  }
  if (entry.times) {
    text += "; " + microseconds(entry.times->before) + " with the cost model's schedule, " +
            microseconds(entry.times->after) + " with the fastest other schedule";
  }
  if (entry.prediction) {
    text += predictionText(*entry.prediction);
  }
  return text;
}

std::string Ledger::json(const std::vector<LedgerEntry> &entries) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream, 1);
  json.array([&] {
    for (const LedgerEntry &entry : entries) {
      json.object([&] {
        json.attribute("phase", entry.phase);
        json.attribute("rule", entry.rule);
        json.attributeArray("origins", [&] {
          for (int64_t origin : entry.origins) {
            json.value(origin);
          }
        });
        json.attributeArray("calls", [&] {
          for (int64_t call : entry.calls) {
            json.value(call);
          }
        });
        json.attribute("count", entry.count);
        json.attribute("operation", entry.operation);
        json.attribute("source", entry.source);
        json.attribute("decision", llvm::StringRef(info(entry.reason).code));
        if (entry.reason != Reason::Taken) {
          json.attribute("meaning", llvm::StringRef(info(entry.reason).meaning));
          json.attribute("blocker", entry.blocker);
          json.attribute("remedy", entry.remedy);
        } else if (!entry.remedy.empty()) {
          json.attribute("detail", entry.remedy);
        }
        if (entry.tradeoff) {
          json.attribute("bytes_apart", entry.tradeoff->bytesApart);
          json.attribute("operations_joined", entry.tradeoff->operationsJoined);
        }
        if (entry.times) {
          json.attribute("nanoseconds_before", entry.times->before);
          json.attribute("nanoseconds_after", entry.times->after);
        }
        if (entry.prediction) {
          json.attribute("runner_up", entry.prediction->runnerUp);
          if (entry.prediction->nanoseconds > 0) {
            json.attribute("predicted_nanoseconds", entry.prediction->nanoseconds);
            json.attribute("bound_by", entry.prediction->boundBy);
            json.attribute("runner_up_nanoseconds", entry.prediction->runnerUpNanoseconds);
          }
          json.attribute("runner_up_taken", entry.prediction->turningPoint);
        }
      });
    }
  });
  return text;
}

static bool readEntry(const llvm::json::Value &value, LedgerEntry &entry) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object) {
    return false;
  }
  auto text = [&](llvm::StringRef name) { return object->getString(name).value_or("").str(); };
  entry.phase = text("phase");
  entry.rule = text("rule");
  entry.operation = text("operation");
  entry.source = text("source");
  entry.blocker = text("blocker");
  if (std::optional<int64_t> bytes = object->getInteger("bytes_apart")) {
    entry.tradeoff = {*bytes, object->getInteger("operations_joined").value_or(0)};
  }
  if (std::optional<double> before = object->getNumber("nanoseconds_before")) {
    entry.times = {*before, object->getNumber("nanoseconds_after").value_or(0)};
  }
  if (object->get("runner_up")) {
    entry.prediction = {object->getNumber("predicted_nanoseconds").value_or(0), text("bound_by"),
                        text("runner_up"), object->getNumber("runner_up_nanoseconds").value_or(0),
                        text("runner_up_taken")};
  }
  entry.remedy = text("remedy") + text("detail");
  for (auto [name, numbers] :
       {std::pair("origins", &entry.origins), std::pair("calls", &entry.calls)}) {
    const llvm::json::Array *list = object->getArray(name);
    for (const llvm::json::Value &number : list ? *list : llvm::json::Array()) {
      numbers->push_back(number.getAsInteger().value_or(-1));
    }
  }
  entry.count = object->getInteger("count").value_or(1);
  std::string code = text("decision");
  for (const ReasonInfo &reason : allReasons()) {
    if (reason.code == code) {
      entry.reason = reason.reason;
      return findRule(entry.rule) != nullptr;
    }
  }
  return false;
}

bool Ledger::restore(std::string_view json) {
  if (jsonDepth(json) > maxJsonDepth) {
    return false;
  }
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(llvm::StringRef(json));
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const llvm::json::Array *entries = parsed->getAsArray();
  if (!entries) {
    return false;
  }
  for (const llvm::json::Value &value : *entries) {
    LedgerEntry entry;
    if (!readEntry(value, entry)) {
      return false;
    }
    auto key = keyOf(entry);
    table[key] = std::move(entry);
  }
  return true;
}

} // namespace drumlin

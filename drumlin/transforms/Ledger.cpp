#include "drumlin/transforms/Ledger.h"

#include "drumlin/support/JsonDepth.h"

#include "drumlin/ir/plan/Origin.h"
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

// Arguments have no origin: they differ in what they are called.
static std::pair<std::vector<int64_t>, std::string> keyOf(const LedgerEntry &entry) {
  return {entry.origins, entry.origins.empty() ? entry.rule + ":" + entry.operation : entry.rule};
}

void Ledger::record(std::string_view rule, mlir::BlockArgument about, std::string_view name,
                    const Decision &decision) {
  LedgerEntry entry;
  entry.rule = rule;
  entry.operation = "argument `" + std::string(name) + "`";
  entry.source = plan::sourceOf(about.getLoc());
  put(std::move(entry), decision);
}

void Ledger::record(std::string_view rule, mlir::Operation *about, const Decision &decision) {
  LedgerEntry entry;
  entry.rule = rule;
  llvm::SmallVector<int64_t> origins = plan::originsOf(about);
  entry.origins.assign(origins.begin(), origins.end());
  entry.operation = about->getName().getStringRef();
  entry.source = plan::sourceOf(about->getLoc());
  put(std::move(entry), decision);
}

void Ledger::put(LedgerEntry entry, const Decision &decision) {
  entry.phase = phase;
  entry.reason = decision.reason;
  entry.blocker = describe(decision.blocker);
  entry.tradeoff = decision.tradeoff;
  entry.times = decision.times;
  entry.remedy =
      decision.remedy.empty() ? std::string(info(decision.reason).remedy) : decision.remedy;
  auto key = keyOf(entry);
  table[key] = std::move(entry);
}

const std::vector<RuleInfo> &allRules() {
  static const std::vector<RuleInfo> all = {
#define DRUMLIN_RULE(name, meaning) {name, meaning},
#include "drumlin/transforms/Rules.def"
  };
  return all;
}

Decision Ledger::settle(std::string_view rule, mlir::Operation *about, Decision decision) {
  if (decision.isTaken() && llvm::is_contained(disabledRules, rule)) {
    Decision off = Decision::declined(Reason::TurnedOff);
    off.tradeoff = decision.tradeoff;
    off.times = decision.times;
    decision = std::move(off);
  }
  record(rule, about, decision);
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

std::string Ledger::text(const LedgerEntry &entry) {
  std::string text = entry.source.empty() ? entry.operation : entry.source + ": " + entry.operation;
  text += ": " + entry.rule + ": " + std::string(info(entry.reason).code);
  if (entry.reason != Reason::Taken) {
    text += ": " + std::string(info(entry.reason).meaning);
    if (!entry.blocker.empty()) {
      text += " (" + entry.blocker + ")";
    }
    if (!entry.remedy.empty()) {
      text += "; to change it: " + entry.remedy;
    }
  }
  if (entry.tradeoff) {
    text += "; apart " + std::to_string(entry.tradeoff->bytesApart) +
            " bytes through memory, in one kernel " +
            std::to_string(entry.tradeoff->operationsJoined) + " operations repeated";
  }
  if (entry.times) {
    text += "; " + microseconds(entry.times->before) + " with the cost model's schedule, " +
            microseconds(entry.times->after) + " with the fastest other";
  }
  return text;
}

std::string Ledger::json(const std::vector<LedgerEntry> &entries) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 1);
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
        json.attribute("operation", entry.operation);
        json.attribute("source", entry.source);
        json.attribute("decision", llvm::StringRef(info(entry.reason).code));
        if (entry.reason != Reason::Taken) {
          json.attribute("meaning", llvm::StringRef(info(entry.reason).meaning));
          json.attribute("blocker", entry.blocker);
          json.attribute("remedy", entry.remedy);
        }
        if (entry.tradeoff) {
          json.attribute("bytes_apart", entry.tradeoff->bytesApart);
          json.attribute("operations_joined", entry.tradeoff->operationsJoined);
        }
        if (entry.times) {
          json.attribute("nanoseconds_before", entry.times->before);
          json.attribute("nanoseconds_after", entry.times->after);
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
  entry.remedy = text("remedy");
  const llvm::json::Array *origins = object->getArray("origins");
  for (const llvm::json::Value &origin : origins ? *origins : llvm::json::Array()) {
    entry.origins.push_back(origin.getAsInteger().value_or(-1));
  }
  std::string code = text("decision");
  for (const ReasonInfo &reason : allReasons()) {
    if (reason.code == code) {
      entry.reason = reason.reason;
      return !entry.rule.empty();
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

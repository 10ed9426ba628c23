#include "commands/Remarks.h"

#include "drumlin/support/json/JsonStream.h"
#include "drumlin/transforms/Reasons.h"
#include "llvm/Remarks/Remark.h"
#include "llvm/Remarks/RemarkSerializer.h"
#include "llvm/Support/raw_ostream.h"

namespace drumlin::cli {

static llvm::remarks::Type typeOf(const LedgerEntry &entry) {
  const RuleInfo *rule = findRule(entry.rule);
  if (rule && rule->kind != RuleKind::Decides) {
    return llvm::remarks::Type::Analysis;
  }
  return entry.reason == Reason::Taken ? llvm::remarks::Type::Passed : llvm::remarks::Type::Missed;
}

// Parses a source like `model.py:12:4`; returns nullopt if it has no line.
static std::optional<llvm::remarks::RemarkLocation> locationOf(llvm::StringRef source) {
  auto [place, column] = source.rsplit(':');
  auto [file, line] = place.rsplit(':');
  llvm::remarks::RemarkLocation location = {file, 0, 0};
  if (file.empty() || line.getAsInteger(10, location.SourceLine) ||
      column.getAsInteger(10, location.SourceColumn)) {
    return std::nullopt;
  }
  return location;
}

std::string remarksOf(const std::vector<LedgerEntry> &entries) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  std::unique_ptr<llvm::remarks::RemarkSerializer> serializer =
      llvm::cantFail(llvm::remarks::createRemarkSerializer(llvm::remarks::Format::YAML, stream));
  for (const LedgerEntry &entry : entries) {
    std::string outcome = ": " + Ledger::outcome(entry);
    llvm::remarks::Remark remark;
    remark.RemarkType = typeOf(entry);
    remark.PassName = entry.phase;
    remark.RemarkName = entry.rule;
    remark.FunctionName = "main";
    remark.Loc = locationOf(entry.source);
    remark.Args.emplace_back("Operation", entry.operation);
    remark.Args.emplace_back("String", outcome);
    serializer->emit(remark);
  }
  return validText(text);
}

} // namespace drumlin::cli

#include "drumlin/support/Diagnostics.h"

#include "drumlin/support/VisibleText.h"

#include <algorithm>

namespace drumlin {

const std::vector<DiagnosticInfo> &allDiagnostics() {
  static const std::vector<DiagnosticInfo> table = {
#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  {diagnosticCode(code), #Name, code, ExitStatus::status, remedy},
#include "drumlin/support/diagnostics/All.def"
  };
  return table;
}

const DiagnosticInfo &info(DiagnosticCode code) {
  return *std::ranges::find(allDiagnostics(), code, &DiagnosticInfo::code);
}

// Escapes the text, most of which comes from programs, files and users.
std::string Diagnostic::str(std::string_view kind) const {
  const DiagnosticInfo &entry = info(code);
  std::string text;
  if (!location.empty()) {
    text += visibleText(location);
    text += ": ";
  }
  text += kind;
  text += ' ';
  text += entry.id;
  text += ": ";
  text += visibleText(message);
  text += "\n  hint: ";
  text += remedy.empty() ? std::string(entry.remedy) : visibleText(remedy);
  text += '\n';
  return text;
}

} // namespace drumlin

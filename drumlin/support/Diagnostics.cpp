#include "drumlin/support/Diagnostics.h"

#include "drumlin/support/VisibleText.h"

namespace drumlin {

const std::vector<DiagnosticInfo> &allDiagnostics() {
  static const std::vector<DiagnosticInfo> table = {
#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  {DiagnosticCode::Name, #Name, code, ExitStatus::status, remedy},
#include "drumlin/support/Diagnostics.def"
  };
  return table;
}

const DiagnosticInfo &info(DiagnosticCode code) {
  return allDiagnostics()[static_cast<size_t>(code)];
}

// Escapes the text, most of which isn't Drumlin's.
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

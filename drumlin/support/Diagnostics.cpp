#include "drumlin/support/Diagnostics.h"

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

std::string Diagnostic::str(std::string_view kind) const {
  const DiagnosticInfo &entry = info(code);
  std::string text;
  if (!location.empty()) {
    text += location;
    text += ": ";
  }
  text += kind;
  text += ' ';
  text += entry.id;
  text += ": ";
  text += message;
  text += "\n  hint: ";
  text += remedy.empty() ? entry.remedy : std::string_view(remedy);
  text += '\n';
  return text;
}

} // namespace drumlin

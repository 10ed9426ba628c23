#include "drumlin/transforms/requirements/OperationPattern.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"

namespace drumlin {

static bool matchesGlob(llvm::StringRef pattern, llvm::StringRef text) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob) {
    llvm::consumeError(glob.takeError());
    return pattern == text;
  }
  return glob->match(text);
}

// `dot` also matches `dot_general` and `stablehlo.dot_general`.
static bool matchesName(llvm::StringRef pattern, llvm::StringRef name) {
  llvm::StringRef shortName = name.split('.').second;
  return matchesGlob(pattern, name) || matchesGlob(pattern, shortName) ||
         matchesGlob(pattern, shortName.split('_').first);
}

bool matches(const OperationPattern &pattern, const plan::ProgramOperation &operation) {
  if (!matchesName(pattern.operation, operation.name)) {
    return false;
  }
  return pattern.source.empty() || matchesGlob(pattern.source, operation.source) ||
         llvm::any_of(operation.scopes,
                      [&](const std::string &scope) { return matchesGlob(pattern.source, scope); });
}

} // namespace drumlin

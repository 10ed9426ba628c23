#include "drumlin/driver/backend/Backend.h"

#include "drumlin/support/diagnostics/UnsupportedErrors.h"

namespace drumlin {

Diagnostic withoutCode(const Target &target) {
  return diagnose(errors::EngineWithoutCode,
                  "`" + target.name + "` is a target for " + std::string(target.use()) +
                      ": no code is made for it",
                  "--target");
}

Status Backend::makeImage(mlir::ModuleOp, const std::string &, const CompileOptions &,
                          Compilation &) const {
  return withoutCode(machine);
}

} // namespace drumlin

#include "drumlin/codegen/cpu/TargetAttributes.h"

namespace drumlin::codegen {

void setTargetAttributes(llvm::Function &function, const CpuTarget &target) {
  function.addFnAttr("target-cpu", "x86-64");
  function.addFnAttr("target-features", target.featureString());
  if (!target.tunedFor.empty()) {
    function.addFnAttr("tune-cpu", target.tunedFor);
  }
  if (target.has("avx512f")) {
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
  }
}

} // namespace drumlin::codegen

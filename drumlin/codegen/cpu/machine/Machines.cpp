#include "drumlin/codegen/cpu/machine/Machines.h"

#include "drumlin/codegen/cpu/machine/aarch64/Aarch64Machine.h"
#include "drumlin/codegen/cpu/machine/x86/X86Machine.h"
#include "llvm/Support/ErrorHandling.h"

namespace drumlin::codegen {

const Machine &machineOf(const CpuTarget &target) {
  switch (target.architecture) {
  case Architecture::X86_64:
    return x86Machine();
  case Architecture::Aarch64:
    return aarch64Machine();
  }
  llvm_unreachable("every architecture is listed");
}

void setTargetAttributes(llvm::Function &function, const CpuTarget &target) {
  const Machine &machine = machineOf(target);
  function.addFnAttr("target-cpu", machine.baseCpu());
  function.addFnAttr("target-features", target.featureString());
  if (!target.tunedFor.empty()) {
    function.addFnAttr("tune-cpu", target.tunedFor);
  }
  machine.setRegisters(function, target);
}

} // namespace drumlin::codegen

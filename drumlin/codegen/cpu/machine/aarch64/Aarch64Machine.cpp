#include "drumlin/codegen/cpu/machine/aarch64/Aarch64Machine.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;

namespace drumlin::codegen {

namespace {
class Aarch64Machine : public Machine {
public:
  const char *triple() const override { return "aarch64-unknown-linux-gnu"; }
  const char *baseCpu() const override { return "generic"; }
  void registerInLlvm() const override {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64Target();
      LLVMInitializeAArch64TargetMC();
      LLVMInitializeAArch64AsmPrinter();
    });
  }

  Value *multiplyAdd(IRBuilder<> &, const UnitStep &) const override {
    llvm_unreachable("it has no unit but the plain one");
  }
  void multiplyTiles(ElementEmitter &, Module &, const TileBlock &) const override {
    llvm_unreachable("it has no tiles");
  }
};
} // namespace

const Machine &aarch64Machine() {
  static const Aarch64Machine machine;
  return machine;
}

} // namespace drumlin::codegen

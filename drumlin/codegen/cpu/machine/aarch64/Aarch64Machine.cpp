#include "drumlin/codegen/cpu/machine/aarch64/Aarch64Machine.h"

#include "drumlin/target/ComputeUnits.h"

#include "llvm/IR/IntrinsicsAArch64.h"
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

  Value *multiplyAdd(IRBuilder<> &builder, const UnitStep &step) const override;
  void multiplyTiles(ElementEmitter &, Module &, const TileBlock &) const override {
    llvm_unreachable("aarch64 targets have no tile units");
  }
};
} // namespace

Value *Aarch64Machine::multiplyAdd(IRBuilder<> &builder, const UnitStep &step) const {
  Intrinsic::ID id = Intrinsic::not_intrinsic;
  switch (step.unit) {
  case ComputeUnit::int8_dots:
    id = step.columnsWithoutSign ? Intrinsic::aarch64_neon_udot : Intrinsic::aarch64_neon_sdot;
    break;
  case ComputeUnit::int8_mmla:
    id = step.columnsWithoutSign ? Intrinsic::aarch64_neon_ummla : Intrinsic::aarch64_neon_smmla;
    break;
  case ComputeUnit::bf16_mmla:
    id = Intrinsic::aarch64_neon_bfmmla;
    break;
  default:
    llvm_unreachable("the processor has no such compute unit");
  }
  bool areFloats = info(step.unit).operands == ElementType::BF16;
  Type *term = areFloats ? builder.getBFloatTy() : builder.getInt8Ty();
  auto terms = static_cast<unsigned>(cast<FixedVectorType>(step.sum->getType())->getNumElements() *
                                     static_cast<uint64_t>(info(step.unit).kGroup));
  auto *operands = FixedVectorType::get(term, terms);
  SmallVector<Type *> overloads = {step.sum->getType(), operands};
  // The bf16 intrinsic has no overloads.
  overloads.truncate(step.unit == ComputeUnit::bf16_mmla ? 0 : 2);
  return builder.CreateIntrinsic(id, overloads,
                                 {step.sum, builder.CreateBitCast(step.rows, operands),
                                  builder.CreateBitCast(step.columns, operands)});
}

const Machine &aarch64Machine() {
  static const Aarch64Machine machine;
  return machine;
}

} // namespace drumlin::codegen

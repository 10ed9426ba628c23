#include "drumlin/codegen/cpu/machine/x86/X86Machine.h"

#include "drumlin/codegen/cpu/machine/x86/X86Tiles.h"
#include "drumlin/target/ComputeUnits.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;

namespace drumlin::codegen {

// LLVM 22's x86 backend converts a masked store whose mask is known to have a single lane to a
// store of that element. If the stored vector's lanes were narrowed before (to 16 bits, say), the
// backend stores the wide element, which overwrites the memory after the narrow one (llvm-project
// issue 179489). Masks of stores that may narrow pass through an empty inline assembly, which hides
// them from the backend.
static void hideMasksOfNarrowStores(Module &module) {
  SmallVector<IntrinsicInst *> stores;
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
      if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::masked_store &&
          intrinsic->getArgOperand(0)->getType()->getScalarType()->isIntegerTy()) {
        stores.push_back(intrinsic);
      }
    }
  }
  for (IntrinsicInst *store : stores) {
    IRBuilder<> b(store);
    Value *mask = store->getArgOperand(2);
    auto lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
    IntegerType *bits = b.getIntNTy(lanes), *carrier = b.getIntNTy(std::max(lanes, 32u));
    auto *hide = InlineAsm::get(FunctionType::get(carrier, {carrier}, false), "", "=r,0",
                                /*hasSideEffects=*/false);
    Value *hidden = b.CreateCall(hide, b.CreateZExt(b.CreateBitCast(mask, bits), carrier));
    store->setArgOperand(2, b.CreateBitCast(b.CreateTrunc(hidden, bits), mask->getType()));
  }
}

// Returns a constant vector of bits that is opaque to the backend, computed at the builder's
// position.
static Value *hideConstant(IRBuilder<> &b, Constant *bits) {
  constexpr unsigned registerBits = 128;
  unsigned lanes = cast<FixedVectorType>(bits->getType())->getNumElements();
  unsigned part = std::min(lanes, registerBits / 8);
  auto *type = FixedVectorType::get(b.getIntNTy(registerBits / part), part);
  auto *hide =
      InlineAsm::get(FunctionType::get(type, {type}, false), "", "=x,0", /*hasSideEffects=*/false);
  SmallVector<Value *> parts;
  for (unsigned first = 0; first < lanes; first += part) {
    SmallVector<Constant *> elements;
    for (unsigned lane = first; lane < first + part; ++lane) {
      bool isSet = bits->getAggregateElement(lane)->isOneValue();
      elements.push_back(ConstantInt::getSigned(type->getElementType(), isSet ? -1 : 0));
    }
    Value *hidden = b.CreateCall(hide, ConstantVector::get(elements));
    parts.push_back(b.CreateICmpSLT(hidden, Constant::getNullValue(type)));
  }
  return concatenateVectors(b, parts);
}

// On targets without mask registers, LLVM 22's x86 backend miscompiles the conjunction of a
// constant mask and a mask that is one bit for all lanes: it ignores the constant. A masked load
// then reads lanes that the constant excludes, which are out of bounds. Such constants pass through
// an empty inline assembly, which hides them from the backend.
static void hideConstantsInMasks(Module &module) {
  for (Function &function : module) {
    SmallVector<BinaryOperator *> masks;
    for (Instruction &instruction : instructions(function)) {
      auto *type = dyn_cast<FixedVectorType>(instruction.getType());
      bool isMask = instruction.getOpcode() == Instruction::And && type &&
                    type->getElementType()->isIntegerTy(1) && isPowerOf2_32(type->getNumElements());
      if (isMask && isa<Constant>(instruction.getOperand(1))) {
        masks.push_back(cast<BinaryOperator>(&instruction));
      }
    }
    DenseMap<Constant *, Value *> hidden;
    for (BinaryOperator *mask : masks) {
      auto *bits = cast<Constant>(mask->getOperand(1));
      Value *&made = hidden[bits];
      if (!made) {
        BasicBlock &entry = function.getEntryBlock();
        IRBuilder<> b(&entry, entry.getFirstInsertionPt());
        made = hideConstant(b, bits);
      }
      mask->setOperand(1, made);
    }
  }
}

namespace {
class X86Machine : public Machine {
public:
  const char *triple() const override { return "x86_64-unknown-linux-gnu"; }
  const char *baseCpu() const override { return "x86-64"; }
  void registerInLlvm() const override {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86Target();
      LLVMInitializeX86TargetMC();
      LLVMInitializeX86AsmPrinter();
    });
  }
  void setRegisters(Function &function, const CpuTarget &target) const override {
    if (target.has("avx512f")) {
      function.addFnAttr("prefer-vector-width", "512");
      function.addFnAttr("min-legal-vector-width", "512");
    }
  }

  // With fast instruction selection, LLVM 22 keeps tiles in memory and miscompiles tiles that a
  // loop carries (X86LowerAMXType.cpp, volatileTileData).
  Effort possibleEffort(const Module &module, Effort asked) const override {
    bool hasTiles = any_of(module, [](const Function &function) {
      return function.getName().starts_with("llvm.x86.tile");
    });
    return asked == Effort::Quick && hasTiles ? Effort::Lean : asked;
  }
  void hideFromSelection(Module &module, const CpuTarget &target) const override {
    if (target.has("avx512f")) {
      hideMasksOfNarrowStores(module);
    } else {
      hideConstantsInMasks(module);
    }
  }

  Value *multiplyAdd(IRBuilder<> &builder, const UnitStep &step) const override;
  void multiplyTiles(ElementEmitter &emitter, Module &module,
                     const TileBlock &block) const override {
    multiplyX86Tiles(emitter, module, block);
  }
};
} // namespace

Value *X86Machine::multiplyAdd(IRBuilder<> &builder, const UnitStep &step) const {
  Intrinsic::ID id = Intrinsic::not_intrinsic;
  Value *first = step.rows, *second = step.columns;
  switch (step.unit) {
  case ComputeUnit::bf16_pairs:
    id = Intrinsic::x86_avx512bf16_dpbf16ps_512;
    break;
  case ComputeUnit::int16_pairs:
    id = Intrinsic::x86_avx512_vpdpwssd_512;
    break;
  case ComputeUnit::int8_quads:
    id = Intrinsic::x86_avx512_vpdpbusd_512;
    // The instruction's unsigned operand comes first.
    if (step.columnsWithoutSign) {
      std::swap(first, second);
    }
    break;
  case ComputeUnit::fma:
  case ComputeUnit::bf16_mmla:
  case ComputeUnit::int8_dots:
  case ComputeUnit::int8_mmla:
  case ComputeUnit::bf16_tiles:
  case ComputeUnit::f16_tiles:
  case ComputeUnit::int8_tiles:
    llvm_unreachable("the processor has no such compute unit");
  }
  Function *dot = Intrinsic::getOrInsertDeclaration(builder.GetInsertBlock()->getModule(), id);
  FunctionType *type = dot->getFunctionType();
  return builder.CreateCall(dot, {step.sum, builder.CreateBitCast(first, type->getParamType(1)),
                                  builder.CreateBitCast(second, type->getParamType(2))});
}

const Machine &x86Machine() {
  static const X86Machine machine;
  return machine;
}

} // namespace drumlin::codegen

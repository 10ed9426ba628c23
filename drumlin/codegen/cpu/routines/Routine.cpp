#include "drumlin/codegen/cpu/routines/Routine.h"
#include "drumlin/codegen/cpu/machine/Machines.h"

using namespace llvm;

namespace drumlin::codegen {

Function *Routine::declare(Module &module, const CpuTarget &target) const {
  std::string symbol = name(target);
  if (Function *known = module.getFunction(symbol)) {
    return known;
  }
  LLVMContext &context = module.getContext();
  auto *type = FunctionType::get(Type::getVoidTy(context), parameters(context), false);
  Function *function = Function::Create(type, GlobalValue::ExternalLinkage, symbol, module);
  function->setDSOLocal(true);
  function->addFnAttr(Attribute::NoUnwind);
  for (llvm::Argument &argument : function->args()) {
    if (argument.getType()->isPointerTy()) {
      argument.addAttr(Attribute::NoAlias);
    }
  }
  return function;
}

Function *Routine::in(Module &module, const CpuTarget &target,
                      const RoutineLibrary &library) const {
  Function *function = declare(module, target);
  if (function->isDeclaration() && !library.find(function->getName(), target)) {
    function->setLinkage(GlobalValue::InternalLinkage);
    function->addFnAttr(Attribute::AlwaysInline);
    setTargetAttributes(*function, target);
    emitBody(function, target);
  }
  return function;
}

Function *Routine::exported(Module &module, const CpuTarget &target) const {
  Function *function = declare(module, target);
  function->setVisibility(GlobalValue::HiddenVisibility);
  setTargetAttributes(*function, target);
  emitBody(function, target);
  return function;
}

} // namespace drumlin::codegen

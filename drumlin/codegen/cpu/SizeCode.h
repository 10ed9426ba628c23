// Sizes that are known when the program runs, in emitted code.
#pragma once

#include "drumlin/support/SizeExpression.h"
#include "llvm/IR/IRBuilder.h"

namespace drumlin::codegen {

class SizeCode {
public:
  // `values`: the address of one i64 for each of the symbols.
  SizeCode(llvm::IRBuilder<> &builder, llvm::Value *values, std::vector<std::string> symbols)
      : b(builder), values(values), symbols(std::move(symbols)) {}

  // The size as i64, computed where the builder stands. Its symbols are this object's.
  llvm::Value *emit(const SizeExpression &size);

private:
  llvm::Value *emit(const SizeExpression::Factor &factor);

  llvm::IRBuilder<> &b;
  llvm::Value *values;
  std::vector<std::string> symbols;
};

} // namespace drumlin::codegen

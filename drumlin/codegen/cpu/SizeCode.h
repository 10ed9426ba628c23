// Sizes that are known when the program runs, in emitted code.
#pragma once

#include "drumlin/support/SizeExpression.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

#include <map>

namespace drumlin::codegen {

// Of no sizes, 1.
SizeExpression productOf(llvm::ArrayRef<SizeExpression> sizes);

class SizeCode {
public:
  // `values`: the address of one i64 for each of the symbols.
  SizeCode(llvm::IRBuilder<> &builder, llvm::Value *values, std::vector<std::string> symbols)
      : b(builder), values(values), symbols(std::move(symbols)) {}

  // From now on each size is computed once, at the end of this block, which runs before all others
  // and has no terminator yet.
  void setBlock(llvm::BasicBlock *first) { block = first; }

  // The size as i64, computed where the builder stands if there is no block for it. Its symbols are
  // this object's.
  llvm::Value *emit(const SizeExpression &size);

private:
  llvm::Value *emitHere(const SizeExpression &size);
  llvm::Value *emit(const SizeExpression::Factor &factor);

  llvm::IRBuilder<> &b;
  llvm::Value *values;
  std::vector<std::string> symbols;
  llvm::BasicBlock *block = nullptr;
  std::map<std::string, llvm::Value *> made; // in the block, by the expressions' texts
};

} // namespace drumlin::codegen

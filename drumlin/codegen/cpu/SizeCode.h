// Emits code for sizes that are known only at run time.
#pragma once

#include "drumlin/support/SizeExpression.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

#include <map>

namespace drumlin::codegen {

// Returns the product of the sizes; 1 if there are none.
SizeExpression productOf(llvm::ArrayRef<SizeExpression> sizes);

class SizeCode {
public:
  // `values`: the address of an array with one i64 per symbol.
  SizeCode(llvm::IRBuilder<> &builder, llvm::Value *values, std::vector<std::string> symbols)
      : b(builder), values(values), symbols(std::move(symbols)) {}

  // Sets the block for the code of later sizes: each size is computed once, at the end of this
  // block. The block runs before all other blocks and has no terminator yet.
  void setBlock(llvm::BasicBlock *first) { block = first; }

  // Emits the size as i64: in the block of setBlock(), or at the builder's position if none is set.
  // The size uses only this object's symbols.
  llvm::Value *emit(const SizeExpression &size);

private:
  llvm::Value *emitHere(const SizeExpression &size);
  llvm::Value *emit(const SizeExpression::Factor &factor);

  llvm::IRBuilder<> &b;
  llvm::Value *values;
  std::vector<std::string> symbols;
  llvm::BasicBlock *block = nullptr;
  std::map<std::string, llvm::Value *> made; // sizes computed in the block, keyed by their text
};

} // namespace drumlin::codegen

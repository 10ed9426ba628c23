// The operations of the portable artifact format as data: what VhloOperations.def says, by name.
#pragma once

#include "drumlin/ir/vhlo/Version.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace drumlin::vhlo {

// How many operands, results or regions an operation takes.
struct Arity {
  unsigned least = 0;
  bool isVariadic = false; // any number from `least` on
  bool accepts(size_t count) const { return isVariadic ? count >= least : count == least; }
};

// One operation in one of its versions: `vhlo.all_gather_v2`.
struct OperationVersion {
  std::string name; // `vhlo.all_gather_v2`
  std::string base; // `all_gather`
  unsigned number;  // 2
  VersionRange releases;
  Arity operands;
  Arity results;
  Arity regions;
  // In the order of the bytecode.
  llvm::SmallVector<std::string, 0> attributes;

  bool isTerminator() const { return base == "return"; }
  bool hasAttribute(llvm::StringRef attribute) const;
};

// All of them, by base name and then by number.
llvm::ArrayRef<OperationVersion> allOperations();
// The versions of one operation, ascending; empty where there is none of this name.
llvm::ArrayRef<OperationVersion> versionsOf(llvm::StringRef base);
// The version of an operation that a release has; null where it has none.
const OperationVersion *operationAt(llvm::StringRef base, Version release);

} // namespace drumlin::vhlo

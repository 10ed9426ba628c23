// The operations of the portable artifact format as data: the contents of VhloOperations.def.
#pragma once

#include "drumlin/ir/vhlo/Version.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace drumlin::vhlo {

// The number of operands, results or regions that an operation may have.
struct Arity {
  unsigned least = 0;
  bool isVariadic = false; // whether any number from `least` on is accepted
  bool accepts(size_t count) const { return isVariadic ? count >= least : count == least; }
};

// One version of an operation: `vhlo.all_gather_v2`.
struct OperationVersion {
  std::string name; // `vhlo.all_gather_v2`
  std::string base; // `all_gather`
  unsigned number;  // 2
  VersionRange releases;
  Arity operands;
  Arity results;
  Arity regions;
  // Names of the attributes, in the order in which bytecode stores them.
  llvm::SmallVector<std::string, 0> attributes;

  bool isTerminator() const { return base == "return"; }
  bool hasAttribute(llvm::StringRef attribute) const;
};

// Returns all operations, sorted by base name and then by version number.
llvm::ArrayRef<OperationVersion> allOperations();
// Returns the versions of one operation in ascending order; empty for unknown names.
llvm::ArrayRef<OperationVersion> versionsOf(llvm::StringRef base);
// Returns the version of an operation that a release has; null if the release lacks the operation.
const OperationVersion *operationAt(llvm::StringRef base, Version release);

} // namespace drumlin::vhlo

// A sort kernel's problem: rows along one dimension are sorted independently.
//
// Many comparators are `key(lhs) < key(rhs)` for one scalar program `key`. Such a sort can compute
// the elements' keys beforehand, as unsigned numbers, instead of running the comparator on pairs.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/ElementType.h"

#include <optional>
#include <string>

namespace drumlin {

struct SortKey {
  mlir::Value program; // the key in the comparator, as a function of one side's arguments
  ElementType type;    // its type
  bool total = false;  // floating-point keys in IEEE 754's total order; else -0 equals +0
  bool descending = false;
};

// The key of a comparator of that form; nothing for any other, and for programs too large to be
// worth it.
std::optional<SortKey> sortKeyOf(stablehlo::SortOp sort);

struct SortProblem {
  mlir::Operation *op = nullptr; // a stablehlo.sort or chlo.top_k; null: the region has none
  Size rows = 1;
  Size length = 1;            // elements of one row
  Size stride = 1;            // elements from one to the next of a row
  std::optional<SortKey> key; // of a sort
  int64_t kept = 0;           // top_k's k

  explicit SortProblem(mlir::Block &region);
  bool isTopK() const;
  // The type of what rows are ordered by; nothing where that isn't one key.
  std::optional<ElementType> keyType() const;
  // Whether 64 bits hold a row's key and position; false where rows aren't ordered by one key.
  bool hasNarrowWords() const;
};

// How many bits a key of a type has: 8, 16, 32 or 64.
unsigned keyBits(ElementType type);

// Returns whether a position in a row of this length fits into 32 bits, however large its symbolic
// sizes may be.
bool isNarrowCount(const SizeExpression &count);

// Tasks of so many rows each.
Size tasksOf(plan::SortScheduleAttr schedule, const SortProblem &problem);

// Why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::SortScheduleAttr schedule, const SortProblem &problem);

} // namespace drumlin

// The problem of a sort kernel: rows along one dimension are sorted independently.
//
// Many comparators are `key(lhs) < key(rhs)` for a scalar function `key`. Such a sort can compute
// the elements' keys in advance, as unsigned numbers, instead of calling the comparator on pairs.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/support/ElementType.h"

#include <optional>
#include <string>

namespace drumlin {

struct SortKey {
  mlir::Value program; // the key in the comparator, a function of the arguments of one side
  ElementType type;    // type of the key
  bool total = false;  // whether floating-point keys have IEEE 754's total order; else -0 == +0
  bool descending = false;
};

// Returns the key of a comparator `key(lhs) < key(rhs)`; nothing for any other comparator, and for
// keys that are too expensive.
std::optional<SortKey> sortKeyOf(stablehlo::SortOp sort);

struct SortProblem {
  mlir::Operation *op = nullptr; // a stablehlo.sort or chlo.top_k; null: the region has neither
  Size rows = 1;
  Size length = 1;            // elements of one row
  Size stride = 1;            // distance between neighbours of a row, in elements
  std::optional<SortKey> key; // only for sorts
  int64_t kept = 0;           // k of a top_k

  explicit SortProblem(mlir::Block &region);
  bool isTopK() const;
  // Returns the type of the key by which the elements of a row are sorted; nothing if the order
  // isn't determined by a single key.
  std::optional<ElementType> keyType() const;
  // Whether an element's key and its position in the row fit in 64 bits together; false if there is
  // no keyType().
  bool hasNarrowWords() const;
};

// Returns the width of keys of a type: 8, 16, 32 or 64 bits.
unsigned keyBits(ElementType type);

// Returns whether positions in a row of this length always fit in 32 bits, up to the largest values
// of its symbolic sizes.
bool isNarrowCount(const SizeExpression &count);

// Returns the number of tasks of `tile` rows each.
Size tasksOf(plan::SortScheduleAttr schedule, const SortProblem &problem);

// Returns why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::SortScheduleAttr schedule, const SortProblem &problem);

} // namespace drumlin

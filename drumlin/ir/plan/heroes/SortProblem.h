// What a sort kernel computes: rows along one dimension, each brought into an order of its own.
//
// Many comparators are `key(lhs) < key(rhs)` for one scalar program `key`. Such a sort can compute
// each element's key once, as an unsigned number, instead of running the comparator on every pair
// that meets.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
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
  int64_t rows = 1;
  int64_t length = 1;         // elements of one row
  int64_t stride = 1;         // between neighbours in a row
  std::optional<SortKey> key; // of a sort
  int64_t kept = 0;           // top_k's k

  explicit SortProblem(mlir::Block &region);
  bool isTopK() const;
};

// Tasks of so many rows each.
int64_t tasksOf(plan::SortScheduleAttr schedule, const SortProblem &problem);

// What keeps a schedule from being one of the problem's; empty where nothing does.
std::string findScheduleFault(plan::SortScheduleAttr schedule, const SortProblem &problem);

} // namespace drumlin

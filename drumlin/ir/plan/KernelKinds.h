// Iteration over all kinds of kernels, for code that depends on the kind. PlanOps.td defines the
// operation of each kind. It is the only list of the kinds.
#pragma once

#include "drumlin/ir/plan/PlanOps.h"

#include <utility>

namespace drumlin::plan {

template <typename Op>
concept KernelKindOp = requires { Op::kind; };

template <typename... Ops> struct OperationList {
  template <typename Visit> static void forEachKernelKind(Visit visit) {
    auto visitOne = [&]<typename Op>() {
      if constexpr (KernelKindOp<Op>) {
        visit.template operator()<Op>();
      }
    };
    (visitOne.template operator()<Ops>(), ...);
  }
};
using AllOperations = OperationList<
#define GET_OP_LIST
#include "drumlin/ir/plan/PlanOps.cpp.inc"
    >;

// Calls `visit.operator()<Op>()` for each kind, with its operation.
template <typename Visit> void forEachKernelKind(Visit visit) {
  AllOperations::forEachKernelKind(visit);
}

// Returns what `visit.operator()<Op>()` returns for the operation of the kind.
template <typename Visit> auto withKernelKind(KernelKind kind, Visit visit) {
  std::optional<decltype(visit.template operator()<LoopOp>())> result;
  forEachKernelKind([&]<typename Op>() {
    if (Op::kind == kind) {
      result.emplace(visit.template operator()<Op>());
    }
  });
  return std::move(*result);
}

} // namespace drumlin::plan

// Layouts in the plan: attributes that say in which order values lie in memory.
//
// Between the passes `assign-layouts` and `normalize-layouts`, types are the program's, and an
// operation whose results lie in other orders than row-major has `layouts` with one `#plan.layout`
// for each result; a while's are those of its carried values, in its regions as well. Afterwards
// every type is the shape in memory, row-major, and only arguments and results of the program keep
// `plan.layout`: what callers pass and get has the program's shape in that order.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Layout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

inline constexpr const char *layoutsAttribute = "layouts";
inline constexpr const char *layoutAttribute = "plan.layout"; // of the entry function's values
// On a function between the two passes: its types are still the program's.
inline constexpr const char *assignedAttribute = "plan.assigned_layouts";
// What a program asks for (JAX writes it): `default`, `auto`, or an order such as `{0,1}`.
inline constexpr const char *layoutModeAttribute = "mhlo.layout_mode";
// Marks an argument whose value is the same at every call (a weight).
inline constexpr const char *staticAttribute = "drumlin.static";
// Marks arguments and results of the entry that are complex for callers: here they have their real
// and their imaginary parts as one more dimension, the innermost one in memory.
inline constexpr const char *complexAttribute = "plan.complex";

// Whether an argument of the entry function is brought into its layout once, not at each call: a
// weight, or a static one that is not donated, whose layout the program leaves open.
bool isLaidOutOnce(mlir::func::FuncOp function, unsigned number);
// Whether it would be, were it not used where it lies in the caller's file.
bool isWeightInPlace(mlir::func::FuncOp function, unsigned number);

plan::LayoutAttr layoutAttr(mlir::MLIRContext *context, std::span<const int64_t> order);
DimensionOrder orderOf(plan::LayoutAttr layout);

namespace plan {
// A value of shape `from` that lies in `fromOrder`, as one of shape `to` in `toOrder`: the same
// bytes. `type` is the result's, with its shape in memory.
mlir::Value createBitcast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                          mlir::Value value, const Shape &from, const DimensionOrder &fromOrder,
                          const Shape &to, const DimensionOrder &toOrder);
} // namespace plan

// The type with the shape in memory.
mlir::RankedTensorType physicalType(mlir::RankedTensorType type, std::span<const int64_t> order);

// After normalization: how an argument or a result of the entry function lies; nothing where it is
// row-major. Its type is the shape in memory. Only static arguments lie in blocks.
std::optional<BlockedLayout> argumentLayout(mlir::func::FuncOp function, unsigned number);
std::optional<BlockedLayout> resultLayout(mlir::func::FuncOp function, unsigned number);
void setArgumentLayout(mlir::func::FuncOp function, unsigned number, const BlockedLayout &layout);
// The shape that the program gave to a value that lies in an order.
Shape logicalShape(mlir::Type type, std::span<const int64_t> order);

// What callers pass and get: the program's type, and the layout of a value that isn't row-major.
// (`plan.complex` and `plan.layout` say what the entry's own types have instead.)
struct CallersValue {
  mlir::RankedTensorType type;
  std::optional<BlockedLayout> layout;
};
CallersValue callersArgument(mlir::func::FuncOp function, unsigned number);
CallersValue callersResult(mlir::func::FuncOp function, unsigned number);

} // namespace drumlin

// Layouts in the plan: attributes with the order of values' dimensions in memory.
//
// Between the passes `assign-layouts` and `normalize-layouts`, types are the program's. An
// operation with results that are not row-major has the attribute `layouts`, with one
// `#plan.layout` per result. The layouts of a while's results are also those of its carried values
// inside its regions. After these passes, every type is the row-major shape in memory, and only
// arguments and results of the program keep `plan.layout`. Callers pass and receive values of the
// program's shape, with the dimension order of `plan.layout`.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Layout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

inline constexpr const char *layoutsAttribute = "layouts";
inline constexpr const char *layoutAttribute = "plan.layout"; // on entry arguments and results
// Marks a function to which `assign-layouts` has been applied, but not yet `normalize-layouts`. Its
// types are still the program's.
inline constexpr const char *assignedAttribute = "plan.assigned_layouts";
// The layout that a program requests (written by JAX): `default`, `auto`, or an order such as
// `{0,1}`.
inline constexpr const char *layoutModeAttribute = "mhlo.layout_mode";
// Marks an argument whose value is the same at every call (a weight).
inline constexpr const char *staticAttribute = "drumlin.static";
// Marks arguments and results of the entry that are complex for callers. In the plan, they have an
// additional dimension for their real and imaginary parts, which is the innermost one in memory.
inline constexpr const char *complexAttribute = "plan.complex";

// Whether an argument of the entry function is converted to its layout once instead of at each
// call. This holds for weights that are not used in place and for static arguments that are not
// donated, if the program does not request a layout for them.
bool isLaidOutOnce(mlir::func::FuncOp function, unsigned number);
// Whether an argument is a weight that is used in place in the caller's file, without conversion to
// another layout.
bool isWeightInPlace(mlir::func::FuncOp function, unsigned number);

plan::LayoutAttr layoutAttr(mlir::MLIRContext *context, std::span<const int64_t> order);
DimensionOrder orderOf(plan::LayoutAttr layout);

namespace plan {
// Creates a bitcast from a value of shape `from` in order `fromOrder` to shape `to` in order
// `toOrder`. Operand and result must have the same bytes. `type` is the result's type, with its
// shape in memory.
mlir::Value createBitcast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                          mlir::Value value, const Shape &from, const DimensionOrder &fromOrder,
                          const Shape &to, const DimensionOrder &toOrder);
} // namespace plan

// Returns the type with its shape in memory.
mlir::RankedTensorType physicalType(mlir::RankedTensorType type, std::span<const int64_t> order);

// Returns the layout of an argument or a result of the entry function after normalization; nothing
// if it is row-major. At this point, the type of the argument or result has its shape in memory.
// Only layouts of static arguments have blocks.
std::optional<BlockedLayout> argumentLayout(mlir::func::FuncOp function, unsigned number);
std::optional<BlockedLayout> resultLayout(mlir::func::FuncOp function, unsigned number);
void setArgumentLayout(mlir::func::FuncOp function, unsigned number, const BlockedLayout &layout);
// Returns the program's shape of a value, given its shape in memory (`type`) and the order of its
// dimensions in memory.
Shape logicalShape(mlir::Type type, std::span<const int64_t> order);

// An argument or result as callers see it: the program's type, and the layout if it is not
// row-major. The attributes `plan.complex` and `plan.layout` describe how the types in the entry's
// signature differ from this type.
struct CallersValue {
  mlir::RankedTensorType type;
  std::optional<BlockedLayout> layout;
};
CallersValue callersArgument(mlir::func::FuncOp function, unsigned number);
CallersValue callersResult(mlir::func::FuncOp function, unsigned number);

} // namespace drumlin

// Values as a library call's steps read them: through conversions and data movement.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/support/ElementType.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace drumlin {

// A value as a step reads it: the elements of a value of the kernel (an input, a constant, or a
// small computed value), converted and moved.
struct ReadValue {
  mlir::Value value;
  // The types that the value is converted to, in order. Conversions to a type that can represent
  // all previous values are left out.
  llvm::SmallVector<ElementType> conversions;
  StridedView view; // positions of the step's elements in the value's memory

  ElementType type() const;
  // Returns whether the value is an unconverted input of the kernel.
  bool isInput() const { return conversions.empty() && mlir::isa<mlir::BlockArgument>(value); }
};

struct ScaleFactor : ReadValue { // the view is over the dot's operand
  bool divides = false;
};

// Returns whether the operation only moves data in a way that strides describe.
bool isStridedMovement(mlir::Operation *op);

// Returns a view after data movements, which are listed last first.
std::optional<StridedView> viewAfter(llvm::ArrayRef<mlir::Operation *> moves,
                                     std::optional<StridedView> view);

// Returns the value as read, or nothing if strides don't describe its data movement.
std::optional<ReadValue> readValue(mlir::Value value);

} // namespace drumlin

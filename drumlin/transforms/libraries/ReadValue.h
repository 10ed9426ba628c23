// Values as the steps of a library's call read them: through conversions and data movement.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/support/ElementType.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace drumlin {

// A value as a step reads it: the elements of one in the kernel (an input, a constant, or something
// small that the kernel computes), converted and moved.
struct ReadValue {
  mlir::Value value;
  // In order, without those to types that hold all values of the one before.
  llvm::SmallVector<ElementType> conversions;
  StridedView view; // of the step's elements in the value's memory

  ElementType type() const;
  // Whether it is an input of the kernel as it lies in memory.
  bool isInput() const { return conversions.empty() && mlir::isa<mlir::BlockArgument>(value); }
};

struct ScaleFactor : ReadValue { // its view is over the dot's operand
  bool divides = false;
};

// Whether an operation says where elements lie by strides alone.
bool isStridedMovement(mlir::Operation *op);

// Returns a view as it is behind data movements, of which the last comes first.
std::optional<StridedView> viewAfter(llvm::ArrayRef<mlir::Operation *> moves,
                                     std::optional<StridedView> view);

// Reads a value; nothing where strides don't describe the data movement.
std::optional<ReadValue> readValue(mlir::Value value);

} // namespace drumlin

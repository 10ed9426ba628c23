// The role of operations in kernels, declared as a trait of each operation.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace drumlin {

enum class OperationClass {
  Constant,     // known at compile time
  DataMovement, // moves elements between static positions: reshape, transpose, broadcast, slice,
                // pad, concatenate, iota …
  Pointwise,    // computes a result element from one element of each operand
  Gather,       // moves elements; operands give the positions: gather, dynamic_slice,
                // dynamic_update_slice
  Reduction,    // reduce, reduce_window
  Hero,         // has a kind of kernel of its own: dot, convolution, sort, scatter, fft …
  Control,      // while, if, case
  Other,        // cannot be in a kernel
};

// The trait `OfClass<OperationClass::DataMovement>::Impl` (in TableGen `OfClass<"DataMovement">`)
// gives an operation its class. Operations with the trait `Elementwise` are Pointwise and need no
// OfClass.
template <OperationClass is> struct OfClass {
  template <typename ConcreteOp> class Impl : public mlir::OpTrait::TraitBase<ConcreteOp, Impl> {};
};

// Returns the class that an operation's traits determine.
template <typename Op> constexpr OperationClass classOfTraits() {
  using enum OperationClass;
  using namespace mlir::OpTrait;
  return Op::template hasTrait<OfClass<Constant>::template Impl>()       ? Constant
         : Op::template hasTrait<OfClass<DataMovement>::template Impl>() ? DataMovement
         : Op::template hasTrait<OfClass<Gather>::template Impl>()       ? Gather
         : Op::template hasTrait<OfClass<Reduction>::template Impl>()    ? Reduction
         : Op::template hasTrait<OfClass<Hero>::template Impl>()         ? Hero
         : Op::template hasTrait<OfClass<Control>::template Impl>()      ? Control
         : Op::template hasTrait<OfClass<Pointwise>::template Impl>() ||
                 Op::template hasTrait<Elementwise>()
             ? Pointwise
             : Other;
}

} // namespace drumlin

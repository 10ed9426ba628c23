// Storage of large constants' elements outside of MLIR's attributes, which would hash and copy the
// elements and keep them as long as the context. The value of such a constant is a
// DenseResourceElementsAttr whose bytes belong to a tensor, or are used in place in the program's
// text or bytecode. The attribute is printed like any other constant. Constants with equal elements
// share one attribute. Objects that use the elements longer than the context exists share ownership
// of the tensor.
#pragma once

#include "drumlin/support/Layout.h"
#include "drumlin/support/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"

#include <deque>
#include <optional>
#include <unordered_map>

namespace drumlin {

// The elements of one constant.
struct HeldConstant {
  Tensor elements; // may be unaligned if `memory` is not Own
  // The owner of the elements' memory: the tensor; the program's bytes; or the program's bytes in a
  // mapped file, whose pages are released after reading.
  enum class Memory : uint8_t { Own, Program, MappedProgram } memory = Memory::Own;
  // For a copy of another constant's elements in another layout: the original constant, and the
  // layout. `from` is null for a constant of the program.
  const HeldConstant *from = nullptr;
  BlockedLayout layout = {};

  uint64_t hash = 0; // hash of the elements; 0 for elements in another layout

  bool isOwned() const { return memory == Memory::Own; }
};

class HeldElements : public mlir::DialectInterface::Base<HeldElements> {
public:
  explicit HeldElements(mlir::Dialect *dialect) : Base(dialect) {}
  // Returns the context's instance; null if the dialect is not loaded.
  static HeldElements *of(mlir::MLIRContext *context);

  // `readsInPlace`: whether constants of programs that are read from now on stay in the program's
  // bytes, which must live as long as the context. `readsMapped`: whether these bytes are a mapped
  // file.
  bool readsInPlace = false, readsMapped = false;
  // Keeps a program's bytes alive until the context ends.
  void keep(std::shared_ptr<void> bytes) { sources.push_back(std::move(bytes)); }

  // Whether elements of this type and size may be held. Excluded are types that also occur in
  // attributes of operations other than constants, and types that MLIR and `Tensor` store
  // differently.
  static bool canHold(mlir::RankedTensorType type, size_t bytes);
  mlir::ElementsAttr hold(mlir::RankedTensorType type, HeldConstant constant);
  // Holds elements in the program's bytes, without a copy.
  mlir::ElementsAttr holdInPlace(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

  // Elements that a program's text contains as `dense<"0x…"> : TYPE`. The argument of read() begins
  // with such a text and ends with a zero byte. read() returns nothing if the elements should not
  // be held. It also returns nothing if the text is malformed, so that MLIR's parser reports the
  // error.
  struct Spelled {
    Tensor elements;
    size_t characters = 0; // length of the elements' text
  };
  std::optional<Spelled> read(const char *text) const;
  // If the program's text is a mapped file, releases the pages of this part of the text, which must
  // have been read before.
  void wasRead(const char *text, size_t characters) const;
  // Returns a constant's elements in another layout.
  mlir::ElementsAttr layOut(const HeldConstant &from, const BlockedLayout &layout);
  // Frees held elements that own their memory if no constant of the module uses them any more.
  void freeUnused(mlir::ElementsAttr value, mlir::ModuleOp module);

  // Returns the held elements of an attribute; null for other attributes.
  const HeldConstant *find(mlir::Attribute attribute) const;

private:
  mlir::DenseResourceElementsAttr add(mlir::RankedTensorType type, HeldConstant constant);
  Tensor allocate(ElementType type, Shape shape);

  std::deque<HeldConstant> constants;
  std::unordered_multimap<uint64_t, mlir::DenseResourceElementsAttr> byHash; // hash of the elements
  llvm::DenseMap<const void *, const HeldConstant *> byResource;
  // The elements that were created from each constant in other layouts. A lookup does not compare
  // elements.
  llvm::DenseMap<const HeldConstant *, llvm::SmallVector<mlir::DenseResourceElementsAttr, 1>> made;
  // Memory of freed elements, kept for reuse. The system provides new memory page by page, which
  // would take longer than copying the elements to their new layout.
  std::optional<Tensor> spare;
  std::vector<std::shared_ptr<void>> sources;
};

// Returns the held elements of an attribute; null if the attribute stores its elements itself.
const HeldConstant *heldConstant(mlir::Attribute attribute);

// Frees the held elements of an erased constant if no other constant of the module uses them.
void freeUnusedElements(mlir::ElementsAttr value, mlir::ModuleOp module);

// Returns a constant's elements in another layout. `elements` contains the elements of `value`: the
// held tensor, or the result of tensorFromAttribute().
mlir::ElementsAttr layOutConstant(mlir::ElementsAttr value, const Tensor &elements,
                                  const BlockedLayout &layout);

} // namespace drumlin

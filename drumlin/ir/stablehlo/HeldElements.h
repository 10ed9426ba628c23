// Elements of large constants outside of MLIR's attributes, which would hash and copy what they
// have and keep it as long as their context lives. Such a constant's value is a
// DenseResourceElementsAttr whose bytes are a tensor's, or those of the program that is read, where
// they are. It is printed as other constants are, equal elements are one attribute, and whoever
// needs the elements after the context shares the tensor.
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

// Elements of a constant.
struct HeldConstant {
  Tensor elements; // unaligned where they are in the program
  // Whose memory they are in: the tensor's; the program's bytes; such as are a mapped file, whose
  // pages are given back when they were read.
  enum class Memory : uint8_t { Own, Program, MappedProgram } memory = Memory::Own;
  // The constant that these elements were laid out from, and how; null for one of the program's.
  const HeldConstant *from = nullptr;
  BlockedLayout layout = {};

  uint64_t hash = 0; // of the elements; of those that were laid out none

  bool isOwned() const { return memory == Memory::Own; }
};

class HeldElements : public mlir::DialectInterface::Base<HeldElements> {
public:
  explicit HeldElements(mlir::Dialect *dialect) : Base(dialect) {}
  // Of a context; null where that doesn't have the dialect.
  static HeldElements *of(mlir::MLIRContext *context);

  // Whether constants that programs have from now on are left where they are in the program's
  // bytes, which stay there as long as the context; and whether these are a file that is mapped.
  bool readsInPlace = false, readsMapped = false;
  // Keeps bytes of a program until the context ends.
  void keep(std::shared_ptr<void> bytes) { sources.push_back(std::move(bytes)); }

  // Whether so many bytes of elements of a type may be held. Types that attributes of other
  // operations than constants have aren't, nor those whose elements lie otherwise in tensors.
  static bool canHold(mlir::RankedTensorType type, size_t bytes);
  mlir::ElementsAttr hold(mlir::RankedTensorType type, HeldConstant constant);
  // Elements in the program's bytes.
  mlir::ElementsAttr holdInPlace(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

  // Elements that a program's text spells as `dense<"0x…"> : TYPE`, which `text` begins with and a
  // zero byte ends: nothing where they aren't held, or where MLIR's parser says what is wrong with
  // them.
  struct Spelled {
    Tensor elements;
    size_t characters = 0; // of the elements, from `text` on
  };
  std::optional<Spelled> read(const char *text) const;
  // Gives back pages of the program's text, where it is a mapped file.
  void wasRead(const char *text, size_t characters) const;
  // What a constant's elements become in another layout.
  mlir::ElementsAttr layOut(const HeldConstant &from, const BlockedLayout &layout);
  // Frees held elements of the tensor's own that no constant of the module has any more.
  void freeUnused(mlir::ElementsAttr value, mlir::ModuleOp module);

  // Null for other attributes.
  const HeldConstant *find(mlir::Attribute attribute) const;

private:
  mlir::DenseResourceElementsAttr add(mlir::RankedTensorType type, HeldConstant constant);
  Tensor allocate(ElementType type, Shape shape);

  std::deque<HeldConstant> constants;
  std::unordered_multimap<uint64_t, mlir::DenseResourceElementsAttr> byHash; // of elements
  llvm::DenseMap<const void *, const HeldConstant *> byResource;
  // What was made of each constant, which needn't be looked for by its elements.
  llvm::DenseMap<const HeldConstant *, llvm::SmallVector<mlir::DenseResourceElementsAttr, 1>> made;
  // Memory of elements that were freed: the system gives new one page by page, which takes longer
  // than laying out elements does.
  std::optional<Tensor> spare;
  std::vector<std::shared_ptr<void>> sources;
};

// Null where an attribute holds its own elements.
const HeldConstant *heldConstant(mlir::Attribute attribute);

// Frees the held elements of a constant that was erased, if no other one of the module has them.
void freeUnusedElements(mlir::ElementsAttr value, mlir::ModuleOp module);

// What a constant's elements become in another layout. `elements` are those of `value`, held or as
// tensorFromAttribute() gives them.
mlir::ElementsAttr layOutConstant(mlir::ElementsAttr value, const Tensor &elements,
                                  const BlockedLayout &layout);

} // namespace drumlin

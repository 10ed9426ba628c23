// Edits of a module. After each edit, printing the module and parsing the text gives the same
// module; an edit that would break this fails and leaves the module unchanged. Adding an
// instruction or setting its operands also fails if the result violates the rules of its opcode
// (OperandRules.h). Edits don't check the parameters of called computations, or whether other
// instructions still fit after a change of an attribute or a shape. The compiler that reads the
// text reports such errors.
//
// An edit moves an instruction after its operands, and a computation after the computations that it
// calls, since XLA's reader requires this order. `entry_computation_layout` is updated if it
// matched the entry before the edit; the module's other attributes don't change.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// Instructions and computations removed from a module. Pointers between them and the module stay
// valid as long as both exist.
struct Removed {
  std::vector<std::unique_ptr<Instruction>> instructions;
  std::vector<std::unique_ptr<Computation>> computations;
};

class Editor {
public:
  Editor(Module &module, Removed &removed) : module(module), removed(removed) {}

  // Parses an instruction such as `%y = f32[4]{0} add(%a, %b)`, whose operands are instructions of
  // the computation, and inserts it in front of `before`, or at the end if `before` is null. An
  // instruction marked `ROOT` becomes the root; a parameter must have the next free number.
  Result<Instruction *> insert(Computation &computation, std::string_view text,
                               const Instruction *before = nullptr,
                               std::string_view fileName = "<instruction>");
  // Removes an instruction. Fails if it is the root or has uses. Removing a parameter renumbers the
  // later parameters.
  Status remove(Computation &computation, Instruction &instruction);
  Status setOperands(Computation &computation, Instruction &instruction,
                     const std::vector<Instruction *> &operands);
  // Replaces `of` with `by` in all operands and attributes, and as the root. `by` and the
  // instructions on which `by` depends aren't changed: they may still use `of`.
  Status replaceUses(Computation &computation, Instruction &of, Instruction &by);
  Status setRoot(Computation &computation, Instruction &instruction);
  Status setShape(Computation &computation, Instruction &instruction, Shape shape);
  // Changes the opcode. Fails if the old or the new opcode is `constant` or `parameter`, unless
  // both are the same.
  Status setOpcode(Instruction &instruction, std::string_view opcode);
  // Sets the elements of a constant; `text` includes the parentheses: `({1, 2})`.
  Status setLiteral(Instruction &instruction, std::string_view text);
  // Adds or changes an attribute; `text` is its value as written after the `=` in HLO text.
  Status setAttribute(Computation &computation, Instruction &instruction, std::string_view name,
                      std::string_view text, std::string_view fileName = "<attribute>");
  // Removes an attribute. Returns whether the instruction had it.
  bool removeAttribute(Instruction &instruction, std::string_view name);
  Status rename(Computation &computation, Instruction &instruction, std::string_view name);

  // Parses a computation and inserts it in front of `before`, or in front of the entry if `before`
  // is null.
  Result<Computation *> add(std::string_view text, const Computation *before = nullptr,
                            std::string_view fileName = "<computation>");
  // Removes a computation. Fails if it is the entry or is called.
  Status remove(Computation &computation);
  Status rename(Computation &computation, std::string_view name);

private:
  Status checkInserted(const Computation &computation, size_t begin) const;
  Status checkCalls(const Computation &computation, const std::vector<Computation *> &called) const;
  void makeRoot(Computation &computation, Instruction &instruction);
  void addToSignature(Computation &computation, Instruction &parameter);
  void renumberParameters(Computation &computation, const Instruction &without);
  void nameInline(Computation &computation, Instruction &instruction, std::string name = {});
  void nameInlineOperands(Computation &computation, Instruction &user,
                          const std::vector<Instruction *> &before);
  void takeOut(Computation &computation, Instruction &instruction);
  void takeOutInline(const Value &value);
  void takeOut(Computation &computation);
  void putInlineComputations(size_t begin, const Computation &caller);
  void orderInstructions(Computation &computation, const std::vector<Instruction *> &changed);
  void orderComputations(const Computation &changed);

  Module &module;
  Removed &removed;
};

// Returns the first of `base`, `base.1`, `base.2` … that isn't an instruction's name.
std::string unusedName(const Computation &computation, std::string_view base);

} // namespace drumlin::hlo

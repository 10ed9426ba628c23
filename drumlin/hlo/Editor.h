// Changes of a module. After each of them the module's text reads as the same module; one that
// would break that is refused, and the module stays as it was. So is an instruction that is added,
// or given other operands, and then isn't what XLA's opcodes take (OperandRules.h). What a called
// computation takes is not looked at, nor what only attributes and shapes that are changed later
// make wrong: whatever compiles the text does that.
//
// An instruction that comes to stand before one of its operands moves behind it, and a computation
// behind those that it calls, as XLA's reader wants it. `entry_computation_layout` follows the
// entry if it said the same as the entry before; other attributes of the module stay.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// What was taken out of a module. Pointers to it, and from it, stay valid as long as both are kept.
struct Removed {
  std::vector<std::unique_ptr<Instruction>> instructions;
  std::vector<std::unique_ptr<Computation>> computations;
};

class Editor {
public:
  Editor(Module &module, Removed &removed) : module(module), removed(removed) {}

  // Adds the instruction `%y = f32[4]{0} add(%a, %b)`, whose operands are instructions of the
  // computation, before another one, or at the end. One that is marked `ROOT` becomes the root; a
  // parameter has the next number.
  Result<Instruction *> insert(Computation &computation, std::string_view text,
                               const Instruction *before = nullptr,
                               std::string_view fileName = "<instruction>");
  // Refused while anything uses it, and for roots. Later parameters are renumbered.
  Status remove(Computation &computation, Instruction &instruction);
  Status setOperands(Computation &computation, Instruction &instruction,
                     const std::vector<Instruction *> &operands);
  // Whatever uses `of` as an operand, in an attribute or as the root uses `by` instead, apart from
  // what `by` depends on: a new instruction `by` of `of` may come between `of` and its users.
  Status replaceUses(Computation &computation, Instruction &of, Instruction &by);
  Status setRoot(Computation &computation, Instruction &instruction);
  Status setShape(Computation &computation, Instruction &instruction, Shape shape);
  // Constants and parameters are none of other opcodes.
  Status setOpcode(Instruction &instruction, std::string_view opcode);
  // A constant's, in parentheses: `({1, 2})`.
  Status setLiteral(Instruction &instruction, std::string_view text);
  // Adds or changes an attribute, as it is written behind its `=`.
  Status setAttribute(Computation &computation, Instruction &instruction, std::string_view name,
                      std::string_view text, std::string_view fileName = "<attribute>");
  // Whether there was one.
  bool removeAttribute(Instruction &instruction, std::string_view name);
  Status rename(Computation &computation, Instruction &instruction, std::string_view name);

  // Adds a computation, as it is written, before another one, or before the entry.
  Result<Computation *> add(std::string_view text, const Computation *before = nullptr,
                            std::string_view fileName = "<computation>");
  // Refused while it is called, and for the entry.
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

// `add.1`, `add.2` …: a name that no instruction of the computation has.
std::string unusedName(const Computation &computation, std::string_view base);

} // namespace drumlin::hlo

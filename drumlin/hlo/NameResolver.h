// Resolves the names in HLO text: at once if the definition has been read, else at the end of the
// computation or of the module.
#pragma once

#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/Module.h"

#include <unordered_map>

namespace drumlin::hlo {

// The kinds of objects that the names in an attribute's value denote.
enum class NameKind : uint8_t {
  // A name with `%` denotes an instruction or a computation of this name if there is one; words
  // without `%` aren't names.
  Any,
  // Names, with or without `%`, denote computations.
  Computations,
  // Names, with or without `%`, denote instructions of the same computation.
  Instructions,
};

NameKind nameKindOf(std::string_view attribute);

class NameResolver {
public:
  // `existing`: the module to which the text's objects are added, or null. The text can use the
  // names in this module.
  explicit NameResolver(Lexer &lexer, const Module *existing = nullptr)
      : lexer(lexer), existing(existing) {}

  // A use of a name that was read before its definition.
  struct Later {
    std::string_view name; // refers to the text
    size_t offset = 0;
    NameKind kind = NameKind::Any;
    Instruction *user = nullptr;
    std::optional<size_t> operand; // index of the operand; nullopt for a name in an attribute
  };

  // The state of the computation that is being read. While the parser reads an inline computation,
  // the parser saves the state of the caller.
  struct Scope {
    std::unordered_map<std::string_view, Instruction *> instructions; // keyed by name
    std::vector<Later> later;
    Instruction *user = nullptr;           // the instruction whose attributes are being read
    bool hasRoot = false;                  // an instruction marked `ROOT` has been read
    const Computation *existing = nullptr; // the computation to which a piece is added, or null
  };
  Scope scope;

  // Resolves a name in an attribute's value. Outside of instructions, such as in the header, names
  // may stay unresolved.
  void resolve(Value &value, std::string_view name, size_t offset, NameKind kind);
  // Resolves the name of the user's last operand.
  void resolveOperand(Instruction &user, std::string_view name, size_t offset);
  Instruction *findInstruction(std::string_view name) const;
  Computation *findComputation(std::string_view name) const;

  // Add a definition. Return false after an error, which the lexer keeps.
  bool add(Instruction &instruction, const Computation &computation, size_t offset);
  bool add(Computation &computation, size_t offset);
  // Resolves the remaining names of the computation or the module, and rejects cycles.
  bool finish(const Computation &computation);
  bool finish(const Module &module);

private:
  bool lookUp(Value &value, std::string_view name, NameKind kind) const;
  void resolveAttributes(Instruction &user) const;
  void resolveItems(Value &value, NameKind kind) const;
  bool failUnknown(const Later &later, const std::string &what);

  Lexer &lexer;
  const Module *existing;
  std::unordered_map<std::string_view, Computation *> computations; // keyed by name
  std::vector<Later> laterComputations;
};

} // namespace drumlin::hlo

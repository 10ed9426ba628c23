// Finds what names in HLO text stand for: at once where that has been read, else at the end of the
// computation, or of the module.
#pragma once

#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/Module.h"

#include <unordered_map>

namespace drumlin::hlo {

// What the names of an attribute stand for.
enum class NameKind : uint8_t {
  // A name with `%` is one of the module's if there is such a one; words are words.
  Any,
  // Names and words are computations.
  Computations,
  // Names and words are instructions of the same computation.
  Instructions,
};

NameKind nameKindOf(std::string_view attribute);

class NameResolver {
public:
  // `existing`: what pieces of text are read for, whose names they know; may be null.
  explicit NameResolver(Lexer &lexer, const Module *existing = nullptr)
      : lexer(lexer), existing(existing) {}

  // A name that was read before what it stands for.
  struct Later {
    std::string_view name; // of the text
    size_t offset = 0;
    NameKind kind = NameKind::Any;
    Instruction *user = nullptr;
    std::optional<size_t> operand; // else it is in an attribute
  };

  // What belongs to the computation that is being read; those of others lie beside it meanwhile.
  struct Scope {
    std::unordered_map<std::string_view, Instruction *> instructions; // the keys are their names
    std::vector<Later> later;
    Instruction *user = nullptr;           // whose attributes are being read
    bool hasRoot = false;                  // one of the instructions is marked so
    const Computation *existing = nullptr; // whose instructions a piece of text knows
  };
  Scope scope;

  // A value's name. Names of attributes that no instruction has may stay unknown.
  void resolve(Value &value, std::string_view name, size_t offset, NameKind kind);
  // The user's last operand.
  void resolveOperand(Instruction &user, std::string_view name, size_t offset);
  Instruction *findInstruction(std::string_view name) const;
  Computation *findComputation(std::string_view name) const;

  // These return false after an error, which the lexer keeps.
  bool add(Instruction &instruction, const Computation &computation, size_t offset);
  bool add(Computation &computation, size_t offset);
  // What is left of the scope's names.
  bool finish(const Computation &computation);
  bool finish(const Module &module);

private:
  bool lookUp(Value &value, std::string_view name, NameKind kind) const;
  void resolveAttributes(Instruction &user) const;
  void resolveItems(Value &value, NameKind kind) const;
  bool failUnknown(const Later &later, const std::string &what);

  Lexer &lexer;
  const Module *existing;
  std::unordered_map<std::string_view, Computation *> computations; // the keys are their names
  std::vector<Later> laterComputations;
};

} // namespace drumlin::hlo

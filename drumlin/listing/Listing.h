// A program as it is listed for people: computations of instructions with names, types, operands
// and what else is said about them, as text. HLO and MLIR modules are turned into listings; what
// prints, selects and folds works on them alone. No MLIR.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

struct Computation;
struct Instruction;

// What an instruction's type is made of, for programs; its `type` text is what people read.
struct Shape {
  std::string element;             // `f32`; of a tuple empty
  std::vector<int64_t> dimensions; // -1 where the size isn't known
  std::string layout;              // `{1,0:T(8,128)}`; may be empty
  std::vector<Shape> elements;     // of a tuple, or of several results
  bool isTuple = false;
};

// Elements of an array; 0 for tuples and unknown sizes.
int64_t elementsOf(const Shape &shape);

struct Attribute {
  std::string name;
  std::string text;
  bool isJson = false; // printed on lines of its own
};

struct Operand {
  Instruction *instruction = nullptr; // of this computation or one around it
  int64_t result = -1;                // which of several
};

struct Instruction {
  std::string name;     // without `%`; as short as is unambiguous
  std::string fullName; // as the program has it
  std::string type;     // empty: it has no result
  Shape shape;
  std::string opcode;   // `add`, `stablehlo.add`
  std::string argument; // what stands in parentheses of a constant or a parameter
  std::vector<Operand> operands;
  std::vector<Attribute> attributes;
  std::vector<Attribute> metadata;                   // only printed where asked for
  std::vector<Attribute> notes;                      // costs and decisions, on pages
  std::vector<Computation *> calls;                  // not owned
  std::vector<std::unique_ptr<Computation>> regions; // of its own
  std::vector<Instruction *> users;                  // each once, in order
  // The formula of a fusion or a library call. Where it leaves something out (`isWhole` is false),
  // the text has the operands and the called computation as well.
  std::string expression;
  bool isWhole = false;
  // The attributes beside an expression: without those that it implies, and without defaults.
  std::optional<std::vector<Attribute>> shortAttributes;
  size_t results = 1;
  size_t source = 0; // the number of a row of the module's sources, from 1 on; 0: none
  bool isRoot = false;
};

// Returns the attributes that text has.
inline const std::vector<Attribute> &printedAttributes(const Instruction &instruction) {
  return instruction.shortAttributes ? *instruction.shortAttributes : instruction.attributes;
}

struct Computation {
  std::string name, fullName; // without `%` or `@`; of a region what it is: `body`
  std::string keyword;        // `ENTRY`, `func`; may be empty
  std::string resultType;
  std::vector<std::unique_ptr<Instruction>> instructions;
  std::vector<Attribute> attributes;
  bool isEntry = false;
  bool isRegion = false;
  bool isFolded = false; // written out as expressions where it is called
  bool isNamed = false;  // text says what it does wherever it is named
};

// Where an instruction comes from.
struct Source {
  std::string scope; // `jit(step)/mlp/dot_general`
  std::string place; // `model.py:12`
  bool operator==(const Source &) const = default;
};

struct Module {
  std::string keyword; // `HloModule`, `module`
  std::string name;
  std::string sigil = "%"; // before names of computations
  std::vector<Attribute> attributes;
  std::vector<Attribute> metadata; // tables that only metadata refers to, only printed with it
  std::vector<Source> sources;
  std::vector<std::unique_ptr<Computation>> computations;

  // The one marked as the entry, else the last; null where there is none.
  Computation *entry() const;
};

// The name without a dialect's: `add` of `stablehlo.add`.
std::string_view baseName(std::string_view opcode);

// Every instruction of a computation, those of regions behind the one that they belong to; not
// those of folded regions.
template <typename Function> void forEach(const Computation &computation, Function function) {
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    function(*instruction);
    for (const std::unique_ptr<Computation> &region : instruction->regions) {
      if (!region->isFolded) {
        forEach(*region, function);
      }
    }
  }
}

// Fills in `users` once all operands are there.
void linkUsers(Module &module);

} // namespace drumlin::listing

// A program's listing for human readers: computations of instructions with names, types, operands
// and attributes as text. HLO and MLIR modules are converted to listings; printing, selecting and
// folding only use listings. Independent of MLIR.
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

// An instruction's type as data, for programs that read listings. Human readers see the text
// Instruction::type.
struct Shape {
  std::string element;             // `f32`; empty for tuples
  std::vector<int64_t> dimensions; // -1 if dynamic
  std::string layout;              // `{1,0:T(8,128)}`; may be empty
  std::vector<Shape> elements;     // elements of a tuple, or multiple results
  bool isTuple = false;
};

// Returns the number of elements of an array; 0 for tuples and unknown sizes.
int64_t elementsOf(const Shape &shape);

struct Attribute {
  std::string name;
  std::string text;
  bool isJson = false; // JSON, which is printed on separate lines
};

struct Operand {
  Instruction *instruction = nullptr; // in this computation or an enclosing one
  int64_t result = -1;                // index of the result if there are several, else -1
};

struct Instruction {
  std::string name;     // without `%`; the shortest unambiguous name
  std::string fullName; // the name in the program's text
  std::string type;     // empty if it has no result
  Shape shape;
  std::string opcode;   // `add`, `stablehlo.add`
  std::string argument; // text in the parentheses of a constant or a parameter
  std::vector<Operand> operands;
  std::vector<Attribute> attributes;
  std::vector<Attribute> metadata;                   // only printed on request
  std::vector<Attribute> notes;                      // costs and decisions, shown on HTML pages
  std::vector<Computation *> calls;                  // not owned
  std::vector<std::unique_ptr<Computation>> regions; // owned
  std::vector<Instruction *> users;                  // in program order, without duplicates
  // The formula of a fusion or a library call. `isWhole`: whether the formula is complete. If it
  // isn't, the operands and the called computation are printed too.
  std::string expression;
  bool isWhole = false;
  // The attributes printed with the expression. Defaults and attributes that the expression implies
  // are left out.
  std::optional<std::vector<Attribute>> shortAttributes;
  size_t results = 1;
  size_t source = 0; // index in the module's sources, from 1 on; 0 for none
  bool isRoot = false;
};

// Returns the attributes that are printed as text.
inline const std::vector<Attribute> &printedAttributes(const Instruction &instruction) {
  return instruction.shortAttributes ? *instruction.shortAttributes : instruction.attributes;
}

struct Computation {
  std::string name, fullName; // without `%` or `@`; a region's role, such as `body`
  std::string keyword;        // `ENTRY`, `func`; may be empty
  std::string resultType;
  std::vector<std::unique_ptr<Instruction>> instructions;
  std::vector<Attribute> attributes;
  bool isEntry = false;
  bool isRegion = false;
  bool isFolded = false; // printed as expressions in its callers, not by itself
  bool isNamed = false;  // its name is replaced with a description wherever it occurs
};

// The source of an instruction.
struct Source {
  std::string scope; // `jit(step)/mlp/dot_general`
  std::string place; // `model.py:12`
  bool operator==(const Source &) const = default;
};

struct Module {
  std::string keyword; // `HloModule`, `module`
  std::string name;
  std::string sigil = "%"; // prefix of computation names
  std::vector<Attribute> attributes;
  std::vector<Attribute> metadata; // tables to which metadata refers; printed only with metadata
  std::vector<Source> sources;
  std::vector<std::unique_ptr<Computation>> computations;

  // Returns the computation marked as the entry, else the last one; null if there is none.
  Computation *entry() const;
};

// Returns an opcode without its dialect: `add` for `stablehlo.add`.
std::string_view baseName(std::string_view opcode);

// Calls a function with every instruction of a computation. The instructions of a region follow the
// instruction that has it; folded regions are skipped.
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

// Sets `users` of all instructions; their operands must be complete.
void linkUsers(Module &module);

} // namespace drumlin::listing

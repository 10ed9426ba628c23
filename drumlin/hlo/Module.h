// A module of HLO, as XLA prints it. A module owns its computations, a computation its
// instructions; operands, calls and names in attributes point at what they name, so that renaming
// an instruction or a computation is an assignment to `name`. `Editor` adds and removes them, and
// refuses what would leave a module that no text says. Pointers stay valid when a module is moved.
// A signature and operands that print their shapes follow the instructions; attributes that repeat
// a shape, such as `entry_computation_layout`, don't.
#pragma once

#include "drumlin/hlo/Value.h"

#include <new>

namespace drumlin::hlo {

struct Attribute {
  Text name;
  Value value;
};

// A part of a module as the text spells it that it was read from, where the printer spells it
// otherwise: with comments, and spaces that no printer makes. The part is printed so until it
// changes.
struct Spelling {
  std::string printed; // what the printer made of the part when it was read
  std::string read;    // with what is between this part and the one before
};

const Value *findAttribute(const List<Attribute> &attributes, std::string_view name);
Value *findAttribute(List<Attribute> &attributes, std::string_view name);
// Whether there was one.
bool removeAttribute(List<Attribute> &attributes, std::string_view name);

struct Operand {
  // Not owned, of the same computation. It may stand after its user, but doesn't depend on it.
  Instruction *instruction = nullptr;
  bool percent = true;
  bool withShape = false;            // older texts print each operand's shape
  std::unique_ptr<Shape> otherShape; // where that isn't the instruction's own
};

struct Instruction {
  std::string name; // without `%`; empty for one that is written inline
  Shape shape;
  std::string opcode;
  List<Operand> operands;
  // The list in parentheses of a constant (its literal) or a parameter (its number), which have no
  // operands.
  std::optional<Value> literal;
  List<Attribute> attributes; // in order
  bool isRoot = false;        // marked `ROOT`
  bool isInline = false;      // written as an operand of its only user: no name, no attributes
  // Nowhere written: an operand names it as the element `p#1` of a tuple, or, in a text of one
  // instruction, as a parameter of the shape that stands there.
  bool isImplied = false;
  bool isNameless = false; // in a text of one instruction: it or its parameter has no name there
  bool percent = true;
  bool indexComments = false; // each fifth operand is numbered: `/*index=5*/`
  bool shapeInferred = false; // the text leaves the shape out (inferShapes)
  uint8_t indent = 2;
  uint8_t blankLines = 0; // before it
  size_t offset = 0;      // of its name in the text it was read from, in bytes
  std::unique_ptr<Spelling> spelling;

  // Where the memory of an instruction is; it stays there.
  class Memory {
  public:
    Memory() = default;
    Memory(const Memory &) {}
    Memory &operator=(const Memory &) { return *this; }

  private:
    friend Instruction;
    bool isBorrowed = false; // an arena's
  } memory;

  // Memory in the arena for instructions that are made there one by one, and owned as all are.
  static Instruction *allocate(size_t count, Arena &arena) {
    return arena.allocate<Instruction>(count);
  }
  static std::unique_ptr<Instruction> makeAt(Instruction *place) {
    std::unique_ptr<Instruction> made(::new (place) Instruction);
    made->memory.isBorrowed = true;
    return made;
  }
  void operator delete(Instruction *instruction, std::destroying_delete_t) {
    bool isBorrowed = instruction->memory.isBorrowed;
    instruction->~Instruction();
    if (!isBorrowed) {
      ::operator delete(instruction);
    }
  }

  const Value *find(std::string_view attribute) const {
    return findAttribute(attributes, attribute);
  }
  Value *find(std::string_view attribute) { return findAttribute(attributes, attribute); }
  bool remove(std::string_view attribute) { return removeAttribute(attributes, attribute); }
  // Null where there is none.
  const Value *metadata() const { return find("metadata"); }
  // The computations that its attributes name, in order.
  std::vector<Computation *> calledComputations() const;
  // A parameter's number.
  std::optional<int64_t> parameterNumber() const;
};

// `name: shape` of a computation's signature.
struct SignatureParameter {
  Instruction *parameter = nullptr;  // its name is printed
  std::string name;                  // where the computation has no such parameter
  std::unique_ptr<Shape> otherShape; // where it isn't the parameter's, without layout
};

struct Computation {
  std::string name; // without `%`; empty for one that is written inline, and in fingerprints
  std::vector<std::unique_ptr<Instruction>> instructions;
  List<Attribute> attributes; // after the closing brace: `execution_thread="host"`
  bool isEntry = false;
  bool isInline = false; // written where an attribute names others; it stands before its caller's
  bool isBare = false;   // the text is its root alone, without a computation around it
  bool percent = true;
  bool hasSignature = false;
  bool signatureColons = true;    // between the names and the shapes of its parameters
  bool signatureComments = false; // each fifth parameter of the signature is numbered
  std::vector<SignatureParameter> signature;
  std::unique_ptr<Shape> otherResult; // where it isn't the root's shape, without layout
  uint8_t indent = 0;
  uint8_t blankLines = 1; // before it
  // Up to its opening brace, and from its closing one on.
  std::unique_ptr<Spelling> openSpelling, closeSpelling;

  // The one marked `ROOT`, else the last, as XLA has it.
  Instruction *root() const;
  // Whether the root can be printed alone: beside it there is only what its operands imply.
  bool printsBare() const;
  // Null where there is none.
  Instruction *find(std::string_view instruction) const;
};

// `FileNames` and the other tables of stack frames.
struct FrameTable {
  struct Row {
    int64_t id = 0;
    Value value; // a string, or a record of numbers
  };
  std::string name;
  std::vector<Row> rows;
  uint8_t blankLines = 1; // before it
  std::unique_ptr<Spelling> spelling;
};

struct Module {
  Module() = default;
  Module(Module &&) = default;
  // What this module has had is gone before its arena.
  Module &operator=(Module &&from) noexcept {
    if (this != &from) {
      std::destroy_at(this);
      new (this) Module(std::move(from));
    }
    return *this;
  }

  // What the readers made lies here.
  std::unique_ptr<Arena> arena = std::make_unique<Arena>();
  std::string name;           // empty in fingerprints
  Gap before;                 // the header
  bool percent = false;       // before the name
  bool colon = false;         // after the name, in older texts
  bool hasHeader = true;      // without one, the text begins with a computation
  List<Attribute> attributes; // of the header, in order
  std::vector<FrameTable> frameTables;
  std::vector<std::unique_ptr<Computation>> computations;
  uint8_t lineBreaksAtEnd = 1;
  std::unique_ptr<Spelling> headSpelling, endSpelling;

  // The one marked `ENTRY`, else the last; null where there is none.
  Computation *entry() const;
  Computation *find(std::string_view computation) const;
};

} // namespace drumlin::hlo

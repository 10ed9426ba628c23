// Reads modules of HLO text, and pieces of it for a module that is there.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/ParseOptions.h"
#include "drumlin/hlo/ValueParser.h"
#include "drumlin/support/Diagnostics.h"

#include <span>

namespace drumlin::hlo {

class ModuleParser {
public:
  // What is read is added to the module, which must be empty, or else `existing`.
  ModuleParser(std::string_view text, std::string_view fileName, const ParseOptions &options,
               Module &module, const Module *existing = nullptr)
      : module(module), lexer(text, fileName), names(lexer, existing),
        values(lexer, names, options.maxNesting, [this] { return parseInlineComputation(); }) {}

  // These return false after an error.
  bool parseModule();
  // A text that is one instruction.
  bool parseBareInstruction();
  bool beginsBareInstruction();
  // Pieces are whole texts. What was added is at the end of the module or of the computation, also
  // after an error.
  bool parseInstructionPiece(Computation &computation);
  bool parseComputationPiece();
  // The attribute is the user's last one.
  bool parseAttributePiece(Computation &computation, Instruction &user);
  bool parseLiteralPiece(Value &literal);
  bool parseShapePiece(Shape &shape);
  const Diagnostic &error() const { return lexer.error(); }
  std::span<const size_t> ends() const { return partEnds; }

private:
  bool parseHeader();
  bool parseFrameTable(FrameTable &table);
  bool parseComputation(Computation &computation);
  bool parseSignature(Computation &computation, Shape &result);
  void linkSignature(Computation &computation, Shape &result);
  bool parseBody(Computation &computation, Shape *result);
  Computation *parseInlineComputation();
  bool parseInstruction(Computation &computation);
  bool parseOperands(Instruction &instruction, Computation &computation);
  bool parseOperand(Instruction &instruction, Computation &computation);
  bool parseNamedOperand(Instruction &instruction, std::unique_ptr<Shape> shape,
                         Computation &computation);
  Instruction *addImplied(std::unique_ptr<Instruction> implied, Computation &computation,
                          size_t offset);
  Instruction *impliedParameter(std::string_view name, const Shape &shape, Computation &computation,
                                size_t offset);
  Instruction *element(std::string_view name, Computation &computation, size_t offset);
  void nameElements(Computation &computation);
  bool takeName(bool &percent, std::string_view &name, std::string_view what);
  bool takeName(bool &percent, std::string &name, std::string_view what);
  bool takeComputationName(Computation &computation);
  bool atFrameTable();
  bool atEndOfPiece();

  // One more part of the text has been read, up to here.
  void endPart() {
    if (inlineDepth == 0) {
      partEnds.push_back(lexer.offset());
    }
  }

  Module &module; // that is being read
  Lexer lexer;
  std::vector<size_t> partEnds; // of keepSpelling()
  unsigned inlineDepth = 0;     // of computations that are written where others are named
  size_t elementCount = 0;      // that operands have named as `p#1`
  NameResolver names;
  ValueParser values;
};

} // namespace drumlin::hlo

// The parser of HLO text: of whole modules, and of pieces that are added to an existing module.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/ParseOptions.h"
#include "drumlin/hlo/ValueParser.h"
#include "drumlin/support/Diagnostics.h"

#include <span>

namespace drumlin::hlo {

class ModuleParser {
public:
  // Adds the parsed objects to `module`. If `existing` is null, `module` must be empty. Otherwise
  // `existing` must be `module`, and the text may use its names.
  ModuleParser(std::string_view text, std::string_view fileName, const ParseOptions &options,
               Module &module, const Module *existing = nullptr)
      : module(module), lexer(text, fileName), names(lexer, existing),
        values(lexer, names, options.maxNesting, [this] { return parseInlineComputation(); }) {}

  // The parse functions return false after an error. error() then returns the error.
  bool parseModule();
  // Parses a text that is a single instruction.
  bool parseBareInstruction();
  bool beginsBareInstruction();
  // The following functions parse a text that is a single piece of a module. The parsed objects are
  // appended to the module or the computation, in part even if an error follows.
  bool parseInstructionPiece(Computation &computation);
  bool parseComputationPiece();
  // Parses the value of the user's last attribute.
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

  // Records the current position as the end of a part (Printer.h), except in inline computations.
  void endPart() {
    if (inlineDepth == 0) {
      partEnds.push_back(lexer.offset());
    }
  }

  Module &module;
  Lexer lexer;
  std::vector<size_t> partEnds; // for keepSpelling()
  unsigned inlineDepth = 0;     // nesting of inline computations
  size_t elementCount = 0;      // number of implied tuple elements such as `p#1`
  NameResolver names;
  ValueParser values;
};

} // namespace drumlin::hlo

// Parses pieces of HLO text whose names refer to an existing module.
#include "drumlin/hlo/ModuleParser.h"

namespace drumlin::hlo {

bool ModuleParser::atEndOfPiece() {
  lexer.skipSpace();
  return lexer.atEnd() || lexer.fail("expected the end of the text, not " + lexer.seen());
}

bool ModuleParser::parseInstructionPiece(Computation &computation) {
  names.scope.existing = &computation;
  lexer.skipSpace();
  return parseInstruction(computation) && atEndOfPiece() && names.finish(computation) &&
         names.finish(module);
}

bool ModuleParser::parseComputationPiece() {
  lexer.skipSpace();
  auto computation = std::make_unique<Computation>();
  Computation &read = *computation;
  if (!parseComputation(read)) {
    return false;
  }
  module.computations.push_back(std::move(computation));
  return atEndOfPiece() && names.finish(module);
}

bool ModuleParser::parseAttributePiece(Computation &computation, Instruction &user) {
  names.scope.existing = &computation;
  names.scope.user = &user;
  return values.parseAttributeValue(user.attributes.back()) && atEndOfPiece() &&
         names.finish(computation) && names.finish(module);
}

bool ModuleParser::parseLiteralPiece(Value &literal) {
  lexer.skipSpace();
  return (lexer.peek() == '(' || lexer.expect("(", "before a constant's elements")) &&
         values.parseList(literal) && atEndOfPiece();
}

bool ModuleParser::parseShapePiece(Shape &shape) {
  lexer.skipSpace();
  return values.parseShape(shape) && atEndOfPiece();
}

} // namespace drumlin::hlo

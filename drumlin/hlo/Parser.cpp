#include "drumlin/hlo/Parser.h"

#include "drumlin/hlo/ModuleParser.h"
#include "drumlin/hlo/Printer.h"

namespace drumlin::hlo {

// Uses a separate parser, so that an error here isn't recorded in the caller's parser.
static bool beginsBareInstruction(std::string_view text) {
  Module none;
  return ModuleParser(text, {}, {.keepSpelling = false}, none).beginsBareInstruction();
}

Result<Module> parse(std::string_view text, std::string_view fileName,
                     const ParseOptions &options) {
  Module module;
  ModuleParser parser(text, fileName, options, module);
  bool isRead = beginsBareInstruction(text) ? parser.parseBareInstruction() : parser.parseModule();
  if (!isRead) {
    return parser.error();
  }
  if (options.keepSpelling) {
    keepSpelling(module, text, parser.ends());
  }
  return module;
}

Result<Shape> parseShape(std::string_view text, std::string_view fileName) {
  Module none;
  Shape shape;
  ModuleParser parser(text, fileName, {}, none);
  if (!parser.parseShapePiece(shape)) {
    return parser.error();
  }
  return shape;
}

// Whether `name = …` or `ROOT name = …` follows.
static bool beginsInstruction(Lexer &lexer) {
  lexer.skipSpace();
  if (lexer.atKeyword("ROOT")) {
    lexer.advance(4);
    lexer.skipSpace();
  }
  lexer.take("%");
  return !lexer.takeAtom().empty() && lexer.take("=");
}

// A computation is a name, an optional signature, and instructions in braces. MLIR text that begins
// with `module {` looks the same at first, but MLIR's operations have a dialect prefix or quotes
// where HLO has a shape or an opcode.
bool isHloText(std::string_view text) {
  Lexer lexer(text, {});
  lexer.skipSpace();
  for (std::string_view word : {"HloModule", "ENTRY"}) {
    char after = lexer.startsWith(word) ? lexer.peek(word.size()) : 'x';
    if (after == 0 || after == ',' || after == '%' || (after > 0 && after <= ' ')) {
      return true;
    }
  }
  if (beginsBareInstruction(text)) {
    return true;
  }
  bool percent = lexer.take("%");
  std::string_view name = lexer.takeAtom();
  if (name.empty() || (!percent && (name == "module" || name == "builtin.module"))) {
    return false;
  }
  if (lexer.take("{")) {
    return beginsInstruction(lexer);
  }
  if (!lexer.take("(")) {
    return false;
  }
  for (size_t depth = 1; depth > 0; lexer.advance()) {
    if (lexer.atEnd()) {
      return false;
    }
    depth += lexer.peek() == '(';
    depth -= lexer.peek() == ')';
  }
  return lexer.take("->");
}

} // namespace drumlin::hlo

#include "drumlin/ir/sdy/SdyDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

#include "drumlin/ir/sdy/SdyDialect.cpp.inc"

namespace drumlin::sdy {

void SdyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/sdy/SdyOperations.cpp.inc"
      >();
  registerBytecode();
}

OpaqueAttr makeText(MLIRContext *context, StringRef mnemonic, StringRef body) {
  return OpaqueAttr::get(StringAttr::get(context, SdyDialect::getDialectNamespace()),
                         (mnemonic + body).str(), NoneType::get(context));
}

std::optional<StringRef> bodyOf(Attribute attribute, StringRef mnemonic) {
  auto text = dyn_cast_or_null<OpaqueAttr>(attribute);
  if (!text || text.getDialectNamespace() != SdyDialect::getDialectNamespace()) {
    return std::nullopt;
  }
  StringRef body = text.getAttrData();
  bool isOther = !body.consume_front(mnemonic) || body.empty() || llvm::isAlnum(body.front()) ||
                 body.front() == '_';
  return isOther ? std::nullopt : std::optional<StringRef>(body);
}

// The parser hands over the text between `#sdy.` and the end of its brackets, already balanced.
Attribute SdyDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  return makeText(getContext(), parser.getFullSymbolSpec(), "");
}

//===-- text in operations --------------------------------------------------------------------===//

// One token of a body that isn't a bracket; false where there is none.
static bool skipToken(OpAsmParser &parser) {
  StringRef keyword;
  std::string string;
  StringAttr symbol;
  int64_t number = 0;
  OptionalParseResult integer;
  return succeeded(parser.parseOptionalComma()) || succeeded(parser.parseOptionalEqual()) ||
         succeeded(parser.parseOptionalColon()) || succeeded(parser.parseOptionalQuestion()) ||
         succeeded(parser.parseOptionalArrow()) || succeeded(parser.parseOptionalString(&string)) ||
         succeeded(parser.parseOptionalKeyword(&keyword)) ||
         succeeded(parser.parseOptionalSymbolName(symbol)) ||
         ((integer = parser.parseOptionalInteger(number)).has_value() && succeeded(*integer));
}

// From one bracket to the one that closes it.
static ParseResult parseBody(OpAsmParser &parser, StringRef mnemonic, OpaqueAttr &attribute) {
  SMLoc begin = parser.getCurrentLocation();
  unsigned depth = 0;
  do {
    if (succeeded(parser.parseOptionalLess()) || succeeded(parser.parseOptionalLSquare()) ||
        succeeded(parser.parseOptionalLBrace()) || succeeded(parser.parseOptionalLParen())) {
      ++depth;
    } else if (depth != 0 && (succeeded(parser.parseOptionalGreater()) ||
                              succeeded(parser.parseOptionalRSquare()) ||
                              succeeded(parser.parseOptionalRBrace()) ||
                              succeeded(parser.parseOptionalRParen()))) {
      --depth;
    } else if (depth == 0 || !skipToken(parser)) {
      return parser.emitError(parser.getCurrentLocation(), "expected the text of `#sdy.")
             << mnemonic << "`";
    }
  } while (depth != 0);
  const char *end = parser.getCurrentLocation().getPointer();
  StringRef body = StringRef(begin.getPointer(), end - begin.getPointer()).rtrim();
  attribute = makeText(parser.getContext(), mnemonic, body);
  return success();
}

static void printBody(OpAsmPrinter &printer, StringRef mnemonic, Attribute attribute) {
  printer << bodyOf(attribute, mnemonic).value_or("<>");
}

// The text of the attribute, or, as older printers wrote it, the attribute: `#sdy.mesh<["x"=2]>`.
static ParseResult parseText(OpAsmParser &parser, StringRef mnemonic, OpaqueAttr &attribute) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute whole;
  OptionalParseResult isWhole =
      *loc.getPointer() == '#' ? parser.parseOptionalAttribute(whole) : OptionalParseResult();
  if (!isWhole.has_value()) {
    return parseBody(parser, mnemonic, attribute);
  }
  if (failed(*isWhole)) {
    return failure();
  }
  if (!bodyOf(whole, mnemonic)) {
    return parser.emitError(loc, "expected `#sdy.") << mnemonic << "`";
  }
  attribute = cast<OpaqueAttr>(whole);
  return success();
}

static ParseResult parseMesh(OpAsmParser &parser, OpaqueAttr &mesh) {
  return parseText(parser, "mesh", mesh);
}
static void printMesh(OpAsmPrinter &printer, Operation *, OpaqueAttr mesh) {
  printBody(printer, "mesh", mesh);
}
static ParseResult parseSharding(OpAsmParser &parser, OpaqueAttr &sharding) {
  return parseText(parser, "sharding", sharding);
}
static void printSharding(OpAsmPrinter &printer, Operation *, OpaqueAttr sharding) {
  printBody(printer, "sharding", sharding);
}
static ParseResult parseManualAxes(OpAsmParser &parser, OpaqueAttr &axes) {
  return parseText(parser, "manual_axes", axes);
}
static void printManualAxes(OpAsmPrinter &printer, Operation *, OpaqueAttr axes) {
  printBody(printer, "manual_axes", axes);
}

// The list alone: `[<…>, <…>]`, which the attribute itself has in angle brackets.
static ParseResult parseShardingList(OpAsmParser &parser, OpaqueAttr &shardings) {
  if (parseBody(parser, "sharding_per_value", shardings)) {
    return failure();
  }
  StringRef list = *bodyOf(shardings, "sharding_per_value");
  shardings = makeText(parser.getContext(), "sharding_per_value", ("<" + list + ">").str());
  return success();
}
static void printShardingList(OpAsmPrinter &printer, Operation *, OpaqueAttr shardings) {
  printer << bodyOf(shardings, "sharding_per_value").value_or("<[]>").drop_front().drop_back();
}

static ParseResult parseBody(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(body, arguments));
}
static void printBody(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << '(';
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

} // namespace drumlin::sdy

using namespace drumlin::sdy;

#define GET_OP_CLASSES
#include "drumlin/ir/sdy/SdyOperations.cpp.inc"

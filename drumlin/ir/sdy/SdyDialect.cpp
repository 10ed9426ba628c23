#include "drumlin/ir/sdy/SdyDialect.h"

using namespace mlir;

#include "drumlin/ir/sdy/SdyDialect.cpp.inc"

namespace drumlin::sdy {

void SdyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/sdy/SdyOperations.cpp.inc"
      >();
  registerAttributes();
  registerBytecode();
}

//===-- attributes in operations --------------------------------------------------------------===//

// Parses an attribute without its mnemonic or, as older printers wrote it, with its mnemonic:
// `#sdy.mesh<["x"=2]>`.
template <typename Attr> static ParseResult parsePart(OpAsmParser &parser, Attr &attribute) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute whole;
  OptionalParseResult isWhole =
      *loc.getPointer() == '#' ? parser.parseOptionalAttribute(whole) : OptionalParseResult();
  if (isWhole.has_value() && failed(*isWhole)) {
    return failure();
  }
  attribute = dyn_cast_or_null<Attr>(isWhole.has_value() ? whole : Attr::parse(parser, Type()));
  if (!attribute && isWhole.has_value()) {
    return parser.emitError(loc, "expected `#sdy.") << Attr::getMnemonic() << "`";
  }
  return success(attribute != nullptr);
}

static ParseResult parseMesh(OpAsmParser &parser, MeshAttr &mesh) {
  return parsePart(parser, mesh);
}
static void printMesh(OpAsmPrinter &printer, Operation *, MeshAttr mesh) { mesh.print(printer); }
static ParseResult parseSharding(OpAsmParser &parser, ShardingAttr &sharding) {
  return parsePart(parser, sharding);
}
static void printSharding(OpAsmPrinter &printer, Operation *, ShardingAttr sharding) {
  sharding.print(printer);
}
static ParseResult parseManualAxes(OpAsmParser &parser, ManualAxesAttr &axes) {
  return parsePart(parser, axes);
}
static void printManualAxes(OpAsmPrinter &printer, Operation *, ManualAxesAttr axes) {
  axes.print(printer);
}

// Parses a list of shardings, `[<…>, <…>]`. Unlike the attribute's own text, the list is not in
// angle brackets.
static ParseResult parseShardingList(OpAsmParser &parser, ShardingPerValueAttr &shardings) {
  SmallVector<ShardingAttr> list;
  auto parseOne = [&] { return parsePart(parser, list.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne)) {
    return failure();
  }
  shardings = ShardingPerValueAttr::get(parser.getContext(), list);
  return success();
}
static void printShardingList(OpAsmPrinter &printer, Operation *, ShardingPerValueAttr shardings) {
  printer << '[';
  llvm::interleaveComma(shardings.getShardings(), printer,
                        [&](ShardingAttr each) { each.print(printer); });
  printer << ']';
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

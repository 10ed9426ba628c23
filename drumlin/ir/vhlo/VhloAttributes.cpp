// The textual forms of the attributes.
#include "drumlin/ir/vhlo/VhloDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/vhlo/VhloAttributes.cpp.inc"

namespace drumlin::vhlo {

void VhloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "drumlin/ir/vhlo/VhloAttributes.cpp.inc"
      >();
}

//===-- the type of a number ------------------------------------------------------------------===//

// Returns the `vhlo` type for MLIR's type of a number such as `42 : i64`.
static Type typeOfNumber(AsmParser &parser, SMLoc loc, Type builtin) {
  std::optional<ScalarKind> kind = scalarFromBuiltin(builtin);
  if (!kind) {
    parser.emitError(loc, "expected a type with a `vhlo` counterpart, got ") << builtin;
    return {};
  }
  return ScalarType::get(parser.getContext(), *kind);
}

static Type builtinTypeOf(Type type) {
  auto scalar = dyn_cast<ScalarType>(type);
  return scalar ? scalarToBuiltin(scalar.getKind(), type.getContext()) : Type();
}

Attribute IntegerV1Attr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  mlir::IntegerAttr number;
  if (parser.parseLess() || parser.parseAttribute(number) || parser.parseGreater()) {
    return {};
  }
  Type type = typeOfNumber(parser, loc, number.getType());
  return type ? get(parser.getContext(), type, number.getValue()) : IntegerV1Attr();
}

void IntegerV1Attr::print(AsmPrinter &printer) const {
  Type type = builtinTypeOf(getType());
  printer << '<';
  if (type) {
    printer.printAttribute(mlir::IntegerAttr::get(type, getValue()));
  } else {
    printer << getValue();
  }
  printer << '>';
}

// Parses `<1.5 : !vhlo.f32_v1>`.
Attribute FloatV1Attr::parse(AsmParser &parser, Type) {
  double number = 0;
  Type type;
  if (parser.parseLess() || parser.parseFloat(number) || parser.parseColonType(type) ||
      parser.parseGreater()) {
    return {};
  }
  auto builtin = dyn_cast_or_null<FloatType>(builtinTypeOf(type));
  if (!builtin) {
    parser.emitError(parser.getNameLoc(), "expected a floating-point type");
    return {};
  }
  APFloat value(number);
  bool isInexact = false;
  value.convert(builtin.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isInexact);
  return get(parser.getContext(), type, value);
}

void FloatV1Attr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printFloat(getValue());
  printer << " : " << getType() << '>';
}

Attribute TensorV1Attr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DenseElementsAttr data;
  if (parser.parseLess() || parser.parseAttribute(data) || parser.parseGreater()) {
    return {};
  }
  auto complex = dyn_cast<mlir::ComplexType>(data.getElementType());
  Type element =
      typeOfNumber(parser, loc, complex ? complex.getElementType() : data.getElementType());
  if (!element) {
    return {};
  }
  if (complex) {
    element = ComplexV1Type::get(parser.getContext(), element);
  }
  Type type =
      TensorV1Type::get(parser.getContext(), data.getType().getShape(), element, Attribute());
  return get(parser.getContext(), type, data);
}

void TensorV1Attr::print(AsmPrinter &printer) const {
  printer << '<' << static_cast<Attribute>(getData()) << '>';
}

//===-- lists ---------------------------------------------------------------------------------===//

Attribute ArrayV1Attr::parse(AsmParser &parser, Type) {
  mlir::ArrayAttr list;
  if (parser.parseLess() || parser.parseAttribute(list) || parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), list.getValue());
}

void ArrayV1Attr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getValue(), printer);
  printer << "]>";
}

Attribute DictionaryV1Attr::parse(AsmParser &parser, Type) {
  SmallVector<std::pair<Attribute, Attribute>> entries;
  auto parseEntry = [&] {
    auto &[name, value] = entries.emplace_back();
    return failure(parser.parseAttribute(name) || parser.parseEqual() ||
                   parser.parseAttribute(value));
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseEntry) ||
      parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), entries);
}

void DictionaryV1Attr::print(AsmPrinter &printer) const {
  printer << "<{";
  llvm::interleaveComma(getValue(), printer,
                        [&](auto entry) { printer << entry.first << " = " << entry.second; });
  printer << "}>";
}

//===-- structures ----------------------------------------------------------------------------===//

static ParseResult parseNumbers(AsmParser &parser, StringRef name, SmallVector<int64_t> &numbers) {
  return failure(parser.parseKeyword(name) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
                   return parser.parseInteger(numbers.emplace_back());
                 }));
}

static void printNumbers(AsmPrinter &printer, StringRef name, ArrayRef<int64_t> numbers) {
  printer << name << " = [";
  llvm::interleaveComma(numbers, printer);
  printer << ']';
}

Attribute TypeExtensionsV1Attr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  if (parser.parseLess() || parseNumbers(parser, "bounds", bounds) || parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), bounds);
}

void TypeExtensionsV1Attr::print(AsmPrinter &printer) const {
  printer << '<';
  printNumbers(printer, "bounds", getBounds());
  printer << '>';
}

Attribute OutputOperandAliasV1Attr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> output, operand;
  int64_t index = 0;
  if (parser.parseLess() || parseNumbers(parser, "outputTupleIndices", output) ||
      parser.parseComma() || parser.parseKeyword("operandIndex") || parser.parseEqual() ||
      parser.parseInteger(index) || parser.parseComma() ||
      parseNumbers(parser, "operandTupleIndices", operand) || parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), output, index, operand);
}

void OutputOperandAliasV1Attr::print(AsmPrinter &printer) const {
  printer << '<';
  printNumbers(printer, "outputTupleIndices", getOutputTupleIndices());
  printer << ", operandIndex = " << getOperandIndex() << ", ";
  printNumbers(printer, "operandTupleIndices", getOperandTupleIndices());
  printer << '>';
}

Attribute ResultAccuracyV1Attr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  Attribute mode;
  auto field = [&](StringRef name) { return parser.parseKeyword(name) || parser.parseEqual(); };
  if (parser.parseLess() || field("atol") || parser.parseFloat(atol) || parser.parseComma() ||
      field("rtol") || parser.parseFloat(rtol) || parser.parseComma() || field("ulps") ||
      parser.parseInteger(ulps) || parser.parseComma() || field("mode") ||
      parser.parseAttribute(mode) || parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), APFloat(atol), APFloat(rtol), ulps, mode);
}

void ResultAccuracyV1Attr::print(AsmPrinter &printer) const {
  printer << "<atol = ";
  printer.printFloat(getAtol());
  printer << ", rtol = ";
  printer.printFloat(getRtol());
  printer << ", ulps = " << getUlps() << ", mode = " << getMode() << '>';
}

//===-- the dialect's hooks -------------------------------------------------------------------===//

// Parses a case of an enum: `precision_v1<HIGH>` and `<precision_v1 HIGH>` are equivalent.
static Attribute parseEnum(AsmParser &parser, const EnumInfo &info) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&name) || parser.parseGreater()) {
    return {};
  }
  std::optional<uint32_t> value = info.valueOf(name);
  if (!value) {
    parser.emitError(loc, "unknown case of `") << info.mnemonic << "`: `" << name << "`";
    return {};
  }
  return EnumAttr::get(parser.getContext(), info.kind, *value);
}

Attribute VhloDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult parsed = generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (parsed.has_value()) {
    return attribute;
  }
  if (const EnumInfo *info = enumNamed(mnemonic)) {
    return parseEnum(parser, *info);
  }
  parser.emitError(loc, "unknown attribute of `vhlo`: `") << mnemonic << "`";
  return {};
}

void VhloDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  if (auto value = dyn_cast<EnumAttr>(attribute)) {
    const EnumInfo &info = enumInfo(value.getKind());
    printer << info.mnemonic << '<' << info.cases[value.getValue()] << '>';
    return;
  }
  (void)generatedAttributePrinter(attribute, printer);
}

} // namespace drumlin::vhlo

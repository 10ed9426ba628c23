// The textual forms of the types, and their counterparts among MLIR's own types.
#include "drumlin/ir/vhlo/VhloDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

//===-- lists ---------------------------------------------------------------------------------===//

static ParseResult parseBareTypeList(AsmParser &parser, SmallVector<Type> &types) {
  if (succeeded(parser.parseOptionalGreater())) {
    return parser.emitError(parser.getCurrentLocation(), "expected a type");
  }
  return parser.parseCommaSeparatedList([&] { return parser.parseType(types.emplace_back()); });
}

static void printBareTypeList(AsmPrinter &printer, ArrayRef<Type> types) {
  llvm::interleaveComma(types, printer);
}

// Parses `(!vhlo.f32_v1, !vhlo.f32_v1)`.
static ParseResult parseTypeList(AsmParser &parser, SmallVector<Type> &types) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                        [&] { return parser.parseType(types.emplace_back()); });
}

static void printTypeList(AsmPrinter &printer, ArrayRef<Type> types) {
  printer << '(';
  printBareTypeList(printer, types);
  printer << ')';
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape) {
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size)) {
      printer << '?';
    } else {
      printer << size;
    }
    printer << 'x';
  }
}

#define GET_TYPEDEF_CLASSES
#include "drumlin/ir/vhlo/VhloTypes.cpp.inc"

namespace drumlin::vhlo {

void VhloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "drumlin/ir/vhlo/VhloTypes.cpp.inc"
      >();
}

//===-- text ----------------------------------------------------------------------------------===//

Type TensorV1Type::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  Attribute encoding;
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(element) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(encoding)) ||
      parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), shape, element, encoding);
}

void TensorV1Type::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getShape());
  printer << getElementType();
  if (getEncoding()) {
    printer << ", " << getEncoding();
  }
  printer << '>';
}

Type BufferV1Type::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(element) ||
      parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), shape, element);
}

void BufferV1Type::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getShape());
  printer << getElementType() << '>';
}

Type QuantizedV1Type::parse(AsmParser &parser) {
  parser.emitError(parser.getNameLoc(), "quantized types of `vhlo` can be read only from bytecode");
  return {};
}

void QuantizedV1Type::print(AsmPrinter &printer) const {
  printer << '<' << getStorageType() << ':' << getExpressedType();
  if (getQuantizedDimension()) {
    printer << ':' << *getQuantizedDimension();
  }
  printer << ", [";
  llvm::interleaveComma(llvm::zip(getScales(), getZeroPoints()), printer, [&](auto each) {
    printer.printFloat(APFloat(llvm::bit_cast<double>(std::get<0>(each))));
    printer << ':' << std::get<1>(each);
  });
  printer << "], " << getStorageTypeMin() << ':' << getStorageTypeMax() << ", " << getFlags()
          << '>';
}

Type VhloDialect::parseType(DialectAsmParser &parser) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Type type;
  OptionalParseResult parsed = generatedTypeParser(parser, &mnemonic, type);
  if (parsed.has_value()) {
    return type;
  }
  if (const ScalarInfo *scalar = scalarNamed(mnemonic)) {
    return ScalarType::get(getContext(), scalar->kind);
  }
  parser.emitError(loc, "unknown type of `vhlo`: `") << mnemonic << "`";
  return {};
}

void VhloDialect::printType(Type type, DialectAsmPrinter &printer) const {
  if (auto scalar = dyn_cast<ScalarType>(type)) {
    printer << scalarInfo(scalar.getKind()).mnemonic;
    return;
  }
  (void)generatedTypePrinter(type, printer);
}

//===-- MLIR's own types ----------------------------------------------------------------------===//

static Type integerType(MLIRContext *context, const ScalarInfo &info) {
  bool isUnsigned = info.mnemonic.starts_with("u");
  return IntegerType::get(context, info.integerBits,
                          isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
}

Type scalarToBuiltin(ScalarKind kind, MLIRContext *context) {
  switch (kind) {
  case ScalarKind::BF16:
    return BFloat16Type::get(context);
  case ScalarKind::F16:
    return Float16Type::get(context);
  case ScalarKind::F32:
    return Float32Type::get(context);
  case ScalarKind::F64:
    return Float64Type::get(context);
  case ScalarKind::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ScalarKind::F8E5M2:
    return Float8E5M2Type::get(context);
  case ScalarKind::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ScalarKind::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ScalarKind::F8E4M3B11FNUZ:
    return Float8E4M3B11FNUZType::get(context);
  case ScalarKind::F8E4M3:
    return Float8E4M3Type::get(context);
  case ScalarKind::F8E3M4:
    return Float8E3M4Type::get(context);
  case ScalarKind::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  case ScalarKind::F6E2M3FN:
    return Float6E2M3FNType::get(context);
  case ScalarKind::F6E3M2FN:
    return Float6E3M2FNType::get(context);
  case ScalarKind::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case ScalarKind::TF32:
    return FloatTF32Type::get(context);
  case ScalarKind::Index:
    return IndexType::get(context);
  case ScalarKind::None:
    return NoneType::get(context);
  case ScalarKind::Token:
  case ScalarKind::Witness:
    return {};
  default:
    return integerType(context, scalarInfo(kind));
  }
}

std::optional<ScalarKind> scalarFromBuiltin(Type type) {
  // At most one scalar type has `type` as its counterpart, so the first match is the only one.
  static constexpr ScalarKind kinds[] = {
#define VHLO_SCALAR_TYPE(Name, code, mnemonic, first, bits) ScalarKind::Name,
#include "drumlin/ir/vhlo/VhloScalarTypes.def"
  };
  for (ScalarKind kind : kinds) {
    if (scalarToBuiltin(kind, type.getContext()) == type) {
      return kind;
    }
  }
  return std::nullopt;
}

static Type elementToBuiltin(Type type) {
  if (auto scalar = dyn_cast<ScalarType>(type)) {
    return scalarToBuiltin(scalar.getKind(), type.getContext());
  }
  if (auto complex = dyn_cast<ComplexV1Type>(type)) {
    Type element = elementToBuiltin(complex.getElementType());
    bool isNumber = element && (element.isIntOrFloat());
    return isNumber ? mlir::ComplexType::get(element) : Type();
  }
  return {};
}

RankedTensorType tensorToBuiltin(Type type) {
  auto tensor = dyn_cast<TensorV1Type>(type);
  if (!tensor) {
    return {};
  }
  Type element = elementToBuiltin(tensor.getElementType());
  if (!element || !RankedTensorType::isValidElementType(element) ||
      llvm::any_of(tensor.getShape(),
                   [](int64_t size) { return size < 0 && !ShapedType::isDynamic(size); })) {
    return {};
  }
  return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
}

} // namespace drumlin::vhlo

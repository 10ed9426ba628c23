// The textual form, folder and verifiers of constants.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/ConstantOps.h"
#include "drumlin/ir/stablehlo/ConstantPrinting.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/HeldElements.h"

#include <array>

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Constant.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addConstantOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Constant.cpp.inc"
      >();
}

void ConstantOp::build(OpBuilder &builder, OperationState &state, ElementsAttr value) {
  build(builder, state, value.getType(), value);
}

// If a constant has many elements in hexadecimal digits, parses them directly into held elements.
// MLIR's parser would copy the digits, decode them into a string, and copy the string. Returns
// nothing if MLIR's parser should read the elements.
static std::optional<ParseResult> parseHeld(OpAsmParser &parser, ElementsAttr &value) {
  HeldElements *held = HeldElements::of(parser.getContext());
  const char *text = parser.getCurrentLocation().getPointer();
  std::optional<HeldElements::Spelled> spelled =
      held && text ? held->read(text) : std::optional<HeldElements::Spelled>();
  if (!spelled) {
    return std::nullopt;
  }
  RankedTensorType type;
  if (parser.parseKeyword("dense") || parser.parseLess() || parser.parseOptionalString(nullptr) ||
      parser.parseGreater() || parser.parseColonType(type)) {
    return ParseResult(failure());
  }
  value = held->hold(type, {std::move(spelled->elements)});
  held->wasRead(text, spelled->characters);
  return ParseResult(success());
}

// Parses `stablehlo.constant {attributes} dense<1.0> : tensor<2xf32>`. Quantized elements are
// printed as their stored integers: `stablehlo.constant() <{value = …}> : () -> type`.
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (succeeded(parser.parseOptionalLParen())) {
    FunctionType type;
    NamedAttrList properties;
    if (parser.parseRParen()) {
      return failure();
    }
    if (succeeded(parser.parseOptionalLess())) {
      if (parser.parseOptionalAttrDict(properties) || parser.parseGreater()) {
        return failure();
      }
    }
    result.attributes.append(properties);
    if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type)) {
      return failure();
    }
    result.addTypes(type.getResults());
    return success();
  }
  if (parser.parseOptionalAttrDict(result.attributes)) {
    return failure();
  }
  if (std::optional<ParseResult> held = parseHeld(parser, value)) {
    if (failed(*held)) {
      return failure();
    }
    result.addAttribute("value", value);
  } else if (parser.parseAttribute(value, "value", result.attributes)) {
    return failure();
  }
  result.addTypes(value.getType());
  return success();
}

// Maximum number of elements that MLIR prints individually instead of as hexadecimal digits.
static constexpr int64_t maxListedElements = 100;

// Writes two hexadecimal digits for each of the `count` bytes that `next` returns, in pieces of a
// few thousand digits.
static void writeDigits(llvm::raw_ostream &out, size_t count, llvm::function_ref<uint8_t()> next) {
  std::array<char, 4096> digits;
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    uint8_t byte = next();
    digits[used++] = llvm::hexdigit(byte >> 4);
    digits[used++] = llvm::hexdigit(byte & 15);
    if (used == digits.size() || i + 1 == count) {
      out.write(digits.data(), used);
      used = 0;
    }
  }
}

// Prints `dense<"0x…"> : type` if ConstantPrinting requests it, and returns true. Returns false if
// MLIR's printer should print the elements instead.
static bool printInPieces(ElementsAttr value, OpAsmPrinter &printer) {
  auto elements = dyn_cast<DenseIntOrFPElementsAttr>(value);
  auto *printing = elements ? elements.getContext()
                                  ->getLoadedDialect<StablehloDialect>()
                                  ->getRegisteredInterface<ConstantPrinting>()
                            : nullptr;
  llvm::raw_ostream &out = printer.getStream();
  if (!printing || printing->stream != &out || elements.isSplat() ||
      elements.getNumElements() <= maxListedElements) {
    return false;
  }
  out << "dense<\"0x";
  if (elements.getElementType().isInteger(1)) {
    auto each = elements.value_begin<bool>();
    writeDigits(out, elements.getNumElements(), [&] { return static_cast<uint8_t>(*each++); });
  } else {
    const char *each = elements.getRawData().data();
    writeDigits(out, elements.getRawData().size(), [&] { return static_cast<uint8_t>(*each++); });
  }
  out << "\"> : ";
  printer.printType(value.getType());
  return true;
}

static ConstantPrinting *printingOf(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<StablehloDialect>();
  return dialect
             ? const_cast<ConstantPrinting *>(dialect->getRegisteredInterface<ConstantPrinting>())
             : nullptr;
}

ElidedPrinting::ElidedPrinting(MLIRContext *context) : printing(printingOf(context)) {
  if (printing) {
    printing->elidesHeld = true;
  }
}

ElidedPrinting::~ElidedPrinting() {
  if (printing) {
    printing->elidesHeld = false;
  }
}

// Prints held elements as MLIR's printer prints its own attributes.
static bool printHeld(ElementsAttr value, OpAsmPrinter &printer) {
  const HeldConstant *held = heldConstant(value);
  if (!held) {
    return false;
  }
  llvm::raw_ostream &out = printer.getStream();
  if (printingOf(value.getContext())->elidesHeld) {
    out << "dense_resource<" << elidedKey << "> : ";
  } else {
    const std::byte *each = held->elements.data();
    out << "dense<\"0x";
    writeDigits(out, static_cast<size_t>(held->elements.bytes()),
                [&] { return static_cast<uint8_t>(*each++); });
    out << "\"> : ";
  }
  printer.printType(value.getType());
  return true;
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() != getType()) {
    printer << "() <{value = " << getValue() << "}>";
    printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
    printer << " : () -> " << getType();
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  if (!printHeld(getValue(), printer) && !printInPieces(getValue(), printer)) {
    printer << getValue();
  }
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), isa<IntegerType>(getType().getElementType()) ? "c" : "cst");
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::verify() {
  // constant_c1. The value of quantized elements is written in their storage type.
  auto quantized = dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(getType()));
  Type expected = quantized && !isQuantized(getValue().getType())
                      ? Type(getType().clone(quantized.getStorageType()))
                      : Type(getType());
  return checkType([&] { return emitOpError(); }, "constant_c1", "the value", getValue().getType(),
                   expected);
}

LogicalResult IotaOp::verify() {
  // The result's sizes are specified nowhere else.
  if (!getType().hasStaticShape()) {
    return emitOpError() << "expects an output of static shape, got " << getType() << " (iota_c1)";
  }
  // iota_c1
  return checkInRange([&] { return emitOpError(); }, "iota_c1", "iota_dimension",
                      static_cast<int64_t>(getIotaDimension()), getType().getRank());
}

} // namespace drumlin::stablehlo

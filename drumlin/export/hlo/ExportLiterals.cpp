#include "drumlin/export/hlo/ExportWriter.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"
#include "drumlin/support/FloatFormats.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace mlir;

namespace drumlin::hlo {

// Returns the shortest digits that parse to the same number.
template <typename Number> static std::string shortest(Number number) {
  char digits[64];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
  return std::string(digits, end);
}

// Returns the text of a NaN, with its fraction bits unless they are those of the default NaN.
static std::string nanText(const APFloat &number, ElementType type) {
  std::string text = number.isNegative() ? "-nan" : "nan";
  uint64_t bits = number.bitcastToAPInt().getZExtValue();
  uint64_t sign = uint64_t(1) << (info(type).bits - 1);
  if (info(type).specials == FloatSpecials::Ieee &&
      (bits & ~sign) != (encode(type, std::numeric_limits<double>::quiet_NaN()) & ~sign)) {
    uint64_t fraction = bits & ((uint64_t(1) << info(type).mantissaBits) - 1);
    text += "(0x" + llvm::utohexstr(fraction, /*LowerCase=*/true) + ")";
  }
  return text;
}

static std::string floatText(const APFloat &number, ElementType type) {
  if (number.isNaN()) {
    return nanText(number, type);
  }
  if (number.isInfinity()) {
    return number.isNegative() ? "-inf" : "inf";
  }
  if (type == ElementType::F64) {
    return shortest(number.convertToDouble());
  }
  // f32 can represent the numbers of all other types.
  APFloat wide = number;
  bool losesInfo = false;
  wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return shortest(wide.convertToFloat());
}

static std::string integerText(const APInt &number, ElementType type, bool isScalar) {
  if (isBoolean(type)) {
    bool isTrue = !number.isZero();
    return isScalar ? (isTrue ? "true" : "false") : (isTrue ? "1" : "0");
  }
  llvm::SmallString<24> digits;
  number.toString(digits, 10, isSigned(type));
  return digits.str().str();
}

// Returns the texts of the elements, in order.
static std::vector<std::string> elementTexts(DenseElementsAttr dense, ElementType type) {
  std::vector<std::string> texts;
  bool isScalar = dense.getType().getRank() == 0;
  if (isComplex(type)) {
    ElementType part = type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
    for (std::complex<APFloat> number : dense.getValues<std::complex<APFloat>>()) {
      texts.push_back("(" + floatText(number.real(), part) + ", " + floatText(number.imag(), part) +
                      ")");
    }
  } else if (isFloat(type)) {
    for (const APFloat &number : dense.getValues<APFloat>()) {
      texts.push_back(floatText(number, type));
    }
  } else {
    for (const APInt &number : dense.getValues<APInt>()) {
      texts.push_back(integerText(number, type, isScalar));
    }
  }
  return texts;
}

// Writes nested lists such as `{ {1, 2}, {3, 4} }`. Lists of numbers have no spaces inside of their
// braces.
static void writeList(ArrayRef<std::string> elements, ArrayRef<int64_t> sizes, std::string &out) {
  if (sizes.empty()) {
    out += elements.front();
    return;
  }
  bool isInner = sizes.size() == 1;
  out += isInner ? "{" : "{ ";
  size_t size = static_cast<size_t>(sizes.front());
  for (size_t i = 0; i < size; ++i) {
    size_t width = elements.size() / size;
    out += i == 0 ? "" : ", ";
    writeList(elements.slice(i * width, width), sizes.drop_front(), out);
  }
  out += isInner ? "}" : " }";
}

std::optional<std::string> literalText(ElementsAttr value) {
  std::optional<ElementType> type = tryElementTypeOf(value.getElementType());
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value); resource && type) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    bool isSplat = false;
    if (blob && fillsItsBytes(*type) &&
        DenseElementsAttr::isValidRawBuffer(resource.getType(), blob->getData(), isSplat)) {
      dense = DenseElementsAttr::getFromRawBuffer(resource.getType(), blob->getData());
    }
  }
  if (!dense || !type) {
    return std::nullopt;
  }
  std::string text;
  writeList(elementTexts(dense, *type), dense.getType().getShape(), text);
  return text;
}

} // namespace drumlin::hlo

#include "drumlin/import/hlo/ImportLiterals.h"

#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

namespace drumlin::hlo {

namespace {
// Fills tensors with the elements of one literal.
class LiteralReader {
public:
  explicit LiteralReader(Emitter &emitter) : emitter(emitter) {}

  void read(const Value &value, const Shape &shape, std::vector<Tensor> &tensors);

private:
  void fail(const std::string &why, std::string remedy = {});
  void readDimension(const Value &value, size_t dimension);
  void readElement(const Value &value);
  bool readPart(const Value &value, ElementType type, std::byte *target);
  bool readFloat(const Value &value, ElementType type, std::byte *target);
  bool readInteger(llvm::StringRef text, ElementType type, std::byte *target);

  Emitter &emitter;
  Tensor tensor;
  std::byte *next = nullptr;
};
} // namespace

void LiteralReader::fail(const std::string &why, std::string remedy) {
  emitter.fail(errors::ConstantInvalid,
               "the literal of shape `" + emitter.instruction().shape.str(false) + "` " + why,
               std::move(remedy));
}

//===-- elements ------------------------------------------------------------------------------===//

static void storeLowBytes(uint64_t bits, ElementType type, std::byte *target) {
  std::memcpy(target, &bits, storageBytes(type)); // little-endian, like all supported processors
}

bool LiteralReader::readInteger(llvm::StringRef text, ElementType type, std::byte *target) {
  unsigned bits = info(type).bits;
  if (isSigned(type)) {
    int64_t number = 0;
    int64_t largest = static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1);
    if (text.getAsInteger(10, number) || number > largest || number < -largest - 1) {
      return false;
    }
    storeLowBytes(static_cast<uint64_t>(number), type, target);
    return true;
  }
  // XLA parses numbers as int64 first, so that -1 becomes the largest u64.
  if (int64_t number = 0; bits == 64 && text.starts_with("-") && !text.getAsInteger(10, number)) {
    storeLowBytes(static_cast<uint64_t>(number), type, target);
    return true;
  }
  uint64_t number = 0;
  if (text.getAsInteger(10, number) || (bits < 64 && number >> bits != 0)) {
    return false;
  }
  storeLowBytes(number, type, target);
  return true;
}

// Returns the fraction bits that a NaN such as `nan(0x1234)` states.
static std::optional<uint64_t> payloadOf(const Value &value) {
  if (value.kind != Value::Kind::Sequence || value.items.size() != 2 ||
      value.items[1].kind != Value::Kind::List || value.items[1].items.size() != 1) {
    return std::nullopt;
  }
  uint64_t payload = 0;
  llvm::StringRef text = value.items[1].items[0].text.view();
  if (!text.consume_front("0x") || text.getAsInteger(16, payload)) {
    return std::nullopt;
  }
  return payload;
}

bool LiteralReader::readFloat(const Value &value, ElementType type, std::byte *target) {
  std::optional<uint64_t> payload = payloadOf(value);
  std::string_view text = payload ? value.items[0].text : value.text;
  if (payload) {
    const ElementTypeInfo &format = info(type);
    uint64_t fraction = (uint64_t(1) << format.mantissaBits) - 1;
    if (format.specials != FloatSpecials::Ieee || (text != "nan" && text != "-nan") ||
        *payload == 0 || *payload > fraction) {
      return false;
    }
    uint64_t exponent = ((uint64_t(1) << format.exponentBits) - 1) << format.mantissaBits;
    uint64_t sign = text == "-nan" ? uint64_t(1) << (format.bits - 1) : 0;
    storeLowBytes(sign | exponent | *payload, type, target);
    return true;
  }
  // Like XLA, rounds the decimal number directly if the type is f32 or f64. For all other types,
  // rounds it to f64 first. Numbers that are too large or too small become infinity or zero.
  llvm::APFloat number(type == ElementType::F32 ? llvm::APFloat::IEEEsingle()
                                                : llvm::APFloat::IEEEdouble());
  llvm::Expected<llvm::APFloat::opStatus> status =
      number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return false;
  }
  storeLowBytes(type == ElementType::F32 ? number.bitcastToAPInt().getZExtValue()
                                         : encode(type, number.convertToDouble()),
                type, target);
  return true;
}

bool LiteralReader::readPart(const Value &value, ElementType type, std::byte *target) {
  if (isFloat(type)) {
    return readFloat(value, type, target);
  }
  if (isBoolean(type)) {
    bool isTrue = value.isWord("true") || value.text == "1";
    *target = static_cast<std::byte>(isTrue);
    return isTrue || value.isWord("false") || value.text == "0";
  }
  return readInteger(value.text.view(), type, target);
}

void LiteralReader::readElement(const Value &value) {
  ElementType type = tensor.type();
  bool isRead;
  if (isComplex(type)) {
    ElementType part = type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
    isRead = value.kind == Value::Kind::List && value.items.size() == 2 &&
             readPart(value.items[0], part, next) &&
             readPart(value.items[1], part, next + storageBytes(part));
  } else {
    isRead = readPart(value, type, next);
  }
  if (!isRead) {
    fail("has the element `" + value.str() + "`, which isn't a valid `" + std::string(name(type)) +
         "`");
  }
  next += storageBytes(type);
}

//===-- lists ---------------------------------------------------------------------------------===//

void LiteralReader::readDimension(const Value &value, size_t dimension) {
  if (emitter.failed()) {
    return;
  }
  if (dimension == tensor.shape().size()) {
    return readElement(value);
  }
  if (value.kind != Value::Kind::List || value.bracket != '{') {
    return fail("has `" + value.str() + "` where a list is expected");
  }
  // XLA's printer elides large constants entirely, and XLA's parser rejects partly elided
  // constants.
  if (llvm::any_of(value.items, [](const Value &item) { return item.isWord("..."); })) {
    return dimension == 0 ? emitter.fillElided(tensor)
                          : fail("has a part that was elided when the text was printed",
                                 "print the module with constants, as XLA's option "
                                 "`print_large_constants` does");
  }
  if (std::cmp_not_equal(value.items.size(), tensor.shape()[dimension])) {
    return fail("has a list of " + std::to_string(value.items.size()) + " items in dimension " +
                std::to_string(dimension));
  }
  for (const Value &item : value.items) {
    readDimension(item, dimension + 1);
  }
}

void LiteralReader::read(const Value &value, const Shape &shape, std::vector<Tensor> &tensors) {
  if (emitter.failed()) {
    return;
  }
  // In a tuple, an element's shape may precede the element's value.
  bool saysShape = value.kind == Value::Kind::Sequence && value.items.size() == 2 &&
                   value.items[0].kind == Value::Kind::Shape;
  const Value &contents = saysShape ? value.items[1] : value;
  if (shape.kind == Shape::Kind::Tuple) {
    if (contents.kind != Value::Kind::List || contents.items.size() != shape.elements.size()) {
      return fail("isn't a tuple with this number of elements");
    }
    for (size_t i = 0; i < shape.elements.size(); ++i) {
      read(contents.items[i], shape.elements[i], tensors);
    }
    return;
  }
  std::vector<int64_t> sizes;
  for (const Dimension &dimension : shape.dimensions) {
    if (dimension.dynamic) {
      return fail("has a dynamic size");
    }
    sizes.push_back(dimension.size);
  }
  std::optional<ElementType> type = shape.elementType();
  std::optional<Tensor> memory = type ? Tensor::allocate(*type, sizes) : std::nullopt;
  if (!memory) {
    return fail("isn't an array that fits in memory");
  }
  tensor = std::move(*memory);
  next = tensor.data();
  // As in XLA, a number without braces becomes the first element, and all further elements are
  // zero.
  bool isOne = contents.kind != Value::Kind::List && !sizes.empty();
  if (isOne && tensor.elements() == 0) {
    return fail("has an element, but the shape has none");
  }
  // The dimensions after a dimension of size 0 have no lists.
  if (tensor.elements() > 0) {
    readDimension(contents, isOne ? sizes.size() : 0);
  }
  tensors.push_back(std::move(tensor));
}

std::vector<Tensor> readLiteral(Emitter &emitter) {
  std::vector<Tensor> tensors;
  const Instruction &instruction = emitter.instruction();
  emitter.resultTypes(); // reports shapes that have no type
  const std::optional<Value> &literal = instruction.literal;
  if (!literal || literal->items.size() != 1) {
    emitter.fail(errors::ConstantInvalid, "`constant` has no literal, or several");
  } else if (!emitter.failed()) {
    LiteralReader(emitter).read(literal->items.front(), instruction.shape, tensors);
  }
  return emitter.failed() ? std::vector<Tensor>() : tensors;
}

} // namespace drumlin::hlo

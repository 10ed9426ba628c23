#include "drumlin/hlo/proto/TextForm.h"

#include "drumlin/hlo/proto/Builder.h"
#include "drumlin/hlo/proto/Messages.h"
#include "drumlin/hlo/proto/Wire.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace drumlin::hlo {

using proto::Builder;
using proto::FieldInfo;
using proto::FieldType;

static proto::WireType wireTypeOf(FieldType type) {
  return type == FieldType::Float    ? proto::fixed32Wire
         : type == FieldType::Double ? proto::fixed64Wire
                                     : proto::varintWire;
}

//===-- reading -------------------------------------------------------------------------------===//

namespace {
class TextReader {
public:
  explicit TextReader(std::string_view text) : text(text) {}

  // Reads fields up to the end of the text or the closing bracket of the message. Doesn't take the
  // bracket. Returns false after an error.
  bool readFields(uint16_t message, Builder &to, unsigned depth);
  std::string_view error() const { return words; }
  // Returns the line and column of the error, counted from 1.
  std::pair<size_t, size_t> place() const;
  bool isAtEnd() const { return at == text.size(); }
  bool fail(std::string what) {
    words = words.empty() ? std::move(what) : words;
    return false;
  }

private:
  void skipSpace();
  bool take(char c);
  // Takes a name or a number; empty if neither follows.
  std::string_view takeWord();
  bool readField(uint16_t message, Builder &to, unsigned depth);
  bool readValue(const FieldInfo &info, Builder &to, unsigned depth);
  bool readMessage(const FieldInfo &info, Builder &to, unsigned depth);
  bool readString(std::string &value);
  bool readEscape(std::string &value);
  bool readNumber(const FieldInfo &info, uint64_t &bits);

  std::string_view text;
  size_t at = 0;
  std::string words;
};
} // namespace

std::pair<size_t, size_t> TextReader::place() const {
  std::string_view before = text.substr(0, at);
  size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  return {line + 1, at - (before.rfind('\n') + 1) + 1};
}

void TextReader::skipSpace() {
  while (at < text.size()) {
    char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      ++at;
    } else {
      return;
    }
  }
}

bool TextReader::take(char c) {
  skipSpace();
  if (at < text.size() && text[at] == c) {
    ++at;
    return true;
  }
  return false;
}

std::string_view TextReader::takeWord() {
  skipSpace();
  size_t begin = at;
  auto isPart = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  };
  while (at < text.size()) {
    bool isExponent = at != begin && (text[at] == '-' || text[at] == '+') &&
                      (text[at - 1] == 'e' || text[at - 1] == 'E') && text[begin] <= '9';
    if (!isPart(text[at]) && !isExponent) {
      break;
    }
    ++at;
  }
  return text.substr(begin, at - begin);
}

bool TextReader::readEscape(std::string &value) {
  auto digits = [&](unsigned base, size_t most) {
    unsigned code = 0;
    const char *first = text.data() + at;
    auto [last, error] = std::from_chars(first, first + std::min(most, text.size() - at), code,
                                         static_cast<int>(base));
    at += static_cast<size_t>(last - first);
    value += static_cast<char>(code);
    return error == std::errc();
  };
  constexpr std::string_view letters = "abfnrtv\\'\"?", meant = "\a\b\f\n\r\t\v\\'\"?";
  char c = at < text.size() ? text[at] : 0;
  if (size_t letter = letters.find(c); letter != letters.npos) {
    value += meant[letter];
    ++at;
    return true;
  }
  if (c == 'x' || c == 'X') {
    ++at;
    return digits(16, 2) || fail("expected hexadecimal digits after `\\x`");
  }
  return (c >= '0' && c <= '7' && digits(8, 3)) || fail("invalid escape sequence in a string");
}

// Reads a string. Adjacent strings are concatenated.
bool TextReader::readString(std::string &value) {
  bool isAny = false;
  for (;;) {
    skipSpace();
    char quote = at < text.size() ? text[at] : 0;
    if (quote != '"' && quote != '\'') {
      return isAny || fail("expected a string");
    }
    size_t begin = at++;
    while (at < text.size() && text[at] != quote && text[at] != '\n') {
      if (text[at] == '\\') {
        ++at;
        if (!readEscape(value)) {
          return false;
        }
      } else {
        value += text[at++];
      }
    }
    if (at == text.size() || text[at] == '\n') {
      at = begin;
      return fail("a string that is not closed");
    }
    ++at;
    isAny = true;
  }
}

// Parses a decimal, octal (leading 0) or hexadecimal integer.
static bool parseInteger(std::string_view word, bool isNegative, const FieldInfo &info,
                         uint64_t &bits) {
  int base = 10;
  if (word.starts_with("0x") || word.starts_with("0X")) {
    base = 16;
    word.remove_prefix(2);
  } else if (word.size() > 1 && word[0] == '0') {
    base = 8;
  }
  uint64_t value = 0;
  const char *end = word.data() + word.size();
  auto [last, error] = std::from_chars(word.data(), end, value, base);
  bool is32 = info.type == FieldType::Int32 || info.type == FieldType::UInt32 ||
              info.type == FieldType::Enum;
  bool isSigned = info.type != FieldType::UInt32 && info.type != FieldType::UInt64;
  uint64_t most =
      is32 ? std::numeric_limits<uint32_t>::max() : std::numeric_limits<uint64_t>::max();
  most = isSigned ? (most >> 1) + isNegative : isNegative ? 0 : most;
  bits = isNegative ? 0 - value : value;
  return error == std::errc() && last == end && value <= most;
}

static bool parseFloat(std::string_view word, bool isNegative, FieldType type, uint64_t &bits) {
  std::string lower(word);
  for (char &c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  bool isWord = lower == "inf" || lower == "infinity" || lower == "nan";
  if (!isWord && lower.ends_with("f")) {
    lower.pop_back();
  }
  if (!isWord && (lower.empty() || ((lower[0] < '0' || lower[0] > '9') && lower[0] != '.'))) {
    return false;
  }
  const char *begin = lower.data(), *end = begin + lower.size();
  double number = 0;
  auto [last, error] = std::from_chars(begin, end, number);
  if (error == std::errc::result_out_of_range) { // the number rounds to 0 or infinity
    number = std::strtod(lower.c_str(), nullptr);
  }
  number = isNegative ? -number : number;
  bits =
      type == FieldType::Double ? proto::bitsOf(number) : proto::bitsOf(static_cast<float>(number));
  return error != std::errc::invalid_argument && last == end;
}

bool TextReader::readNumber(const FieldInfo &info, uint64_t &bits) {
  bool isNegative = take('-');
  skipSpace();
  size_t begin = at;
  std::string_view word = takeWord();
  bool isRead = false;
  switch (info.type) {
  case FieldType::Bool:
    isRead = !isNegative && (word == "true" || word == "t" || word == "1" || word == "false" ||
                             word == "f" || word == "0");
    bits = word == "true" || word == "t" || word == "1";
    break;
  case FieldType::Enum: {
    int value = 0;
    isRead = !isNegative && proto::parseEnumerator(info.child, word, value);
    bits = proto::bitsOf(value);
    isRead = isRead || parseInteger(word, isNegative, info, bits);
    break;
  }
  case FieldType::Float:
  case FieldType::Double:
    isRead = parseFloat(word, isNegative, info.type, bits);
    break;
  default:
    isRead = parseInteger(word, isNegative, info, bits);
    break;
  }
  if (!isRead) {
    at = begin;
    return fail("`" + std::string(word) + "` is not a valid value of field `" +
                std::string(info.name) + "`");
  }
  return true;
}

// Returns the highest field number of a message type.
static uint32_t maxNumberOf(uint16_t message) {
  std::span<const FieldInfo> fields = proto::fieldsOf(message);
  return fields.empty() ? 0 : fields.back().number;
}

bool TextReader::readMessage(const FieldInfo &info, Builder &to, unsigned depth) {
  bool isAngled = take('<');
  if (!isAngled && !take('{')) {
    return fail("expected `{` after `" + std::string(info.name) + "`");
  }
  if (depth == maxProtoNesting) {
    return fail("messages are nested too deeply");
  }
  if (!readFields(info.child, to.addMessage(info.number, maxNumberOf(info.child)), depth + 1)) {
    return false;
  }
  return take(isAngled ? '>' : '}') || fail(isAngled ? "expected `>`" : "expected `}`");
}

bool TextReader::readValue(const FieldInfo &info, Builder &to, unsigned depth) {
  if (info.type == FieldType::Message) {
    return readMessage(info, to, depth);
  }
  if (info.type == FieldType::String || info.type == FieldType::Bytes) {
    skipSpace();
    size_t begin = at;
    std::string value;
    if (!readString(value)) {
      return false;
    }
    if (info.type == FieldType::String && !isUtf8(value)) {
      at = begin;
      return fail("a string that isn't UTF-8");
    }
    info.isRepeated ? to.addText(info.number, value) : to.setText(info.number, value);
    return true;
  }
  uint64_t bits = 0;
  if (!readNumber(info, bits)) {
    return false;
  }
  if (info.isRepeated) {
    to.addNumber(info.number, wireTypeOf(info.type), bits);
  } else {
    to.setNumber(info.number, wireTypeOf(info.type), bits);
  }
  return true;
}

bool TextReader::readField(uint16_t message, Builder &to, unsigned depth) {
  skipSpace();
  size_t begin = at;
  std::string_view name = takeWord();
  const FieldInfo *info = nullptr;
  for (const FieldInfo &each : proto::fieldsOf(message)) {
    info = each.name == name ? &each : info;
  }
  if (!info) {
    at = begin;
    return fail(name.empty() ? "expected the name of a field"
                             : "there is no field `" + std::string(name) + "` here");
  }
  if (!info->isRepeated && to.has(info->number)) {
    at = begin;
    return fail("field `" + std::string(name) + "` is set twice");
  }
  if (!take(':') && info->type != FieldType::Message) {
    return fail("expected `:` after `" + std::string(name) + "`");
  }
  if (info->isRepeated && take('[')) {
    if (take(']')) {
      return true;
    }
    do {
      if (!readValue(*info, to, depth)) {
        return false;
      }
    } while (take(','));
    return take(']') || fail("expected `]`");
  }
  return readValue(*info, to, depth);
}

bool TextReader::readFields(uint16_t message, Builder &to, unsigned depth) {
  for (;;) {
    skipSpace();
    if (isAtEnd() || text[at] == '}' || text[at] == '>') {
      return true;
    }
    if (!readField(message, to, depth)) {
      return false;
    }
    if (!take(',')) {
      take(';');
    }
  }
}

Result<std::string> bytesOfProtoText(std::string_view text, std::string_view fileName) {
  TextReader reader(text);
  bool isWrapped = protoTextBegin(text).starts_with("hlo_module");
  uint16_t kind = isWrapped ? proto::wrapperMessage : proto::moduleMessage;
  Builder message(maxNumberOf(kind));
  bool isWhole = reader.readFields(kind, message, 1);
  if (!isWhole || !reader.isAtEnd()) {
    reader.fail("unmatched closing bracket");
    auto [line, column] = reader.place();
    return diagnose(
        errors::SyntaxInvalid, "in the text form of a proto: " + std::string(reader.error()),
        std::string(fileName) + ":" + std::to_string(line) + ":" + std::to_string(column));
  }
  std::string bytes = message.SerializeAsString();
  return isWrapped ? std::string(proto::HloProto(bytes).hlo_module().bytes()) : bytes;
}

//===-- writing -------------------------------------------------------------------------------===//

static void printString(std::string_view text, std::string &out) {
  constexpr std::string_view escaped = "\n\r\t\"'\\", letters = "nrt\"'\\";
  out += '"';
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (size_t letter = escaped.find(c); letter != escaped.npos) {
      out.append("\\").append(1, letters[letter]);
    } else if (code < ' ' || code >= 0x7f) {
      out += '\\';
      out += static_cast<char>('0' + (code >> 6));
      out += static_cast<char>('0' + ((code >> 3) & 7));
      out += static_cast<char>('0' + (code & 7));
    } else {
      out += c;
    }
  }
  out += '"';
}

// Prints a float like protobuf. Uses fewer digits if these already identify the number.
template <typename Float> static void printFloat(Float number, std::string &out) {
  if (std::isnan(number)) {
    out += "nan";
    return;
  }
  for (int digits :
       {std::numeric_limits<Float>::digits10, std::numeric_limits<Float>::max_digits10}) {
    char spelling[64];
    auto [end, error] = std::to_chars(spelling, spelling + sizeof(spelling), number,
                                      std::chars_format::general, digits);
    Float again = 0;
    std::from_chars(spelling, end, again);
    if (again == number || digits == std::numeric_limits<Float>::max_digits10) {
      out.append(spelling, end);
      return;
    }
  }
}

static void printNumber(const FieldInfo &info, const char *&at, std::string &out) {
  switch (info.type) {
  case FieldType::Float:
    return printFloat(proto::takeNumber<float>(at), out);
  case FieldType::Double:
    return printFloat(proto::takeNumber<double>(at), out);
  case FieldType::Bool:
    out += proto::takeNumber<bool>(at) ? "true" : "false";
    return;
  case FieldType::Enum: {
    int value = proto::takeNumber<int>(at);
    std::string_view name = proto::enumeratorName(info.child, value);
    out += name.empty() ? std::to_string(value) : std::string(name);
    return;
  }
  case FieldType::Int32:
    out += std::to_string(proto::takeNumber<int32_t>(at));
    return;
  case FieldType::UInt32:
    out += std::to_string(proto::takeNumber<uint32_t>(at));
    return;
  case FieldType::UInt64:
    out += std::to_string(proto::takeNumber<uint64_t>(at));
    return;
  default:
    out += std::to_string(proto::takeNumber<int64_t>(at));
    return;
  }
}

static void printFields(std::string_view bytes, uint16_t message, size_t indent, std::string &out) {
  const char *at = bytes.data(), *end = at + bytes.size();
  while (at != end) {
    proto::WireField field = proto::takeField(at);
    auto infos = proto::fieldsOf(message);
    auto info = std::find_if(infos.begin(), infos.end(),
                             [&](const FieldInfo &each) { return each.number == field.tag >> 3; });
    bool hasLength = (field.tag & 7) == proto::bytesWire;
    if (info == infos.end()) {
      continue;
    }
    auto begin = [&] { out.append(indent, ' ').append(info->name); };
    if (info->type == FieldType::Message && hasLength) {
      begin();
      out += " {\n";
      printFields(field.bytes(), info->child, indent + 2, out);
      out.append(indent, ' ').append("}\n");
    } else if ((info->type == FieldType::String || info->type == FieldType::Bytes) && hasLength) {
      begin();
      out += ": ";
      printString(field.bytes(), out);
      out += '\n';
    } else if (info->type < FieldType::String || info->type == FieldType::Enum) {
      bool isPacked = hasLength && info->isRepeated;
      if (!isPacked && (field.tag & 7) != wireTypeOf(info->type)) {
        continue;
      }
      for (const char *number = field.data; number != field.data + field.size;) {
        begin();
        out += ": ";
        printNumber(*info, number, out);
        out += '\n';
      }
    }
  }
}

std::string protoText(std::string_view bytes) {
  std::string out;
  printFields(bytes, proto::moduleMessage, 0, out);
  return out;
}

} // namespace drumlin::hlo

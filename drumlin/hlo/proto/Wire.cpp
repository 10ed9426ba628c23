#include "drumlin/hlo/proto/Wire.h"

#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/hlo/proto/Schema.h"
#include "drumlin/hlo/proto/View.h"

#include <algorithm>
#include <array>
#include <vector>

namespace drumlin::hlo {

namespace {
struct Field {
  uint64_t number = 0;
  std::string_view contents; // set if the field has a length
  bool hasLength = false;
};
} // namespace

static std::optional<uint64_t> takeVarint(std::string_view bytes, size_t &at) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    auto byte = static_cast<uint8_t>(bytes[at++]);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  return std::nullopt;
}

// Takes the field at `at`; nullopt if it is malformed.
static std::optional<Field> takeField(std::string_view bytes, size_t &at) {
  std::optional<uint64_t> tag = takeVarint(bytes, at);
  if (!tag || *tag >> 3 == 0) {
    return std::nullopt;
  }
  Field field{*tag >> 3, {}, false};
  uint64_t length = 0;
  switch (*tag & 7) {
  case 0:
    return takeVarint(bytes, at) ? std::optional(field) : std::nullopt;
  case 1:
    length = 8;
    break;
  case 5:
    length = 4;
    break;
  case 2: {
    std::optional<uint64_t> stated = takeVarint(bytes, at);
    if (!stated) {
      return std::nullopt;
    }
    length = *stated;
    field.hasLength = true;
    break;
  }
  default:
    return std::nullopt;
  }
  if (length > bytes.size() - at) {
    return std::nullopt;
  }
  field.contents = bytes.substr(at, length);
  at += length;
  return field;
}

// Whether the bytes end at `at`, or a field that can follow a module's name begins there:
// `entry_computation_name` or `computations`.
static bool followsName(std::string_view bytes, size_t at) {
  return at == bytes.size() || bytes[at] == 0x12 || bytes[at] == 0x1a;
}

// Whether the bytes begin with the name of a module, followed by its next field.
static bool beginsModule(std::string_view bytes) {
  size_t at = 0;
  if (bytes.empty() || bytes[0] != 0x0a) {
    return false;
  }
  std::optional<Field> name = takeField(bytes, at);
  return name && at < bytes.size() && followsName(bytes, at) &&
         std::none_of(
             name->contents.begin(), name->contents.end(),
             [](char c) { return c >= 0 && c < ' '; });
}

std::string_view moduleBytes(std::string_view bytes) {
  size_t at = 1;
  if (bytes.empty() || bytes[0] != 0x0a) {
    return bytes;
  }
  std::optional<uint64_t> length = takeVarint(bytes, at);
  return length && beginsModule(bytes.substr(at)) ? bytes.substr(at, *length) : bytes;
}

std::string_view protoTextBegin(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  while (text.starts_with("#")) { // a comment
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  }
  return text;
}

bool isProtoText(std::string_view text) {
  text = protoTextBegin(text);
  size_t end = std::min(text.find_first_of(" :{\n"), text.size());
  std::string_view word = text.substr(0, end);
  std::string_view rest = text.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  bool isMessage = word == "computations" || word == "hlo_module";
  return ((word == "name" || word == "entry_computation_name") && rest.starts_with(":")) ||
         (isMessage && (rest.starts_with("{") || rest.starts_with(":")));
}

bool isProto(std::string_view bytes) {
  // A module without a name begins with the field that would follow the name.
  return isProtoText(bytes) || beginsModule(moduleBytes(bytes)) ||
         (bytes.starts_with("\x12") && followsName(bytes, 0));
}

std::optional<Result<Module>> readHlo(std::string_view bytes, std::string_view fileName) {
  if (isProto(bytes)) {
    return readProto(bytes, fileName);
  }
  return isHloText(bytes) ? std::optional(parse(bytes, fileName)) : std::nullopt;
}

namespace {
// The required content of a field with a length.
enum class Content : uint8_t { Any, Utf8, Varints, FourBytes, EightBytes, Message };

struct Rule {
  Content content = Content::Any;
  uint16_t message = 0; // index of the message type in the schema
};

// The rules of a message's fields, indexed by their numbers.
using Rules = std::array<Rule, 128>;
} // namespace

static Rule ruleOf(const proto::FieldInfo &info) {
  switch (info.type) {
  case proto::FieldType::Message:
    return {Content::Message, info.child};
  case proto::FieldType::String:
    return {Content::Utf8, 0};
  case proto::FieldType::Bytes:
    return {};
  case proto::FieldType::Float:
    return {info.isRepeated ? Content::FourBytes : Content::Any, 0};
  case proto::FieldType::Double:
    return {info.isRepeated ? Content::EightBytes : Content::Any, 0};
  default:
    return {info.isRepeated ? Content::Varints : Content::Any, 0};
  }
}

static const std::vector<Rules> &rulesOfMessages() {
  static const std::vector<Rules> all = [] {
    std::vector<Rules> all(proto::messageCount);
    for (uint16_t message = 0; message < proto::messageCount; ++message) {
      for (const proto::FieldInfo &info : proto::fieldsOf(message)) {
        all[message].at(info.number) = ruleOf(info);
      }
    }
    return all;
  }();
  return all;
}

namespace {
// Validates each field once. After a failure, `bad` is the start of the innermost malformed field.
class Validator {
public:
  bool message(const char *at, const char *end, uint16_t index, unsigned depth) {
    return message(at, end, all[index], depth);
  }
  bool message(const char *at, const char *end, const Rules &rules, unsigned depth);
  const char *bad = nullptr;

private:
  const std::vector<Rules> &all = rulesOfMessages();

  bool field(const char *&at, const char *end, const Rules &rules, unsigned depth);
  bool contents(Rule rule, const char *at, const char *end, unsigned depth);
};
} // namespace

// Skips a varint, which has at most ten bytes. Returns false if it is malformed.
static bool skipVarint(const char *&at, const char *end) {
  if (at != end && static_cast<uint8_t>(*at) < 0x80) { // a single byte, the usual case
    ++at;
    return true;
  }
  for (const char *last = end - at > 10 ? at + 10 : end; at != last;) {
    if (static_cast<uint8_t>(*at++) < 0x80) {
      return true;
    }
  }
  return false;
}

static bool takeVarint(const char *&at, const char *end, uint64_t &value) {
  if (at != end && static_cast<uint8_t>(*at) < 0x80) { // a single byte, the usual case
    value = static_cast<uint8_t>(*at++);
    return true;
  }
  const char *begin = at;
  if (!skipVarint(at, end)) {
    return false;
  }
  value = proto::takeVarint(begin);
  return true;
}

// Returns the number of bytes of the UTF-8 character at `at`, or 0 if the character is invalid.
static size_t characterSize(const char *at, const char *end) {
  auto byte = [&](ptrdiff_t i) { return i < end - at ? static_cast<uint8_t>(at[i]) : uint8_t(0); };
  uint8_t first = byte(0);
  size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(static_cast<ptrdiff_t>(i)) & 0xc0) != 0x80) {
      return 0;
    }
  }
  // Rejects overlong encodings, surrogates, and code points above U+10FFFF.
  bool isWrong = first > 0xf4 || (first == 0xe0 && byte(1) < 0xa0) ||
                 (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) ||
                 (first == 0xf4 && byte(1) > 0x8f);
  return isWrong ? 0 : size;
}

// Whether any character has more than one byte.
static bool hasLongCharacters(std::string_view text) {
  const char *at = text.data(), *end = at + text.size();
  uint64_t all = 0;
  auto add = [&](const char *from, auto bytes) {
    std::memcpy(&bytes, from, sizeof(bytes));
    all |= bytes;
  };
  // Reads 8 bytes at a time; the last 8 bytes may overlap the previous 8.
  if (text.size() >= sizeof(uint64_t)) {
    for (; end - at > ptrdiff_t(sizeof(uint64_t)); at += sizeof(uint64_t)) {
      add(at, uint64_t());
    }
    add(end - sizeof(uint64_t), uint64_t());
  } else if (text.size() >= sizeof(uint32_t)) {
    add(at, uint32_t());
    add(end - sizeof(uint32_t), uint32_t());
  } else {
    for (; at != end; ++at) {
      add(at, uint8_t());
    }
  }
  return (all & 0x8080808080808080) != 0;
}

bool isUtf8(std::string_view text) {
  if (!hasLongCharacters(text)) { // ASCII only, the usual case
    return true;
  }
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    size_t size = static_cast<uint8_t>(*at) < 0x80 ? 1 : characterSize(at, end);
    if (size == 0) {
      return false;
    }
    at += size;
  }
  return true;
}

bool areVarints(std::string_view bytes) {
  for (const char *at = bytes.data(), *end = at + bytes.size(); at != end;) {
    if (!skipVarint(at, end)) {
      return false;
    }
  }
  return true;
}

bool Validator::contents(Rule rule, const char *at, const char *end, unsigned depth) {
  switch (rule.content) {
  case Content::Any:
    return true;
  case Content::Utf8:
    return isUtf8({at, static_cast<size_t>(end - at)});
  case Content::Varints:
    return areVarints({at, static_cast<size_t>(end - at)});
  case Content::FourBytes:
    return (end - at) % 4 == 0;
  case Content::EightBytes:
    return (end - at) % 8 == 0;
  case Content::Message:
    return message(at, end, rule.message, depth + 1);
  }
}

bool Validator::field(const char *&at, const char *end, const Rules &rules, unsigned depth) {
  constexpr uint64_t maxNumber = (uint64_t(1) << 29) - 1;
  uint64_t tag = 0, length = 0;
  if (!takeVarint(at, end, tag) || tag >> 3 == 0 || tag >> 3 > maxNumber) {
    return false;
  }
  switch (tag & 7) {
  case proto::varintWire:
    return skipVarint(at, end);
  case proto::fixed64Wire:
    length = 8;
    break;
  case proto::fixed32Wire:
    length = 4;
    break;
  case proto::bytesWire:
    if (!takeVarint(at, end, length)) {
      return false;
    }
    break;
  default:
    return false;
  }
  if (length > static_cast<uint64_t>(end - at)) {
    return false;
  }
  const char *begin = at;
  at += length;
  uint64_t number = tag >> 3;
  // A field with an unexpected wire type is treated as unknown.
  return (tag & 7) != proto::bytesWire || number >= rules.size() ||
         contents(rules[number], begin, at, depth);
}

bool Validator::message(const char *at, const char *end, const Rules &rules, unsigned depth) {
  while (at != end) {
    const char *begin = at;
    if (depth > maxProtoNesting || !field(at, end, rules, depth)) {
      bad = bad ? bad : begin;
      return false;
    }
  }
  return true;
}

std::optional<size_t> firstInvalidField(std::string_view bytes) {
  Validator validator;
  if (validator.message(bytes.data(), bytes.data() + bytes.size(), proto::moduleMessage, 1)) {
    return std::nullopt;
  }
  return static_cast<size_t>(validator.bad - bytes.data());
}

std::optional<size_t> firstInvalidOuterField(std::string_view bytes) {
  static constexpr Rules anything = {};
  Validator validator;
  if (validator.message(bytes.data(), bytes.data() + bytes.size(), anything, 1)) {
    return std::nullopt;
  }
  return static_cast<size_t>(validator.bad - bytes.data());
}

bool isShapeMessage(std::string_view bytes) {
  return Validator().message(bytes.data(), bytes.data() + bytes.size(), proto::shapeMessage, 1);
}

bool isMessage(std::string_view bytes) { return !firstInvalidOuterField(bytes); }

} // namespace drumlin::hlo

#include "drumlin/hlo/proto/Wire.h"

#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/proto/Proto.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace drumlin::hlo {

namespace {
struct Field {
  uint64_t number = 0;
  std::string_view contents; // of one with a length
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

// The field that begins here; nothing where it isn't well-formed.
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

// Whether the fields after a name begin here: `entry_computation_name` or `computations`.
static bool followsName(std::string_view bytes, size_t at) {
  return at == bytes.size() || bytes[at] == 0x12 || bytes[at] == 0x1a;
}

// Whether a module's own fields begin here, with its name.
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

bool isProtoText(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  while (text.starts_with("#")) { // a comment
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  }
  size_t end = std::min(text.find_first_of(" :{\n"), text.size());
  std::string_view word = text.substr(0, end);
  std::string_view rest = text.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  bool isMessage = word == "computations" || word == "hlo_module";
  return ((word == "name" || word == "entry_computation_name") && rest.starts_with(":")) ||
         (isMessage && (rest.starts_with("{") || rest.starts_with(":")));
}

bool isProto(std::string_view bytes) {
  // A module without a name begins with the next field.
  return isProtoText(bytes) || beginsModule(moduleBytes(bytes)) ||
         (bytes.starts_with("\x12") && followsName(bytes, 0));
}

std::optional<Result<Module>> readHlo(std::string_view bytes, std::string_view fileName) {
  if (isProto(bytes)) {
    return readProto(bytes, fileName);
  }
  return isHloText(bytes) ? std::optional(parse(bytes, fileName)) : std::nullopt;
}

size_t firstInvalidField(std::string_view bytes) {
  // Computations are field 3 of the module, instructions field 2 of these.
  static constexpr uint64_t nested[] = {3, 2};
  size_t base = 0, at = 0, depth = 0;
  std::string_view rest = bytes;
  while (at < rest.size()) {
    size_t begin = at;
    std::optional<Field> field = takeField(rest, at);
    if (!field) {
      return base + begin;
    }
    if (depth < std::size(nested) && field->number == nested[depth] && field->hasLength) {
      size_t inner = 0;
      bool isWhole = true;
      while (isWhole && inner < field->contents.size()) {
        isWhole = takeField(field->contents, inner).has_value();
      }
      if (!isWhole) {
        base += static_cast<size_t>(field->contents.data() - rest.data());
        rest = field->contents;
        at = 0;
        ++depth;
      }
    }
  }
  return base + rest.size();
}

} // namespace drumlin::hlo

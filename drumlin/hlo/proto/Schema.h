// The schema of Hlo.proto as data, for code that handles messages of any type.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace drumlin::hlo::proto {

enum class FieldType : uint8_t {
  Bool,
  Int32,
  Int64,
  UInt32,
  UInt64,
  Float,
  Double,
  String,
  Bytes,
  Enum,
  Message
};

struct FieldInfo {
  std::string_view name;
  uint16_t number = 0;
  FieldType type = FieldType::Bool;
  bool isRepeated = false;
  uint16_t child = 0; // index of the field's message type or enumeration
};

struct Enumerator {
  std::string_view name;
  int value = 0;
};

// Returns the fields of a message type, sorted by number.
std::span<const FieldInfo> fieldsOf(uint16_t message);
std::span<const Enumerator> enumeratorsOf(uint16_t enumeration);

extern const uint16_t messageCount;
// The indices of `HloModuleProto`, `HloProto` and `ShapeProto`.
extern const uint16_t moduleMessage, wrapperMessage, shapeMessage;

// Returns the name of an enumeration's value, or an empty string.
inline std::string_view enumeratorName(uint16_t enumeration, int value) {
  for (const Enumerator &enumerator : enumeratorsOf(enumeration)) {
    if (enumerator.value == value) {
      return enumerator.name;
    }
  }
  return {};
}

template <typename Enum>
bool parseEnumerator(uint16_t enumeration, std::string_view name, Enum &value) {
  for (const Enumerator &enumerator : enumeratorsOf(enumeration)) {
    if (enumerator.name == name) {
      value = static_cast<Enum>(enumerator.value);
      return true;
    }
  }
  return false;
}

} // namespace drumlin::hlo::proto

// What Hlo.proto says of messages, as data: for what goes through messages of any kind.
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
  uint16_t child = 0; // the index of its message or enumeration
};

struct Enumerator {
  std::string_view name;
  int value = 0;
};

// By their numbers.
std::span<const FieldInfo> fieldsOf(uint16_t message);
std::span<const Enumerator> enumeratorsOf(uint16_t enumeration);

extern const uint16_t messageCount;
// The indices of `HloModuleProto`, `HloProto` and `ShapeProto`.
extern const uint16_t moduleMessage, wrapperMessage, shapeMessage;

// Empty where there is none of this value.
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

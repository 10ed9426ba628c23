// What callers may pass in each field of the interface's structs, as data: the macros by which
// Structs.def, Functions.def and ExtensionFunctions.def declare fields, and tables of those.
//
//   IN(type, name)             a value; one of the interface's structs lies there itself
//   OUT(type, name)            written where the function succeeds; callers may leave it as it is
//   INOUT(type, name)          read, and written where the function succeeds
//   OBJECT(type, name)         a pointer that is never null
//   OPTIONAL(type, name)       one that may be
//   DEPENDS(type, name)        one of which the function itself says when it may be null
//   PLACE(type, name)          a pointer, never null, to a struct that the function writes
//   ARRAY(type, name, count)   a pointer to as many elements as the field `count` says, null only
//                              where that is 0; elements that are pointers aren't null
//   SPARSE(type, name, count)  the same, but elements may be null
//   LISTS(type, name, count)   for each device a pointer as ARRAY's; null only where `count` is 0.
//                              Programs run on one device: only the first one is read
//   UNION … END_UNION          fields that share their place
//   CASE(field, value)         the next field is there where the field `field` has this value
//   SINCE(minor)               the fields from here on were added in this version of the interface,
//                              or before it: callers of older ones have a struct without them
//   STATED(size)               callers of some versions state this size, and have a whole struct
//
// Arguments.h checks callers' structs by these tables.
#pragma once

#include "drumlin/pjrt/interface/ExtensionFunctions.h"

#include <array>
#include <string_view>
#include <type_traits>

namespace drumlin::pjrt {

enum class Presence : uint8_t {
  Value,
  Result,
  ValueAndResult,
  Required,
  Optional,
  Depends,
  Place,
  Counted,
  Sparse,
  Lists,
  // None of a field: what the ones behind it are like.
  Since,
  Case,
  Stated,
};

struct Struct;

struct Field {
  Presence presence = Presence::Value;
  std::string_view name = {};
  size_t offset = 0, size = 0;
  // A struct of the interface that lies there, or that a pointer, or a pointer of an array, leads
  // to; else null.
  const Struct *target = nullptr;
  bool isPointer = false;
  // Arrays: whether elements are pointers, their size, and where their number is.
  bool hasPointers = false;
  size_t elementSize = 0;
  size_t countOffset = 0;
  // 0: always there.
  int since = 0;
  // Where the field isn't always there: what must have which value.
  bool isCase = false;
  size_t caseOffset = 0;
  int caseValue = 0;
};

struct Struct {
  std::string_view name; // of functions' arguments the published one of the function
  size_t size;           // of ours, in memory
  size_t statedSize;     // the one that callers of this version pass
  size_t shortSize;      // what some callers state though they have it all; 0: none do
  const Field *fields;
  size_t fieldCount;
  bool isSized; // begins with the caller's size

  constexpr const Field *begin() const { return fields; }
  constexpr const Field *end() const { return fields + fieldCount; }
  // Whether callers of older versions have a smaller one.
  constexpr bool hasGrown() const { return fieldCount != 0 && fields[fieldCount - 1].since != 0; }
};

// Specialized for each struct: `fields` and `asStruct`.
template <typename T> struct FieldsOf;

namespace fields {
template <typename T>
concept Described = requires { FieldsOf<T>::asStruct; };

template <typename T> using Behind = std::remove_cv_t<std::remove_pointer_t<std::remove_cv_t<T>>>;

template <typename T> consteval const Struct *structOf() {
  if constexpr (Described<T>) {
    return &FieldsOf<T>::asStruct;
  } else {
    return nullptr;
  }
}

template <typename T>
consteval Field plain(Presence presence, std::string_view name, size_t offset) {
  return {presence,
          name,
          offset,
          sizeof(T),
          std::is_pointer_v<T> ? structOf<Behind<T>>() : structOf<T>(),
          std::is_pointer_v<T>};
}

template <typename T, size_t countSize>
consteval Field counted(Presence presence, std::string_view name, size_t offset,
                        size_t countOffset) {
  static_assert(countSize == sizeof(size_t));
  using Element = Behind<T>;
  Field field = {presence, name, offset, sizeof(T), structOf<Element>(), true};
  if constexpr (std::is_pointer_v<Element>) {
    field.hasPointers = true;
    field.target = structOf<Behind<Element>>();
  }
  if constexpr (std::is_object_v<Element>) {
    if constexpr (requires { sizeof(Element); }) {
      field.elementSize = sizeof(Element);
    }
  }
  field.countOffset = countOffset;
  return field;
}

template <size_t count> struct List {
  std::array<Field, count> fields = {};
  size_t size = 0;
  size_t shortSize = 0;

  consteval bool isSized() const { return fields[0].name == "structSize"; }
};

// Leaves what is none of a field away, and keeps it with the fields that it is said of.
template <size_t count> consteval List<count> resolve(const std::array<Field, count> &given) {
  List<count> made;
  int since = 0;
  const Field *when = nullptr;
  for (const Field &each : given) {
    switch (each.presence) {
    case Presence::Since:
      since = each.since;
      break;
    case Presence::Stated:
      made.shortSize = each.size;
      break;
    case Presence::Case:
      when = &each;
      break;
    default:
      Field &field = made.fields[made.size++];
      field = each;
      field.since = since;
      if (when) {
        field.isCase = true;
        field.caseOffset = when->caseOffset;
        field.caseValue = when->caseValue;
        when = nullptr;
      }
      break;
    }
  }
  return made;
}

consteval Field since(int minor) {
  Field made = {Presence::Since};
  made.since = minor;
  return made;
}
consteval Field stated(size_t size) {
  Field made = {Presence::Stated};
  made.size = size;
  return made;
}
consteval Field caseOf(size_t offset, int value) {
  Field made = {Presence::Case};
  made.caseOffset = offset;
  made.caseValue = value;
  return made;
}
} // namespace fields

#define PJRT_DESCRIBED(type, name, stated, ...)                                                    \
  template <> struct FieldsOf<type> {                                                              \
    using Self = type;                                                                             \
    static constexpr auto list = fields::resolve(std::to_array<Field>({__VA_ARGS__}));             \
    static constexpr Struct asStruct = {name,           sizeof(type),       stated,                \
                                        list.shortSize, list.fields.data(), list.size,             \
                                        list.isSized()};                                           \
  };

#define PJRT_STRUCT(name, ...) PJRT_DESCRIBED(name, #name, sizeof(name), __VA_ARGS__)
#include "drumlin/pjrt/interface/Entries.def"

#include "drumlin/pjrt/interface/Structs.def"

#define PJRT_FUNCTION(name, size, ...)                                                             \
  PJRT_DESCRIBED(name##Args, #name, size,                                                          \
                 IN(size_t, structSize) OPTIONAL(ExtensionBase *, extensions) __VA_ARGS__)
#define PJRT_VOID_FUNCTION PJRT_FUNCTION
#include "drumlin/pjrt/interface/Entries.def"

#include "drumlin/pjrt/interface/Functions.def"

#define PJRT_EXTENSION_FUNCTION(name, published, ...)                                              \
  PJRT_DESCRIBED(name##Args, published, sizeof(name##Args), __VA_ARGS__)
#include "drumlin/pjrt/interface/Entries.def"

#include "drumlin/pjrt/interface/ExtensionFunctions.def"
#undef PJRT_DESCRIBED

template <typename T> inline constexpr const Struct &structOf = FieldsOf<T>::asStruct;

} // namespace drumlin::pjrt

// Tables of the fields of the interface's structs, which say what callers may pass. Structs.def,
// Functions.def and ExtensionFunctions.def declare the fields by these macros:
//
//   IN(type, name)             a value, or a struct of the interface by value
//   OUT(type, name)            written if the function succeeds; callers may leave it uninitialized
//   INOUT(type, name)          read, and written if the function succeeds
//   OBJECT(type, name)         a pointer that is never null
//   OPTIONAL(type, name)       a pointer that may be null
//   DEPENDS(type, name)        a pointer for which the function itself checks when it may be null
//   PLACE(type, name)          a pointer, never null, to a struct that the function writes
//   ARRAY(type, name, count)   a pointer to an array whose length is the field `count`; null only
//                              if that is 0; elements that are pointers aren't null
//   SPARSE(type, name, count)  an array like ARRAY's, whose elements may be null
//   LISTS(type, name, count)   a pointer to one ARRAY per device; null only if `count` is 0.
//                              Programs run on one device: only the first array is read
//   UNION … END_UNION          fields that share their memory
//   CASE(field, value)         the next field is present only if the field `field` has this value
//   SINCE(minor)               the following fields were added in this version of the interface or
//                              earlier; callers of older versions have a struct without them
//   STATED(size)               callers of some versions state this size despite a complete struct
//
// Arguments.h checks callers' structs against these tables.
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
  // The following are markers, not fields. They describe the fields after them.
  Since,
  Case,
  Stated,
};

struct Struct;

struct Field {
  Presence presence = Presence::Value;
  std::string_view name = {};
  size_t offset = 0, size = 0;
  // The interface's struct that the field contains or points to, also through an array of structs
  // or of pointers to structs. Null: none.
  const Struct *target = nullptr;
  bool isPointer = false;
  // For arrays: whether elements are pointers, their size, and the offset of their count.
  bool hasPointers = false;
  size_t elementSize = 0;
  size_t countOffset = 0;
  // The version that added the field; 0: always present.
  int since = 0;
  // For a field present only in one case: the field that selects the case, and its value.
  bool isCase = false;
  size_t caseOffset = 0;
  int caseValue = 0;
};

struct Struct {
  std::string_view name; // of functions' arguments: the function's published name
  size_t size;           // the bytes in memory of this version's struct
  size_t statedSize;     // the `struct_size` that callers of this version pass
  size_t shortSize;      // a smaller `struct_size` that some callers of a full struct pass; 0: none
  const Field *fields;
  size_t fieldCount;
  bool isSized; // whether the struct begins with `struct_size`

  constexpr const Field *begin() const { return fields; }
  constexpr const Field *end() const { return fields + fieldCount; }
  // Whether older versions have a smaller struct.
  constexpr bool hasGrown() const { return fieldCount != 0 && fields[fieldCount - 1].since != 0; }
};

// The table of a struct, specialized for each struct, with the members `list` and `asStruct`.
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

// Removes the markers, and stores what they say in the fields that they describe.
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

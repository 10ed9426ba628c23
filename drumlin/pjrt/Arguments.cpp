#include "drumlin/pjrt/Arguments.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>

namespace drumlin::pjrt {

//===-- names ---------------------------------------------------------------------------------===//

std::string publishedField(std::string_view name) {
  std::string made;
  for (size_t i = 0; i < name.size(); ++i) {
    auto isUpper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
    if (isUpper(name[i]) && i > 0 && !isUpper(name[i - 1])) {
      made += '_';
    }
    made += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return made;
}

std::string publishedName(const Struct &function) {
  static constexpr std::string_view objects[] = {"Error",
                                                 "Plugin",
                                                 "Event",
                                                 "Client",
                                                 "DeviceDescription",
                                                 "Device",
                                                 "Memory",
                                                 "Executable",
                                                 "LoadedExecutable",
                                                 "Buffer",
                                                 "CopyToDeviceStream",
                                                 "TopologyDescription",
                                                 "ExecuteContext",
                                                 "AsyncHostToDeviceTransferManager",
                                                 "AsyncTrackingEvent"};
  std::string_view name = function.name, object;
  if (name.find('_') != std::string_view::npos) { // the name of an extension's function
    return std::string(name);
  }
  for (std::string_view each : objects) {
    if (name.starts_with(each) && each.size() > object.size()) {
      object = each;
    }
  }
  std::string made = "PJRT_";
  made += object;
  made += object.empty() ? "" : "_";
  return made.append(name.substr(object.size()));
}

//===-- checks --------------------------------------------------------------------------------===//

namespace {
// The path to a field, for messages.
struct Path {
  const Path *parent;
  std::string_view field;
  std::optional<size_t> index = std::nullopt;

  std::string str() const {
    std::string made = parent ? parent->str() : "";
    made += made.empty() || field.empty() ? "" : ".";
    made += publishedField(field);
    return index ? made + "[" + std::to_string(*index) + "]" : made;
  }
};

class Checker {
public:
  Checker(const Struct &function, std::vector<std::vector<std::byte>> *extended)
      : function(function), extended(extended) {}

  // Checks the fields that end within `size` bytes. `writable`: a copy of the struct, in which
  // pointers to shorter structs are replaced; may be null.
  Outcome structure(const Struct &type, const std::byte *at, size_t size, const Path *path,
                    std::byte *writable = nullptr);
  // Computes how many bytes of the caller's struct are fields of this version, from the size that
  // the caller states. Fails if a field that every version has is missing.
  Outcome sizeOf(const Struct &type, size_t stated, const Path *path, size_t &size) const;

private:
  Outcome field(const Field &field, const std::byte *at, const Path &path, std::byte *writable);
  Outcome behind(const Field &field, const void *pointer, const Path &path, std::byte *writable);
  Outcome elements(const Field &field, const void *list, size_t count, const Path &path);
  Outcome refuse(const Path *path, std::string what) const {
    std::string place = path ? "`" + path->str() + "`" : "the struct of arguments";
    return invalid(publishedName(function) + ": " + place + std::move(what));
  }

  const Struct &function;
  std::vector<std::vector<std::byte>> *extended;
};
} // namespace

template <typename T> static T read(const void *at, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const std::byte *>(at) + offset, sizeof(T));
  return value;
}

Outcome Checker::sizeOf(const Struct &type, size_t stated, const Path *path, size_t &size) const {
  if (stated == type.shortSize && stated != 0) {
    stated = type.statedSize;
  }
  size = 0;
  for (const Field &field : type) {
    size_t end = field.offset + field.size;
    if (end <= stated) {
      size = std::max(size, end);
    } else if (field.since == 0) {
      return refuse(path, " has a `struct_size` of " + std::to_string(stated) + ", and `" +
                              publishedField(field.name) + "` ends at byte " + std::to_string(end));
    }
  }
  return Done();
}

Outcome Checker::structure(const Struct &type, const std::byte *at, size_t size, const Path *path,
                           std::byte *writable) {
  for (const Field &each : type) {
    bool isThere = each.offset + each.size <= size &&
                   (!each.isCase || read<int>(at, each.caseOffset) == each.caseValue);
    if (!isThere) {
      continue;
    }
    if (Outcome outcome = field(each, at, {path, each.name}, writable); !outcome) {
      return outcome;
    }
  }
  return Done();
}

Outcome Checker::field(const Field &field, const std::byte *at, const Path &path,
                       std::byte *writable) {
  if (!field.isPointer) {
    bool isRead = field.presence == Presence::Value && field.target;
    return isRead ? structure(*field.target, at + field.offset, field.target->size, &path)
                  : Outcome(Done());
  }
  const void *pointer = read<const void *>(at, field.offset);
  switch (field.presence) {
  case Presence::Required:
  case Presence::Place:
    if (!pointer) {
      return refuse(&path, " is null");
    }
    [[fallthrough]];
  case Presence::Optional:
    return pointer && field.target && field.presence != Presence::Place
               ? behind(field, pointer, path, writable)
               : Outcome(Done());
  case Presence::Counted:
  case Presence::Sparse:
  case Presence::Lists: {
    auto count = read<size_t>(at, field.countOffset);
    return count ? elements(field, pointer, count, path) : Outcome(Done());
  }
  default:
    return Done();
  }
}

Outcome Checker::behind(const Field &field, const void *pointer, const Path &path,
                        std::byte *writable) {
  const Struct &type = *field.target;
  size_t size = type.size;
  // Fields that every version has need no conversion.
  if (type.isSized && type.hasGrown()) {
    auto stated = read<size_t>(pointer, 0);
    if (Outcome outcome = sizeOf(type, stated, &path, size); !outcome) {
      return outcome;
    }
    if (stated < type.statedSize && writable) {
      std::vector<std::byte> &whole = extended->emplace_back(type.size);
      std::memcpy(whole.data(), pointer, size);
      pointer = whole.data();
      std::memcpy(writable + field.offset, &pointer, sizeof(pointer));
    }
  }
  return structure(type, static_cast<const std::byte *>(pointer), size, &path);
}

Outcome Checker::elements(const Field &field, const void *list, size_t count, const Path &path) {
  auto missing = [&](const Path &path) {
    return refuse(&path, " is null, and there are " + std::to_string(count) + " elements");
  };
  if (!list) {
    return missing(path);
  }
  Path first = {path.parent, path.field, 0};
  const Path *lists = field.presence == Presence::Lists ? &first : nullptr;
  if (lists) {
    list = read<const void *>(list, 0);
    if (!list) {
      return missing(first);
    }
  }
  if (!field.hasPointers && !field.target) {
    return Done();
  }
  for (size_t i = 0; i < count; ++i) {
    Path element = lists ? Path{lists, "", i} : Path{path.parent, path.field, i};
    const void *at = field.hasPointers
                         ? read<const void *>(list, i * sizeof(void *))
                         : static_cast<const std::byte *>(list) + i * field.elementSize;
    if (!at) {
      if (field.presence == Presence::Sparse) {
        continue;
      }
      return refuse(&element, " is null");
    }
    if (!field.target) {
      continue;
    }
    Outcome outcome =
        structure(*field.target, static_cast<const std::byte *>(at), field.target->size, &element);
    if (!outcome) {
      return outcome;
    }
  }
  return Done();
}

//===-- arguments -----------------------------------------------------------------------------===//

Outcome Arguments::take(const Struct &type, const void *given, void *to) {
  if (!given) {
    return invalid(publishedName(type) + ": the arguments are null");
  }
  Checker checker(type, &extended);
  size_t stated = type.isSized ? read<size_t>(given, 0) : type.statedSize;
  if (Outcome outcome = checker.sizeOf(type, stated, nullptr, size); !outcome) {
    return outcome;
  }
  std::memcpy(to, given, size);
  auto *bytes = static_cast<std::byte *>(to);
  return checker.structure(type, bytes, size, nullptr, bytes);
}

void Arguments::giveResults(const Struct &type, const void *from, void *given) const {
  for (const Field &field : type) {
    bool isResult =
        field.presence == Presence::Result || field.presence == Presence::ValueAndResult;
    if (isResult && field.offset + field.size <= size) {
      std::memcpy(static_cast<std::byte *>(given) + field.offset,
                  static_cast<const std::byte *>(from) + field.offset, field.size);
    }
  }
}

Outcome nullField(const Struct &function, std::string_view field, std::string_view why) {
  return invalid(publishedName(function) + ": `" + publishedField(field) + "` is null, and " +
                 std::string(why));
}

Outcome checkStruct(const Struct &type, const void *given) {
  Checker checker(type, nullptr);
  return given ? checker.structure(type, static_cast<const std::byte *>(given), type.size, nullptr)
               : invalid(publishedName(type) + ": the arguments are null");
}

} // namespace drumlin::pjrt

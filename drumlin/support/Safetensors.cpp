// safetensors files: eight bytes with the header's length, the header in JSON, and the elements of
// all tensors without gaps.
#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/JsonDepth.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>

namespace drumlin {

// The limit on the header, set by the format.
static constexpr uint64_t safetensorsMaximumHeader = 100'000'000;

struct SafetensorsType {
  std::string_view name;
  ElementType type;
};
static constexpr SafetensorsType safetensorsTypes[] = {
    {"BOOL", ElementType::I1},
    {"U8", ElementType::UI8},
    {"I8", ElementType::SI8},
    {"F8_E4M3", ElementType::F8E4M3FN},
    {"F8_E5M2", ElementType::F8E5M2},
    {"F8_E8M0", ElementType::F8E8M0FNU},
    {"F8_E4M3FNUZ", ElementType::F8E4M3FNUZ},
    {"F8_E5M2FNUZ", ElementType::F8E5M2FNUZ},
    {"I16", ElementType::SI16},
    {"U16", ElementType::UI16},
    {"F16", ElementType::F16},
    {"BF16", ElementType::BF16},
    {"I32", ElementType::SI32},
    {"U32", ElementType::UI32},
    {"F32", ElementType::F32},
    {"I64", ElementType::SI64},
    {"U64", ElementType::UI64},
    {"F64", ElementType::F64},
    {"C64", ElementType::C64},
};

struct SafetensorsEntry {
  std::string name;
  ElementType type = ElementType::F32;
  Shape shape;
  uint64_t begin = 0, end = 0;
};

// Parses one entry of the header. Returns what is wrong, or an empty string.
static std::string parseEntry(const nlohmann::json &value, SafetensorsEntry &entry) {
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets")) {
    return "lacks its type, shape or offsets";
  }
  const nlohmann::json &type = value["dtype"], &shape = value["shape"],
                       &offsets = value["data_offsets"];
  if (!type.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2 ||
      !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
    return "has a malformed type, shape or offset";
  }
  const std::string &typeName = type.get_ref<const std::string &>();
  const auto *known =
      std::find_if(std::begin(safetensorsTypes), std::end(safetensorsTypes),
                   [&](const SafetensorsType &candidate) { return candidate.name == typeName; });
  if (known == std::end(safetensorsTypes)) {
    return "has the type `" + typeName.substr(0, 32) + "`, which can't be read";
  }
  entry.type = known->type;
  for (const nlohmann::json &dimension : shape) {
    if (!dimension.is_number_unsigned() || dimension.get<uint64_t>() > uint64_t(INT64_MAX)) {
      return "has a malformed type, shape or offset";
    }
    entry.shape.push_back(dimension.get<int64_t>());
  }
  entry.begin = offsets[0].get<uint64_t>();
  entry.end = offsets[1].get<uint64_t>();
  std::optional<int64_t> size = byteCount(entry.type, entry.shape);
  if (!size || entry.end < entry.begin || entry.end - entry.begin != static_cast<uint64_t>(*size)) {
    return "has offsets that don't fit its shape";
  }
  return {};
}

// Creates a tensor; `dataOffset` is the offset in the file at which all tensors' elements begin.
static Result<NamedTensor> makeTensor(const SafetensorsEntry &entry, std::span<std::byte> data,
                                      uint64_t dataOffset, const std::shared_ptr<void> &owner,
                                      const std::string &location) {
  std::byte *elements = data.data() + entry.begin;
  size_t size = entry.end - entry.begin;
  // Of a complex number, only the real and imaginary parts must be aligned.
  size_t alignment = std::min(storageBytes(entry.type), 8u);
  bool aligned = reinterpret_cast<uintptr_t>(elements) % alignment == 0;
  if (aligned && size != 0 && entry.type != ElementType::I1) {
    Tensor shared(entry.type, entry.shape, std::shared_ptr<std::byte>(owner, elements));
    return NamedTensor{entry.name, std::move(shared), dataOffset + entry.begin};
  }
  std::optional<Tensor> copy = Tensor::allocate(entry.type, entry.shape);
  if (!copy) {
    return diagnose(errors::OutOfMemory, "no memory for `" + entry.name + "`", location);
  }
  if (size != 0) {
    std::memcpy(copy->data(), elements, size);
  }
  if (entry.type == ElementType::I1) {
    for (int64_t i = 0; i < copy->elements(); ++i) {
      copy->as<uint8_t>()[i] = copy->as<uint8_t>()[i] != 0;
    }
  }
  return NamedTensor{entry.name, std::move(*copy)};
}

Result<std::vector<NamedTensor>> parseSafetensors(std::span<std::byte> bytes,
                                                  std::shared_ptr<void> owner,
                                                  const std::string &location,
                                                  const ArrayFilter &filter) {
  auto invalid = [&](const std::string &what) {
    return diagnose(errors::ArrayFileInvalid, "not a valid safetensors file: " + what, location);
  };
  if (bytes.size() < 8) {
    return invalid("it is shorter than a header");
  }
  uint64_t length = 0;
  for (unsigned i = 0; i < 8; ++i) {
    length |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  }
  if (length > bytes.size() - 8 || length > safetensorsMaximumHeader) {
    return invalid("its header is longer than the file or the format allows");
  }
  const char *text = reinterpret_cast<const char *>(bytes.data()) + 8;
  nlohmann::json header;
  if (jsonDepth({text, length}) <= maxJsonDepth) {
    header = nlohmann::json::parse(text, text + length, nullptr, /*allow_exceptions=*/false);
  }
  if (!header.is_object()) {
    return invalid("its header isn't a JSON object");
  }
  std::span<std::byte> data = bytes.subspan(8 + length);
  std::vector<SafetensorsEntry> entries;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__") {
      continue;
    }
    SafetensorsEntry entry;
    entry.name = name;
    if (std::string problem = parseEntry(value, entry); !problem.empty()) {
      return invalid("`" + name + "` " + problem);
    }
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const SafetensorsEntry &a, const SafetensorsEntry &b) {
              return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
            });
  // The format allows neither gaps nor overlaps.
  uint64_t offset = 0;
  for (const SafetensorsEntry &entry : entries) {
    if (entry.begin != offset) {
      return invalid("`" + entry.name + "` doesn't start where the tensor before it ends");
    }
    offset = entry.end;
  }
  if (offset != data.size()) {
    return invalid("its tensors hold " + std::to_string(offset) + " bytes, the file " +
                   std::to_string(data.size()));
  }
  std::vector<NamedTensor> arrays;
  for (const SafetensorsEntry &entry : entries) {
    Result<bool> isWanted =
        filter ? filter({entry.name, entry.type, entry.shape}) : Result<bool>(true);
    if (!isWanted) {
      return isWanted.error();
    }
    if (!*isWanted) {
      continue;
    }
    Result<NamedTensor> tensor = makeTensor(entry, data, 8 + length, owner, location);
    if (!tensor) {
      return tensor.error();
    }
    arrays.push_back(std::move(*tensor));
  }
  return arrays;
}

Result<std::vector<NamedTensor>> readSafetensors(const std::string &path,
                                                 const ArrayFilter &filter) {
  Result<std::shared_ptr<MappedFile>> file =
      MappedFile::open(path, MappedFile::Access::CopyOnWrite);
  if (!file) {
    return file.error();
  }
  std::span<std::byte> bytes((*file)->writable(), (*file)->bytes().size());
  return parseSafetensors(bytes, *file, path, filter);
}

static std::string_view safetensorsTypeName(ElementType type) {
  for (const SafetensorsType &known : safetensorsTypes) {
    if (known.type == type) {
      return known.name;
    }
  }
  return storageBytes(type) == 1 ? "U8" : "";
}

Status checkSafetensorsTypes(const std::string &path, std::span<const ElementType> types) {
  for (ElementType type : types) {
    if (safetensorsTypeName(type).empty()) {
      return diagnose(errors::FileNotWritable,
                      "safetensors has no type for `" + std::string(name(type)) + "` arrays", path,
                      "write to a `.npz` file");
    }
  }
  return Done();
}

Status writeSafetensors(const std::string &path, std::span<const NamedTensor> arrays) {
  nlohmann::json header = nlohmann::json::object();
  uint64_t offset = 0;
  for (const NamedTensor &array : arrays) {
    std::string_view type = safetensorsTypeName(array.tensor.type());
    if (type.empty()) {
      return diagnose(errors::FileNotWritable,
                      "safetensors has no type for the `" + std::string(name(array.tensor.type())) +
                          "` array `" + array.name + "`",
                      path, "write to a `.npz` file");
    }
    if (header.contains(array.name) || array.name == "__metadata__") {
      return diagnose(errors::FileNotWritable,
                      "the name `" + array.name + "` is taken twice or reserved", path,
                      "give each array a name of its own");
    }
    uint64_t end = offset + static_cast<uint64_t>(array.tensor.bytes());
    header[array.name] = {
        {"dtype", type}, {"shape", array.tensor.shape()}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text =
      header.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length;
  for (unsigned i = 0; i < 8; ++i) {
    length += static_cast<char>(static_cast<uint64_t>(text.size()) >> (8 * i));
  }
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) {
    return file.error();
  }
  if (Status status = file->write(length + text); !status) {
    return status.error();
  }
  for (const NamedTensor &array : arrays) {
    if (Status status =
            file->write({array.tensor.data(), static_cast<size_t>(array.tensor.bytes())});
        !status) {
      return status.error();
    }
  }
  return file->commit();
}

} // namespace drumlin

#include "drumlin/support/ArrayFiles.h"

#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

namespace drumlin {

static bool endsWith(std::string_view text, std::string_view ending) {
  return text.ends_with(ending);
}

static Diagnostic unknownEnding(const std::string &path) {
  return diagnose(errors::ArrayFileInvalid, "can't tell the file's format from its name", path,
                  "name the file `.npy`, `.npz` or `.safetensors`");
}

Result<std::vector<NamedTensor>> readArrays(const std::string &path, const ArrayFilter &filter) {
  if (endsWith(path, ".npz")) {
    return readNpz(path, filter);
  }
  if (endsWith(path, ".safetensors")) {
    return readSafetensors(path, filter);
  }
  if (endsWith(path, ".index.json")) {
    return readSafetensorsIndex(path, filter);
  }
  if (!endsWith(path, ".npy")) {
    return unknownEnding(path);
  }
  size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  name.resize(name.size() - 4);
  bool isWanted = true;
  Result<Tensor> tensor = readNpy(path, [&](const ArrayHeader &header) {
    Result<bool> wanted = filter ? filter({name, header.type, header.shape}) : Result<bool>(true);
    isWanted = wanted && *wanted;
    return wanted;
  });
  if (!tensor) {
    return tensor.error();
  }
  return isWanted ? std::vector<NamedTensor>{{std::move(name), std::move(*tensor)}}
                  : std::vector<NamedTensor>();
}

Status checkArraysPath(const std::string &path, std::span<const ElementType> types) {
  if (endsWith(path, ".npz")) {
    return Done();
  }
  if (endsWith(path, ".safetensors")) {
    return checkSafetensorsTypes(path, types);
  }
  if (!endsWith(path, ".npy")) {
    return unknownEnding(path);
  }
  if (types.size() != 1) {
    return diagnose(errors::FileNotWritable,
                    "a `.npy` file holds one array, not " + std::to_string(types.size()), path,
                    "write to a `.npz` or `.safetensors` file");
  }
  return Done();
}

Status writeArrays(const std::string &path, std::span<const NamedTensor> arrays) {
  std::vector<ElementType> types;
  for (const NamedTensor &array : arrays) {
    types.push_back(array.tensor.type());
  }
  if (Status status = checkArraysPath(path, types); !status) {
    return status;
  }
  if (endsWith(path, ".npz")) {
    return writeNpz(path, arrays);
  }
  return endsWith(path, ".npy") ? writeNpy(path, arrays[0].tensor) : writeSafetensors(path, arrays);
}

// Whether files may store the type as unsigned integers; numpy's own types are always stored as
// themselves.
static bool mayTravelAsBits(ElementType type) {
  switch (info(type).kind) {
  case ElementKind::Signed:
  case ElementKind::Unsigned:
    return info(type).bits < 8;
  case ElementKind::Float:
    return info(type).bits <= 16;
  case ElementKind::Boolean:
  case ElementKind::Complex:
    return false;
  }
  return false;
}

Status checkReinterpret(ElementType raw, ElementType wanted) {
  if (raw == wanted) {
    return Done();
  }
  const ElementTypeInfo &target = info(wanted);
  bool bits = isUnsigned(raw) && info(raw).bits == 8 * target.storageBytes;
  if (!bits || !mayTravelAsBits(wanted)) {
    std::string message = "the array holds `" + std::string(name(raw)) + "` where `" +
                          std::string(target.name) + "` is expected";
    std::string remedy;
    if (mayTravelAsBits(wanted)) {
      remedy = "convert the array, or store its bits as `uint" +
               std::to_string(8 * target.storageBytes) + "`";
    }
    return diagnose(errors::ArrayTypeMismatch, std::move(message), {}, std::move(remedy));
  }
  return Done();
}

Result<Tensor> reinterpret(Tensor raw, ElementType wanted) {
  if (Status status = checkReinterpret(raw.type(), wanted); !status) {
    return status.error();
  }
  if (raw.type() == wanted) {
    return raw;
  }
  const ElementTypeInfo &target = info(wanted);
  if (target.bits >= 8) {
    // The new tensor shares the old tensor's memory, which a copy of the old tensor keeps alive.
    std::shared_ptr<std::byte> shared(std::make_shared<Tensor>(raw), raw.data());
    return Tensor(wanted, raw.shape(), std::move(shared));
  }
  std::optional<Tensor> copy = Tensor::allocate(wanted, raw.shape());
  if (!copy) {
    return diagnose(errors::OutOfMemory,
                    "no memory for an array of " + std::to_string(raw.bytes()) + " bytes");
  }
  unsigned unused = 8 - target.bits;
  for (int64_t i = 0; i < raw.elements(); ++i) {
    uint8_t high = static_cast<uint8_t>(raw.as<uint8_t>()[i] << unused);
    copy->as<uint8_t>()[i] = target.kind == ElementKind::Signed
                                 ? static_cast<uint8_t>(static_cast<int8_t>(high) >> unused)
                                 : static_cast<uint8_t>(high >> unused);
  }
  return std::move(*copy);
}

} // namespace drumlin

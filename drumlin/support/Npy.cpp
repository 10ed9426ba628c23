// numpy's `.npy`: a magic number, a version, the length of a header, the header (a Python
// dictionary of three entries) and the elements.
#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <cstring>

namespace drumlin {

static constexpr std::string_view npyMagic = "\x93NUMPY";
// The limit on dimensions, which is numpy's own.
static constexpr size_t npyMaximumRank = 64;

struct NpyHeader {
  ElementType type = ElementType::F32;
  size_t dataOffset = 0;
  unsigned swapBytes = 1; // the width of the parts whose bytes are swapped; 1: no swap
  bool columnMajor = false;
  Shape shape;
};

// Parses the header's dictionary: keys are strings; values are a string, True or False, or a tuple
// of integers.
class NpyHeaderParser {
public:
  explicit NpyHeaderParser(std::string_view text) : text(text) {}

  // Returns what is wrong, or an empty string.
  std::string parse(NpyHeader &header) {
    bool seenDescr = false, seenOrder = false, seenShape = false;
    if (!take('{')) {
      return "its header isn't a dictionary";
    }
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':')) {
        return "its header is malformed";
      }
      if (key == "descr" && !seenDescr) {
        seenDescr = true;
        std::string descr;
        if (!string(descr)) {
          return "it holds structures, not numbers";
        }
        if (!decodeType(descr, header)) {
          return "its element type `" + descr.substr(0, 32) + "` isn't one of a tensor";
        }
      } else if (key == "fortran_order" && !seenOrder) {
        seenOrder = true;
        if (word("True")) {
          header.columnMajor = true;
        } else if (!word("False")) {
          return "its `fortran_order` is neither `True` nor `False`";
        }
      } else if (key == "shape" && !seenShape) {
        seenShape = true;
        if (!tuple(header.shape)) {
          return "its shape is malformed";
        }
      } else {
        return "its header has an unknown or repeated key `" + key.substr(0, 32) + "`";
      }
      if (!take(',')) {
        if (!take('}')) {
          return "its header is malformed";
        }
        break;
      }
    }
    skipSpace();
    if (!text.empty()) {
      return "its header is malformed";
    }
    return seenDescr && seenOrder && seenShape ? std::string() : "its header lacks a key";
  }

private:
  void skipSpace() {
    while (!text.empty() &&
           (text[0] == ' ' || text[0] == '\n' || text[0] == '\t' || text[0] == '\r')) {
      text.remove_prefix(1);
    }
  }
  bool take(char c) {
    skipSpace();
    if (text.empty() || text[0] != c) {
      return false;
    }
    text.remove_prefix(1);
    return true;
  }
  bool word(std::string_view expected) {
    skipSpace();
    if (!text.starts_with(expected)) {
      return false;
    }
    text.remove_prefix(expected.size());
    return true;
  }
  bool string(std::string &value) {
    skipSpace();
    if (text.empty() || (text[0] != '\'' && text[0] != '"')) {
      return false;
    }
    size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos) {
      return false;
    }
    value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }
  bool tuple(Shape &shape) {
    if (!take('(')) {
      return false;
    }
    while (!take(')')) {
      skipSpace();
      int64_t value = 0;
      size_t digits = 0;
      for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
        if (__builtin_mul_overflow(value, int64_t(10), &value) ||
            __builtin_add_overflow(value, int64_t(text[digits] - '0'), &value)) {
          return false;
        }
      }
      if (digits == 0 || shape.size() == npyMaximumRank) {
        return false;
      }
      text.remove_prefix(digits);
      // Python 2 writes long integers with this suffix.
      if (text.starts_with('L')) {
        text.remove_prefix(1);
      }
      shape.push_back(value);
      if (!take(',')) {
        return take(')');
      }
    }
    return true;
  }
  static bool decodeType(std::string_view descr, NpyHeader &header) {
    bool bigEndian = descr.starts_with('>');
    if (descr.starts_with('<') || descr.starts_with('>') || descr.starts_with('|') ||
        descr.starts_with('=')) {
      descr.remove_prefix(1);
    }
    struct Spelling {
      std::string_view text;
      ElementType type;
      unsigned part;
    };
    // numpy writes extension types such as bfloat16 as V1 and V2.
    static constexpr Spelling spellings[] = {
        {"b1", ElementType::I1, 1},   {"?", ElementType::I1, 1},    {"i1", ElementType::SI8, 1},
        {"u1", ElementType::UI8, 1},  {"V1", ElementType::UI8, 1},  {"i2", ElementType::SI16, 2},
        {"u2", ElementType::UI16, 2}, {"V2", ElementType::UI16, 2}, {"i4", ElementType::SI32, 4},
        {"u4", ElementType::UI32, 4}, {"i8", ElementType::SI64, 8}, {"u8", ElementType::UI64, 8},
        {"f2", ElementType::F16, 2},  {"f4", ElementType::F32, 4},  {"f8", ElementType::F64, 8},
        {"c8", ElementType::C64, 4},  {"c16", ElementType::C128, 8}};
    for (const Spelling &spelling : spellings) {
      if (spelling.text == descr) {
        header.type = spelling.type;
        header.swapBytes = bigEndian ? spelling.part : 1;
        return true;
      }
    }
    return false;
  }

  std::string_view text;
};

// Copies a column-major array into row-major order: the source's last dimension is the slowest.
static void copyColumnMajor(const std::byte *from, std::byte *to, const Shape &shape, size_t width,
                            int64_t elements) {
  Shape index(shape.size(), 0);
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  int64_t offset = 0;
  for (int64_t i = 0; i < elements; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * width, from + static_cast<size_t>(offset) * width,
                width);
    for (size_t d = shape.size(); d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d]) {
        break;
      }
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

static void reverseBytes(std::byte *data, size_t bytes, size_t width) {
  for (size_t i = 0; i + width <= bytes; i += width) {
    for (size_t j = 0; j < width / 2; ++j) {
      std::swap(data[i + j], data[i + width - 1 - j]);
    }
  }
}

// Parses a header. `start` contains at least the header, of a file with `size` bytes.
static Result<NpyHeader> readHeader(std::span<const std::byte> start, uint64_t size,
                                    const std::string &location) {
  auto invalid = [&](const std::string &what) {
    return diagnose(errors::ArrayFileInvalid, "not a valid `.npy` file: " + what, location);
  };
  auto byteAt = [&](size_t i) { return static_cast<size_t>(start[i]); };
  if (start.size() < 10 || std::memcmp(start.data(), npyMagic.data(), npyMagic.size()) != 0) {
    return invalid("it doesn't start with numpy's magic number");
  }
  size_t version = byteAt(6);
  if (version < 1 || version > 3 || byteAt(7) != 0) {
    return invalid("its version is " + std::to_string(version) + "." + std::to_string(byteAt(7)) +
                   ", not 1.0 to 3.0");
  }
  size_t text = version == 1 ? 10 : 12;
  if (start.size() < text) {
    return invalid("it ends within the header");
  }
  size_t length = byteAt(8) | byteAt(9) << 8;
  if (version > 1) {
    length |= byteAt(10) << 16 | byteAt(11) << 24;
  }
  if (start.size() - text < length) {
    return invalid("it ends within the header");
  }
  NpyHeader header;
  NpyHeaderParser parser({reinterpret_cast<const char *>(start.data()) + text, length});
  if (std::string problem = parser.parse(header); !problem.empty()) {
    return invalid(problem);
  }
  header.dataOffset = text + length;
  uint64_t held = size - header.dataOffset;
  std::optional<int64_t> wanted = byteCount(header.type, header.shape);
  if (!wanted || static_cast<uint64_t>(*wanted) != held) {
    return invalid("it holds " + std::to_string(held) + " bytes of elements, its shape asks for " +
                   (wanted ? std::to_string(*wanted) : std::string("more than there can be")));
  }
  return header;
}

Result<ArrayHeader> parseNpyHeader(std::span<const std::byte> start, uint64_t size,
                                   const std::string &location) {
  Result<NpyHeader> header = readHeader(start, size, location);
  return header ? Result<ArrayHeader>(ArrayHeader{{}, header->type, header->shape})
                : Result<ArrayHeader>(header.error());
}

Result<Tensor> parseNpy(std::span<const std::byte> bytes, const std::string &location) {
  Result<NpyHeader> read = readHeader(bytes, bytes.size(), location);
  if (!read) {
    return read.error();
  }
  const NpyHeader &header = *read;
  std::span<const std::byte> data = bytes.subspan(header.dataOffset);
  std::optional<Tensor> tensor = Tensor::allocate(header.type, header.shape);
  if (!tensor) {
    return diagnose(errors::OutOfMemory,
                    "no memory for an array of " + std::to_string(data.size()) + " bytes",
                    location);
  }
  if (data.empty()) {
    return std::move(*tensor);
  }
  if (header.columnMajor && header.shape.size() > 1) {
    copyColumnMajor(data.data(), tensor->data(), header.shape, storageBytes(header.type),
                    tensor->elements());
  } else {
    std::memcpy(tensor->data(), data.data(), data.size());
  }
  reverseBytes(tensor->data(), data.size(), header.swapBytes);
  if (header.type == ElementType::I1) {
    for (int64_t i = 0; i < tensor->elements(); ++i) {
      tensor->as<uint8_t>()[i] = tensor->as<uint8_t>()[i] != 0;
    }
  }
  return std::move(*tensor);
}

Result<Tensor> readNpy(const std::string &path, const ArrayFilter &filter) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file) {
    return file.error();
  }
  std::span<const std::byte> bytes = (*file)->bytes();
  if (filter) {
    Result<ArrayHeader> header = parseNpyHeader(bytes, bytes.size(), path);
    if (!header) {
      return header.error();
    }
    Result<bool> wanted = filter(*header);
    if (!wanted) {
      return wanted.error();
    }
    if (!*wanted) {
      return Tensor(header->type, {0});
    }
  }
  return parseNpy(bytes, path);
}

static std::string npyTypeText(ElementType type) {
  const ElementTypeInfo &entry = info(type);
  std::string width = std::to_string(entry.storageBytes);
  std::string order = entry.storageBytes == 1 ? "|" : "<";
  switch (entry.kind) {
  case ElementKind::Boolean:
    return "|b1";
  case ElementKind::Signed:
    return order + (entry.bits < 8 ? "u" : "i") + width;
  case ElementKind::Unsigned:
    return order + "u" + width;
  case ElementKind::Float:
    return order + (entry.bits < 16 || type == ElementType::BF16 ? "u" : "f") + width;
  case ElementKind::Complex:
    return order + "c" + width;
  }
  return {};
}

std::string npyHeader(const Tensor &tensor) {
  std::string dictionary =
      "{'descr': '" + npyTypeText(tensor.type()) + "', 'fortran_order': False, 'shape': (";
  for (int64_t i = 0; i < tensor.rank(); ++i) {
    dictionary += (i ? ", " : "") + std::to_string(tensor.dim(i));
  }
  dictionary += tensor.rank() == 1 ? ",), }" : "), }";
  // Elements start at a multiple of 64, as in numpy's files. A header of more than 65535 bytes
  // would need version 2; tensors' shapes are much shorter.
  size_t padded = (10 + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(padded - 10 - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string header(npyMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 255);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

Status writeNpy(const std::string &path, const Tensor &tensor) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) {
    return file.error();
  }
  if (Status status = file->write(npyHeader(tensor)); !status) {
    return status.error();
  }
  if (Status status = file->write({tensor.data(), static_cast<size_t>(tensor.bytes())}); !status) {
    return status.error();
  }
  return file->commit();
}

} // namespace drumlin

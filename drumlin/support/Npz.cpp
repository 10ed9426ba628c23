// numpy's `.npz`: a zip archive (APPNOTE.TXT 6.3.x, sections 4.3 and 4.5.3) of `.npy` members.
#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

namespace drumlin {

static constexpr uint32_t localHeaderSignature = 0x04034b50;
static constexpr uint32_t centralHeaderSignature = 0x02014b50;
static constexpr uint32_t endSignature = 0x06054b50;
static constexpr uint32_t end64Signature = 0x06064b50;
static constexpr uint32_t end64LocatorSignature = 0x07064b50;
static constexpr uint16_t zip64Field = 1;
static constexpr uint32_t inZip64 = 0xffffffff; // means that the value is in the zip64 field
static constexpr uint16_t methodStored = 0;
static constexpr uint16_t methodDeflated = 8;
static constexpr uint16_t earliestDate = 1 << 5 | 1; // 1980-01-01

static uint64_t littleEndian(const std::byte *bytes, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

// Computes the checksum in parts, since zlib's sizes have 32 bits.
static uint32_t checksum(std::span<const std::byte> bytes) {
  uLong crc = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    size_t part = std::min(bytes.size(), size_t(1) << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef *>(bytes.data()), static_cast<uInt>(part));
    bytes = bytes.subspan(part);
  }
  return static_cast<uint32_t>(crc);
}

struct ZipMember {
  std::string name;
  uint64_t method = 0, crc = 0, packedSize = 0, size = 0, headerOffset = 0;
  uint64_t start = 0; // the offset of the packed bytes
};

static void checkMemory(int code) {
  if (code == Z_MEM_ERROR) {
    allocationFailed();
  }
}

namespace {
// An inflate stream, closed even if memory runs out.
struct Inflation {
  Inflation() { checkMemory(inflateInit2(&stream, -MAX_WBITS)); }
  ~Inflation() { inflateEnd(&stream); }
  Inflation(const Inflation &) = delete;
  Inflation &operator=(const Inflation &) = delete;

  z_stream stream = {};
};
} // namespace

// Runs inflate or deflate over buffers of any size. Returns true if all input was consumed and the
// stream has ended.
template <typename Step>
static bool pump(z_stream &stream, std::span<const std::byte> in, std::span<std::byte> out,
                 size_t &written, Step step) {
  constexpr size_t part = size_t(1) << 30;
  size_t taken = 0;
  written = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    size_t inPart = std::min(in.size() - taken, part);
    size_t outPart = std::min(out.size() - written, part);
    stream.next_in = const_cast<Bytef *>(reinterpret_cast<const Bytef *>(in.data() + taken));
    stream.avail_in = static_cast<uInt>(inPart);
    stream.next_out = reinterpret_cast<Bytef *>(out.data() + written);
    stream.avail_out = static_cast<uInt>(outPart);
    code = step(stream, taken + inPart == in.size() ? Z_FINISH : Z_NO_FLUSH);
    taken += inPart - stream.avail_in;
    written += outPart - stream.avail_out;
    // With Z_FINISH, zlib reports an error even if the output window is too small for this call
    // only.
    if (code == Z_BUF_ERROR && outPart == part && stream.avail_out == 0) {
      code = Z_OK;
    }
  }
  checkMemory(code);
  return code == Z_STREAM_END && taken == in.size();
}

static bool inflateExactly(std::span<const std::byte> in, std::span<std::byte> out) {
  Inflation inflation;
  size_t written = 0;
  bool ended = pump(inflation.stream, in, out, written,
                    [](z_stream &s, int flush) { return inflate(&s, flush); });
  return ended && written == out.size();
}

// Unpacks the first bytes; returns fewer than `most` if the data ends or is damaged.
static std::vector<std::byte> inflateStart(std::span<const std::byte> in, size_t most) {
  std::vector<std::byte> out(most);
  Inflation inflation;
  z_stream &stream = inflation.stream;
  size_t given = std::min(in.size(), size_t(1) << 30);
  stream.next_in = const_cast<Bytef *>(reinterpret_cast<const Bytef *>(in.data()));
  stream.avail_in = static_cast<uInt>(given);
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(most);
  checkMemory(inflate(&stream, Z_SYNC_FLUSH));
  out.resize(most - stream.avail_out);
  return out;
}

class ZipReader {
public:
  ZipReader(std::span<const std::byte> bytes, const std::string &location)
      : bytes(bytes), location(location) {}

  Result<std::vector<ZipMember>> members() const;
  // Returns the description in the member's `.npy` header, before its elements are unpacked.
  Result<ArrayHeader> header(const ZipMember &member) const;
  Result<Tensor> array(const ZipMember &member) const;

private:
  Diagnostic invalid(const std::string &what) const {
    return diagnose(errors::ArrayFileInvalid, "not a valid `.npz` file: " + what, location);
  }
  bool has(uint64_t offset, uint64_t size) const {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  }
  uint64_t at(uint64_t offset, unsigned width) const {
    return littleEndian(bytes.data() + offset, width);
  }
  std::string locationOf(const ZipMember &member) const {
    return location + "(" + member.name + ")";
  }
  // Finds the members' bytes, and checks that no two members share any.
  Status locate(std::vector<ZipMember> &members, uint64_t directoryOffset) const;
  bool directory(uint64_t &offset, uint64_t &count) const;
  bool readZip64(uint64_t offset, uint64_t size, ZipMember &member) const;

  std::span<const std::byte> bytes;
  const std::string &location;
};

// The end record is at the end of the file, followed only by a comment of at most 65535 bytes.
bool ZipReader::directory(uint64_t &offset, uint64_t &count) const {
  constexpr uint64_t endSize = 22, locatorSize = 20, end64Size = 56;
  if (bytes.size() < endSize) {
    return false;
  }
  uint64_t last = bytes.size() - endSize;
  uint64_t first = last > 65535 ? last - 65535 : 0;
  for (uint64_t end = last + 1; end-- > first;) {
    if (at(end, 4) != endSignature || end + endSize + at(end + 20, 2) != bytes.size()) {
      continue;
    }
    count = at(end + 10, 2);
    offset = at(end + 16, 4);
    if (end < locatorSize || at(end - locatorSize, 4) != end64LocatorSignature) {
      return true;
    }
    uint64_t end64 = at(end - locatorSize + 8, 8);
    if (!has(end64, end64Size) || at(end64, 4) != end64Signature) {
      return false;
    }
    count = at(end64 + 32, 8);
    offset = at(end64 + 48, 8);
    return true;
  }
  return false;
}

// The zip64 field contains, in this order, the values that didn't fit.
bool ZipReader::readZip64(uint64_t offset, uint64_t size, ZipMember &member) const {
  uint64_t end = offset + size;
  while (end - offset >= 4) {
    uint64_t id = at(offset, 2), length = at(offset + 2, 2);
    offset += 4;
    if (length > end - offset) {
      return false;
    }
    if (id == zip64Field) {
      uint64_t fieldEnd = offset + length;
      for (uint64_t *value : {&member.size, &member.packedSize, &member.headerOffset}) {
        if (*value == inZip64) {
          if (fieldEnd - offset < 8) {
            return false;
          }
          *value = at(offset, 8);
          offset += 8;
        }
      }
      return true;
    }
    offset += length;
  }
  return true;
}

Result<std::vector<ZipMember>> ZipReader::members() const {
  constexpr uint64_t headerSize = 46;
  uint64_t offset = 0, count = 0;
  if (!directory(offset, count)) {
    return invalid("it has no zip directory");
  }
  uint64_t directoryOffset = offset;
  std::vector<ZipMember> members;
  for (uint64_t i = 0; i < count; ++i) {
    if (!has(offset, headerSize) || at(offset, 4) != centralHeaderSignature) {
      return invalid("its directory is damaged");
    }
    uint64_t nameSize = at(offset + 28, 2), extraSize = at(offset + 30, 2),
             commentSize = at(offset + 32, 2);
    if (!has(offset + headerSize, nameSize + extraSize + commentSize)) {
      return invalid("its directory is damaged");
    }
    ZipMember member;
    member.name.assign(reinterpret_cast<const char *>(bytes.data() + offset + headerSize),
                       nameSize);
    member.method = at(offset + 10, 2);
    member.crc = at(offset + 16, 4);
    member.packedSize = at(offset + 20, 4);
    member.size = at(offset + 24, 4);
    member.headerOffset = at(offset + 42, 4);
    if (at(offset + 8, 2) & 1) {
      return invalid("its member `" + member.name + "` is encrypted");
    }
    if (!readZip64(offset + headerSize + nameSize, extraSize, member)) {
      return invalid("its directory is damaged");
    }
    offset += headerSize + nameSize + extraSize + commentSize;
    members.push_back(std::move(member));
  }
  if (Status status = locate(members, directoryOffset); !status) {
    return status.error();
  }
  return members;
}

Status ZipReader::locate(std::vector<ZipMember> &members, uint64_t directoryOffset) const {
  constexpr uint64_t headerSize = 30;
  std::vector<const ZipMember *> inOrder;
  for (ZipMember &member : members) {
    if (!has(member.headerOffset, headerSize) ||
        at(member.headerOffset, 4) != localHeaderSignature) {
      return invalid("its member `" + member.name + "` has no header");
    }
    member.start = member.headerOffset + headerSize + at(member.headerOffset + 26, 2) +
                   at(member.headerOffset + 28, 2);
    if (!has(member.start, member.packedSize)) {
      return invalid("its member `" + member.name + "` ends after the file");
    }
    bool isDeflated = member.method == methodDeflated;
    if (!isDeflated && (member.method != methodStored || member.size != member.packedSize)) {
      return invalid("its member `" + member.name + "` is neither stored nor deflated");
    }
    // Deflate compresses at most 1032-fold: a larger size is damage.
    if (isDeflated && member.size / 1032 > member.packedSize + 1) {
      return invalid("its member `" + member.name + "` has an impossible size");
    }
    inOrder.push_back(&member);
  }
  std::sort(inOrder.begin(), inOrder.end(), [](const ZipMember *a, const ZipMember *b) {
    return a->headerOffset < b->headerOffset;
  });
  for (size_t i = 0; i < inOrder.size(); ++i) {
    const ZipMember &member = *inOrder[i];
    uint64_t limit = i + 1 < inOrder.size() ? inOrder[i + 1]->headerOffset : directoryOffset;
    if (member.start + member.packedSize > limit) {
      return invalid("its member `" + member.name + "` overlaps what follows it");
    }
  }
  return Done();
}

Result<ArrayHeader> ZipReader::header(const ZipMember &member) const {
  // The longest header of format version 1, which suffices for all tensors.
  constexpr size_t longestHeader = 10 + 65535;
  std::span<const std::byte> packed = bytes.subspan(member.start, member.packedSize);
  Result<ArrayHeader> header = ArrayHeader();
  if (member.method == methodDeflated) {
    std::vector<std::byte> start =
        inflateStart(packed, std::min<uint64_t>(longestHeader, member.size));
    header = parseNpyHeader(start, member.size, locationOf(member));
  } else {
    header = parseNpyHeader(packed, member.size, locationOf(member));
  }
  if (header) {
    header->name = member.name;
    if (header->name.ends_with(".npy")) {
      header->name.resize(header->name.size() - 4);
    }
  }
  return header;
}

Result<Tensor> ZipReader::array(const ZipMember &member) const {
  std::span<const std::byte> packed = bytes.subspan(member.start, member.packedSize);
  std::span<const std::byte> content = packed;
  std::optional<Tensor> unpacked;
  if (member.method == methodDeflated) {
    unpacked = Tensor::allocate(ElementType::UI8, {static_cast<int64_t>(member.size)});
    if (!unpacked) {
      return diagnose(errors::OutOfMemory, "no memory to unpack `" + member.name + "`", location);
    }
    if (!inflateExactly(packed, {unpacked->data(), member.size})) {
      return invalid("its member `" + member.name + "` can't be decompressed");
    }
    content = {unpacked->data(), member.size};
  }
  if (checksum(content) != member.crc) {
    return invalid("the checksum of its member `" + member.name + "` doesn't match");
  }
  return parseNpy(content, locationOf(member));
}

Result<std::vector<NamedTensor>> parseNpz(std::span<const std::byte> bytes,
                                          const std::string &location, const ArrayFilter &filter) {
  ZipReader reader(bytes, location);
  Result<std::vector<ZipMember>> members = reader.members();
  if (!members) {
    return members.error();
  }
  std::vector<NamedTensor> arrays;
  for (const ZipMember &member : *members) {
    Result<ArrayHeader> header = reader.header(member);
    if (!header) {
      return header.error();
    }
    Result<bool> isWanted = filter ? filter(*header) : Result<bool>(true);
    if (!isWanted) {
      return isWanted.error();
    }
    if (!*isWanted) {
      continue;
    }
    Result<Tensor> tensor = reader.array(member);
    if (!tensor) {
      return tensor.error();
    }
    arrays.push_back({std::move(header->name), std::move(*tensor)});
  }
  return arrays;
}

Result<std::vector<NamedTensor>> readNpz(const std::string &path, const ArrayFilter &filter) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file) {
    return file.error();
  }
  return parseNpz((*file)->bytes(), path, filter);
}

static void put(std::string &text, uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) {
    text += static_cast<char>(value >> (8 * i));
  }
}

// Returns the header before a member's bytes or, if `central`, its header in the central directory.
// From the field for the needed version on, both have the same fields. All sizes and offsets are
// always stored in a zip64 field, so that small and large members have one form.
static std::string memberHeader(const ZipMember &member, bool central) {
  std::string text;
  put(text, central ? centralHeaderSignature : localHeaderSignature, 4);
  if (central) {
    put(text, 45, 2); // made by version 4.5, the first with zip64
  }
  put(text, 45, 2); // needs version 4.5 to be read
  put(text, 0, 2);
  put(text, member.method, 2);
  put(text, 0, 2);
  put(text, earliestDate, 2);
  put(text, member.crc, 4);
  put(text, inZip64, 4);
  put(text, inZip64, 4);
  put(text, member.name.size(), 2);
  put(text, central ? 28 : 20, 2);
  if (central) {
    put(text, 0, 2); // comment
    put(text, 0, 2); // disk
    put(text, 0, 2); // internal attributes
    put(text, 0, 4); // external attributes
    put(text, inZip64, 4);
  }
  text += member.name;
  put(text, zip64Field, 2);
  put(text, central ? 24 : 16, 2);
  put(text, member.size, 8);
  put(text, member.packedSize, 8);
  if (central) {
    put(text, member.headerOffset, 8);
  }
  return text;
}

static std::string endOfDirectory(uint64_t offset, uint64_t size, uint64_t count) {
  std::string text;
  put(text, end64Signature, 4);
  put(text, 44, 8); // the size of the remaining record
  put(text, 45, 2);
  put(text, 45, 2);
  put(text, 0, 4);
  put(text, 0, 4);
  put(text, count, 8);
  put(text, count, 8);
  put(text, size, 8);
  put(text, offset, 8);
  put(text, end64LocatorSignature, 4);
  put(text, 0, 4);
  put(text, offset + size, 8);
  put(text, 1, 4);
  put(text, endSignature, 4);
  put(text, 0, 4);
  put(text, std::min<uint64_t>(count, 0xffff), 2);
  put(text, std::min<uint64_t>(count, 0xffff), 2);
  put(text, std::min<uint64_t>(size, inZip64), 4);
  put(text, std::min<uint64_t>(offset, inZip64), 4);
  put(text, 0, 2);
  return text;
}

static std::optional<Tensor> deflateAll(std::span<const std::byte> content, size_t &size) {
  z_stream stream = {};
  if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  // compressBound's formula for streams with non-default memory settings.
  size_t bound = content.size() + (content.size() >> 3) + (content.size() >> 6) + 64;
  std::optional<Tensor> packed = Tensor::allocate(ElementType::UI8, {static_cast<int64_t>(bound)});
  bool ended = packed && pump(stream, content, {packed->data(), bound}, size,
                              [](z_stream &s, int flush) { return deflate(&s, flush); });
  deflateEnd(&stream);
  return ended ? packed : std::nullopt;
}

Status writeNpz(const std::string &path, std::span<const NamedTensor> arrays,
                NpzCompression compression) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) {
    return file.error();
  }
  std::string directory;
  uint64_t offset = 0;
  for (const NamedTensor &array : arrays) {
    std::string header = npyHeader(array.tensor);
    std::span<const std::byte> elements(array.tensor.data(),
                                        static_cast<size_t>(array.tensor.bytes()));
    std::optional<Tensor> content =
        Tensor::allocate(ElementType::UI8, {static_cast<int64_t>(header.size() + elements.size())});
    if (!content) {
      return diagnose(errors::OutOfMemory, "no memory to write `" + array.name + "`", path);
    }
    std::memcpy(content->data(), header.data(), header.size());
    if (!elements.empty()) {
      std::memcpy(content->data() + header.size(), elements.data(), elements.size());
    }
    std::span<const std::byte> whole(content->data(), static_cast<size_t>(content->bytes()));
    ZipMember member{array.name + ".npy", methodStored, checksum(whole),
                     whole.size(),        whole.size(), offset};
    if (member.name.size() > 0xffff) {
      return diagnose(errors::FileNotWritable,
                      "an array's name is longer than a zip archive allows", path);
    }
    std::span<const std::byte> packed = whole;
    std::optional<Tensor> deflated;
    if (compression == NpzCompression::Deflated) {
      size_t size = 0;
      deflated = deflateAll(whole, size);
      if (!deflated) {
        return diagnose(errors::OutOfMemory, "no memory to pack `" + array.name + "`", path);
      }
      packed = {deflated->data(), size};
      member.method = methodDeflated;
      member.packedSize = size;
    }
    std::string local = memberHeader(member, /*central=*/false);
    if (Status status = file->write(local); !status) {
      return status.error();
    }
    if (Status status = file->write(packed); !status) {
      return status.error();
    }
    offset += local.size() + packed.size();
    directory += memberHeader(member, /*central=*/true);
  }
  directory += endOfDirectory(offset, directory.size(), arrays.size());
  if (Status status = file->write(directory); !status) {
    return status.error();
  }
  return file->commit();
}

} // namespace drumlin

#include "drumlin/runtime/executable/AppendedConstants.h"

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/diagnostics/ImageErrors.h"

#include <algorithm>
#include <cstring>

namespace drumlin {

static uint64_t aligned(uint64_t bytes) {
  return (bytes + DRUMLIN_ALIGNMENT - 1) / DRUMLIN_ALIGNMENT * DRUMLIN_ALIGNMENT;
}

void placeConstants(ImageDescription &description, size_t first) {
  uint64_t end = 0;
  for (size_t i = first; i < description.weights.size(); ++i) {
    WeightDescription &weight = description.weights[i];
    if (weight.value.storedBytes() <= maxEmbeddedConstant) {
      continue;
    }
    weight.isAppended = true;
    weight.offset = aligned(end);
    end = weight.offset + weight.value.storedBytes();
  }
  description.appendedBytes = end;
}

static std::string zeros(uint64_t count) { return std::string(count, '\0'); }

Status writeImage(AtomicFile &file, std::string_view image, const ImageDescription &description,
                  const WeightContents &contents) {
  if (description.appendedBytes == 0) {
    return file.write(image);
  }
  std::string_view object = image.substr(0, image.size() - imageSealBytes);
  if (Status status = file.write(object); !status) {
    return status;
  }
  // Offsets count from the first constant. `before`: the number of zeros between the object and
  // this constant.
  uint64_t end = 0, before = aligned(object.size()) - object.size();
  for (size_t i = 0; i < description.weights.size(); ++i) {
    const WeightDescription &weight = description.weights[i];
    if (!weight.isAppended) {
      continue;
    }
    if (Status status = file.write(zeros(before + weight.offset - end)); !status) {
      return status;
    }
    before = 0;
    Tensor tensor = contents(i);
    uint64_t size = weight.value.storedBytes();
    if (Status status = file.write(std::span<const std::byte>(tensor.data(), size)); !status) {
      return status;
    }
    end = weight.offset + size;
  }
  return file.write(image.substr(object.size()));
}

static bool areZeros(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte(0); });
}

// Copies the elements piece by piece and hashes each piece of the copy while it is in a cache. So
// the hash covers the very bytes that runs use.
static std::string copyAndHash(std::span<const std::byte> from, std::byte *to,
                               const std::function<void(std::span<const std::byte>)> &read) {
  static constexpr size_t atOnce = size_t(1) << 20;
  Hasher hasher;
  while (!from.empty()) {
    std::span<const std::byte> piece = from.first(std::min(from.size(), atOnce));
    std::memcpy(to, piece.data(), piece.size());
    hasher.add(std::span<const std::byte>(to, piece.size()));
    if (read) {
      read(piece);
    }
    to += piece.size();
    from = from.subspan(piece.size());
  }
  return hasher.str();
}

Status readAppended(std::span<const std::byte> appended, const ImageDescription &description,
                    std::span<std::byte *const> places,
                    const std::function<void(std::span<const std::byte>)> &read,
                    const std::string &location) {
  uint64_t end = 0;
  auto place = places.begin();
  for (const WeightDescription &weight : description.weights) {
    if (!weight.isAppended) {
      continue;
    }
    uint64_t size = weight.value.storedBytes();
    bool isSame =
        areZeros(appended.subspan(end, weight.offset - end)) &&
        copyAndHash(appended.subspan(weight.offset, size), *place, read) == weight.contentHash;
    if (!isSame) {
      return diagnose(errors::ImageInvalid,
                      "not a Drumlin image: the bytes of `" + weight.value.name +
                          "` were changed since it was made",
                      location);
    }
    end = weight.offset + size;
    ++place;
  }
  return Done();
}

} // namespace drumlin

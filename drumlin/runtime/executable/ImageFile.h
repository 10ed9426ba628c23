// Looks into an image's file without running any of it: the seal, the headers of the shared object,
// the section with the description.
#pragma once

#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace drumlin {

inline constexpr const char *imageMetadataSection = ".drumlin_meta";

// The 64 bytes that follow a linked shared object in an image: a magic number, the object's size
// and the contentHash() of its bytes. The system's loader ignores them; Drumlin's finds any damage
// to the file before the system's looks.
std::string imageSeal(std::span<const std::byte> sharedObject);

// A range of addresses of the shared object, before relocation.
struct AddressRange {
  uint64_t begin = 0, end = 0;
  bool contains(uint64_t address, uint64_t size) const {
    return address >= begin && end - begin >= size && address <= end - size;
  }
};

struct CodeSegment {
  AddressRange addresses;
  std::span<const std::byte> bytes; // within the file's; what else there is in memory is zero
};

struct ImageLayout {
  std::span<const std::byte> metadata; // within the file's bytes
  AddressRange metadataAddresses;
  std::vector<AddressRange> loaded;
  std::vector<CodeSegment> code;
};

// Fails with ImageAbiMismatch, or with ImageInvalid: not a sealed shared object for this kind of
// machine, cut short, or damaged anywhere.
Result<ImageLayout> inspectImage(std::span<const std::byte> file, const std::string &location);

// The description of an image, with its texts, for tools that show it.
Result<ImageDescription> readImageDescription(const std::string &path);
Result<ImageDescription> readImageDescription(std::span<const std::byte> file,
                                              const std::string &location);

} // namespace drumlin

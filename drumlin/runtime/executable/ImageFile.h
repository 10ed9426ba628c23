// Looks into an image's file without running any of it: the seal, the headers of the shared object,
// the section with the description.
#pragma once

#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/support/Architecture.h"
#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace drumlin {

inline constexpr const char *imageMetadataSection = ".drumlin_meta";

// The last bytes of an image: a magic number, the size of the linked shared object at its beginning
// and the contentHash() of the object's bytes. The system's loader ignores them; Drumlin's finds
// any damage to the file before the system's looks. What may lie between (AppendedConstants.h), the
// object's description has the hashes of.
inline constexpr size_t imageSealBytes = 64;
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
  Architecture architecture = Architecture::X86_64;
  std::span<const std::byte> metadata; // within the file's bytes
  AddressRange metadataAddresses;
  std::vector<AddressRange> loaded;
  std::vector<CodeSegment> code;
  std::span<const std::byte> appended; // constants behind the object; empty where there are none
};

// The parts of a file that a seal at its end says it has: nothing of them was checked. Without one
// all of it is the object.
struct ImageParts {
  std::span<const std::byte> object, appended, seal;
};
ImageParts partsOfImage(std::span<const std::byte> file);
// What lies behind the zeros up to the first constant; nothing where these aren't there.
std::optional<std::span<const std::byte>> constantsOf(const ImageParts &parts);

// Fails with ImageAbiMismatch, or with ImageInvalid: not a sealed shared object for an architecture
// that there is code for, cut short, or damaged anywhere.
Result<ImageLayout> inspectImage(std::span<const std::byte> file, const std::string &location);

// Fails with ImageInvalid where an image's file has another part of constants than its description,
// or none at a place where it needs one.
Status checkAppended(const ImageLayout &layout, const ImageDescription &description,
                     const std::string &location);

// The description of an image, with its texts, for tools that show it.
Result<ImageDescription> readImageDescription(const std::string &path);
Result<ImageDescription> readImageDescription(std::span<const std::byte> file,
                                              const std::string &location);

} // namespace drumlin

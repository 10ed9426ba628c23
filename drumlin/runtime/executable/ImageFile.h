// Inspects an image's file without running any of it: the seal, the headers of the shared object,
// and the section with the description.
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

// The size in bytes of the seal, which ends an image: a magic number, the size of the linked shared
// object at the image's start and the contentHash() of the object's bytes. The system's loader
// ignores it; Drumlin's loader uses it to detect damage before the system's loader reads the file.
// Constants may be between object and seal (AppendedConstants.h); the object's description has
// their hashes.
inline constexpr size_t imageSealBytes = 64;
std::string imageSeal(std::span<const std::byte> sharedObject);

// A range of addresses in the shared object, before relocation.
struct AddressRange {
  uint64_t begin = 0, end = 0;
  bool contains(uint64_t address, uint64_t size) const {
    return address >= begin && end - begin >= size && address <= end - size;
  }
};

struct CodeSegment {
  AddressRange addresses;
  std::span<const std::byte> bytes; // a range of the file; the segment's memory beyond it is zero
};

struct ImageLayout {
  Architecture architecture = Architecture::X86_64;
  std::span<const std::byte> metadata; // a range of the file
  AddressRange metadataAddresses;
  std::vector<AddressRange> loaded;
  std::vector<CodeSegment> code;
  std::span<const std::byte> appended; // the constants after the object; empty: there are none
};

// The parts of a file as its seal delimits them; the seal isn't checked. If there is no seal, the
// object is the full file.
struct ImageParts {
  std::span<const std::byte> object, appended, seal;
};
ImageParts partsOfImage(std::span<const std::byte> file);
// Returns the appended bytes from the first constant on, without the padding that aligns the
// constant; nothing if the padding isn't zero.
std::optional<std::span<const std::byte>> constantsOf(const ImageParts &parts);

// Checks an image's file and returns its layout. Fails with ImageAbiMismatch, or with ImageInvalid
// if it isn't a sealed shared object for a supported architecture, was cut short, or is damaged.
Result<ImageLayout> inspectImage(std::span<const std::byte> file, const std::string &location);

// Checks the appended constants against the description. Fails with ImageInvalid if their size
// differs, or if constants are missing that the description requires.
Status checkAppended(const ImageLayout &layout, const ImageDescription &description,
                     const std::string &location);

// Reads an image's description, with its texts, for tools that show it.
Result<ImageDescription> readImageDescription(const std::string &path);
Result<ImageDescription> readImageDescription(std::span<const std::byte> file,
                                              const std::string &location);

} // namespace drumlin

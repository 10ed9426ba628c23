#include "drumlin/runtime/executable/ImageFile.h"

#include "drumlin/runtime/Abi.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/ImageErrors.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace drumlin {

static constexpr char sealMagic[8] = {'D', 'R', 'M', 'L', 'B', 'L', 'K', '3'};
// The magic of images before ABI 3, whose seal used a hash that isn't collision-resistant.
static constexpr char earlierMagic[8] = {'D', 'R', 'M', 'L', 'S', 'E', 'A', 'L'};
static constexpr uint64_t maximumAddress = uint64_t(1) << 46;

std::string imageSeal(std::span<const std::byte> sharedObject) {
  std::string seal(sealMagic, sizeof(sealMagic));
  for (unsigned i = 0; i < 8; ++i) {
    seal += static_cast<char>(static_cast<uint64_t>(sharedObject.size()) >> (8 * i));
  }
  seal += hashBytes(contentHash(sharedObject));
  seal.resize(imageSealBytes, '\0');
  return seal;
}

// Reads the headers of a shared object whose seal has been checked. The object may still be
// malformed: the checks here don't rely on the seal.
class SharedObjectReader {
public:
  explicit SharedObjectReader(std::span<const std::byte> bytes) : bytes(bytes) {}

  // Reads into `layout`. Returns what is wrong, or an empty string.
  std::string read(ImageLayout &layout) {
    if (!copy(header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
      return "it isn't an ELF file";
    }
    const auto *machine =
        std::ranges::find(architectures, header.e_machine, &ArchitectureInfo::elfMachine);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        machine == architectures.end() || header.e_type != ET_DYN ||
        header.e_version != EV_CURRENT) {
      return "it isn't a shared object for x86-64 or aarch64";
    }
    layout.architecture = machine->architecture;
    if (std::string problem = readSegments(layout); !problem.empty()) {
      return problem;
    }
    return readSections(layout);
  }

private:
  bool has(uint64_t offset, uint64_t size) const {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  }
  template <typename T> bool copy(T &to, uint64_t offset) const {
    if (!has(offset, sizeof(T))) {
      return false;
    }
    std::memcpy(&to, bytes.data() + offset, sizeof(T));
    return true;
  }

  std::string readSegments(ImageLayout &layout) const {
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
        !has(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr))) {
      return "its segments are damaged";
    }
    uint64_t end = 0;
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      copy(segment, header.e_phoff + i * sizeof(segment));
      bool fits = segment.p_filesz <= segment.p_memsz && has(segment.p_offset, segment.p_filesz) &&
                  segment.p_vaddr <= maximumAddress && segment.p_memsz <= maximumAddress;
      if (segment.p_type == PT_INTERP) {
        return "it is a program, not a library";
      }
      if ((segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC) && !fits) {
        return "its segments are damaged";
      }
      if (segment.p_type != PT_LOAD) {
        continue;
      }
      bool aligned = segment.p_align != 0 && (segment.p_align & (segment.p_align - 1)) == 0 &&
                     segment.p_vaddr % segment.p_align == segment.p_offset % segment.p_align;
      if (!aligned || segment.p_vaddr < end) {
        return "its segments are damaged";
      }
      end = segment.p_vaddr + segment.p_memsz;
      layout.loaded.push_back({segment.p_vaddr, end});
      if (segment.p_flags & PF_X) {
        // Code must be readable, since the loaded library is compared with the checked file.
        if (!(segment.p_flags & PF_R)) {
          return "its code can't be read";
        }
        layout.code.push_back(
            {{segment.p_vaddr, end}, bytes.subspan(segment.p_offset, segment.p_filesz)});
      }
    }
    return {};
  }

  std::string readSections(ImageLayout &layout) const {
    Elf64_Shdr names;
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
        !has(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)) ||
        !copy(names, header.e_shoff + uint64_t(header.e_shstrndx) * sizeof(names)) ||
        names.sh_type != SHT_STRTAB || !has(names.sh_offset, names.sh_size)) {
      return "its sections are damaged";
    }
    const char *nameText = reinterpret_cast<const char *>(bytes.data()) + names.sh_offset;
    const size_t wanted = std::strlen(imageMetadataSection) + 1;
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      copy(section, header.e_shoff + i * sizeof(section));
      if (section.sh_name >= names.sh_size || names.sh_size - section.sh_name < wanted ||
          std::memcmp(nameText + section.sh_name, imageMetadataSection, wanted) != 0) {
        continue;
      }
      AddressRange range = {section.sh_addr, section.sh_addr + section.sh_size};
      bool loaded = false;
      for (const AddressRange &segment : layout.loaded) {
        loaded |= segment.contains(section.sh_addr, section.sh_size);
      }
      if (section.sh_type != SHT_PROGBITS || !has(section.sh_offset, section.sh_size) || !loaded) {
        return "its section `.drumlin_meta` is damaged";
      }
      layout.metadata = bytes.subspan(section.sh_offset, section.sh_size);
      layout.metadataAddresses = range;
      return {};
    }
    return "it has no section `.drumlin_meta`";
  }

  std::span<const std::byte> bytes;
  Elf64_Ehdr header = {};
};

static bool endsWithSeal(std::span<const std::byte> file, const char (&magic)[8]) {
  return file.size() >= imageSealBytes &&
         std::memcmp(file.data() + file.size() - imageSealBytes, magic, sizeof(magic)) == 0;
}

ImageParts partsOfImage(std::span<const std::byte> file) {
  if (!endsWithSeal(file, sealMagic)) {
    return {file, {}, {}};
  }
  std::span<const std::byte> seal = file.last(imageSealBytes);
  std::span<const std::byte> rest = file.first(file.size() - imageSealBytes);
  uint64_t size = 0;
  for (unsigned i = 0; i < 8; ++i) {
    size |= static_cast<uint64_t>(seal[sizeof(sealMagic) + i]) << (8 * i);
  }
  // If the seal's size is impossible, all bytes before the seal are taken as the object, whose
  // check against the seal then fails.
  return size <= rest.size() ? ImageParts{rest.first(size), rest.subspan(size), seal}
                             : ImageParts{rest, {}, seal};
}

std::optional<std::span<const std::byte>> constantsOf(const ImageParts &parts) {
  if (parts.appended.empty()) {
    return parts.appended;
  }
  size_t filled = (DRUMLIN_ALIGNMENT - parts.object.size() % DRUMLIN_ALIGNMENT) % DRUMLIN_ALIGNMENT;
  if (parts.appended.size() <= filled ||
      !std::ranges::all_of(parts.appended.first(filled),
                           [](std::byte byte) { return byte == std::byte(0); })) {
    return std::nullopt;
  }
  return parts.appended.subspan(filled);
}

Result<ImageLayout> inspectImage(std::span<const std::byte> file, const std::string &location) {
  auto invalid = [&](const std::string &what) {
    return diagnose(errors::ImageInvalid, "not a Drumlin image: " + what, location);
  };
  if (endsWithSeal(file, earlierMagic)) {
    return diagnose(errors::ImageAbiMismatch,
                    "the image was compiled by an earlier version of Drumlin", location);
  }
  if (!endsWithSeal(file, sealMagic)) {
    return invalid("it has no seal at its end, or was cut short");
  }
  ImageParts parts = partsOfImage(file);
  std::optional<std::span<const std::byte>> constants = constantsOf(parts);
  if (!constants ||
      std::memcmp(parts.seal.data(), imageSeal(parts.object).data(), imageSealBytes) != 0) {
    return invalid("its bytes were changed since it was made");
  }
  ImageLayout layout;
  if (std::string problem = SharedObjectReader(parts.object).read(layout); !problem.empty()) {
    return invalid(problem);
  }
  layout.appended = *constants;
  return layout;
}

Status checkAppended(const ImageLayout &layout, const ImageDescription &description,
                     const std::string &location) {
  if (layout.appended.size() == description.appendedBytes) {
    return Done();
  }
  return diagnose(
      errors::ImageInvalid,
      "not a Drumlin image: it should have " + std::to_string(description.appendedBytes) +
          " bytes of constants after its code, but has " + std::to_string(layout.appended.size()),
      location);
}

Result<ImageDescription> readImageDescription(std::span<const std::byte> file,
                                              const std::string &location) {
  Result<ImageLayout> layout = inspectImage(file, location);
  if (!layout) {
    return layout.error();
  }
  Result<ImageDescription> description = parse(layout->metadata, location);
  if (description && !layout->appended.empty()) {
    if (Status status = checkAppended(*layout, *description, location); !status) {
      return status.error();
    }
  }
  return description;
}

Result<ImageDescription> readImageDescription(const std::string &path) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file) {
    return file.error();
  }
  return readImageDescription((*file)->bytes(), path);
}

} // namespace drumlin

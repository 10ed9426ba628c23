#include "drumlin/support/BuildId.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <string_view>

namespace drumlin {

static constexpr std::string_view noteOwner("GNU\0", 4);

static size_t padded(size_t size, size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// Searches the notes of one segment, which are in memory as the linker wrote them.
static std::string findNote(const char *notes, size_t size, size_t alignment) {
  Elf64_Nhdr header;
  while (size >= sizeof(header)) {
    std::memcpy(&header, notes, sizeof(header));
    size_t content = sizeof(header) + padded(header.n_namesz, alignment);
    size_t whole = content + padded(header.n_descsz, alignment);
    if (whole > size) {
      return {};
    }
    if (header.n_type == NT_GNU_BUILD_ID &&
        std::string_view(notes + sizeof(header), header.n_namesz) == noteOwner) {
      std::string text;
      for (size_t i = 0; i < header.n_descsz; ++i) {
        auto byte = static_cast<unsigned char>(notes[content + i]);
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
      }
      return text;
    }
    notes += whole;
    size -= whole;
  }
  return {};
}

static int visitModule(dl_phdr_info *module, size_t, void *result) {
  // A variable whose address is in the same module as this code.
  static const char own = 0;
  auto address = reinterpret_cast<uintptr_t>(&own);
  bool isOwn = false;
  std::string found;
  for (size_t i = 0; i < module->dlpi_phnum; ++i) {
    const auto &segment = module->dlpi_phdr[i];
    uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
    isOwn |= segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz;
    if (segment.p_type == PT_NOTE && found.empty()) {
      found = findNote(reinterpret_cast<const char *>(begin), segment.p_memsz,
                       segment.p_align == 8 ? 8 : 4);
    }
  }
  if (isOwn) {
    *static_cast<std::string *>(result) = found;
  }
  return isOwn;
}

const std::string &buildId() {
  static const std::string id = [] {
    std::string found;
    dl_iterate_phdr(visitModule, &found);
    return found;
  }();
  return id;
}

} // namespace drumlin

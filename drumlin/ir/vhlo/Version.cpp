#include "drumlin/ir/vhlo/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace drumlin::vhlo {

std::string Version::str() const {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::optional<Version> Version::parse(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, '.');
  Version version;
  if (parts.size() != 3) {
    return std::nullopt;
  }
  uint32_t *numbers[] = {&version.major, &version.minor, &version.patch};
  for (auto [part, number] : llvm::zip_equal(parts, numbers)) {
    // Digits are checked first, because `getAsInteger` would accept a sign or a base.
    if (part.empty() || !llvm::all_of(part, llvm::isDigit) || part.getAsInteger(10, *number)) {
      return std::nullopt;
    }
  }
  return version;
}

bool isKnown(Version version) {
  version.patch = 0;
  return VersionRange{oldestVersion, newestVersion}.contains(version);
}

int bytecodeVersion(Version version) {
  if (version < Version{0, 10, 0}) {
    return 0;
  }
  if (version < Version{0, 12, 0}) {
    return 1;
  }
  if (version < Version{0, 14, 0}) {
    return 3;
  }
  return version < Version{0, 15, 0} ? 4 : 6;
}

} // namespace drumlin::vhlo

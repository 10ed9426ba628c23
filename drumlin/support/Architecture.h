// The supported architectures of processors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drumlin {

enum class Architecture : uint8_t { X86_64, Aarch64 };

struct ArchitectureInfo {
  Architecture architecture;
  std::string_view name;
  uint16_t elfMachine; // `e_machine` of the architecture's shared objects (ELF)
};

inline constexpr std::array<ArchitectureInfo, 2> architectures = {{
    {Architecture::X86_64, "x86-64", 62},
    {Architecture::Aarch64, "aarch64", 183},
}};

constexpr std::string_view name(Architecture architecture) {
  return architectures[static_cast<size_t>(architecture)].name;
}

// Returns the architecture of this process, or nothing if it isn't supported.
constexpr std::optional<Architecture> hostArchitecture() {
#if defined(__x86_64__)
  return Architecture::X86_64;
#elif defined(__aarch64__)
  return Architecture::Aarch64;
#else
  return std::nullopt;
#endif
}

} // namespace drumlin

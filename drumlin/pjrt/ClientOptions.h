// The options that a client is made with.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"
#include "drumlin/support/Diagnostics.h"

#include <span>
#include <string>
#include <vector>

namespace drumlin::pjrt {

inline constexpr int64_t maxDevices = 64;

struct ClientOptions {
  // That run programs of one device; 0: its share of the processors, at least one.
  unsigned threads = 0;
  unsigned devices = 1;
  std::vector<std::string> ignored = {}; // options of XLA's clients, by name
};

// Values are of the option's type, or texts that are written as such: JAX passes all that users
// name as texts. CommandLineInvalid for options that are none, with the nearest one, and for values
// that aren't of the type; TooManyThreads.
Result<ClientOptions> readClientOptions(std::span<const NamedValue> values);

// Says on standard error which options mean nothing here, each once in a process.
void noteIgnored(const std::vector<std::string> &names);

} // namespace drumlin::pjrt

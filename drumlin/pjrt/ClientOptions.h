// The options for creating a client.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"
#include "drumlin/support/Diagnostics.h"

#include <span>
#include <string>
#include <vector>

namespace drumlin::pjrt {

inline constexpr int64_t maxDevices = 64;

struct ClientOptions {
  // The number of threads that run the programs of one device; 0: the device's share of the
  // processors, at least one thread.
  unsigned threads = 0;
  unsigned devices = 1;
  std::vector<std::string> ignored = {}; // the names of the given options of XLA's clients
};

// Reads options. Values have the option's type, or are strings that contain such a value, since JAX
// passes users' values as strings. Fails with CommandLineInvalid, which names the nearest option,
// for unknown options and for values of another type; and with TooManyThreads.
Result<ClientOptions> readClientOptions(std::span<const NamedValue> values);

// Prints to standard error which options have no effect here, each only once per process.
void noteIgnored(const std::vector<std::string> &names);

} // namespace drumlin::pjrt

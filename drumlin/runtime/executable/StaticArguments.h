// Static arguments in the layout that the code takes, converted once for all runs of an executable.
#pragma once

#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/runtime/executable/ImageDescription.h"

#include <memory>
#include <mutex>
#include <vector>

namespace drumlin {

// Copies of static arguments. Runs may request arguments concurrently: the first to need a copy
// creates it while other runs that need it wait.
class StaticArguments {
public:
  struct LaidOut {
    const void *from = nullptr; // the pointer that the copy was made from
    std::mutex making;
    AlignedMemory memory; // empty: the copy doesn't exist yet
  };

  // Returns the argument's copy, created if needed. Keeps the copies of the last two pointers; runs
  // share ownership of the copies that they use. Null if memory is short.
  std::shared_ptr<LaidOut> get(size_t number, const ValueDescription &argument, const void *from);
  // Creates a copy for one run only, because later runs may pass other elements at the same
  // pointer.
  static std::shared_ptr<LaidOut> make(const ValueDescription &argument, const void *from);
  // Drops the copies of an argument.
  void forget(size_t number);

private:
  std::shared_ptr<LaidOut> find(size_t number, const void *from);

  std::mutex mutex;
  // By argument, most recently used first; empty for arguments that aren't static.
  std::vector<std::vector<std::shared_ptr<LaidOut>>> kept;
};

} // namespace drumlin

// Static arguments in the order in which code takes them, made once for all runs of an executable.
#pragma once

#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/runtime/executable/ImageDescription.h"

#include <memory>
#include <mutex>
#include <vector>

namespace drumlin {

// Runs may ask for arguments at once: one that nobody has laid out yet is laid out by one of them,
// while the others that need it wait.
class StaticArguments {
public:
  struct LaidOut {
    const void *from = nullptr; // the pointer that it was made from
    std::mutex making;
    AlignedMemory memory; // empty: not made yet
  };

  // Keeps what is made of the last two pointers; a run keeps what it uses. Null where memory is
  // short.
  std::shared_ptr<LaidOut> get(size_t number, const ValueDescription &argument, const void *from);
  // The same for this run alone: its pointers may come again with other elements.
  static std::shared_ptr<LaidOut> make(const ValueDescription &argument, const void *from);
  // Forgets what was made of the argument.
  void forget(size_t number);

private:
  std::shared_ptr<LaidOut> find(size_t number, const void *from);

  std::mutex mutex;
  // By argument, the one used last first; none of arguments that aren't static.
  std::vector<std::vector<std::shared_ptr<LaidOut>>> kept;
};

} // namespace drumlin

// MLIR's contexts between the compilations of a process: making one with its dialects and freeing
// it takes longer than reading and planning a small program.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace drumlin {

// A context of programs' dialects for one compilation. What a program has interned stays in its
// context: one that took in much is freed, and so is one whose compilation said nothing at its end.
class PooledContext {
public:
  PooledContext();
  ~PooledContext();
  PooledContext(const PooledContext &) = delete;
  PooledContext &operator=(const PooledContext &) = delete;

  mlir::MLIRContext &operator*() { return *entry->context; }

  // For another compilation, if this one's program and image had so many bytes; nothing that is of
  // the context may be there when this is destroyed.
  void keep(size_t bytes) { programBytes = bytes; }

private:
  struct Entry {
    std::unique_ptr<mlir::MLIRContext> context;
    size_t bytes = 0; // of all programs that it was for
  };
  class Pool;

  std::unique_ptr<Entry> entry;
  size_t programBytes;
};

} // namespace drumlin

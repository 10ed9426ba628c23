// MLIR contexts reused between the compilations of a process: creating a context with its dialects
// and freeing it takes longer than reading and planning a small program.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace drumlin {

// A context with the programs' dialects, borrowed for one compilation. Everything that a program
// interns stays in the context, so a context is freed if its programs were large, or if keep()
// wasn't called.
class PooledContext {
public:
  PooledContext();
  ~PooledContext();
  PooledContext(const PooledContext &) = delete;
  PooledContext &operator=(const PooledContext &) = delete;

  mlir::MLIRContext &operator*() { return *entry->context; }

  // Keeps the context for another compilation, unless its programs and images have too many bytes
  // in total. No object of the context may exist when this is destroyed.
  void keep(size_t bytes) { programBytes = bytes; }

private:
  struct Entry {
    std::unique_ptr<mlir::MLIRContext> context;
    size_t bytes = 0; // bytes of all programs that the context has compiled
  };
  class Pool;

  std::unique_ptr<Entry> entry;
  size_t programBytes;
};

} // namespace drumlin

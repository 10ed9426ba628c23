#include "CompilerPool.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/support/SystemLimits.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <limits>
#include <mutex>
#include <vector>

namespace drumlin {

// The limit in bytes on the programs and images that a context has compiled. The programs'
// constants are the context's largest attributes.
static constexpr size_t maxBytes = size_t(2) << 20;
// The bytes of names, types, locations and numbers, counted even for the smallest program.
static constexpr size_t bytesOfAny = 16 << 10;
static constexpr size_t unsaid = std::numeric_limits<size_t>::max();

class PooledContext::Pool {
public:
  std::unique_ptr<Entry> take() {
    std::lock_guard<std::mutex> hold(lock);
    if (idle.empty()) {
      return nullptr;
    }
    std::unique_ptr<Entry> taken = std::move(idle.back());
    idle.pop_back();
    return taken;
  }

  void leave(std::unique_ptr<Entry> entry) {
    static const size_t most = std::max(usableProcessors(), 2u);
    std::lock_guard<std::mutex> hold(lock);
    if (idle.size() < most) {
      idle.push_back(std::move(entry));
    }
  }

  // Returns the process's pool, which is never destroyed, since threads may compile until the end.
  static Pool &ofProcess() {
    static Pool &pool = *new Pool;
    return pool;
  }

private:
  std::mutex lock;
  std::vector<std::unique_ptr<Entry>> idle;
};

// Whether the context has resources. These keep the buffers of their source alive, and their names
// would change the names of resources in other programs.
static bool hasResources(mlir::MLIRContext &context) {
  bool any = false;
  auto &manager = mlir::DenseResourceElementsHandle::getManagerInterface(&context);
  manager.getBlobManager().getBlobMap([&](const auto &blobs) { any = !blobs.empty(); });
  return any;
}

PooledContext::PooledContext() : entry(Pool::ofProcess().take()), programBytes(unsaid) {
  if (!entry) {
    entry = std::make_unique<Entry>();
    entry->context = std::make_unique<mlir::MLIRContext>(programDialects(),
                                                         mlir::MLIRContext::Threading::DISABLED);
  }
}

PooledContext::~PooledContext() {
  if (programBytes > maxBytes) {
    return;
  }
  entry->bytes += bytesOfAny + programBytes;
  if (entry->bytes <= maxBytes && !hasResources(*entry->context)) {
    Pool::ofProcess().leave(std::move(entry));
  }
}

} // namespace drumlin

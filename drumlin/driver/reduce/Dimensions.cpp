// Shrinks dimensions.
#include "drumlin/driver/reduce/DimensionClasses.h"
#include "drumlin/driver/reduce/ProgramReductions.h"

using namespace mlir;

namespace drumlin::reduce {

static bool isStatic(ModuleOp module) {
  bool isAllStatic = true;
  module->walk([&](Operation *op) {
    auto isOpen = [](Value value) {
      auto tensor = dyn_cast<RankedTensorType>(value.getType());
      return tensor && (!tensor.hasStaticShape() || tensor.getEncoding());
    };
    isAllStatic &= llvm::none_of(op->getResults(), isOpen);
  });
  return isAllStatic;
}

// Sets all sizes above `size` to `size`. Sizes that depend on other sizes may end up different.
static bool shrinkAll(Search &search, int64_t size) {
  return search.attempt("shrinking dimensions", [&](ModuleOp module) {
    DimensionClasses dimensions(module);
    for (unsigned of : dimensions.classes()) {
      if (dimensions.size(of) > size) {
        dimensions.resize(of, size, /*isFixed=*/false);
      }
    }
    return dimensions.apply(DimensionClasses::Lead::Sizes);
  });
}

static bool shrinkOne(Search &search, unsigned of, int64_t size) {
  return search.attempt("shrinking dimensions", [&](ModuleOp module) {
    DimensionClasses dimensions(module);
    dimensions.resize(of, size, /*isFixed=*/true);
    return dimensions.apply(DimensionClasses::Lead::Sizes);
  });
}

static SmallVector<std::pair<int64_t, unsigned>> classesBySize(ModuleOp module) {
  DimensionClasses dimensions(module);
  SmallVector<std::pair<int64_t, unsigned>> classes;
  for (unsigned of : dimensions.classes()) {
    if (dimensions.size(of) > 1) {
      classes.emplace_back(dimensions.size(of), of);
    }
  }
  llvm::sort(classes, [](auto a, auto b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  return classes;
}

void shrinkDimensions(Search &search) {
  if (!isStatic(search.best())) {
    return;
  }
  for (int64_t size : {1, 2, 3, 4, 8, 16}) {
    if (shrinkAll(search, size)) {
      break;
    }
  }
  int64_t before;
  do {
    before = search.kept();
    for (auto [size, of] : classesBySize(search.best())) {
      for (int64_t to : {int64_t(1), int64_t(2), size / 2, size * 3 / 4, size - 1}) {
        if (to >= 1 && to < size && shrinkOne(search, of, to)) {
          break;
        }
      }
    }
  } while (search.kept() != before && !search.isOver());
}

} // namespace drumlin::reduce

#include "drumlin/ir/sizes/BoundedResults.h"

using namespace mlir;

namespace drumlin {

std::vector<CountedBy> countsOfResults(func::FuncOp entry) {
  auto dimensionsOf = [&](unsigned i) {
    auto list = entry.getResultAttrOfType<DenseI64ArrayAttr>(i, boundedResultAttribute);
    return list ? list.asArrayRef() : ArrayRef<int64_t>();
  };
  int64_t next = entry.getNumResults();
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    next -= static_cast<int64_t>(dimensionsOf(i).size());
  }
  std::vector<CountedBy> made(entry.getNumResults());
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    for (int64_t d : dimensionsOf(i)) {
      auto type = cast<RankedTensorType>(entry.getResultTypes()[i]);
      made[i].resize(static_cast<size_t>(type.getRank()), -1);
      made[i][static_cast<size_t>(d)] = next++;
    }
  }
  return made;
}

} // namespace drumlin

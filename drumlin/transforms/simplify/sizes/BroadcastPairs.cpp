#include "drumlin/transforms/simplify/sizes/BroadcastPairs.h"

#include "drumlin/ir/chlo/ChloOps.h"

using namespace mlir;

namespace drumlin {

SmallVector<Value> broadcastOperands(Operation *op) {
  if (auto select = dyn_cast<chlo::BroadcastSelectOp>(op)) {
    return {select.getOnTrue(), select.getOnFalse(), select.getPred()};
  }
  return op->hasTrait<chlo::Broadcasts>() ? llvm::to_vector(op->getOperands())
                                          : SmallVector<Value>();
}

std::vector<BroadcastPair> broadcastPairs(Operation *op, const std::vector<SizeExpression> &first,
                                          const std::vector<SizeExpression> &second) {
  auto dimensions = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  size_t rank = std::max(first.size(), second.size());
  size_t fewer = std::min(first.size(), second.size());
  // Dimensions of operands of equal rank correspond by number.
  bool isPlaced = dimensions && fewer < rank;
  std::vector<BroadcastPair> pairs;
  for (size_t d = 0; d < fewer; ++d) {
    size_t last = rank - fewer + d;
    size_t place = isPlaced ? static_cast<size_t>(dimensions[static_cast<int64_t>(d)]) : last;
    pairs.push_back({place, first[first.size() == fewer && fewer < rank ? d : place],
                     second[second.size() == fewer && fewer < rank ? d : place]});
  }
  return pairs;
}

} // namespace drumlin

#include "drumlin/ir/stablehlo/ProductRoles.h"

#include "drumlin/ir/stablehlo/DotGeneralOp.h"

using namespace mlir;

namespace drumlin::stablehlo {

static ProductRoles::Operand rolesOf(Value operand, ArrayRef<int64_t> batch,
                                     ArrayRef<int64_t> contracting) {
  ProductRoles::Operand roles;
  roles.batch.append(batch.begin(), batch.end());
  roles.contracting.append(contracting.begin(), contracting.end());
  for (int64_t d = 0; d < cast<RankedTensorType>(operand.getType()).getRank(); ++d) {
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d)) {
      roles.free.push_back(d);
    }
  }
  return roles;
}

ProductRoles::ProductRoles(DotGeneralOp dot) {
  DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
  operands = {rolesOf(dot.getLhs(), numbers.getLhsBatchingDimensions(),
                      numbers.getLhsContractingDimensions()),
              rolesOf(dot.getRhs(), numbers.getRhsBatchingDimensions(),
                      numbers.getRhsContractingDimensions())};
}

SmallVector<int64_t> ProductRoles::batchInResult() const {
  return llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(batchCount())));
}

SmallVector<int64_t> ProductRoles::freeInResult(unsigned operand) const {
  auto first = static_cast<int64_t>(firstFree(operand));
  auto count = static_cast<int64_t>(operands[operand].free.size());
  return llvm::to_vector(llvm::seq(first, first + count));
}

std::optional<size_t> ProductRoles::inResult(unsigned operand, int64_t dimension) const {
  const Operand &roles = operands[operand];
  const auto *batch = llvm::find(roles.batch, dimension);
  if (batch != roles.batch.end()) {
    return batch - roles.batch.begin();
  }
  const auto *free = llvm::find(roles.free, dimension);
  return free == roles.free.end()
             ? std::nullopt
             : std::optional<size_t>(firstFree(operand) +
                                     static_cast<size_t>(free - roles.free.begin()));
}

} // namespace drumlin::stablehlo

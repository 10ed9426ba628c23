// What a product takes with its operands and results in given orders, in the unit of layouts'
// costs.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/gemm/GemmChoice.h"

#include <map>
#include <vector>

namespace drumlin {

class GemmPrices {
public:
  GemmPrices(const CpuTarget &target, Numerics numerics) : target(target), numerics(numerics) {}

  // Bytes of main memory that are read in the predicted time of the cheapest schedule. Equal
  // products are priced once.
  int64_t of(mlir::Operation *dot, const AssumedOrders &orders);

private:
  CpuTarget target;
  Numerics numerics;
  std::map<std::vector<int64_t>, int64_t> known;
};

} // namespace drumlin

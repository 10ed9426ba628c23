// What a product takes with its operands and results in given orders, in the unit of layouts'
// costs.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/gemm/GemmChoice.h"

#include <map>
#include <optional>
#include <vector>

namespace drumlin {

class GemmPrices {
public:
  // Without a target orders cost nothing: on GPUs a product takes as long in any that its library
  // has, to 3 % (benchmarks/device/results).
  GemmPrices(std::optional<CpuTarget> target, Numerics numerics)
      : target(std::move(target)), numerics(numerics) {}

  // Bytes of main memory that are read in the predicted time of the cheapest schedule. Equal
  // products are priced once.
  int64_t of(mlir::Operation *dot, const AssumedOrders &orders);

private:
  std::optional<CpuTarget> target;
  Numerics numerics;
  std::map<std::vector<int64_t>, int64_t> known;
};

} // namespace drumlin

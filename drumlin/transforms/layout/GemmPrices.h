// The cost of a GEMM whose operands and results have given dimension orders, in the unit of layout
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
  // Without a target, no order costs anything. This is the case for GPUs, on which a GEMM takes
  // equally long, within 3 %, in every order that the library supports (benchmarks/device/results).
  GemmPrices(std::optional<CpuTarget> target, Numerics numerics)
      : target(std::move(target)), numerics(numerics) {}

  // Returns the bytes of DRAM that could be read in the predicted time of the cheapest schedule.
  // Equal GEMMs are priced once.
  int64_t of(mlir::Operation *dot, const AssumedOrders &orders);

private:
  std::optional<CpuTarget> target;
  Numerics numerics;
  std::map<std::vector<int64_t>, int64_t> known;
};

} // namespace drumlin

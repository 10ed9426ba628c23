// The predicted time of a library call with the generated kernels around it, and of one generated
// kernel in its place. Both come from the target's rates, as in Roofline.h.
#pragma once

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/transforms/libraries/SplitProduct.h"

#include <string>

namespace drumlin {

struct CallPrice {
  double call = 0;      // seconds of the call alone
  double around = 0;    // seconds of the kernels that prepare operands and process results
  unsigned kernels = 0; // number of the kernels around the call
  double own = 0;       // seconds of one generated kernel for everything, without transposes

  // Returns "hipblasLt: at least 1.16 us and 1.12 us in 1 kernel around it; one kernel of our own
  // 1.16 us"; the name alone if no kernels are around it.
  std::string str(std::string_view library) const;
};

// Returns the price of a kernel that is split into `parts`, or becomes one call if `parts` is null.
CallPrice priceOfCall(plan::GemmOp whole, const ProductParts *parts, const GpuTarget &target);

} // namespace drumlin

// What a library's call takes with the kernels of our own around it, beside one kernel of our own
// in its place: by the target's rates, as in Roofline.h.
#pragma once

#include "drumlin/target/LibraryCall.h"
#include "drumlin/transforms/libraries/SplitProduct.h"

#include <string>

namespace drumlin {

struct CallPrice {
  double call = 0;      // seconds of the call alone
  double around = 0;    // of the kernels that make or transpose its operands, and go on behind it
  unsigned kernels = 0; // how many these are
  double own = 0;       // of one kernel of our own for the whole product, without transposes

  // "hipblasLt: at least 1.16 us and 1.12 us in 1 kernel around it; one kernel of our own 1.16 us";
  // the name alone where there are no kernels around it.
  std::string str(std::string_view library) const;
};

// Of a kernel that becomes a call whole (null `parts`) or in these parts.
CallPrice priceOfCall(plan::GemmOp whole, const ProductParts *parts, const GpuTarget &target);

} // namespace drumlin

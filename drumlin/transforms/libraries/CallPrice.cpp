#include "drumlin/transforms/libraries/CallPrice.h"

#include "drumlin/ir/costs/Roofline.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/transforms/libraries/CopyReasons.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace drumlin {

std::string CallPrice::str(std::string_view library) const {
  std::string text(library);
  if (kernels == 0) {
    return text;
  }
  return text + llvm::formatv(": at least {0:F2} us and {1:F2} us in {2} kernel{3} around it; one "
                              "kernel of our own {4:F2} us",
                              call * 1e6, around * 1e6, kernels, kernels == 1 ? "" : "s", own * 1e6)
                    .str();
}

// Adds the kernels that only transpose a GEMM's results, possibly after a reshape.
static void addTransposesBehind(Value result, llvm::SetVector<Operation *> &kernels) {
  for (Operation *user : result.getUsers()) {
    if (isa<plan::BitcastOp>(user)) {
      addTransposesBehind(user->getResult(0), kernels);
    } else if (transposeOf(user)) {
      kernels.insert(user);
    }
  }
}

CallPrice priceOfCall(plan::GemmOp whole, const ProductParts *parts, const GpuTarget &target) {
  plan::GemmOp product = parts ? parts->product : whole;
  llvm::SetVector<Operation *> around;
  for (Value input : product.getInputs()) {
    Operation *made = input.getDefiningOp();
    // Other GEMMs may read the transposed operand too: each of these GEMMs is charged the full cost
    // of the transpose.
    bool isOfCut = parts && made && !llvm::is_contained(whole.getInputs(), input);
    if (isOfCut || transposeOf(made)) {
      around.insert(made);
    }
  }
  for (Value result : whole.getResults()) {
    addTransposesBehind(result, around);
  }
  if (parts && parts->after) {
    around.insert(parts->after);
  }
  CallPrice price;
  price.call = estimateTime(target, product).seconds();
  price.own = estimateTime(target, whole).seconds();
  price.kernels = around.size();
  for (Operation *kernel : around) {
    price.around += estimateTime(target, kernel).seconds();
  }
  return price;
}

} // namespace drumlin

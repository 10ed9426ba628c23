#include "drumlin/ir/plan/gemm/SmallSchedule.h"

#include "drumlin/ir/sizes/SizeSymbols.h"

using namespace mlir;

namespace drumlin {

std::optional<SmallSchedule> smallScheduleOf(Operation *kernel) {
  auto schedule = kernel->getAttrOfType<plan::GemmScheduleAttr>(smallScheduleAttribute);
  auto size = kernel->getAttrOfType<sizes::SizesAttr>(smallSizeAttribute);
  if (!schedule || !size || size.getSizes().size() != 2) {
    return std::nullopt;
  }
  return SmallSchedule{size.getSizes().front(), size.getSizes().back().constant().value_or(0),
                       schedule};
}

void setSmallSchedule(Operation *kernel, const SmallSchedule &small) {
  kernel->setAttr(smallScheduleAttribute, small.schedule);
  kernel->setAttr(
      smallSizeAttribute,
      sizes::SizesAttr::get(kernel->getContext(), str({small.size, SizeExpression(small.most)})));
}

} // namespace drumlin

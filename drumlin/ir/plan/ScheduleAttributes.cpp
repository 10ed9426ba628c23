#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/plan/OperationClasses.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace drumlin {

template <typename Attr, typename Schedule>
static std::optional<Schedule> scheduleIn(Operation *kernel) {
  auto attribute = kernel->getAttrOfType<Attr>(plan::scheduleAttribute);
  return attribute ? std::optional<Schedule>(attribute.getSchedule()) : std::nullopt;
}

std::optional<GemmSchedule> gemmScheduleOf(Operation *kernel) {
  return scheduleIn<plan::GemmScheduleAttr, GemmSchedule>(kernel);
}
std::optional<LoopSchedule> loopScheduleOf(Operation *kernel) {
  return scheduleIn<plan::LoopScheduleAttr, LoopSchedule>(kernel);
}

void setSchedule(Operation *kernel, const GemmSchedule &schedule) {
  kernel->setAttr(plan::scheduleAttribute,
                  plan::GemmScheduleAttr::get(kernel->getContext(), schedule));
}
void setSchedule(Operation *kernel, const LoopSchedule &schedule) {
  kernel->setAttr(plan::scheduleAttribute,
                  plan::LoopScheduleAttr::get(kernel->getContext(), schedule));
}

namespace plan {

//===- gemm -----------------------------------------------------------------------===//

void GemmScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<" << getSchedule().str() << ">";
}

Attribute GemmScheduleAttr::parse(AsmParser &parser, Type) {
  FailureOr<GemmSchedule> schedule = parseGemmSchedule(parser);
  return succeeded(schedule) ? get(parser.getContext(), *schedule) : Attribute();
}

std::string GemmScheduleAttr::findFault(Operation *kernel) const {
  Operation *hero = contractionOf(kernel->getRegion(0).front());
  return hero ? findScheduleFault(getSchedule(), scheduledProblem(hero, getSchedule()))
              : "its kernel has no dot or convolution";
}

std::optional<GemmCounts> GemmScheduleAttr::countsOf(Operation *kernel) const {
  if (!findFault(kernel).empty()) {
    return std::nullopt;
  }
  Operation *hero = contractionOf(kernel->getRegion(0).front());
  return gemmCounts(getSchedule(), scheduledProblem(hero, getSchedule()));
}

ComputeUnit GemmScheduleAttr::unit() const { return getSchedule().unit; }

//===- loop -----------------------------------------------------------------------===//

void LoopScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<" << getSchedule().str() << ">";
}

Attribute LoopScheduleAttr::parse(AsmParser &parser, Type) {
  FailureOr<LoopSchedule> schedule = parseLoopSchedule(parser);
  return succeeded(schedule) ? get(parser.getContext(), *schedule) : Attribute();
}

std::string LoopScheduleAttr::findFault(Operation *kernel) const {
  return findScheduleFault(getSchedule(), groupRoots(kernel->getRegion(0).front()));
}

} // namespace plan

} // namespace drumlin

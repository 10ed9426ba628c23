#include "drumlin/driver/UserLayouts.h"

#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

namespace drumlin {

static Status check(mlir::Attribute attribute, mlir::Type type, const std::string &what,
                    mlir::Location loc) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!attribute || !tensor) {
    return Done{};
  }
  auto mode = mlir::dyn_cast<mlir::StringAttr>(attribute);
  bool isKnown = mode && (mode.getValue() == "default" || mode.getValue() == "auto" ||
                          parseLayout(mode.getValue(), static_cast<size_t>(tensor.getRank())));
  if (isKnown) {
    return Done{};
  }
  std::string rowMajor = layoutText(rowMajorOrder(static_cast<size_t>(tensor.getRank())));
  return diagnose(errors::UnsupportedAttribute,
                  what + " has the requested layout `" + (mode ? mode.getValue().str() : "") +
                      "`, which isn't an order of its dimensions such as `" + rowMajor + "`",
                  plan::sourceOf(loc), "request an order without tiles, `default` or `auto`");
}

static std::optional<DimensionOrder> askedOrder(mlir::Attribute attribute, mlir::Type type) {
  auto mode = mlir::dyn_cast_or_null<mlir::StringAttr>(attribute);
  auto rank = static_cast<size_t>(mlir::cast<mlir::RankedTensorType>(type).getRank());
  if (mode && mode.getValue() == "auto") {
    return std::nullopt;
  }
  std::optional<DimensionOrder> order = mode ? parseLayout(mode.getValue(), rank) : std::nullopt;
  return order ? order : rowMajorOrder(rank);
}

Status checkUserLayouts(mlir::ModuleOp module) {
  mlir::func::FuncOp main = entryFunction(module);
  for (unsigned number = 0; number < main.getNumResults(); ++number) {
    if (Status status =
            check(main.getResultAttr(number, layoutModeAttribute), main.getResultTypes()[number],
                  "result " + std::to_string(number), main.getLoc());
        !status) {
      return status;
    }
  }
  for (mlir::BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    mlir::Attribute asked = main.getArgAttr(number, layoutModeAttribute);
    if (Status status =
            check(asked, argument.getType(), "argument " + std::to_string(number), main.getLoc());
        !status) {
      return status;
    }
    std::optional<int64_t> donated = donatedTo(argument);
    if (!donated || !mlir::isa<mlir::RankedTensorType>(argument.getType())) {
      continue;
    }
    auto result = static_cast<unsigned>(*donated);
    auto from = askedOrder(asked, argument.getType());
    auto to =
        askedOrder(main.getResultAttr(result, layoutModeAttribute), main.getResultTypes()[result]);
    if (from && to && *from != *to) {
      return diagnose(errors::UnsupportedAttribute,
                      "argument " + std::to_string(number) + " gives its memory to result " +
                          std::to_string(result) + ", which has the requested layout `" +
                          layoutText(*to) + "` instead of `" + layoutText(*from) + "`",
                      plan::sourceOf(main.getLoc()),
                      "request the same layout for both, or don't donate the argument");
    }
  }
  return Done{};
}

} // namespace drumlin

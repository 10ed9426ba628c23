#include "drumlin/driver/UserLayouts.h"

#include "drumlin/import/Import.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Slots.h"

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
  return diagnose(DiagnosticCode::UnsupportedAttribute,
                  what + " is asked for in the layout `" + (mode ? mode.getValue().str() : "") +
                      "`, which is no order of its dimensions such as `" + rowMajor + "`",
                  plan::sourceOf(loc),
                  "ask for an order without tiles, for `default` or for `auto`");
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
      return diagnose(DiagnosticCode::UnsupportedAttribute,
                      "argument " + std::to_string(number) + " gives its memory to result " +
                          std::to_string(result) + ", which is asked for in the layout `" +
                          layoutText(*to) + "` instead of `" + layoutText(*from) + "`",
                      plan::sourceOf(main.getLoc()),
                      "ask for one layout for both, or don't donate the argument");
    }
  }
  return Done{};
}

// `drumlin.static`, alone or as a Boolean, becomes the attribute alone or none.
static Status settleStatic(mlir::func::FuncOp main, mlir::BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  mlir::Attribute attribute = main.getArgAttr(number, staticAttribute);
  auto flag = mlir::dyn_cast_or_null<mlir::BoolAttr>(attribute);
  if (attribute && !flag && !mlir::isa<mlir::UnitAttr>(attribute)) {
    return diagnose(DiagnosticCode::UnsupportedAttribute,
                    "argument " + std::to_string(number) + " has `" + staticAttribute +
                        "`, which is neither true nor false",
                    plan::sourceOf(main.getLoc()),
                    "write the attribute alone, or `true` or `false`");
  }
  if (flag && !flag.getValue()) {
    main.removeArgAttr(number, staticAttribute);
  } else if (flag) {
    main.setArgAttr(number, staticAttribute, mlir::UnitAttr::get(main.getContext()));
  }
  return Done{};
}

Status markStatic(mlir::ModuleOp module, std::span<const int64_t> arguments) {
  mlir::func::FuncOp main = entryFunction(module);
  for (mlir::BlockArgument argument : main.getArguments()) {
    if (Status status = settleStatic(main, argument); !status) {
      return status;
    }
  }
  for (int64_t number : arguments) {
    if (number < 0 || number >= main.getNumArguments()) {
      return diagnose(DiagnosticCode::UnknownArgument,
                      "the program has no argument " + std::to_string(number) + ": it takes " +
                          std::to_string(main.getNumArguments()),
                      "--static-args");
    }
    main.setArgAttr(static_cast<unsigned>(number), staticAttribute,
                    mlir::UnitAttr::get(module.getContext()));
  }
  for (mlir::BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::optional<int64_t> result = donatedTo(argument);
    if (result && main.getArgAttr(number, staticAttribute)) {
      return diagnose(DiagnosticCode::StaticDonated,
                      "argument " + std::to_string(number) +
                          " is the same at every call, and gives its memory to result " +
                          std::to_string(*result) + ", which takes its place",
                      plan::sourceOf(main.getLoc()));
    }
  }
  return Done{};
}

} // namespace drumlin

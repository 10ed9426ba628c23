#include "drumlin/transforms/entry/StaticArguments.h"

#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Slots.h"

namespace drumlin {

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

#include "drumlin/driver/UserLayouts.h"

#include "drumlin/import/Import.h"
#include "drumlin/ir/plan/Origin.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

namespace drumlin {

static constexpr const char *layoutAttribute = "mhlo.layout_mode";

static std::string rowMajor(mlir::Type type) {
  int64_t rank = mlir::cast<mlir::RankedTensorType>(type).getRank();
  std::string text = "{";
  for (int64_t dimension = rank; dimension-- > 0;) {
    text += std::to_string(dimension) + (dimension == 0 ? "" : ",");
  }
  return text + "}";
}

static Status check(mlir::Attribute attribute, mlir::Type type, const std::string &what,
                    mlir::Location loc) {
  auto layout = mlir::dyn_cast_or_null<mlir::StringAttr>(attribute);
  if (!attribute || !mlir::isa<mlir::RankedTensorType>(type)) {
    return Done{};
  }
  std::string asked = layout ? layout.getValue().str() : "";
  llvm::erase(asked, ' ');
  bool isRowMajor = layout && (asked == "default" || asked == "auto" || asked == rowMajor(type));
  if (isRowMajor) {
    return Done{};
  }
  return diagnose(DiagnosticCode::UnsupportedAttribute,
                  what + " is asked for in the layout `" + asked +
                      "`: arguments and results are row-major, `" + rowMajor(type) + "`",
                  plan::sourceOf(loc),
                  "ask for `default` or `auto`, or transpose it in the program");
}

Status checkUserLayouts(mlir::ModuleOp module) {
  mlir::func::FuncOp main = entryFunction(module);
  for (mlir::BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (Status status = check(main.getArgAttr(number, layoutAttribute), argument.getType(),
                              "argument " + std::to_string(number), main.getLoc());
        !status) {
      return status;
    }
  }
  for (unsigned number = 0; number < main.getNumResults(); ++number) {
    if (Status status =
            check(main.getResultAttr(number, layoutAttribute), main.getResultTypes()[number],
                  "result " + std::to_string(number), main.getLoc());
        !status) {
      return status;
    }
  }
  return Done{};
}

} // namespace drumlin

#include "drumlin/ir/plan/LibraryCalls.h"

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/LibraryCallText.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace drumlin::plan {

// Attribute of a plan.gemm: `{reason = "alignment", detail = "…", manual = "…"}`.
static constexpr llvm::StringLiteral ownKernelAttribute = "plan.own_kernel";

static Attribute attributeOf(Builder &builder, const llvm::json::Value &value) {
  if (const llvm::json::Object *object = value.getAsObject()) {
    SmallVector<NamedAttribute> entries;
    for (const auto &[key, each] : *object) {
      entries.push_back(builder.getNamedAttr(key.str(), attributeOf(builder, each)));
    }
    return builder.getDictionaryAttr(entries);
  }
  if (const llvm::json::Array *list = value.getAsArray()) {
    SmallVector<Attribute> elements;
    for (const llvm::json::Value &each : *list) {
      elements.push_back(attributeOf(builder, each));
    }
    return builder.getArrayAttr(elements);
  }
  if (std::optional<bool> flag = value.getAsBoolean()) {
    return builder.getBoolAttr(*flag);
  }
  if (std::optional<int64_t> integer = value.getAsInteger()) {
    return builder.getI64IntegerAttr(*integer);
  }
  if (std::optional<double> number = value.getAsNumber()) {
    return builder.getF64FloatAttr(*number);
  }
  return builder.getStringAttr(value.getAsString().value_or(""));
}

static llvm::json::Value jsonOf(Attribute attribute) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    llvm::json::Object object;
    for (NamedAttribute entry : dictionary) {
      object[validText(entry.getName().getValue())] = jsonOf(entry.getValue());
    }
    return object;
  }
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    return llvm::json::Array(llvm::map_range(list, jsonOf));
  }
  if (auto flag = dyn_cast<BoolAttr>(attribute)) {
    return flag.getValue();
  }
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    std::optional<int64_t> number = integer.getValue().trySExtValue();
    return number ? llvm::json::Value(*number) : llvm::json::Value(nullptr);
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    return number.getValueAsDouble();
  }
  auto text = dyn_cast<StringAttr>(attribute);
  return text ? llvm::json::Value(validText(text.getValue())) : llvm::json::Value(nullptr);
}

DictionaryAttr libraryCallAttr(MLIRContext *context, const LibraryCall &call,
                               const GpuTarget &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream);
  json.object([&] { writeLibraryCall(json, call, target); });
  Builder builder(context);
  return cast<DictionaryAttr>(attributeOf(builder, llvm::cantFail(llvm::json::parse(text))));
}

std::optional<LibraryCall> libraryCallOf(LibraryCallOp op, const GpuTarget &target) {
  llvm::json::Value json = jsonOf(op.getCall());
  return readLibraryCall(*json.getAsObject(), target);
}

void setOwnKernel(GemmOp gemm, const OwnKernelReason &reason) {
  Builder builder(gemm.getContext());
  auto entry = [&](StringRef key, std::string_view value) {
    return builder.getNamedAttr(key, builder.getStringAttr(StringRef(value)));
  };
  gemm->setAttr(
      ownKernelAttribute,
      builder.getDictionaryAttr({entry("reason", info(reason.limit).name),
                                 entry("detail", reason.detail), entry("manual", reason.manual)}));
}

std::optional<OwnKernelReason> ownKernelOf(GemmOp gemm) {
  auto found = gemm->getAttrOfType<DictionaryAttr>(ownKernelAttribute);
  auto text = [&](StringRef key) {
    auto value = found ? found.getAs<StringAttr>(key) : StringAttr();
    return value ? value.str() : std::string();
  };
  for (const LibraryLimitInfo &limit : libraryLimits()) {
    if (limit.name == text("reason")) {
      return OwnKernelReason{limit.limit, text("detail"), text("manual")};
    }
  }
  return std::nullopt;
}

} // namespace drumlin::plan

// Reads the JSON of a planned call back.
#include "CallEmulator.h"

#include "drumlin/driver/LibraryReport.h"
#include "drumlin/target/LibraryTable.h"
#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

namespace drumlin {

namespace {
class CallReader {
public:
  explicit CallReader(const GpuTarget &target) : target(target) {}

  LibraryCall read(const llvm::json::Object &json) {
    LibraryCall call;
    call.library = target.library;
    call.transposesA = json.getString("transa")->ends_with("_T");
    call.transposesB = json.getString("transb")->ends_with("_T");
    call.a = matrix(*json.getObject("A"));
    call.b = matrix(*json.getObject("B"));
    call.c = matrix(*json.getObject("C"));
    call.d = matrix(*json.getObject("D"));
    call.alpha = text(json, "alpha");
    call.beta = text(json, "beta");
    call.alphaOnDevice = json.getString("pointer_mode")->ends_with("DEVICE");
    call.scaleA = scale(json.getObject("scale_A"));
    call.scaleB = scale(json.getObject("scale_B"));
    call.scaleD = scale(json.getObject("scale_D"));
    call.epilogue = epilogue(text(json, "epilogue"));
    if (const llvm::json::Object *bias = json.getObject("bias")) {
      call.bias = LibraryVector{text(*bias, "pointer"), type(text(*bias, "type")),
                                *bias->getInteger("batch_stride")};
    }
    if (const llvm::json::Object *aux = json.getObject("aux")) {
      call.aux = matrix(*aux);
    }
    if (const llvm::json::Array *bounds = json.getArray("bounds")) {
      call.bounds = {*(*bounds)[0].getAsNumber(), *(*bounds)[1].getAsNumber()};
    }
    call.amaxD = json.getString("amax_D").value_or("").str();
    for (const llvm::json::Value &each : *json.getArray("values")) {
      LibraryValue value;
      for (const llvm::json::Value &input : *each.getAsObject()->getArray("inputs")) {
        value.inputs.push_back(static_cast<unsigned>(*input.getAsInteger()));
      }
      value.program = text(*each.getAsObject(), "program");
      call.values.push_back(std::move(value));
    }
    for (const llvm::json::Value &each : *json.getArray("prepared")) {
      call.prepared.push_back(each.getAsString()->str());
    }
    for (const llvm::json::Value &each : *json.getArray("roundings")) {
      call.roundings.push_back(each.getAsString()->str());
    }
    return call;
  }

private:
  static std::string text(const llvm::json::Object &json, llvm::StringRef key) {
    return json.getString(key)->str();
  }

  ElementType type(const std::string &enumerator) {
    for (size_t i = 0; i < elementTypeCount(); ++i) {
      auto each = static_cast<ElementType>(i);
      if (libraryTypeName(target, each) == enumerator) {
        return each;
      }
    }
    ADD_FAILURE() << "no type " << enumerator;
    return ElementType::F32;
  }

  LibraryEpilogue epilogue(const std::string &enumerator) {
#define LIBRARY_EPILOGUE_KIND(Name, activation, hasBias, hasAux)                                   \
  if (epilogueName(target, LibraryEpilogue::Name) == enumerator) {                                 \
    return LibraryEpilogue::Name;                                                                  \
  }
#include "drumlin/target/LibraryEpilogues.def"
    ADD_FAILURE() << "no epilogue " << enumerator;
    return LibraryEpilogue::Default;
  }

  LibraryMatrix matrix(const llvm::json::Object &json) {
    LibraryMatrix made;
    made.pointer = text(json, "pointer");
    made.offsetBytes = *json.getInteger("offset_bytes");
    made.type = type(text(json, "type"));
    made.rows = *json.getInteger("rows");
    made.columns = *json.getInteger("cols");
    made.ld = *json.getInteger("ld");
    made.batchCount = *json.getInteger("batch_count");
    made.batchStride = *json.getInteger("batch_stride");
    return made;
  }

  std::optional<LibraryScale> scale(const llvm::json::Object *json) {
    if (!json) {
      return std::nullopt;
    }
    for (ScaleMode mode : {ScaleMode::Scalar, ScaleMode::OuterVector, ScaleMode::Row128,
                           ScaleMode::Square128, ScaleMode::Mx, ScaleMode::Nvfp4}) {
      const LibraryScaleRow &row = scaleRowOf(target.library, mode);
      if (row.name == text(*json, "mode")) {
        return LibraryScale{mode, text(*json, "pointer"), row.type};
      }
    }
    ADD_FAILURE() << "no scale mode " << text(*json, "mode");
    return std::nullopt;
  }

  const GpuTarget &target;
};
} // namespace

LibraryCall printedCall(const LibraryKernel &kernel, const GpuTarget &target) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(libraryJson({kernel}, target));
  EXPECT_TRUE(bool(json));
  const llvm::json::Array *kernels = json->getAsObject()->getArray("kernels");
  return CallReader(target).read(*kernels->front().getAsObject()->getObject("call"));
}

} // namespace drumlin

#include "drumlin/target/LibraryCallText.h"

#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/LibraryTable.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drumlin {

LibraryNames::LibraryNames(const LibraryCall &call, const GpuTarget &target)
    : call(call), target(target) {
  bool isCublas = call.library == GpuLibrary::CublasLt;
  family = isCublas ? "CUBLASLT_" : "HIPBLASLT_";
  operations = isCublas ? "CUBLAS_OP_" : "HIPBLAS_OP_";
}

std::string_view LibraryNames::function() const {
  return call.library == GpuLibrary::CublasLt ? "cublasLtMatmul" : "hipblasLtMatmul";
}

std::string LibraryNames::type(ElementType type) const {
  return std::string(libraryTypeName(target, type).value_or("?"));
}

std::string LibraryNames::operation(bool transposes) const {
  return operations + (transposes ? "T" : "N");
}

std::string LibraryNames::pointerMode() const {
  return family + (call.alphaOnDevice ? "POINTER_MODE_DEVICE" : "POINTER_MODE_HOST");
}

std::string LibraryNames::epilogue() const {
  return std::string(epilogueName(target, call.epilogue).value_or("?"));
}

std::string LibraryNames::scaleMode(const LibraryScale &scale) const {
  return std::string(scaleRowOf(call.library, scale.mode).name);
}

std::vector<std::pair<const char *, const LibraryMatrix *>> LibraryNames::matrices() const {
  return {{"A", &call.a}, {"B", &call.b}, {"C", &call.c}, {"D", &call.d}};
}

std::vector<std::pair<const char *, const std::optional<LibraryScale> *>>
LibraryNames::scales() const {
  return {{"A", &call.scaleA}, {"B", &call.scaleB}, {"D", &call.scaleD}};
}

static void writeMatrix(JsonStream &json, const LibraryNames &names, const char *key,
                        const LibraryMatrix &matrix) {
  json.attributeObject(key, [&] {
    json.attribute("pointer", matrix.pointer);
    json.attribute("offset_bytes", matrix.offsetBytes);
    json.attribute("type", names.type(matrix.type));
    json.attribute("order", names.order());
    json.attribute("rows", matrix.rows);
    json.attribute("cols", matrix.columns);
    json.attribute("ld", matrix.ld);
    json.attribute("batch_count", matrix.batchCount);
    json.attribute("batch_mode", names.batchMode());
    json.attribute("batch_stride", matrix.batchStride);
  });
}

static void writeVector(JsonStream &json, const LibraryNames &names, const char *key,
                        const std::optional<LibraryVector> &vector) {
  if (!vector) {
    return;
  }
  json.attributeObject(key, [&] {
    json.attribute("pointer", vector->pointer);
    json.attribute("type", names.type(vector->type));
    json.attribute("batch_stride", vector->batchStride);
  });
}

void writeLibraryCall(JsonStream &json, const LibraryCall &call, const GpuTarget &target) {
  LibraryNames names(call, target);
  json.attribute("function", llvm::StringRef(names.function()));
  json.attribute("compute_type", llvm::StringRef(call.computeType));
  json.attribute("scale_type", llvm::StringRef(call.scaleType));
  json.attribute("transa", names.operation(call.transposesA));
  json.attribute("transb", names.operation(call.transposesB));
  for (auto [name, matrix] : names.matrices()) {
    writeMatrix(json, names, name, *matrix);
  }
  json.attribute("alpha", call.alpha);
  json.attribute("beta", call.beta);
  json.attribute("pointer_mode", names.pointerMode());
  for (auto [name, scale] : names.scales()) {
    if (*scale) {
      json.attributeObject(std::string("scale_") + name, [&, &each = **scale] {
        json.attribute("mode", names.scaleMode(each));
        json.attribute("pointer", each.pointer);
      });
    }
  }
  json.attribute("epilogue", names.epilogue());
  writeVector(json, names, "bias", call.bias);
  writeVector(json, names, "bias_gradient", call.biasGradient);
  if (call.aux) {
    writeMatrix(json, names, "aux", *call.aux);
  }
  if (!call.bounds.empty()) {
    json.attributeArray("bounds", [&] {
      // In a clamp with only one bound, the other bound is infinite. JSON can't represent infinity
      // as a number.
      for (double bound : call.bounds) {
        std::isfinite(bound) ? json.value(bound) : json.value(bound < 0 ? "-inf" : "inf");
      }
    });
  }
  if (!call.amaxD.empty()) {
    json.attribute("amax_D", call.amaxD);
  }
  json.attribute("fast_accumulation", call.fastAccumulation);
  json.attribute("workspace_bytes", call.workspaceBytes);
  auto list = [&](const char *key, const std::vector<std::string> &texts) {
    json.attributeArray(key, [&] {
      for (const std::string &each : texts) {
        json.value(each);
      }
    });
  };
  json.attributeArray("values", [&] {
    for (const LibraryValue &value : call.values) {
      json.object([&] {
        json.attributeArray("inputs", [&] {
          for (unsigned input : value.inputs) {
            json.value(input);
          }
        });
        json.attribute("program", value.program);
      });
    }
  });
  list("prepared", call.prepared);
  list("roundings", call.roundings);
}

namespace {
// Reads a call from JSON. `isValid` becomes false at the first missing field or unknown name.
class CallReader {
public:
  explicit CallReader(const GpuTarget &target) : target(target) {}

  std::optional<LibraryCall> read(const llvm::json::Object &json) {
    LibraryCall call;
    call.library = target.library;
    call.workspaceBytes = integer(json, "workspace_bytes");
    readEnumerators(json, call);
    call.a = matrix(json.getObject("A"));
    call.b = matrix(json.getObject("B"));
    call.c = matrix(json.getObject("C"));
    call.d = matrix(json.getObject("D"));
    call.alpha = text(json, "alpha");
    call.beta = text(json, "beta");
    call.scaleA = scale(json.getObject("scale_A"));
    call.scaleB = scale(json.getObject("scale_B"));
    call.scaleD = scale(json.getObject("scale_D"));
    call.bias = vector(json.getObject("bias"));
    call.biasGradient = vector(json.getObject("bias_gradient"));
    if (const llvm::json::Object *aux = json.getObject("aux")) {
      call.aux = matrix(aux);
    }
    call.amaxD = json.getString("amax_D").value_or("").str();
    call.fastAccumulation = json.getBoolean("fast_accumulation").value_or(false);
    forEach(json, "bounds", [&](const llvm::json::Value &each) {
      double infinity = std::numeric_limits<double>::infinity();
      std::optional<double> bound = each.getAsString() == "-inf"  ? -infinity
                                    : each.getAsString() == "inf" ? std::optional(infinity)
                                                                  : each.getAsNumber();
      call.bounds.push_back(bound.value_or(0));
      isValid &= bound.has_value();
    });
    forEach(json, "values",
            [&](const llvm::json::Value &each) { call.values.push_back(value(each)); });
    call.prepared = texts(json, "prepared");
    call.roundings = texts(json, "roundings");
    isValid &= call.bounds.empty() || call.bounds.size() == 2;
    return isValid ? std::optional<LibraryCall>(std::move(call)) : std::nullopt;
  }

private:
  void readEnumerators(const llvm::json::Object &json, LibraryCall &call) {
    for (bool isDevice : {false, true}) {
      call.alphaOnDevice = isDevice;
      if (LibraryNames(call, target).pointerMode() == text(json, "pointer_mode")) {
        break;
      }
    }
    LibraryNames names(call, target);
    isValid &= names.function() == text(json, "function") &&
               names.pointerMode() == text(json, "pointer_mode");
    call.transposesA = text(json, "transa") == names.operation(true);
    call.transposesB = text(json, "transb") == names.operation(true);
    isValid &= names.operation(call.transposesA) == text(json, "transa") &&
               names.operation(call.transposesB) == text(json, "transb");
    std::string compute = text(json, "compute_type"), scales = text(json, "scale_type");
    for (const LibraryProduct &row : libraryProducts()) {
      if (row.compute == compute && row.scale == scales) {
        call.computeType = row.compute;
        call.scaleType = row.scale;
      }
    }
    isValid &= !call.computeType.empty();
    call.epilogue = epilogue(text(json, "epilogue"));
  }

  LibraryEpilogue epilogue(const std::string &enumerator) {
#define LIBRARY_EPILOGUE_KIND(Name, activation, hasBias, hasAux, biasGradient)                     \
  if (epilogueName(target, LibraryEpilogue::Name) == enumerator) {                                 \
    return LibraryEpilogue::Name;                                                                  \
  }
#include "drumlin/target/LibraryEpilogues.def"
    isValid = false;
    return LibraryEpilogue::Default;
  }

  std::string text(const llvm::json::Object &json, llvm::StringRef key) {
    std::optional<llvm::StringRef> found = json.getString(key);
    isValid &= found.has_value();
    return found.value_or("").str();
  }

  int64_t integer(const llvm::json::Object &json, llvm::StringRef key) {
    std::optional<int64_t> found = json.getInteger(key);
    isValid &= found.has_value();
    return found.value_or(0);
  }

  template <typename Function>
  void forEach(const llvm::json::Object &json, llvm::StringRef key, Function function) {
    if (const llvm::json::Array *list = json.getArray(key)) {
      std::for_each(list->begin(), list->end(), function);
    }
  }

  std::vector<std::string> texts(const llvm::json::Object &json, llvm::StringRef key) {
    std::vector<std::string> made;
    forEach(json, key, [&](const llvm::json::Value &each) {
      isValid &= each.getAsString().has_value();
      made.push_back(each.getAsString().value_or("").str());
    });
    return made;
  }

  LibraryValue value(const llvm::json::Value &json) {
    LibraryValue made;
    const llvm::json::Object *object = json.getAsObject();
    if (!object) {
      isValid = false;
      return made;
    }
    forEach(*object, "inputs", [&](const llvm::json::Value &input) {
      isValid &= input.getAsInteger().has_value();
      made.inputs.push_back(static_cast<unsigned>(input.getAsInteger().value_or(0)));
    });
    made.program = text(*object, "program");
    return made;
  }

  ElementType type(const llvm::json::Object &json) {
    std::string enumerator = text(json, "type");
    for (size_t i = 0; i < elementTypeCount(); ++i) {
      auto each = static_cast<ElementType>(i);
      if (libraryTypeName(target, each) == enumerator) {
        return each;
      }
    }
    isValid = false;
    return ElementType::F32;
  }

  LibraryMatrix matrix(const llvm::json::Object *json) {
    LibraryMatrix made;
    if (!json) {
      isValid = false;
      return made;
    }
    made.pointer = text(*json, "pointer");
    made.offsetBytes = integer(*json, "offset_bytes");
    made.type = type(*json);
    made.rows = integer(*json, "rows");
    made.columns = integer(*json, "cols");
    made.ld = integer(*json, "ld");
    made.batchCount = integer(*json, "batch_count");
    made.batchStride = integer(*json, "batch_stride");
    return made;
  }

  std::optional<LibraryVector> vector(const llvm::json::Object *json) {
    return json ? std::optional(LibraryVector{text(*json, "pointer"), type(*json),
                                              integer(*json, "batch_stride")})
                : std::nullopt;
  }

  std::optional<LibraryScale> scale(const llvm::json::Object *json) {
    if (!json) {
      return std::nullopt;
    }
    std::string mode = text(*json, "mode");
    for (ScaleMode each : {ScaleMode::Scalar, ScaleMode::OuterVector, ScaleMode::Row128,
                           ScaleMode::Square128, ScaleMode::Mx, ScaleMode::Nvfp4}) {
      const LibraryScaleRow &row = scaleRowOf(target.library, each);
      if (row.name == mode) {
        return LibraryScale{each, text(*json, "pointer"), row.type};
      }
    }
    isValid = false;
    return std::nullopt;
  }

  const GpuTarget &target;
  bool isValid = true;
};
} // namespace

std::optional<LibraryCall> readLibraryCall(const llvm::json::Object &json,
                                           const GpuTarget &target) {
  return CallReader(target).read(json);
}

} // namespace drumlin

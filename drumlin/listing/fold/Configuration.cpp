#include "drumlin/listing/fold/Configuration.h"

#include "drumlin/listing/JsonText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace drumlin::listing {

namespace {
struct Choice {
  llvm::StringRef field;
  llvm::json::Value none;
};
} // namespace

// Whether XLA writes the value by default, although it isn't protobuf's default.
// Source: XLA's `GemmBackendConfig`, `CudnnConvBackendConfig` and `PrecisionConfig`.
static bool isNoChoice(llvm::StringRef field, const llvm::json::Value &value) {
  static const Choice choices[] = {
      {"activation_mode", "kNone"}, {"algorithm", "ALG_UNSET"}, {"alpha_real", 1},
      {"conv_result_scale", 1},     {"epilogue", "DEFAULT"},
  };
  if (field == "operand_precision") {
    const llvm::json::Array *precisions = value.getAsArray();
    return precisions &&
           std::all_of(precisions->begin(), precisions->end(), [](const llvm::json::Value &each) {
             return each == llvm::json::Value("DEFAULT");
           });
  }
  return std::any_of(std::begin(choices), std::end(choices), [&](const Choice &choice) {
    std::optional<double> number = value.getAsNumber(), none = choice.none.getAsNumber();
    return field == choice.field && (value == choice.none || (number && number == none));
  });
}

// Whether the value is protobuf's default, which protobuf only writes for fields with presence.
static bool isProtobufDefault(llvm::StringRef field, const llvm::json::Value &value) {
  if (field == "selected_algorithm" || field == "algo_id") {
    return false; // 0 is a valid algorithm
  }
  if (const llvm::json::Object *object = value.getAsObject()) {
    return object->empty();
  }
  if (const llvm::json::Array *array = value.getAsArray()) {
    return array->empty();
  }
  if (std::optional<llvm::StringRef> text = value.getAsString()) {
    return text->empty() || *text == "0"; // protobuf writes 64-bit numbers as strings
  }
  return value.getAsNull() || value.getAsBoolean() == false || value.getAsNumber() == 0.0;
}

static bool isKnown(llvm::StringRef field, const llvm::json::Value &value,
                    const std::vector<KnownField> &known) {
  return std::any_of(known.begin(), known.end(), [&](const KnownField &each) {
    if (field != llvm::StringRef(each.name) || !each.number) {
      return field == llvm::StringRef(each.name);
    }
    std::optional<llvm::StringRef> text = value.getAsString(); // 64-bit numbers in protobuf's JSON
    return text ? *text == std::to_string(*each.number) : value.getAsInteger() == *each.number;
  });
}

// Removes known and default fields from an object. maxJsonDepth limits the recursion's depth.
static void shorten(llvm::json::Object &object, const std::vector<KnownField> &known) {
  std::vector<std::string> dropped;
  for (auto &[key, value] : object) {
    llvm::StringRef field = key;
    if (llvm::json::Object *inner = value.getAsObject()) {
      shorten(*inner, known);
    }
    if (isKnown(field, value, known) || isNoChoice(field, value) ||
        isProtobufDefault(field, value)) {
      dropped.push_back(field.str());
    }
  }
  for (const std::string &field : dropped) {
    object.erase(field);
  }
}

std::string shortConfiguration(std::string_view json, const std::vector<KnownField> &known) {
  if (!isJsonBlock(json)) {
    return std::string(json);
  }
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(json));
  llvm::json::Object *object = value.getAsObject();
  if (!object) {
    return std::string(json);
  }
  shorten(*object, known);
  if (object->empty()) {
    return {};
  }
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

} // namespace drumlin::listing

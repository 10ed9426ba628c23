#include "drumlin/hlo/library/CallConfiguration.h"

#include "drumlin/support/JsonDepth.h"

#include <utility>

namespace drumlin::hlo {

std::optional<llvm::json::Object> readCallConfiguration(std::string_view text,
                                                        std::string_view name) {
  if (jsonDepth(text) > maxJsonDepth) {
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  llvm::json::Object *whole = parsed->getAsObject();
  llvm::json::Object *part = whole ? whole->getObject(name) : nullptr;
  return part ? std::optional(std::move(*part)) : std::nullopt;
}

} // namespace drumlin::hlo

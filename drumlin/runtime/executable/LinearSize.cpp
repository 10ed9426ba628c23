#include "drumlin/runtime/executable/LinearSize.h"

namespace drumlin {

std::optional<LinearSize> asLinear(const SizeExpression &size) {
  std::vector<std::string> symbols = size.symbols();
  if (symbols.size() != 1 || size.terms().empty()) {
    return std::nullopt;
  }
  LinearSize made = {symbols.front(), size.terms().front().coefficient, 0};
  SizeExpression rest = size - SizeExpression::symbol(made.symbol) * made.times;
  std::optional<int64_t> more = rest.constant();
  if (!more) {
    return std::nullopt;
  }
  made.more = *more;
  return made;
}

} // namespace drumlin

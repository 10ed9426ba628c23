#include "drumlin/interpreter/InterpreterTable.h"

#include <algorithm>

namespace drumlin {

void InterpreterTable::add(llvm::StringRef operationName, OperationHandler handler) {
  handlers[operationName] = std::move(handler);
}

const OperationHandler *InterpreterTable::find(llvm::StringRef operationName) const {
  auto found = handlers.find(operationName);
  return found == handlers.end() ? nullptr : &found->second;
}

std::vector<std::string> InterpreterTable::names() const {
  std::vector<std::string> names;
  for (llvm::StringRef name : handlers.keys()) {
    names.push_back(name.str());
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace drumlin

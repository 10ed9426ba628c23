#include "drumlin/ir/plan/Entry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin {

func::FuncOp entryFunction(ModuleOp module) {
  if (auto main = module.lookupSymbol<func::FuncOp>("main")) {
    return main;
  }
  auto functions = module.getOps<func::FuncOp>();
  return llvm::hasSingleElement(functions) ? *functions.begin() : func::FuncOp();
}

unsigned programNumber(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto given = function ? function.getArgAttrOfType<IntegerAttr>(number, programNumberAttribute)
                        : IntegerAttr();
  return given ? static_cast<unsigned>(given.getInt()) : number;
}

std::string argumentName(BlockArgument argument) {
  std::string name;
  argument.getLoc()->walk([&](Location nested) {
    if (auto named = dyn_cast<NameLoc>(nested)) {
      name = named.getName().str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return name.empty() ? "arg" + std::to_string(argument.getArgNumber()) : name;
}

std::string dottedName(llvm::StringRef name) {
  std::string text;
  for (char c : name) {
    if (c == '[' || c == '.') {
      text += text.empty() ? "" : ".";
    } else if (c != ']' && c != '\'' && c != '"') {
      text += c;
    }
  }
  return text;
}

std::vector<std::string> namesOfArgument(BlockArgument argument) {
  std::string name = argumentName(argument);
  return {name, dottedName(name), "in" + std::to_string(argument.getArgNumber())};
}

// Whether an option that lists static arguments interprets the text as a name rather than as a
// number, a range or a pattern.
static bool isWord(StringRef name) {
  return !name.empty() && (llvm::isAlpha(name.front()) || name.front() == '_') &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

ArgumentText argumentText(BlockArgument argument) {
  std::string name = dottedName(argumentName(argument));
  // `arg3` is the default name of an unnamed argument.
  StringRef rest = name;
  unsigned counted = 0;
  bool isNumbered = rest.consume_front("arg") && !rest.getAsInteger(10, counted);
  bool isOwn = isWord(name) && !isNumbered &&
               llvm::count_if(argument.getOwner()->getArguments(), [&](BlockArgument each) {
                 return dottedName(argumentName(each)) == name;
               }) == 1;
  if (isOwn) {
    return {name, "argument `" + name + "`"};
  }
  std::string number = std::to_string(programNumber(argument));
  return {number, "argument " + number};
}

} // namespace drumlin

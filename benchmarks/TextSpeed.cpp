// Reads, verifies and prints a program once for each line of standard input. Prints the three times
// in seconds as JSON. `./dev bench text` compares them with the times of jaxlib's bindings.
#include "drumlin/export/Export.h"
#include "drumlin/import/Import.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <iostream>

using namespace drumlin;

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main(int count, char **arguments) {
  if (count != 2) {
    llvm::errs() << "one argument: a program\n";
    return 2;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    ImportLimits limits;
    limits.nativeTypesOnly = false;
    limits.convertedOnly = true;
    auto start = std::chrono::steady_clock::now();
    auto module = importFile(arguments[1], context, limits);
    double read = secondsSince(start);
    if (!module) {
      llvm::errs() << module.error().str() << '\n';
      return 1;
    }
    start = std::chrono::steady_clock::now();
    bool valid = succeeded(mlir::verify(**module));
    double verify = secondsSince(start);
    start = std::chrono::steady_clock::now();
    Result<std::string> text = exportProgram(**module, {ProgramFormat::Text, {}});
    double print = secondsSince(start);
    if (!valid || !text) {
      return 1;
    }
    std::cout << "{\"read\": " << read << ", \"verify\": " << verify << ", \"print\": " << print
              << ", \"bytes\": " << text->size() << "}" << std::endl;
  }
  return 0;
}

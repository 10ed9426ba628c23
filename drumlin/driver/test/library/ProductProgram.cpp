#include "ProductProgram.h"

#include "drumlin/support/MappedFile.h"
#include "drumlin/target/TargetNames.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace drumlin {

std::string textOf(const ProductProgram &each, const std::string &narrow) {
  std::string front = each.front;
  bool isGiven = front.empty();
  std::string type = isGiven ? narrow : "f32";
  std::string text = "func.func @main(%x: tensor<64x128x" + type + ">, %w: tensor<128x96x" + type +
                     ">" + each.arguments + ") -> (";
  std::string results = each.results, types;
  types = results.substr(results.find(" : ") + 3);
  text += types + ") {\n" + front;
  std::string a = isGiven ? "%x" : "%a", b = isGiven ? "%w" : "%b";
  text += "  %d = stablehlo.dot_general " + a + ", " + b +
          ", contracting_dims = [1] x [0] : (tensor<64x128x" + narrow + ">, tensor<128x96x" +
          narrow + ">) -> tensor<64x96xf32>\n" + each.behind + "  return " + results + "\n}\n";
  for (size_t at; (at = text.find("FP8")) != std::string::npos;) {
    text.replace(at, 3, narrow);
  }
  return text;
}

std::map<std::string, std::string> programsIn(const std::string &folder) {
  std::map<std::string, std::string> programs;
  for (const auto &file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".mlir") {
      Result<std::shared_ptr<MappedFile>> mapped = MappedFile::open(file.path());
      EXPECT_TRUE(mapped) << file.path();
      programs[file.path().stem()] = mapped ? std::string((*mapped)->text()) : "";
    }
  }
  return programs;
}

PlannedProgram::PlannedProgram(const std::string &text, const GpuTarget &target) : program(text) {
  EXPECT_TRUE(program.module) << text;
  CompileOptions options;
  options.stopAfter = "select";
  options.target = *targetFromName(target.name);
  Status status = program.run(options);
  EXPECT_TRUE(status) << status.error().str();
  kernels = libraryKernels(*program.module, target);
}

std::string PlannedProgram::reasons() const {
  std::string text;
  for (const LibraryKernel &kernel : kernels) {
    if (!kernel.call) {
      text += std::string(info(kernel.own.limit).name) + " (" + kernel.own.detail + ") ";
    }
  }
  return text;
}

} // namespace drumlin

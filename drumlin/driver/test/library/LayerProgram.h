// Programs of one dot with operations around it, and the calls planned for them.
#pragma once

#include "../TestProgram.h"
#include "CallEmulator.h"

#include "drumlin/driver/LibraryReport.h"

#include <gtest/gtest.h>

namespace drumlin {

inline LibraryKernel planned(const std::string &text, std::string_view target,
                             const std::vector<int64_t> &statics = {}) {
  TestProgram program(text);
  EXPECT_TRUE(program.module) << text;
  // Kernels aren't split here; SplitProductsTest.cpp tests splitting.
  CompileOptions options;
  options.disabledPasses = {"split-product"};
  for (int64_t number : statics) {
    options.staticArguments.push_back(std::to_string(number));
  }
  Result<std::vector<LibraryKernel>> kernels =
      libraryPlan(*program.module, *findGpuTarget(target), options);
  if (!kernels || kernels->size() != 1) {
    ADD_FAILURE() << (kernels ? "not one product" : kernels.error().str()) << "\n" << text;
    return {};
  }
  // Every call that is tested must give the program's results.
  if (kernels->front().call) {
    SCOPED_TRACE(text);
    holdsToTheProgram(program, *findGpuTarget(target), text, {1e-2});
  }
  return kernels->front();
}

inline LibraryCall callOf(const std::string &text, std::string_view target,
                          const std::vector<int64_t> &statics = {}) {
  LibraryKernel kernel = planned(text, target, statics);
  EXPECT_TRUE(kernel.call) << info(kernel.own.limit).name << ": " << kernel.own.detail << "\n"
                           << text;
  return kernel.call.value_or(LibraryCall());
}

// A dot of [64, 256] by [128, 256] (or its transpose), with operations before and after.
struct Layer {
  std::string lhs = "f8E4M3FN", rhs = "f8E4M3FN";
  std::string arguments; // additional arguments
  // `front` computes %a and %b from %x and %w; `behind` computes %r from %s.
  std::string front, behind;
  std::string result = "f32"; // the type of %r
  bool isCanonical = false;   // %w is [256, 128] instead of [128, 256]

  std::string text() const {
    std::string w = isCanonical ? "256x128" : "128x256";
    std::string text = "func.func @main(%x: tensor<64x256x" + lhs + ">, %w: tensor<" + w + "x" +
                       rhs + ">" + arguments + ") -> tensor<64x128x" + result + "> {\n";
    text += front.empty() ? "%a = stablehlo.convert %x : (tensor<64x256x" + lhs +
                                ">) -> tensor<64x256xf32>\n%b = stablehlo.convert %w : (tensor<" +
                                w + "x" + rhs + ">) -> tensor<" + w + "xf32>\n"
                          : front;
    text += "%s = stablehlo.dot_general %a, %b, contracting_dims = [1] x [" +
            std::string(isCanonical ? "0" : "1") + "] : (tensor<64x256xf32>, tensor<" + w +
            "xf32>) -> tensor<64x128xf32>\n";
    text += behind.empty() ? "%r = stablehlo.convert %s : (tensor<64x128xf32>) -> tensor<64x128x" +
                                 result + ">\n"
                           : behind;
    return text + "return %r : tensor<64x128x" + result + ">\n}\n";
  }
};

inline std::string front(const std::string &after, const std::string &type = "f8E4M3FN") {
  return "%x0 = stablehlo.convert %x : (tensor<64x256x" + type +
         ">) -> tensor<64x256xf32>\n%b = stablehlo.convert %w : (tensor<128x256x" + type +
         ">) -> tensor<128x256xf32>\n" + after;
}

inline std::string behind(const std::string &operations, const std::string &arguments = "",
                          const std::string &result = "f32") {
  Layer layer;
  layer.arguments = arguments;
  layer.behind = operations;
  layer.result = result;
  return layer.text();
}

// Returns a program with two results: the dot's result, and a second one.
inline std::string twoResults(const std::string &operations, const std::string &second) {
  std::string text = behind(operations, ", %y: tensor<f32>");
  text.replace(text.find("-> tensor<64x128xf32> {"), 23,
               "-> (tensor<64x128xf32>, " + second + ") {");
  text.replace(text.find("return %r : tensor<64x128xf32>"), 30,
               "return %r, %q : tensor<64x128xf32>, " + second);
  return text;
}

} // namespace drumlin

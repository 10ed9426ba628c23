// Tests transposes around calls: layouts avoid some of them, and each remaining transpose has a
// reason.
#include "../TestProgram.h"
#include "CallEmulator.h"

#include "drumlin/driver/LibraryReport.h"

#include <gtest/gtest.h>

namespace drumlin {

// Plans the program. Expects that all dots are calls, and that the plan gives the program's
// results.
static std::vector<LibraryKernel> callsOf(const std::string &text, std::string_view target,
                                          size_t count = 1) {
  SCOPED_TRACE(text);
  TestProgram program(text);
  EXPECT_TRUE(program.module);
  Result<std::vector<LibraryKernel>> kernels =
      libraryPlan(*program.module, *findGpuTarget(target), CompileOptions());
  if (!kernels || kernels->size() != count) {
    ADD_FAILURE() << (kernels ? "another number of products" : kernels.error().str());
    return std::vector<LibraryKernel>(count);
  }
  for (const LibraryKernel &kernel : *kernels) {
    EXPECT_TRUE(kernel.call) << kernel.own.detail;
  }
  holdsToTheProgram(program, *findGpuTarget(target), text, {1e-2});
  return *kernels;
}

static void expectText(const std::vector<std::string> &lines, const std::string &part) {
  for (const std::string &line : lines) {
    if (line.find(part) != std::string::npos) {
      return;
    }
  }
  std::string all;
  for (const std::string &line : lines) {
    all += line + "\n";
  }
  ADD_FAILURE() << "no `" << part << "` in\n" << all;
}

static std::string product(const std::string &lhs, const std::string &rhs,
                           const std::string &dimensions, const std::string &result) {
  return "func.func @main(%x: tensor<" + lhs + ">, %y: tensor<" + rhs + ">) -> tensor<" + result +
         "> {\n  %r = stablehlo.dot_general %x, %y, " + dimensions + " : (tensor<" + lhs +
         ">, tensor<" + rhs + ">) -> tensor<" + result + ">\n  return %r : tensor<" + result +
         ">\n}\n";
}

TEST(CopyReasonsTest, EachReasonOfATranspose) {
  // Two batch dimensions that aren't adjacent, as in attention.
  LibraryKernel batch =
      callsOf(product("2x3x48x16xbf16", "2x64x3x16xbf16",
                      "batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [3]",
                      "2x3x48x64xf32"),
              "sm_90")
          .front();
  expectText(batch.inputs, "argument 1, transposed before each call: 12288 bytes; its batch "
                           "dimensions have no common stride, but the library takes only one");
  LibraryKernel contracted = callsOf(product("8x64x16xbf16", "8x16x32xbf16",
                                             "contracting_dims = [0, 2] x [0, 1]", "64x32xf32"),
                                     "sm_90")
                                 .front();
  expectText(contracted.inputs, "argument 0, transposed before each call: 16384 bytes; its "
                                "contracting dimensions have no common stride");
  LibraryKernel free =
      callsOf(product("4x32x8xbf16", "32x16xbf16", "contracting_dims = [1] x [0]", "4x8x16xf32"),
              "gfx950")
          .front();
  expectText(free.inputs, "argument 0, transposed before each call: 2048 bytes; its free "
                          "dimensions have no common stride");
  LibraryKernel rows = callsOf(product("64x128xf8E4M3FN", "128x96xf8E4M3FN",
                                       "contracting_dims = [1] x [0]", "64x96xf32"),
                               "sm_90")
                           .front();
  expectText(rows.inputs, "argument 1, transposed before each call: 12288 bytes; the library takes "
                          "such operands with the contracting dimension contiguous only (");
  LibraryKernel neither =
      callsOf(product("64x32x8xbf16", "8x32x16xbf16",
                      "batching_dims = [2] x [0], contracting_dims = [1] x [1]", "8x64x16xf32"),
              "sm_90")
          .front();
  expectText(neither.inputs, "argument 0, transposed before each call: 32768 bytes; neither its "
                             "free nor its contracting dimension is contiguous");
}

TEST(CopyReasonsTest, BehindTheCall) {
  LibraryKernel kernel = callsOf(R"(
func.func @main(%x: tensor<96x64xf16>, %w: tensor<128x96xf16>) -> tensor<8x8x128xf16> {
  %d = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<128x96xf16>, tensor<96x64xf16>) -> tensor<128x64xf16>
  %n = stablehlo.reshape %d : (tensor<128x64xf16>) -> tensor<128x8x8xf16>
  %r = stablehlo.transpose %n, dims = [2, 1, 0] : (tensor<128x8x8xf16>) -> tensor<8x8x128xf16>
  return %r : tensor<8x8x128xf16>
})",
                                 "gfx942")
                             .front();
  expectText(kernel.outputs, "transposed after each call: 16384 bytes; the caller needs it in "
                             "another order");
}

// The results of all heads are written contiguously for each token, so that the projection reads
// them as one matrix. No transpose is needed between the two.
TEST(CopyReasonsTest, HeadsAreWrittenAsTheProjectionReadsThem) {
  std::string text = R"(
func.func @main(%p: tensor<8x64x64xbf16>, %v: tensor<64x8x32xbf16>, %w: tensor<256x128xbf16>) -> tensor<64x128xbf16> {
  %a = stablehlo.dot_general %p, %v, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<8x64x64xbf16>, tensor<64x8x32xbf16>) -> tensor<8x64x32xbf16>
  %t = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<8x64x32xbf16>) -> tensor<64x8x32xbf16>
  %f = stablehlo.reshape %t : (tensor<64x8x32xbf16>) -> tensor<64x256xbf16>
  %r = stablehlo.dot_general %f, %w, contracting_dims = [1] x [0] : (tensor<64x256xbf16>, tensor<256x128xbf16>) -> tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
})";
  for (const char *target : {"sm_80", "sm_90", "sm_100", "gfx942", "gfx950"}) {
    SCOPED_TRACE(target);
    if (!findGpuTarget(target)) {
      continue;
    }
    for (const LibraryKernel &kernel : callsOf(text, target, 2)) {
      for (const std::vector<std::string> *lines : {&kernel.inputs, &kernel.outputs}) {
        for (const std::string &line : *lines) {
          EXPECT_EQ(line.find("transposed"), std::string::npos) << line;
          EXPECT_EQ(line.find("kernel of our own"), std::string::npos) << line;
        }
      }
    }
  }
}

} // namespace drumlin

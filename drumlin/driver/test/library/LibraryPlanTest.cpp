// Tests calls in detail: the value of each argument for a program.
#include "LayerProgram.h"

#include "drumlin/target/LibraryCheck.h"

#include <gtest/gtest.h>
#include <set>

namespace drumlin {

TEST(LibraryPlanTest, MatricesAreColumnMajorAndSwapped) {
  LibraryCall call = callOf(Layer().text(), "sm_90");
  EXPECT_EQ(call.computeType, "CUBLAS_COMPUTE_32F");
  EXPECT_EQ(call.scaleType, "CUDA_R_32F");
  EXPECT_TRUE(call.transposesA);
  EXPECT_FALSE(call.transposesB);
  EXPECT_EQ(call.a.pointer, "input 1");
  EXPECT_EQ(call.b.pointer, "input 0");
  EXPECT_EQ(call.a.rows, 256);
  EXPECT_EQ(call.a.columns, 128);
  EXPECT_EQ(call.a.ld, 256);
  EXPECT_EQ(call.d.rows, 128);
  EXPECT_EQ(call.d.columns, 64);
  EXPECT_EQ(call.d.ld, 128);
  EXPECT_EQ(call.workspaceBytes, 32 << 20);
  EXPECT_EQ(callOf(Layer().text(), "sm_89").workspaceBytes, 4 << 20);
  EXPECT_FALSE(call.fastAccumulation);
}

TEST(LibraryPlanTest, CanonicalOperandsNeedTnOnHopperOnly) {
  Layer layer;
  layer.isCanonical = true;
  for (const char *target : {"sm_89", "sm_90"}) {
    LibraryKernel turned = planned(layer.text(), target);
    ASSERT_TRUE(turned.call) << turned.own.detail;
    EXPECT_TRUE(turned.call->transposesA);
    EXPECT_NE(turned.inputs[1].find("argument 1, transposed before each call: 32768 bytes"),
              std::string::npos)
        << turned.inputs[1];
  }
  EXPECT_FALSE(callOf(layer.text(), "sm_100").transposesA);
  EXPECT_FALSE(callOf(layer.text(), "gfx950").transposesA);
  // A static argument is transposed only once.
  LibraryKernel kernel = planned(layer.text(), "sm_90", {1});
  ASSERT_TRUE(kernel.call) << kernel.own.detail;
  const LibraryCall &call = *kernel.call;
  EXPECT_TRUE(call.transposesA);
  EXPECT_EQ(call.a.rows, 256);
  EXPECT_EQ(call.a.ld, 256);
  EXPECT_NE(kernel.inputs[1].find("in the layout {0,1}, transposed once"), std::string::npos)
      << kernel.inputs[1];
}

TEST(LibraryPlanTest, ASubmatrixHasAnOffsetAndALeadingDimension) {
  std::string text = R"(
func.func @main(%x: tensor<64x512xbf16>, %w: tensor<3x128x256xbf16>) -> tensor<64x128xbf16> {
  %a = stablehlo.slice %x [0:64, 256:512] : (tensor<64x512xbf16>) -> tensor<64x256xbf16>
  %0 = stablehlo.slice %w [1:2, 0:128, 0:256] : (tensor<3x128x256xbf16>) -> tensor<1x128x256xbf16>
  %b = stablehlo.reshape %0 : (tensor<1x128x256xbf16>) -> tensor<128x256xbf16>
  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<64x256xbf16>, tensor<128x256xbf16>) -> tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
})";
  LibraryCall call = callOf(text, "sm_90");
  EXPECT_EQ(call.b.offsetBytes, 512);
  EXPECT_EQ(call.b.ld, 512);
  EXPECT_EQ(call.a.offsetBytes, 128 * 256 * 2);
  EXPECT_EQ(call.a.ld, 256);
}

TEST(LibraryPlanTest, HeadsAreABatchOfStridedMatrices) {
  // For each head, the dot of queries [tokens, heads, features] and keys [positions, heads,
  // features].
  std::string text = R"(
func.func @main(%q: tensor<32x8x64xbf16>, %k: tensor<48x8x64xbf16>) -> tensor<8x32x48xf32> {
  %r = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<32x8x64xbf16>, tensor<48x8x64xbf16>) -> tensor<8x32x48xf32>
  return %r : tensor<8x32x48xf32>
})";
  LibraryCall call = callOf(text, "sm_90");
  EXPECT_EQ(call.d.batchCount, 8);
  EXPECT_EQ(call.d.batchStride, 32 * 48);
  EXPECT_EQ(call.a.batchStride, 64);
  EXPECT_EQ(call.a.ld, 512);
  EXPECT_EQ(call.b.ld, 512);
}

TEST(LibraryPlanTest, ScalesByRowBlockAndFormat) {
  auto blocks = [](const std::string &type, int depth, const std::string &scale) {
    std::string count = std::to_string(256 / depth), size = std::to_string(depth);
    std::string blocked = "tensor<64x" + count + "x" + size + "xf32>";
    Layer layer;
    layer.lhs = layer.rhs = type;
    layer.arguments = ", %c: tensor<64x" + count + "x" + scale + ">";
    layer.front =
        front("%c0 = stablehlo.convert %c : (tensor<64x" + count + "x" + scale +
                  ">) -> tensor<64x" + count + "xf32>\n" +
                  "%c1 = stablehlo.broadcast_in_dim %c0, dims = [0, 1] : (tensor<64x" + count +
                  "xf32>) -> " + blocked + "\n" +
                  "%x1 = stablehlo.reshape %x0 : (tensor<64x256xf32>) -> " + blocked + "\n" +
                  "%x2 = stablehlo.multiply %x1, %c1 : " + blocked + "\n" +
                  "%a = stablehlo.reshape %x2 : (" + blocked + ") -> tensor<64x256xf32>\n",
              type);
    return layer.text();
  };
  LibraryCall call = callOf(blocks("f8E4M3FN", 128, "f32"), "sm_90");
  ASSERT_TRUE(call.scaleA && call.scaleB);
  EXPECT_EQ(call.scaleB->mode, ScaleMode::Row128);
  // The library requires scales of both operands; those of A are all 1.
  EXPECT_EQ(call.scaleA->mode, ScaleMode::Row128);
  EXPECT_EQ(planned(blocks("f8E4M3FN", 128, "f32"), "sm_100").own.limit, LibraryLimit::ScaleMode);
  EXPECT_EQ(planned(blocks("f8E4M3FN", 128, "f32"), "gfx950").own.limit, LibraryLimit::ScaleMode);
  for (std::string_view target : {"sm_100", "gfx950"}) {
    call = callOf(blocks("f8E4M3FN", 32, "f8E8M0FNU"), target);
    EXPECT_EQ(call.scaleB->mode, ScaleMode::Mx);
    EXPECT_EQ(call.scaleB->type, ElementType::F8E8M0FNU);
  }
  // hipBLASLt accepts the scales in the program's order; cuBLASLt needs them in tiles.
  EXPECT_EQ(callOf(blocks("f8E4M3FN", 32, "f8E8M0FNU"), "gfx950").scaleB->pointer, "input 2");
  EXPECT_EQ(callOf(blocks("f8E4M3FN", 32, "f8E8M0FNU"), "sm_100").scaleB->pointer.find("prepared"),
            0u);
  EXPECT_EQ(callOf(blocks("f6E3M2FN", 32, "f8E8M0FNU"), "gfx950").a.type, ElementType::F6E3M2FN);
  call = callOf(blocks("f4E2M1FN", 16, "f8E4M3FN"), "sm_100");
  EXPECT_EQ(call.scaleB->mode, ScaleMode::Nvfp4);
  EXPECT_TRUE(llvm::any_of(call.roundings, [](const std::string &rounding) {
    return rounding.find("sign") != std::string::npos;
  }));
  EXPECT_EQ(planned(blocks("f8E4M3FN", 64, "f32"), "sm_90").own.limit, LibraryLimit::ScaleShape);
  EXPECT_EQ(planned(blocks("f8E4M3FN", 32, "f32"), "sm_100").own.limit, LibraryLimit::ScaleType);
}

static const std::string gelu = R"(
  %c0 = stablehlo.constant dense<0.044715> : tensor<64x128xf32>
  %c1 = stablehlo.constant dense<0.797884583> : tensor<64x128xf32>
  %c2 = stablehlo.constant dense<1.0> : tensor<64x128xf32>
  %c3 = stablehlo.constant dense<0.5> : tensor<64x128xf32>
  %g0 = stablehlo.multiply %z, %z : tensor<64x128xf32>
  %g1 = stablehlo.multiply %g0, %z : tensor<64x128xf32>
  %g2 = stablehlo.multiply %g1, %c0 : tensor<64x128xf32>
  %g3 = stablehlo.add %z, %g2 : tensor<64x128xf32>
  %g4 = stablehlo.multiply %g3, %c1 : tensor<64x128xf32>
  %g5 = stablehlo.tanh %g4 : tensor<64x128xf32>
  %g6 = stablehlo.add %g5, %c2 : tensor<64x128xf32>
  %g7 = stablehlo.multiply %g6, %c3 : tensor<64x128xf32>
  %g = stablehlo.multiply %z, %g7 : tensor<64x128xf32>
)";

TEST(LibraryPlanTest, TheInputOfAGeluIsASecondResult) {
  std::string text = R"(
func.func @main(%x: tensor<64x256xf16>, %w: tensor<128x256xf16>, %bias: tensor<128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<64x256xf16>, tensor<128x256xf16>) -> tensor<64x128xf32>
  %0 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %z = stablehlo.add %s, %0 : tensor<64x128xf32>
)" + gelu + "  return %g, %z : tensor<64x128xf32>, tensor<64x128xf32>\n}";
  LibraryCall call = callOf(text, "sm_90");
  EXPECT_EQ(call.epilogue, LibraryEpilogue::GeluAuxBias);
  ASSERT_TRUE(call.aux && call.bias);
  EXPECT_EQ(call.aux->ld, 128);
  EXPECT_EQ(call.aux->type, ElementType::F32);
  EXPECT_NE(call.aux->pointer, call.d.pointer);
  EXPECT_EQ(callOf(text, "gfx942").epilogue, LibraryEpilogue::GeluAuxBias);
  EXPECT_EQ(planned(text, "gfx950").own.limit, LibraryLimit::Epilogue);
}

TEST(LibraryPlanTest, ResidualsAreC) {
  Layer layer;
  layer.lhs = layer.rhs = "bf16";
  layer.arguments = ", %y: tensor<64x128xf32>, %rate: tensor<f32>";
  layer.behind = R"(
  %0 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %1 = stablehlo.multiply %0, %s : tensor<64x128xf32>
  %r = stablehlo.subtract %y, %1 : tensor<64x128xf32>
)";
  LibraryCall call = callOf(layer.text(), "sm_90");
  EXPECT_EQ(call.c.pointer, "input 3");
  EXPECT_TRUE(call.alphaOnDevice);
  EXPECT_EQ(call.alpha, "prepared 0");
  EXPECT_EQ(call.beta, "prepared 1");
  EXPECT_EQ(call.prepared, (std::vector<std::string>{"- input 2, f32", "1, f32"}));
}

// gelu'(%z) in the tanh form, as jax.grad writes it.
static const std::string geluGradient = R"(
  %c0 = stablehlo.constant dense<0.044715> : tensor<64x128xf32>
  %c1 = stablehlo.constant dense<0.797884583> : tensor<64x128xf32>
  %c2 = stablehlo.constant dense<1.0> : tensor<64x128xf32>
  %c3 = stablehlo.constant dense<0.5> : tensor<64x128xf32>
  %c4 = stablehlo.constant dense<0.134145> : tensor<64x128xf32>
  %g0 = stablehlo.multiply %z, %z : tensor<64x128xf32>
  %g1 = stablehlo.multiply %g0, %z : tensor<64x128xf32>
  %g2 = stablehlo.multiply %g1, %c0 : tensor<64x128xf32>
  %g3 = stablehlo.add %z, %g2 : tensor<64x128xf32>
  %g4 = stablehlo.multiply %g3, %c1 : tensor<64x128xf32>
  %t = stablehlo.tanh %g4 : tensor<64x128xf32>
  %g5 = stablehlo.add %t, %c2 : tensor<64x128xf32>
  %left = stablehlo.multiply %g5, %c3 : tensor<64x128xf32>
  %t2 = stablehlo.multiply %t, %t : tensor<64x128xf32>
  %s2 = stablehlo.subtract %c2, %t2 : tensor<64x128xf32>
  %p0 = stablehlo.multiply %g0, %c4 : tensor<64x128xf32>
  %p1 = stablehlo.add %p0, %c2 : tensor<64x128xf32>
  %p2 = stablehlo.multiply %p1, %c1 : tensor<64x128xf32>
  %p3 = stablehlo.multiply %p2, %s2 : tensor<64x128xf32>
  %p4 = stablehlo.multiply %p3, %z : tensor<64x128xf32>
  %right = stablehlo.multiply %p4, %c3 : tensor<64x128xf32>
  %slope = stablehlo.add %left, %right : tensor<64x128xf32>
  %r = stablehlo.multiply %s, %slope : tensor<64x128xf32>
)";

TEST(LibraryPlanTest, TheGradientOfAGeluReadsItsInput) {
  Layer layer;
  layer.arguments = ", %z: tensor<64x128xf32>";
  layer.behind = geluGradient;
  for (std::string_view target : {"sm_90", "gfx950"}) {
    LibraryCall call = callOf(layer.text(), target);
    EXPECT_EQ(call.epilogue, LibraryEpilogue::GeluGrad);
    ASSERT_TRUE(call.aux);
    EXPECT_EQ(call.aux->pointer, "input 2");
    EXPECT_EQ(call.aux->ld, 128);
  }
}

TEST(LibraryPlanTest, EpiloguesThatOneLibraryHas) {
  Layer silu, clamp;
  silu.behind = R"(
  %0 = stablehlo.logistic %s : tensor<64x128xf32>
  %r = stablehlo.multiply %s, %0 : tensor<64x128xf32>
)";
  clamp.behind = R"(
  %lo = stablehlo.constant dense<-2.0> : tensor<f32>
  %hi = stablehlo.constant dense<6.0> : tensor<f32>
  %r = stablehlo.clamp %lo, %s, %hi : (tensor<f32>, tensor<64x128xf32>, tensor<f32>) -> tensor<64x128xf32>
)";
  EXPECT_EQ(callOf(silu.text(), "gfx950").epilogue, LibraryEpilogue::Silu);
  EXPECT_EQ(planned(silu.text(), "sm_90").own.limit, LibraryLimit::Epilogue);
  LibraryCall call = callOf(clamp.text(), "gfx950");
  EXPECT_EQ(call.epilogue, LibraryEpilogue::Clamp);
  EXPECT_EQ(call.bounds, (std::vector<double>{-2, 6}));
  EXPECT_EQ(planned(clamp.text(), "sm_90").own.limit, LibraryLimit::Epilogue);
}

TEST(LibraryPlanTest, ATransposedResultSwapsTheOperands) {
  std::string text = R"(
func.func @main(%x: tensor<64x256xf16>, %w: tensor<128x256xf16>) -> tensor<128x64xf16> {
  %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<64x256xf16>, tensor<128x256xf16>) -> tensor<64x128xf16>
  %r = stablehlo.transpose %s, dims = [1, 0] : (tensor<64x128xf16>) -> tensor<128x64xf16>
  return %r : tensor<128x64xf16>
})";
  LibraryCall call = callOf(text, "sm_90");
  EXPECT_EQ(call.d.rows, 64);
  EXPECT_EQ(call.d.columns, 128);
  EXPECT_EQ(call.a.columns, 64);
  EXPECT_EQ(call.b.columns, 128);
  EXPECT_FALSE(violationOf(call, *findGpuTarget("sm_90")));
}

TEST(LibraryPlanTest, BiasesMayChangeWithTheBatch) {
  std::string text = R"(
func.func @main(%x: tensor<4x64x256xf16>, %w: tensor<4x128x256xf16>, %bias: tensor<4x128xf16>) -> tensor<4x64x128xf16> {
  %s = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x64x256xf16>, tensor<4x128x256xf16>) -> tensor<4x64x128xf16>
  %0 = stablehlo.broadcast_in_dim %bias, dims = [0, 2] : (tensor<4x128xf16>) -> tensor<4x64x128xf16>
  %r = stablehlo.add %s, %0 : tensor<4x64x128xf16>
  return %r : tensor<4x64x128xf16>
})";
  LibraryCall call = callOf(text, "sm_90");
  EXPECT_EQ(call.epilogue, LibraryEpilogue::Bias);
  ASSERT_TRUE(call.bias);
  EXPECT_EQ(call.bias->batchStride, 128);
  EXPECT_EQ(call.a.batchStride, 128 * 256);
}

// Returns a program that quantizes its result and computes the amax, with steps in the library's
// order.
static std::string quantizing(const std::string &kind, const std::string &limit) {
  Layer layer;
  layer.lhs = layer.rhs = layer.result = kind;
  layer.arguments = ", %bias: tensor<128xf16>, %scale: tensor<f32>";
  layer.behind = R"(
  %b0 = stablehlo.convert %bias : (tensor<128xf16>) -> tensor<128xf32>
  %b1 = stablehlo.broadcast_in_dim %b0, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %v = stablehlo.add %s, %b1 : tensor<64x128xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %a0 = stablehlo.maximum %v, %z0 : tensor<64x128xf32>
  %a1 = stablehlo.abs %a0 : tensor<64x128xf32>
  %q = stablehlo.reduce(%a1 init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<f32>
  %s0 = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %s1 = stablehlo.divide %a0, %s0 : tensor<64x128xf32>
  %lo = stablehlo.constant dense<-LIMIT> : tensor<f32>
  %hi = stablehlo.constant dense<LIMIT> : tensor<f32>
  %s2 = stablehlo.clamp %lo, %s1, %hi : (tensor<f32>, tensor<64x128xf32>, tensor<f32>) -> tensor<64x128xf32>
  %r = stablehlo.convert %s2 : (tensor<64x128xf32>) -> tensor<64x128xKIND>
)";
  std::string text = layer.text();
  for (auto [word, by] : {std::pair("LIMIT", limit), std::pair("KIND", kind)}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word)) {
      text.replace(at, std::string_view(word).size(), by);
    }
  }
  std::string one = "tensor<64x128x" + kind + ">";
  text.replace(text.find("-> " + one + " {"), one.size() + 5, "-> (" + one + ", tensor<f32>) {");
  std::string back = "return %r : " + one;
  text.replace(text.find(back), back.size(), "return %r, %q : " + one + ", tensor<f32>");
  return text;
}

TEST(LibraryPlanTest, QuantizesAndFindsTheAmax) {
  for (const GpuTarget &target : gpuTargets()) {
    bool isFnuz = target.name == "gfx942";
    LibraryCall call = callOf(
        isFnuz ? quantizing("f8E4M3FNUZ", "240.0") : quantizing("f8E4M3FN", "448.0"), target.name);
    EXPECT_EQ(call.epilogue, LibraryEpilogue::ReluBias);
    EXPECT_FALSE(call.amaxD.empty());
    ASSERT_TRUE(call.scaleD);
    EXPECT_EQ(call.prepared.size(), 1u); // the divisor's reciprocal
    // The type of C follows from the row of the library's table that has an f16 bias.
    EXPECT_EQ(call.c.type, target.library == GpuLibrary::CublasLt ? ElementType::F16 : call.d.type);
    // A bound that rounds to the type's largest number isn't a separate clamp.
    EXPECT_TRUE(callOf(isFnuz ? quantizing("f8E4M3FNUZ", "239.0") : quantizing("f8E4M3FN", "447.0"),
                       target.name)
                    .bounds.empty());
    EXPECT_EQ(planned(isFnuz ? quantizing("f8E4M3FNUZ", "100.0") : quantizing("f8E4M3FN", "100.0"),
                      target.name)
                  .own.limit,
              LibraryLimit::Saturation);
  }
}

TEST(LibraryPlanTest, TheInputOfAGeluBesideAnFp8Result) {
  std::string text = R"(
func.func @main(%x: tensor<64x256xf8E4M3FN>, %w: tensor<128x256xf8E4M3FN>) -> (tensor<64x128xf8E4M3FN>, tensor<64x128xf16>) {
  %a = stablehlo.convert %x : (tensor<64x256xf8E4M3FN>) -> tensor<64x256xf32>
  %b = stablehlo.convert %w : (tensor<128x256xf8E4M3FN>) -> tensor<128x256xf32>
  %z = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<64x256xf32>, tensor<128x256xf32>) -> tensor<64x128xf32>
)" + gelu + R"(
  %lo = stablehlo.constant dense<-448.0> : tensor<f32>
  %hi = stablehlo.constant dense<448.0> : tensor<f32>
  %h = stablehlo.clamp %lo, %g, %hi : (tensor<f32>, tensor<64x128xf32>, tensor<f32>) -> tensor<64x128xf32>
  %r = stablehlo.convert %h : (tensor<64x128xf32>) -> tensor<64x128xf8E4M3FN>
  %q = stablehlo.convert %z : (tensor<64x128xf32>) -> tensor<64x128xf16>
  return %r, %q : tensor<64x128xf8E4M3FN>, tensor<64x128xf16>
})";
  LibraryCall call = callOf(text, "sm_90");
  EXPECT_EQ(call.epilogue, LibraryEpilogue::GeluAux);
  ASSERT_TRUE(call.aux);
  EXPECT_EQ(call.aux->type, ElementType::F16);
  EXPECT_EQ(call.c.type, ElementType::F16);
  EXPECT_EQ(planned(text, "gfx950").own.limit, LibraryLimit::AuxType);
  // The same program with a bias, and in bf16 instead of f16.
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  };
  replace("xf16>", "xbf16>");
  replace(">) -> (", ">, %bias: tensor<128xbf16>) -> (");
  replace("%z = stablehlo.dot_general",
          R"(%b0 = stablehlo.convert %bias : (tensor<128xbf16>) -> tensor<128xf32>
  %b1 = stablehlo.broadcast_in_dim %b0, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %d = stablehlo.dot_general)");
  replace(gelu, "  %z = stablehlo.add %d, %b1 : tensor<64x128xf32>\n" + gelu);
  call = callOf(text, "sm_90");
  EXPECT_EQ(call.epilogue, LibraryEpilogue::GeluAuxBias);
  EXPECT_EQ(call.aux->type, ElementType::BF16);
  EXPECT_EQ(planned(text, "sm_89").own.limit, LibraryLimit::AuxType);
}

TEST(LibraryPlanTest, WhatMerelyLooksLikeAStep) {
  const std::string other = ", %z: tensor<64x128xf32>";
  const std::string zero = "%zero = stablehlo.constant dense<0.0> : tensor<64x128xf32>\n";
  const std::string abs = "%abs = stablehlo.abs %s : tensor<64x128xf32>\n";
  auto amaxFrom = [&](const std::string &init) {
    return abs + "%init = stablehlo.constant dense<" + init + R"(> : tensor<f32>
  %q = stablehlo.reduce(%abs init: %init) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<f32>
  %r = stablehlo.convert %s : tensor<64x128xf32>
)";
  };
  auto converted = [](const std::string &between) {
    return "%i = stablehlo.convert %s : (tensor<64x128xf32>) -> tensor<64x128x" + between +
           ">\n%r = stablehlo.convert %i : (tensor<64x128x" + between +
           ">) -> tensor<64x128xf32>\n";
  };
  auto operandBy = [](const std::string &between) {
    Layer layer;
    layer.front = "%x1 = stablehlo.convert %x : (tensor<64x256xf8E4M3FN>) -> tensor<64x256x" +
                  between + ">\n%a = stablehlo.convert %x1 : (tensor<64x256x" + between +
                  ">) -> tensor<64x256xf32>\n%b = stablehlo.convert %w : "
                  "(tensor<128x256xf8E4M3FN>) -> tensor<128x256xf32>\n";
    return layer.text();
  };
  struct Case {
    LibraryLimit limit;
    const char *target, *detail;
    std::string text;
  };
  const Case cases[] = {
      {LibraryLimit::Pointwise, "sm_90", "`relu` of another value",
       behind(zero + R"(%g = stablehlo.maximum %z, %zero : tensor<64x128xf32>
  %r = stablehlo.multiply %s, %g : tensor<64x128xf32>
)",
              other)},
      {LibraryLimit::Pointwise, "gfx950", "`silu` of another value",
       behind(R"(%l = stablehlo.logistic %z : tensor<64x128xf32>
  %g = stablehlo.multiply %z, %l : tensor<64x128xf32>
  %r = stablehlo.multiply %s, %g : tensor<64x128xf32>
)",
              other)},
      {LibraryLimit::Epilogue, "sm_90", "of f8E4M3FN with a result of f32",
       behind(
           zero +
               R"(%p = stablehlo.compare GT, %z, %zero, FLOAT : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xi1>
  %r = stablehlo.select %p, %s, %zero : tensor<64x128xi1>, tensor<64x128xf32>
)",
           other)},
      {LibraryLimit::Pointwise, "sm_90", "a conversion from f32 to i32", behind(converted("i32"))},
      {LibraryLimit::OperandComputed, "sm_90", "is converted to f8E5M2", operandBy("f8E5M2")},
      {LibraryLimit::OperandComputed, "sm_90", "is converted to i32", operandBy("i32")},
      {LibraryLimit::AmaxType, "sm_90", "f32", twoResults(amaxFrom("0.0"), "tensor<f32>")},
      {LibraryLimit::AmaxValue, "sm_90", "begins with another number",
       twoResults(amaxFrom("1.5"), "tensor<f32>")},
  };
  for (const Case &each : cases) {
    LibraryKernel kernel = planned(each.text, each.target);
    EXPECT_FALSE(kernel.call) << each.text;
    EXPECT_EQ(info(kernel.own.limit).name, info(each.limit).name) << kernel.own.detail << each.text;
    EXPECT_NE(kernel.own.detail.find(each.detail), std::string::npos) << kernel.own.detail;
  }
  // A lossless conversion isn't listed; a rounding is.
  EXPECT_TRUE(callOf(operandBy("f16"), "sm_90").roundings.empty());
  EXPECT_TRUE(callOf(behind(converted("f64")), "sm_90").roundings.empty());
  EXPECT_FALSE(callOf(behind(converted("bf16")), "sm_90").roundings.empty());
}

TEST(LibraryPlanTest, AnInputOfAGeluInAnotherOrderIsNoSecondResult) {
  auto text = [](const std::string &last) {
    std::string text = R"(
func.func @main(%x: tensor<64x256xf16>, %w: tensor<64x256xf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %z = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<64x256xf16>, tensor<64x256xf16>) -> tensor<64x64xf32>
)" + gelu + last;
    for (size_t at = text.find("64x128"); at != std::string::npos; at = text.find("64x128")) {
      text.replace(at, 6, "64x64");
    }
    return text;
  };
  EXPECT_TRUE(
      planned(text("return %g, %z : tensor<64x64xf32>, tensor<64x64xf32>\n}"), "sm_90").call);
  LibraryKernel kernel = planned(text(R"(
  %t = stablehlo.transpose %z, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %g, %t : tensor<64x64xf32>, tensor<64x64xf32>
})"),
                                 "sm_90");
  EXPECT_FALSE(kernel.call);
  EXPECT_NE(kernel.own.detail.find("in another order"), std::string::npos) << kernel.own.detail;
}

// Two scales that are computed in the same way are separate values. Several factors of the sums
// form one alpha.
TEST(LibraryPlanTest, PreparedValuesSayWhichTheyAre) {
  Layer layer;
  layer.arguments = ", %p: tensor<f32>, %q: tensor<f32>";
  layer.front = R"(
  %x0 = stablehlo.convert %x : (tensor<64x256xf8E4M3FN>) -> tensor<64x256xbf16>
  %w0 = stablehlo.convert %w : (tensor<128x256xf8E4M3FN>) -> tensor<128x256xbf16>
  %p0 = stablehlo.convert %p : (tensor<f32>) -> tensor<bf16>
  %q0 = stablehlo.convert %q : (tensor<f32>) -> tensor<bf16>
  %p1 = stablehlo.broadcast_in_dim %p0, dims = [] : (tensor<bf16>) -> tensor<64x256xbf16>
  %q1 = stablehlo.broadcast_in_dim %q0, dims = [] : (tensor<bf16>) -> tensor<128x256xbf16>
  %x1 = stablehlo.multiply %x0, %p1 : tensor<64x256xbf16>
  %w1 = stablehlo.divide %w0, %q1 : tensor<128x256xbf16>
  %a = stablehlo.convert %x1 : (tensor<64x256xbf16>) -> tensor<64x256xf32>
  %b = stablehlo.convert %w1 : (tensor<128x256xbf16>) -> tensor<128x256xf32>
)";
  LibraryCall call = callOf(layer.text(), "sm_90");
  ASSERT_TRUE(call.scaleA && call.scaleB);
  EXPECT_NE(call.scaleA->pointer, call.scaleB->pointer);
  ASSERT_EQ(call.values.size(), 2u);
  EXPECT_NE(call.values[0].inputs, call.values[1].inputs);

  Layer twice;
  twice.arguments = layer.arguments;
  twice.behind = R"(
  %0 = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %1 = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %2 = stablehlo.multiply %s, %0 : tensor<64x128xf32>
  %r = stablehlo.divide %2, %1 : tensor<64x128xf32>
)";
  call = callOf(twice.text(), "sm_90");
  EXPECT_EQ(call.alpha, "prepared 0");
  EXPECT_EQ(call.prepared, (std::vector<std::string>{"input 2 · 1 / input 3, f32", "0, f32"}));
}

TEST(LibraryPlanTest, IntegersBeginAtMultiplesOfFourBytes) {
  auto text = [](int start) {
    std::string range = std::to_string(start) + ":" + std::to_string(start + 64);
    return R"(
func.func @main(%x: tensor<32x128xi8>, %w: tensor<32x64xi8>) -> tensor<32x32xi32> {
  %a = stablehlo.slice %x [0:32, )" +
           range + R"(] : (tensor<32x128xi8>) -> tensor<32x64xi8>
  %r = stablehlo.dot_general %a, %w, contracting_dims = [1] x [1] : (tensor<32x64xi8>, tensor<32x64xi8>) -> tensor<32x32xi32>
  return %r : tensor<32x32xi32>
})";
  };
  EXPECT_TRUE(planned(text(4), "sm_90").call);
  EXPECT_EQ(planned(text(3), "sm_90").own.limit, LibraryLimit::Alignment);
}

// The program rounds sums to bf16, and rounds again after the bias; the library rounds once.
TEST(LibraryPlanTest, ASecondRoundingIsNamed) {
  auto text = [](const std::string &step) {
    return R"(
func.func @main(%x: tensor<64x256xbf16>, %w: tensor<128x256xbf16>, %bias: tensor<128xbf16>) -> tensor<64x128xbf16> {
  %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<64x256xbf16>, tensor<128x256xbf16>) -> tensor<64x128xbf16>
)" + step + "  return %r : tensor<64x128xbf16>\n}";
  };
  EXPECT_EQ(callOf(text(R"(
  %0 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<128xbf16>) -> tensor<64x128xbf16>
  %r = stablehlo.add %s, %0 : tensor<64x128xbf16>
)"),
                   "sm_90")
                .roundings.size(),
            1u);
  EXPECT_TRUE(callOf(text(R"(
  %0 = stablehlo.constant dense<0.0> : tensor<64x128xbf16>
  %r = stablehlo.maximum %s, %0 : tensor<64x128xbf16>
)"),
                     "sm_90")
                  .roundings.empty());
}

} // namespace drumlin

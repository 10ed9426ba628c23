// Checks that earlier modules don't affect an emitter's code. An emitter compiles the modules of
// one thread in an order that depends on other threads, and later compilations reuse its passes.
#include "drumlin/codegen/cpu/ObjectEmitter.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

#include <deque>
#include <map>
#include <random>

using namespace drumlin;
using codegen::Effort;

static const char *const modules[] = {
    R"(
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
define void @scale(ptr %to, ptr %from, i64 %count, float %by) {
entry:
  %first = insertelement <16 x float> poison, float %by, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %body, label %done
body:
  %place = getelementptr inbounds float, ptr %from, i64 %i
  %x = load <16 x float>, ptr %place, align 4
  %y = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> %all, <16 x float> %x)
  %target = getelementptr inbounds float, ptr %to, i64 %i
  store <16 x float> %y, ptr %target, align 4
  %next = add nuw nsw i64 %i, 16
  br label %head
done:
  ret void
})",
    R"(
define i64 @sum(ptr %from, i64 %count, i1 %negated) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %with, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %done
body:
  %place = getelementptr inbounds i64, ptr %from, i64 %i
  %x = load i64, ptr %place, align 8
  %minus = sub i64 0, %x
  %term = select i1 %negated, i64 %minus, i64 %x
  %with = add i64 %sum, %term
  %next = add nuw nsw i64 %i, 1
  br label %head
done:
  ret i64 %sum
})",
    R"(
declare void @work(ptr, i64)
define void @entry(ptr %arguments) {
  %second = getelementptr inbounds ptr, ptr %arguments, i64 1
  %x = load ptr, ptr %arguments, align 8
  %y = load ptr, ptr %second, align 8
  call void @work(ptr %x, i64 3)
  call void @work(ptr %y, i64 4)
  ret void
})"};

static std::string emitted(codegen::ObjectEmitter &emitter, const char *text, Effort effort) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Result<llvm::SmallVector<char, 0>> object = emitter.emit(*module, effort);
  EXPECT_TRUE(object) << object.error().message;
  return std::string(object->begin(), object->end());
}

TEST(ObjectEmitter, WhatWasEmittedBeforeChangesNothing) {
  CpuTarget target = *cpuTargetFromName("x86-64-v4");
  std::vector<std::pair<const char *, Effort>> all;
  for (const char *module : modules) {
    for (Effort effort : {Effort::Full, Effort::Lean, Effort::Quick, Effort::Entry}) {
      all.emplace_back(module, effort);
    }
  }
  // Compiles each module with a separate emitter. All emitters stay alive, so none releases its
  // passes for reuse.
  std::deque<codegen::ObjectEmitter> emitters;
  std::map<std::pair<const char *, Effort>, std::string> expected;
  for (auto [module, effort] : all) {
    expected[{module, effort}] = emitted(emitters.emplace_back(target), module, effort);
  }
  std::mt19937 random(1);
  for (int emitters = 0; emitters < 8; ++emitters) {
    codegen::ObjectEmitter shared(target);
    for (int i = 0; i < 32; ++i) {
      auto [module, effort] = all[random() % all.size()];
      EXPECT_EQ(emitted(shared, module, effort), (expected[{module, effort}]))
          << "effort " << static_cast<int>(effort) << " of\n"
          << module;
    }
  }
}

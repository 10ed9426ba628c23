// Finds targets of every kind by name, and every CPU that LLVM knows; checks what a name implies.
#include "drumlin/target/Target.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/target/ComputeUnits.h"

#include "drumlin/support/CpuFeatures.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/target/MachineLimits.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/target/TensorEngine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace drumlin {

static CpuTarget cpuOf(std::string_view name) {
  Result<CpuTarget> target = cpuTargetFromName(name);
  EXPECT_TRUE(target) << name;
  return target ? *target : CpuTarget();
}

static std::string featuresOf(std::string_view name) {
  return llvm::join(cpuOf(name).features, " ");
}

TEST(TargetTest, EveryListedNameMakesATargetOfItsKind) {
  for (Target::Kind kind : {Target::Kind::Cpu, Target::Kind::TensorEngine, Target::Kind::Gpu}) {
    std::vector<std::string> names = targetNames(kind);
    EXPECT_FALSE(names.empty());
    for (const std::string &name : names) {
      Result<TargetPtr> target = targetFromName(name);
      ASSERT_TRUE(target) << name;
      EXPECT_EQ((*target)->kind(), kind) << name;
      EXPECT_FALSE((*target)->use().empty());
      EXPECT_EQ((*target)->units().empty(), kind == Target::Kind::Gpu) << name;
      for (const TargetUnit &unit : (*target)->units()) {
        EXPECT_GT(unit.operationsPerSecond, 0) << name << " " << unit.name;
        EXPECT_GT(unit.rows * unit.columns * unit.depth, 0) << name << " " << unit.name;
      }
      EXPECT_EQ(llvm::isa<CpuTarget>(**target), kind == Target::Kind::Cpu);
      EXPECT_EQ(llvm::isa<TensorEngine>(**target), kind == Target::Kind::TensorEngine);
      EXPECT_EQ(llvm::isa<GpuTarget>(**target), kind == Target::Kind::Gpu);
    }
  }
}

TEST(TargetTest, OtherNamesAreRefused) {
  for (const char *name : {"", "z80", "sm_12", "i386", "avx512,", "avx512,avx2", "avx512,+nothing",
                           "avx512,-prefer-256-bit", "znver4 ", "+", "native,rdpru"}) {
    Result<TargetPtr> target = targetFromName(name);
    ASSERT_FALSE(target) << name;
    EXPECT_EQ(target.error().code, errors::UnknownTarget) << name;
  }
}

TEST(TargetTest, WhatWasMeantIsSaid) {
  for (auto [name, meant] :
       {std::pair("sm90", "sm_90"), std::pair("TRN1", "trn1"), std::pair("gfx95", "gfx950"),
        std::pair("avx51,+fma", "avx512"), std::pair("Native", "native"), std::pair("z80", "")}) {
    std::string remedy = targetFromName(name).error().remedy;
    EXPECT_TRUE(*meant ? remedy.starts_with("did you mean `" + std::string(meant) + "`")
                       : remedy.empty())
        << remedy;
  }
}

// The levels' features must stay the same, since images require them and since they are part of
// kernels' cache keys.
TEST(TargetTest, LevelsKeepTheirFeatures) {
  std::string one = "cx8 fxsr mmx sse sse2 x87";
  std::string three = "avx avx2 bmi bmi2 cx16 cx8 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse "
                      "sse2 sse3 sse4.1 sse4.2 ssse3 x87 xsave";
  std::string four = "avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi bmi2 cx16 cx8 f16c "
                     "fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 sse4.1 sse4.2 ssse3 x87 "
                     "xsave";
  EXPECT_EQ(featuresOf("baseline"), one);
  EXPECT_EQ(featuresOf("avx2"), three);
  EXPECT_EQ(featuresOf("x86-64-v4"), four);
  CpuTarget dots = cpuOf("avx512");
  EXPECT_EQ(dots.name, "x86-64-v4-dot");
  EXPECT_EQ(featuresOf("avx512,-avx512bf16,-avx512vnni"), four);
  EXPECT_TRUE(dots.has("avx512bf16") && dots.has("avx512vnni"));
}

TEST(TargetTest, FeaturesBringAndTakeWhatTheyImply) {
  CpuTarget less = cpuOf("avx512,-avx2");
  EXPECT_EQ(less.name, "x86-64-v4-dot,-avx2");
  EXPECT_FALSE(less.has("avx512f") || less.has("avx2"));
  EXPECT_TRUE(less.has("avx") && less.has("sse4.2"));
  EXPECT_EQ(less.registerBytes(), 16);
  CpuTarget more = cpuOf("baseline,+avx512bf16");
  EXPECT_TRUE(more.has("avx512bf16") && more.has("avx512f") && more.has("avx2") &&
              more.has("sse3"));
  EXPECT_EQ(more.registerBytes(), 64);
  // Changes apply in order. Features that were removed together with another feature don't come
  // back when that feature is added again.
  for (const char *name : {"avx512,-fma,+fma", "avx512,-avx2,+avx512f", "avx512,+avx512f,-avx2"}) {
    EXPECT_EQ(cpuOf(cpuOf(name).name).features, cpuOf(name).features) << name;
  }
  EXPECT_FALSE(cpuOf("avx512,-fma,+fma").has("avx512f"));
  EXPECT_TRUE(cpuOf("avx512,-avx2,+avx512f").has("avx2"));
  EXPECT_FALSE(cpuOf("avx512,+avx512f,-avx2").has("avx512f"));
  EXPECT_EQ(cpuOf("+adx").features, cpuOf("native,+adx").features);
}

TEST(TargetTest, SizesFollowFromTheName) {
  for (const std::string &name : targetNames(Target::Kind::Cpu)) {
    CpuTarget target = cpuOf(name);
    EXPECT_TRUE(std::is_sorted(target.features.begin(), target.features.end()));
    EXPECT_GT(target.l1Bytes, 0) << name;
    EXPECT_GT(target.l2Bytes, target.l1Bytes) << name;
    EXPECT_GT(target.bytesPerSecond, 0) << name;
    bool isX86 = target.architecture == Architecture::X86_64;
    EXPECT_TRUE(target.has(isX86 ? "sse2" : "neon") && target.has(ComputeUnit::fma)) << name;
    EXPECT_EQ(target.vectorRegisters(), !isX86 || target.has("avx512f") ? 32 : 16) << name;
    // A target's own name makes an equal target.
    CpuTarget again = cpuOf(target.name);
    EXPECT_EQ(again.features, target.features) << name;
    EXPECT_EQ(again.l2Bytes, target.l2Bytes) << name;
    EXPECT_EQ(again.tunedFor, target.tunedFor) << name;
    MachineLimits limits = assumedLimits(target);
    EXPECT_GE(limits.bf16, limits.f32) << name;
    EXPECT_GE(limits.int8, limits.f32) << name;
  }
  EXPECT_EQ(cpuOf("sapphirerapids").l2Bytes, 2048 * 1024);
  // The bf16 pairs of `sapphirerapids` are slower than f32 multiply-adds, according to a row of the
  // table.
  CpuTarget slow = cpuOf("sapphirerapids"), fast = cpuOf("znver4");
  EXPECT_LT(slow.operationsPerSecond(ComputeUnit::bf16_pairs),
            slow.operationsPerSecond(ComputeUnit::fma));
  EXPECT_GT(fast.operationsPerSecond(ComputeUnit::bf16_pairs),
            fast.operationsPerSecond(ComputeUnit::fma));
}

TEST(TargetTest, TilesAreEmulatedWhereANameSaysSo) {
  CpuTarget plain = cpuOf("avx512"), emulated = cpuOf("avx512,+emulated-tiles"),
            amx = cpuOf("x86-64-v4-amx-fp16");
  EXPECT_EQ(emulated.name, "x86-64-v4-dot,+emulated-tiles");
  EXPECT_EQ(emulated.features, plain.features);
  for (const ComputeUnitInfo &each : computeUnits()) {
    std::string feature(each.feature);
    bool isOfX86 =
        feature.empty() || llvm::is_contained(knownFeatures(Architecture::X86_64), feature);
    EXPECT_EQ(plain.has(each.unit), isOfX86 && !each.hasTiles()) << each.name;
    EXPECT_EQ(emulated.has(each.unit), isOfX86) << each.name;
    EXPECT_EQ(amx.has(each.unit), isOfX86) << each.name;
    EXPECT_EQ(each.rows > 1, each.kGroups > 1) << each.name;
  }
  EXPECT_TRUE(amx.has("amx-tile"));
  EXPECT_EQ(cpuOf("x86-64-v4-amx,+amx-fp16").features, amx.features);
  EXPECT_FALSE(cpuOf("amx").has(ComputeUnit::f16_tiles));
  EXPECT_FALSE(cpuTargetFromName("avx2,+emulated-tiles"));
  EXPECT_FALSE(cpuOf("amx,-avx512f").has(ComputeUnit::bf16_tiles));
}

TEST(TargetTest, ProcessorsOfAarch64AreTargets) {
  for (const char *name : {"aarch64", "armv8-a", "neoverse-n1", "neoverse-v1", "neoverse-v2",
                           "apple-m1", "cortex-a72", "grace"}) {
    CpuTarget target = cpuOf(name);
    EXPECT_EQ(target.architecture, Architecture::Aarch64) << name;
    EXPECT_EQ(target.registerBytes(), 16) << name;
    EXPECT_EQ(target.vectorRegisters(), 32) << name;
    EXPECT_TRUE(target.has("neon") && target.hasFma() && target.convertsHalves()) << name;
    EXPECT_FALSE(target.hasMaskRegisters() || target.hasMaskedAccess(32)) << name;
    EXPECT_GT(target.operationsPerSecond(ComputeUnit::fma), 0) << name;
    EXPECT_TRUE(target.has(ComputeUnit::fma)) << name;
    EXPECT_FALSE(target.has(ComputeUnit::int8_quads)) << name;
    EXPECT_EQ(target.has(ComputeUnit::int8_dots), target.has("dotprod")) << name;
    EXPECT_EQ(target.has(ComputeUnit::int8_mmla), target.has("i8mm")) << name;
    EXPECT_EQ(target.has(ComputeUnit::bf16_mmla), target.has("bf16")) << name;
  }
  EXPECT_EQ(cpuOf("avx2").architecture, Architecture::X86_64);
  EXPECT_TRUE(cpuOf("neoverse-v1").has("dotprod") && cpuOf("neoverse-v1").has("i8mm"));
  EXPECT_FALSE(cpuOf("neoverse-n1").has("i8mm"));
  EXPECT_FALSE(cpuOf("aarch64").has("dotprod"));
  EXPECT_TRUE(cpuOf("aarch64,+dotprod").has("dotprod"));
  EXPECT_FALSE(cpuOf("neoverse-v1,-neon").has("dotprod")); // needs `neon`
  EXPECT_EQ(cpuTargetFromName("neoverse-v1,+dotprd").error().remedy, "did you mean `dotprod`?");
  EXPECT_FALSE(cpuTargetFromName("neoverse-v1,+avx2"));
  EXPECT_FALSE(cpuTargetFromName("avx2,+dotprod"));
  EXPECT_FALSE(cpuTargetFromName("cortex-r82")); // an R-profile CPU
  EXPECT_NE(cpuTargetFromName("arm64-apple-macosx14.0").error().message.find("Mach-O"),
            std::string::npos);
}

TEST(TargetTest, ArchitecturesAreRowsOfTheirTable) {
  for (const ArchitectureInfo &each : architectures) {
    EXPECT_EQ(&architectures[static_cast<size_t>(each.architecture)], &each);
    EXPECT_TRUE(llvm::is_sorted(knownFeatures(each.architecture)));
  }
}

// The loader must know every feature, since it reports an unknown feature as missing on every
// machine.
TEST(TargetTest, TheLoaderKnowsEveryFeature) {
  std::vector<std::string> known = knownCpuFeatures();
  for (std::string_view feature : knownFeatures(*hostArchitecture())) {
    EXPECT_TRUE(std::binary_search(known.begin(), known.end(), feature)) << feature;
  }
  EXPECT_TRUE(missingCpuFeatures(cpuOf("native").features).empty());
}

TEST(TargetTest, UnitsAreRowsOfTheirTable) {
  for (const ComputeUnitInfo &each : computeUnits()) {
    EXPECT_EQ(&info(each.unit), &each);
    EXPECT_EQ(findComputeUnit(each.name), &each);
    EXPECT_EQ(each.operands.has_value(), each.sums.has_value());
    EXPECT_TRUE(each.isAllowed(Numerics::Default));
    bool isKnown = each.feature.empty();
    for (const ArchitectureInfo &of : architectures) {
      isKnown |= llvm::is_contained(knownFeatures(of.architecture), each.feature);
    }
    EXPECT_TRUE(isKnown) << each.name;
  }
  EXPECT_FALSE(info(ComputeUnit::bf16_pairs).isAllowed(Numerics::Strict));
  EXPECT_EQ(findComputeUnit("abacus"), nullptr);
}

TEST(TargetTest, NumericsAreSetsOfNames) {
  EXPECT_EQ(Numerics::Strict.str(), "strict");
  EXPECT_EQ(Numerics::Default.str(), "default");
  EXPECT_TRUE(Numerics::Strict.names().empty());
  Numerics all = Numerics::Strict;
  std::string backwards;
  for (const RelaxationInfo &each : allRelaxations()) {
    EXPECT_EQ(&info(each.relaxation), &each);
    EXPECT_FALSE(each.meaning.empty());
    EXPECT_EQ(Numerics::Default.allows(each.relaxation), each.isDefault);
    EXPECT_EQ(*numericsFromText(each.name), Numerics({each.relaxation}));
    all = all.with({each.relaxation});
    backwards = std::string(each.name) + (backwards.empty() ? "" : "," + backwards);
  }
  // The text has the table's order, for any order of the input, and can be parsed again.
  EXPECT_EQ(numericsFromText(backwards)->str(), all.str());
  EXPECT_EQ(*numericsFromText(all.str()), all);
  EXPECT_EQ(*numericsFromText("strict,default"), Numerics::Default);
  EXPECT_TRUE(numericsFromText("default,contract")->allows(Relaxation::FlushProducts));
  EXPECT_EQ(numericsWords().size(), allRelaxations().size() + 2);
  for (const char *unknown : {"", "fast", "default,", ",strict", "default, contract"}) {
    Result<Numerics> found = numericsFromText(unknown);
    ASSERT_FALSE(found) << unknown;
    EXPECT_EQ(found.error().location, "--numerics");
    EXPECT_NE(found.error().remedy.find("reassociate"), std::string::npos);
  }
}

} // namespace drumlin

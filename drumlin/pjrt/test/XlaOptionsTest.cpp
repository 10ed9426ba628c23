// XLA's compiler options: which values XLA accepts, how it words its refusals, and the options with
// counterparts here. test/jax/test_xla_options.py compares all of this with jaxlib's CPU backend.
#include "drumlin/pjrt/XlaOptions.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace drumlin;
using namespace drumlin::pjrt;

static std::string check(std::string_view name, const OptionValue &value) {
  Status status = checkXlaOption(name, value);
  return status ? "" : status.error().message;
}

static std::string refused(const std::string &name, const std::string &seen, const char *kind) {
  return "While setting option " + name + ", '" + seen + "' is not a valid " + kind + " value.";
}

TEST(PjrtXlaOptions, AreSortedAndOfAllKinds) {
  std::span<const XlaOption> options = xlaOptions();
  EXPECT_GT(options.size(), 300U);
  EXPECT_EQ(std::ranges::adjacent_find(options, std::ranges::greater_equal(), &XlaOption::name),
            options.end());
  std::set<XlaOptionKind> kinds;
  for (const XlaOption &option : options) {
    EXPECT_TRUE(isXlaOption(option.name));
    EXPECT_EQ(option.kind == XlaOptionKind::Enum, !option.values.empty()) << option.name;
    EXPECT_NE(check(option.name, OptionValue(1e300)), "") << option.name;
    kinds.insert(option.kind);
  }
  EXPECT_EQ(kinds.size(), 7U);
}

TEST(PjrtXlaOptions, TakeValuesOfTheirKinds) {
  const std::string integer = "xla_backend_optimization_level", flag = "xla_cpu_enable_fast_math",
                    real = "xla_gpu_autotune_gemm_rtol", text = "xla_dump_to",
                    texts = "xla_disable_hlo_passes", word = "xla_step_marker_location",
                    words = "xla_gpu_enable_command_buffer";
  const std::pair<std::string, OptionValue> taken[] = {{integer, int64_t(3)},
                                                       {integer, " 3"},
                                                       {integer, "+3"},
                                                       {integer, "-03"},
                                                       {flag, true},
                                                       {flag, "True"},
                                                       {flag, "False"},
                                                       {real, 0.5},
                                                       {real, "1e400"},
                                                       {real, " 0x1p3 "},
                                                       {text, ""},
                                                       {text, "3"},
                                                       {texts, "a,b"},
                                                       {texts, ""},
                                                       {word, "STEP_MARK_NONE"},
                                                       {word, "1"},
                                                       {word, int64_t(1) << 40},
                                                       {words, "FUSION,1"},
                                                       {words, ""},
                                                       {words, int64_t(99)}};
  for (const auto &[name, value] : taken) {
    EXPECT_EQ(check(name, value), "") << toString(value);
  }
  EXPECT_EQ(check(integer, "banana"), refused(integer, "banana", "int32"));
  EXPECT_EQ(check(integer, int64_t(1) << 40), refused(integer, "1099511627776", "int32"));
  EXPECT_EQ(check(integer, "0x3"), refused(integer, "0x3", "int32"));
  EXPECT_EQ(check(integer, "+-3"), refused(integer, "+-3", "int32"));
  EXPECT_EQ(check(integer, ""), refused(integer, "", "int32"));
  EXPECT_EQ(check(integer, true), refused(integer, "1", "int32"));
  EXPECT_EQ(check(integer, 2.5), refused(integer, "2.5", "int32"));
  EXPECT_EQ(check(flag, "true"), refused(flag, "true", "bool"));
  EXPECT_EQ(check(flag, int64_t(1)), refused(flag, "1", "bool"));
  EXPECT_EQ(check(real, "half"), refused(real, "half", "float"));
  EXPECT_EQ(check(real, 1e300), refused(real, "1e+300", "float"));
  EXPECT_EQ(check(real, int64_t(1)), refused(real, "1", "float"));
  EXPECT_EQ(check(text, int64_t(3)), refused(text, "3", "string"));
  EXPECT_EQ(check(texts, true), refused(texts, "1", "string"));
  EXPECT_EQ(check(word, "banana"), refused(word, "banana", "enum"));
  EXPECT_EQ(check(words, "FUSION,,CUBLAS"), refused(words, "", "enum"));
  EXPECT_EQ(check(words, "FUSION, CUBLAS"), refused(words, " CUBLAS", "enum"));
  EXPECT_EQ(check("xla_backend_extra_options", "a=1,b"),
            refused("xla_backend_extra_options", "a=1", "message"));
}

TEST(PjrtXlaOptions, AreNamedWhereNoneIsMeant) {
  Status status = checkXlaOption("xla_cpu_enable_fastmath", OptionValue(true));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::CompilerOptionInvalid);
  EXPECT_EQ(status.error().message, "No such compile option: 'xla_cpu_enable_fastmath'");
  EXPECT_EQ(status.error().remedy, "the nearest of XLA's is `xla_cpu_enable_fast_math`");
  EXPECT_FALSE(isXlaOption("fast_math"));
}

TEST(PjrtXlaOptions, MayHaveCounterparts) {
  auto level = [](const OptionValue &value) {
    return counterpartOf("xla_backend_optimization_level", value);
  };
  for (auto [given, meant] : {std::pair{-1, "0"}, {0, "0"}, {1, "1"}, {2, "2"}, {3, "2"}}) {
    EXPECT_EQ(level(int64_t(given)), (CompileOption{"O", meant}));
    EXPECT_EQ(level(std::to_string(given)), (CompileOption{"O", meant}));
  }
  EXPECT_EQ(counterpartOf("xla_dump_to", "there"), (CompileOption{"dump_phases", "there"}));
  for (const char *place : {"", "-", "sponge"}) {
    EXPECT_EQ(counterpartOf("xla_dump_to", place), std::nullopt);
  }
  EXPECT_EQ(counterpartOf("xla_cpu_enable_fast_math", true), std::nullopt);
}

// Properties of the generator. A seed always gives the same program. Some programs are long, some
// are exact, and every operation with native code occurs with every type that the code supports.
#include "Generator.h"

#include "drumlin/driver/OperatorSupport.h"
#include "drumlin/support/Hash.h"

#include <gtest/gtest.h>
#include <set>

using namespace drumlin;
using namespace drumlin::fuzz;

// If a change of the generator changes programs, update the expected number. After such a change,
// seeds in tests and reports refer to other programs. New functions in the dialects change
// programs, too, so this test uses only a few functions.
TEST(Generator, ASeedGivesTheSameProgramForever) {
  Functions functions;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    functions.exact[type] = {isBoolean(type) ? "stablehlo.not" : "stablehlo.negate"};
    functions.approximations[type] = {"stablehlo.exponential", "stablehlo.rsqrt", "stablehlo.tanh"};
  }
  std::string all;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    all += Generator(seed, functions).make().text;
  }
  EXPECT_EQ(contentHash(std::as_bytes(std::span<const char>(all))),
            "78bb98564a586c62c231cff62e436e0135a126195bb2df67c6a799193fab0607");
}

TEST(Generator, HalfOfTheProgramsAreLongAndAThirdIsExact) {
  int long40 = 0, long100 = 0, exact = 0, withEmpty = 0, donating = 0, laidOut = 0, fixed = 0;
  std::set<size_t> ranks;
  constexpr int programs = 2000;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    Program program = generate(seed);
    long40 += program.operations >= 40;
    long100 += program.operations >= 100;
    exact += program.isExact();
    withEmpty += program.text.find("tensor<0x") != std::string::npos;
    donating += program.text.find("tf.aliasing_output") != std::string::npos;
    laidOut += program.text.find("mhlo.layout_mode") != std::string::npos;
    fixed += program.text.find("drumlin.static") != std::string::npos;
    for (const Argument &argument : program.arguments) {
      ranks.insert(argument.type.shape.size());
    }
  }
  EXPECT_GE(long40, programs / 2);
  EXPECT_GE(long100, programs / 5);
  EXPECT_GE(exact, programs / 3);
  EXPECT_GE(withEmpty, programs / 100);
  EXPECT_GE(donating, programs / 20);
  EXPECT_GE(laidOut, programs / 20);
  EXPECT_GE(fixed, programs / 10);
  for (size_t rank = 0; rank <= 5; ++rank) {
    EXPECT_TRUE(ranks.contains(rank)) << rank;
  }
}

// Generates programs until every operation has occurred. A change of the generator may change how
// many are needed.
TEST(SlowGenerator, EveryOperationWithNativeCodeIsGeneratedOnEveryType) {
  std::set<std::string> left = {
      // A region's terminator; the returned values are counted for the operation around it.
      "stablehlo.return",
      // Other tests check these operations, since their error bounds depend on the matrix.
      "stablehlo.cholesky", "stablehlo.triangular_solve",
      // Process ids and tokens have no element type.
      "stablehlo.partition_id", "stablehlo.replica_id", "stablehlo.after_all",
      "stablehlo.create_token",
      // These operations call code outside of the program. test/custom_calls registers such code
      // and tests them.
      "stablehlo.custom_call", "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send",
      "stablehlo.recv",
      // Asynchronous collectives, tested by test/differential/control.py.
      "stablehlo.async_start", "stablehlo.async_done",
      // Operations with size operands, tested by test/differential/dynamic.py.
      "stablehlo.set_dimension_size"};
  std::set<ElementType> notMade = {ElementType::C64, ElementType::C128};
  Result<CpuTarget> target = cpuTargetFromName("baseline");
  ASSERT_TRUE(target);
  std::set<std::string> wanted;
  for (const OperatorSupport &support : operatorSupport(allOperators(), *target)) {
    if (support.native && !left.contains(support.operation) && !notMade.contains(support.type)) {
      wanted.insert(support.operation + " " + std::string(name(support.type)));
    }
  }
  EXPECT_GT(wanted.size(), 1000u);
  uint64_t seed = 0;
  for (; seed < 90000 && !wanted.empty(); ++seed) {
    for (const auto &[operation, count] : generate(seed).operationCounts) {
      wanted.erase(operation);
    }
  }
  RecordProperty("seeds", static_cast<int>(seed));
  EXPECT_EQ(wanted, std::set<std::string>()) << "in no program";
}

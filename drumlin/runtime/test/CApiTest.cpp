#include "drumlin/runtime/drumlin.h"

#include <gtest/gtest.h>
#include <string>

extern "C" int drumlinTestFromC(const char *path);

TEST(CApi, WorksFromC) { EXPECT_EQ(drumlinTestFromC(TEST_IMAGES "/plain.so"), 0); }

TEST(CApi, ErrorsAreValues) {
  drumlin_executable *program = reinterpret_cast<drumlin_executable *>(1);
  drumlin_error *error = drumlin_load("/absent.so", nullptr, &program);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(program, nullptr);
  EXPECT_STREQ(drumlin_error_code(error), "D1001");
  EXPECT_STREQ(drumlin_error_location(error), "/absent.so");
  EXPECT_NE(std::string(drumlin_error_message(error)), "");
  EXPECT_NE(std::string(drumlin_error_remedy(error)), "");
  EXPECT_EQ(drumlin_error_status(error), 1);
  drumlin_error_free(error);
  drumlin_error_free(nullptr);
  drumlin_free(nullptr);
}

TEST(CApi, NullPointersAreRefused) {
  drumlin_executable *program = nullptr;
  for (drumlin_error *error :
       {drumlin_load("/absent.so", nullptr, nullptr), drumlin_load(nullptr, nullptr, &program),
        drumlin_load_memory(nullptr, 0, nullptr, &program),
        drumlin_load_memory("text", 4, nullptr, &program),
        drumlin_run(nullptr, nullptr, 0, nullptr, 0)}) {
    ASSERT_NE(error, nullptr);
    drumlin_error_free(error);
  }
}

// A mistake of the caller's, not a reason to abort.
TEST(CApi, TooManyThreadsAreRefused) {
  drumlin_load_options options = {};
  options.size = sizeof(options);
  options.threads = 4000000000u;
  drumlin_executable *program = nullptr;
  drumlin_error *error = drumlin_load(TEST_IMAGES "/plain.so", &options, &program);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(program, nullptr);
  EXPECT_STREQ(drumlin_error_code(error), "D3015");
  EXPECT_EQ(drumlin_error_status(error), 2);
  drumlin_error_free(error);
}

// Options of a caller that knows none of them.
TEST(CApi, OptionsGrow) {
  drumlin_load_options options = {};
  options.size = sizeof(options.size);
  drumlin_executable *program = nullptr;
  ASSERT_EQ(drumlin_load(TEST_IMAGES "/sidefile.so", &options, &program), nullptr);
  drumlin_free(program);
  EXPECT_STRNE(drumlin_version(), "");
}

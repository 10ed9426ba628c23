// Tests the effect of a failed allocation on the thread that compiles and on other threads.
#include "drumlin/support/OutOfMemory.h"

#include "drumlin/support/Threads.h"

#include <gtest/gtest.h>
#include <limits>
#include <new>
#include <thread>

namespace drumlin {

// Allocates more than any machine has, in a way that the compiler can't optimize out.
static void askForAll() {
  void *volatile memory = ::operator new(std::numeric_limits<ptrdiff_t>::max() / 2);
  ::operator delete(memory);
}

static bool throws() {
  try {
    askForAll();
  } catch (const std::bad_alloc &) {
    return true;
  }
  return false;
}

TEST(OutOfMemoryDeathTest, EndsTheProcessWhileOneLives) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  auto ends = testing::ExitedWithCode(6);
  auto here = [] {
    EndsWithoutMemory memory;
    askForAll();
  };
  EXPECT_EXIT(here(), ends, "^error D1005: no memory is left for the compiler");
  auto onThread = [] {
    EndsWithoutMemory memory;
    HelperThreads helpers;
    helpers.start(1, askForAll);
    helpers.join();
  };
  EXPECT_EXIT(onThread(), ends, "D1005");
}

TEST(OutOfMemory, OtherAllocationsThrow) {
  EXPECT_TRUE(throws());
  {
    EndsWithoutMemory memory, inner;
    EXPECT_TRUE(EndsWithoutMemory::isHere());
    bool isThrown = false, isHere = true;
    std::thread other([&] {
      isHere = EndsWithoutMemory::isHere();
      isThrown = throws();
    });
    other.join();
    EXPECT_TRUE(isThrown);
    EXPECT_FALSE(isHere);
    EndsWithoutMemory none(false);
  }
  EXPECT_FALSE(EndsWithoutMemory::isHere());
  EXPECT_TRUE(throws());
}

TEST(OutOfMemoryDeathTest, WhatOtherLibrariesSayEndsLikewise) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  auto here = [] {
    EndsWithoutMemory memory;
    allocationFailed();
  };
  EXPECT_EXIT(here(), testing::ExitedWithCode(6), "D1005");
  EXPECT_THROW(allocationFailed(), std::bad_alloc);
}

static int asked = 0;

// The host's own handler is called as before, and is restored at the end.
TEST(OutOfMemory, LeavesTheHostsHandler) {
  auto host = [] {
    if (++asked == 3) {
      std::set_new_handler(nullptr);
    }
  };
  std::new_handler before = std::set_new_handler(host);
  {
    EndsWithoutMemory memory;
    std::thread([] { EXPECT_TRUE(throws()); }).join();
    EXPECT_EQ(asked, 3);
    std::set_new_handler(host);
  }
  EXPECT_EQ(std::set_new_handler(host), std::new_handler(host));
  {
    EndsWithoutMemory memory;
    EXPECT_NE(std::get_new_handler(), std::new_handler(host));
  }
  EXPECT_EQ(std::set_new_handler(before), std::new_handler(host));
}

} // namespace drumlin

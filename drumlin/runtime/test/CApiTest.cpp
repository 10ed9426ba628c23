#include "drumlin/runtime/drumlin.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

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

// Too many threads are the caller's error, and don't abort the process.
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

// Options may come from a caller whose struct has no fields but `size`.
TEST(CApi, OptionsGrow) {
  drumlin_load_options options = {};
  options.size = sizeof(options.size);
  drumlin_executable *program = nullptr;
  ASSERT_EQ(drumlin_load(TEST_IMAGES "/sidefile.so", &options, &program), nullptr);
  drumlin_free(program);
  EXPECT_STRNE(drumlin_version(), "");
}

extern "C" int drumlinTestFromOldC(const char *path);

// Programs compiled against a header without contexts and events still run.
TEST(CApi, WorksFromOldPrograms) { EXPECT_EQ(drumlinTestFromOldC(TEST_IMAGES "/plain.so"), 0); }

namespace {
// A loaded program with two threads, and one set of arguments.
struct Loaded {
  drumlin_executable *program = nullptr;
  float x[1000] = {1, 2}, y[1000] = {}, out[1000] = {}, total = 5, sum = 0, next = 0;
  const void *args[4] = {x, y, &total, nullptr};
  void *results[3] = {out, &sum, &next};
  drumlin_run_request request = {};

  Loaded() {
    drumlin_load_options options = {};
    options.size = sizeof(options);
    options.threads = 2;
    EXPECT_EQ(drumlin_load(TEST_IMAGES "/plain.so", &options, &program), nullptr);
    request.size = sizeof(request);
    request.args = args;
    request.arg_count = 4;
    request.results = results;
    request.result_count = 3;
  }
  ~Loaded() { drumlin_free(program); }
  drumlin_event *start() {
    drumlin_event *event = nullptr;
    EXPECT_EQ(drumlin_run_async(program, &request, &event), nullptr);
    return event;
  }
};
} // namespace

// A program of one process has a grid of one process.
TEST(CApi, RunsAllProcesses) {
  Loaded loaded;
  EXPECT_EQ(drumlin_replica_count(loaded.program), 1);
  EXPECT_EQ(drumlin_partition_count(loaded.program), 1);
  EXPECT_EQ(drumlin_run_processes(loaded.program, loaded.args, nullptr, 4, loaded.results, 3),
            nullptr);
  std::vector<float> together(loaded.out, loaded.out + 1000);
  EXPECT_EQ(drumlin_run(loaded.program, loaded.args, 4, loaded.results, 3), nullptr);
  EXPECT_EQ(together, std::vector<float>(loaded.out, loaded.out + 1000));
  drumlin_error *error =
      drumlin_run_processes(loaded.program, loaded.args, nullptr, 8, loaded.results, 6);
  ASSERT_NE(error, nullptr);
  EXPECT_STREQ(drumlin_error_code(error), "D6007");
  drumlin_error_free(error);
}

static std::string codeOf(drumlin_error *error) {
  std::string code = error ? drumlin_error_code(error) : "none";
  drumlin_error_free(error);
  return code;
}

TEST(CApi, RunsAsynchronously) {
  Loaded loaded;
  drumlin_event *event = loaded.start();
  EXPECT_EQ(drumlin_event_wait(event), nullptr);
  EXPECT_EQ(drumlin_event_is_ready(event), 1);
  EXPECT_EQ(loaded.out[1], 4);
  EXPECT_EQ(loaded.next, 6);
  drumlin_event_free(event);

  loaded.x[0] = -2e9f;
  event = loaded.start();
  std::string heard;
  EXPECT_EQ(drumlin_event_on_ready(
                event,
                [](void *place, const drumlin_error *error) {
                  *static_cast<std::string *>(place) = error ? drumlin_error_code(error) : "none";
                },
                &heard),
            nullptr);
  EXPECT_EQ(codeOf(drumlin_event_wait(event)), "D6008");
  EXPECT_EQ(codeOf(drumlin_event_wait(event)), "D6008");
  drumlin_free(loaded.program); // waits until the callback has returned
  loaded.program = nullptr;
  EXPECT_EQ(heard, "D6008");
  drumlin_event_free(event);
  drumlin_event_free(nullptr);
}

TEST(CApi, ContextsRun) {
  Loaded loaded;
  drumlin_context *context = nullptr;
  ASSERT_EQ(drumlin_context_create(loaded.program, &context), nullptr);
  EXPECT_EQ(drumlin_context_run(context, loaded.args, 4, loaded.results, 3), nullptr);
  EXPECT_EQ(loaded.out[1], 4);
  loaded.request.context = context;
  drumlin_event *event = loaded.start();
  EXPECT_EQ(drumlin_event_wait(event), nullptr);
  drumlin_event_free(event);
  EXPECT_EQ(codeOf(drumlin_context_run(context, loaded.args, 3, loaded.results, 3)), "D6007");
  EXPECT_GT(drumlin_trim(loaded.program), 0u);
  EXPECT_EQ(drumlin_trim(loaded.program), 0u);
  // The context keeps the program loaded.
  drumlin_free(loaded.program);
  loaded.program = nullptr;
  EXPECT_EQ(drumlin_context_run(context, loaded.args, 4, loaded.results, 3), nullptr);
  drumlin_context_free(context);
  drumlin_context_free(nullptr);
}

TEST(CApi, ForeignAndUsedContextsAreRefused) {
  Loaded loaded, other;
  drumlin_context *context = nullptr;
  ASSERT_EQ(drumlin_context_create(loaded.program, &context), nullptr);
  other.request.context = context;
  drumlin_event *event = nullptr;
  EXPECT_EQ(codeOf(drumlin_run_async(other.program, &other.request, &event)), "D6021");
  EXPECT_EQ(event, nullptr);
  // A queued run occupies its context as soon as it is submitted.
  other.request.context = nullptr;
  std::vector<drumlin_event *> row;
  for (int i = 0; i < 200; ++i) {
    other.request.after = row.empty() ? nullptr : &row.back();
    other.request.after_count = row.empty() ? 0 : 1;
    row.push_back(other.start());
  }
  loaded.request.context = context;
  loaded.request.after = row.data();
  loaded.request.after_count = row.size();
  event = loaded.start();
  std::string used = codeOf(drumlin_context_run(context, loaded.args, 4, loaded.results, 3));
  EXPECT_TRUE(used == "D6020" || (used == "none" && drumlin_event_is_ready(row.back())));
  EXPECT_EQ(drumlin_event_wait(event), nullptr);
  EXPECT_EQ(drumlin_context_run(context, loaded.args, 4, loaded.results, 3), nullptr);
  row.push_back(event);
  for (drumlin_event *each : row) {
    drumlin_event_free(each);
  }
  drumlin_context_free(context);
}

// Everything that a run uses may be freed before the run has ended, in any order.
TEST(CApi, EverythingMayBeFreedWhileRunsGoOn) {
  for (int i = 0; i < 50; ++i) {
    Loaded loaded;
    drumlin_context *context = nullptr;
    ASSERT_EQ(drumlin_context_create(loaded.program, &context), nullptr);
    loaded.request.context = context;
    drumlin_event *first = loaded.start();
    Loaded second;
    second.request.after = &first;
    second.request.after_count = 1;
    drumlin_event *last = second.start();
    drumlin_context_free(context);
    if (i % 2 == 0) {
      drumlin_event_free(last);
    }
    drumlin_event_free(first);
    drumlin_free(second.program);
    second.program = nullptr;
    EXPECT_EQ(second.next, 6);
    if (i % 2 != 0) {
      EXPECT_EQ(drumlin_event_is_ready(last), 1);
      drumlin_event_free(last);
    }
  }
}

// A callback may free the program while other runs wait for the callback's thread.
TEST(CApi, CallbacksMayFreeTheProgram) {
  for (int i = 0; i < 20; ++i) {
    Loaded loaded[2];
    drumlin_executable *program = loaded[0].program;
    drumlin_event *events[] = {loaded[0].start(), nullptr};
    ASSERT_EQ(drumlin_run_async(program, &loaded[1].request, &events[1]), nullptr);
    drumlin_event_on_ready(
        events[0],
        [](void *given, const drumlin_error *) {
          drumlin_free(static_cast<drumlin_executable *>(given));
        },
        program);
    loaded[0].program = nullptr;
    for (drumlin_event *event : events) {
      EXPECT_EQ(drumlin_event_wait(event), nullptr);
      drumlin_event_free(event);
    }
    EXPECT_EQ(loaded[1].next, 6);
  }
}

TEST(CApi, NullPointersOfAsynchronousRunsAreRefused) {
  Loaded loaded;
  drumlin_event *event = nullptr;
  drumlin_context *context = nullptr;
  drumlin_run_request small = {}, wrongBefore = loaded.request;
  drumlin_event *none = nullptr;
  wrongBefore.after = &none;
  wrongBefore.after_count = 1;
  for (drumlin_error *error :
       {drumlin_run_async(loaded.program, &loaded.request, nullptr),
        drumlin_run_async(loaded.program, nullptr, &event),
        drumlin_run_async(nullptr, &loaded.request, &event),
        drumlin_run_async(loaded.program, &small, &event),
        drumlin_run_async(loaded.program, &wrongBefore, &event), drumlin_event_wait(nullptr),
        drumlin_event_on_ready(nullptr, nullptr, nullptr),
        drumlin_context_create(nullptr, &context), drumlin_context_create(loaded.program, nullptr),
        drumlin_context_run(nullptr, loaded.args, 4, loaded.results, 3)}) {
    EXPECT_EQ(codeOf(error), "D6007");
    EXPECT_EQ(event, nullptr);
  }
  EXPECT_EQ(drumlin_trim(nullptr), 0u);
}

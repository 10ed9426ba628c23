#include "drumlin/runtime/collectives/Rendezvous.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>

using namespace drumlin;

static HostAttribute numbers(const char *name, const std::vector<int64_t> &values) {
  HostAttribute::Array array{ElementType::SI64, static_cast<int64_t>(values.size()), {}};
  array.bytes.resize(values.size() * sizeof(int64_t));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return {name, array};
}

// Returns an exchange of one i64 per process; each process receives one value per source.
static HostCall exchangeOf(const std::vector<int64_t> &sources, int64_t width) {
  return {.interface = HostInterface::Exchange,
          .target = "stablehlo.all_gather on channel 0",
          .attributes = {numbers(sourcesAttribute, sources)},
          .operands = {{ElementType::SI64, {1}, {}}},
          .results = {{ElementType::SI64, {width}, {}}}};
}

// Runs a function for each process on its own thread; returns the status of each.
static std::vector<Status> runAll(Rendezvous &rendezvous,
                                  const std::function<Status(int64_t process)> &body) {
  auto count = static_cast<size_t>(rendezvous.grid().processes());
  std::vector<Status> ends(count, Done());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      ends[i] = body(static_cast<int64_t>(i));
      rendezvous.end(static_cast<int64_t>(i), ends[i]);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  return ends;
}

static Status exchange(Rendezvous &rendezvous, const PreparedExchange &prepared,
                       const HostCall &call, int64_t process, int64_t value, int64_t *results) {
  void *operands[] = {&value}, *outputs[] = {results};
  return rendezvous.exchange(process, prepared, call, operands, outputs);
}

TEST(Rendezvous, BringsWhatAllHaveAgainAndAgain) {
  HostCall call = exchangeOf({0, 1, 2, 0, 1, 2, 0, 1, 2}, 3);
  PreparedExchange prepared = prepareExchange(*exchangeTableOf(call, 3), 0);
  Rendezvous rendezvous({3, 1}, 1);
  std::vector<Status> ends = runAll(rendezvous, [&](int64_t process) -> Status {
    for (int64_t round = 0; round < 2000; ++round) {
      int64_t got[3] = {};
      Status status = exchange(rendezvous, prepared, call, process, round * 10 + process, got);
      if (!status) {
        return status;
      }
      for (int64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(got[i], round * 10 + i);
      }
    }
    return Done();
  });
  EXPECT_FALSE(rendezvous.error().has_value());
}

// Process 0 sends to process 1, and 1 to 2. Process 0 receives from no process.
TEST(Rendezvous, GivesZerosWhereNobodySends) {
  HostCall call = exchangeOf({-1, 0, 1}, 1);
  PreparedExchange prepared = prepareExchange(*exchangeTableOf(call, 3), 0);
  Rendezvous rendezvous({1, 3}, 1);
  std::vector<int64_t> got(3, 99);
  runAll(rendezvous, [&](int64_t process) {
    return exchange(rendezvous, prepared, call, process, process + 5,
                    &got[static_cast<size_t>(process)]);
  });
  EXPECT_EQ(got, (std::vector<int64_t>{0, 5, 6}));
}

TEST(Rendezvous, EndsProcessesThatWaitInVain) {
  HostCall call = exchangeOf({0, 1, 0, 1}, 2);
  PreparedExchange prepared = prepareExchange(*exchangeTableOf(call, 2), 0);
  Rendezvous rendezvous({2, 1}, 1);
  runAll(rendezvous, [&](int64_t process) -> Status {
    int64_t got[2] = {};
    return process == 0 ? exchange(rendezvous, prepared, call, process, 1, got) : Done();
  });
  ASSERT_TRUE(rendezvous.error().has_value());
  EXPECT_EQ(rendezvous.error()->code, errors::ProcessesBlocked);
  EXPECT_EQ(rendezvous.error()->message,
            "no process can go on: (0, 0) waits in stablehlo.all_gather on channel 0");
}

// Each process waits at a different meeting.
TEST(Rendezvous, EndsProcessesThatComeToOtherMeetings) {
  HostCall call = exchangeOf({0, 1, 0, 1}, 2);
  PreparedExchange first = prepareExchange(*exchangeTableOf(call, 2), 0);
  PreparedExchange second = prepareExchange(*exchangeTableOf(call, 2), 1);
  Rendezvous rendezvous({2, 1}, 2);
  runAll(rendezvous, [&](int64_t process) {
    int64_t got[2] = {};
    return exchange(rendezvous, process == 0 ? first : second, call, process, 1, got);
  });
  ASSERT_TRUE(rendezvous.error().has_value());
  EXPECT_EQ(rendezvous.error()->code, errors::ProcessesBlocked);
}

TEST(Rendezvous, AnErrorEndsTheOthersAndIsTheRuns) {
  HostCall call = exchangeOf({0, 1, 2, 0, 1, 2, 0, 1, 2}, 3);
  PreparedExchange prepared = prepareExchange(*exchangeTableOf(call, 3), 0);
  Rendezvous rendezvous({3, 1}, 1);
  std::vector<Status> ends = runAll(rendezvous, [&](int64_t process) -> Status {
    int64_t got[3] = {};
    return process == 2 ? diagnose(errors::HostCallFailed, "no more")
                        : exchange(rendezvous, prepared, call, process, 1, got);
  });
  EXPECT_EQ(rendezvous.error()->message, "no more");
  for (const Status &end : ends) {
    EXPECT_EQ(end.error().code, errors::HostCallFailed);
  }
}

static HostCall transferOf(HostInterface interface, int64_t size) {
  HostCall call{.interface = interface, .target = "7"};
  (interface == HostInterface::Send ? call.operands
                                    : call.results) = {{ElementType::SI64, {size}, {}}};
  return call;
}

TEST(Rendezvous, ChannelsKeepTheOrder) {
  Rendezvous rendezvous({1, 2}, 0);
  HostCall send = transferOf(HostInterface::Send, 1), receive = transferOf(HostInterface::Recv, 1);
  std::vector<int64_t> got;
  runAll(rendezvous, [&](int64_t process) -> Status {
    for (int64_t i = 0; i < 500; ++i) {
      int64_t value = process == 0 ? i : -1;
      void *buffers[] = {&value};
      Status status = process == 0 ? rendezvous.send(0, 1, send, buffers)
                                   : rendezvous.receive(1, 0, receive, buffers);
      if (!status) {
        return status;
      }
      if (process == 1) {
        got.push_back(value);
      }
    }
    return Done();
  });
  EXPECT_FALSE(rendezvous.error().has_value());
  ASSERT_EQ(got.size(), 500u);
  EXPECT_TRUE(std::ranges::is_sorted(got));
}

TEST(Rendezvous, RefusesOtherSizesThanWereSent) {
  Rendezvous rendezvous({1, 2}, 0);
  HostCall send = transferOf(HostInterface::Send, 1), receive = transferOf(HostInterface::Recv, 2);
  runAll(rendezvous, [&](int64_t process) {
    int64_t values[2] = {};
    void *buffers[] = {values};
    return process == 0 ? rendezvous.send(0, 1, send, buffers)
                        : rendezvous.receive(1, 0, receive, buffers);
  });
  EXPECT_EQ(rendezvous.error()->code, errors::ProcessGridMismatch);
}

TEST(Rendezvous, RefusesTablesThatDoNotFit) {
  EXPECT_FALSE(bool(exchangeTableOf(exchangeOf({0, 1}, 1), 3)));
  EXPECT_FALSE(bool(exchangeTableOf(exchangeOf({0, 2}, 1), 2)));
  EXPECT_FALSE(bool(exchangeTableOf(exchangeOf({0, 1}, 2), 2)));
  EXPECT_FALSE(bool(exchangeTableOf(exchangeOf({}, 1), 2)));
  EXPECT_TRUE(bool(exchangeTableOf(exchangeOf({1, 0}, 1), 2)));
}

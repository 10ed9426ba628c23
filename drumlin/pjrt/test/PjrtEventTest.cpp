// Events that frameworks create, and callbacks.
#include "drumlin/pjrt/test/Calls.h"

#include <thread>

using namespace drumlin::pjrt;

static Owned<Event> makeEvent() { return Owned<Event>(get(EventCreateArgs{}).event); }

static Answer set(Event *event, ErrorCode code = ErrorCode::Ok, std::string_view message = {}) {
  return tried(EventSetArgs{.event = event,
                            .errorCode = code,
                            .errorMessage = message.data(),
                            .errorMessageSize = message.size()});
}

static void listen(Event *event, std::vector<Answer> &heard) {
  get(EventOnReadyArgs{.event = event,
                       .callback =
                           [](Error *error, void *place) {
                             static_cast<std::vector<Answer> *>(place)->push_back(take(error));
                           },
                       .userArg = &heard});
}

TEST(PjrtEvent, IsReadyOnceItIsSet) {
  Owned<Event> event = makeEvent();
  EXPECT_FALSE(get(EventIsReadyArgs{.event = event.get()}).isReady);
  EXPECT_EQ(tried(EventErrorArgs{.event = event.get()}), ErrorCode::FailedPrecondition);
  std::vector<Answer> heard;
  listen(event.get(), heard);
  listen(event.get(), heard);
  EXPECT_TRUE(heard.empty());
  EXPECT_EQ(set(event.get()), ErrorCode::Ok);
  EXPECT_EQ(heard.size(), 2U);
  listen(event.get(), heard); // the callback is called at once
  ASSERT_EQ(heard.size(), 3U);
  for (const Answer &each : heard) {
    EXPECT_EQ(each, ErrorCode::Ok);
  }
  EXPECT_TRUE(get(EventIsReadyArgs{.event = event.get()}).isReady);
  EXPECT_EQ(tried(EventErrorArgs{.event = event.get()}), ErrorCode::Ok);
  EXPECT_EQ(tried(EventAwaitArgs{.event = event.get()}), ErrorCode::Ok);
  EXPECT_EQ(set(event.get()), ErrorCode::FailedPrecondition);
}

TEST(PjrtEvent, GivesItsErrorToAll) {
  Owned<Event> event = makeEvent();
  std::vector<Answer> heard;
  listen(event.get(), heard);
  EXPECT_EQ(set(event.get(), ErrorCode::DataLoss, "gone"), ErrorCode::Ok);
  listen(event.get(), heard);
  heard.push_back(tried(EventErrorArgs{.event = event.get()}));
  heard.push_back(tried(EventAwaitArgs{.event = event.get()}));
  ASSERT_EQ(heard.size(), 4U);
  for (const Answer &each : heard) {
    EXPECT_EQ(each, ErrorCode::DataLoss);
    EXPECT_EQ(each.message, "gone");
  }
}

TEST(PjrtEvent, WakesThoseThatWait) {
  Owned<Event> event = makeEvent();
  std::vector<std::thread> waiting;
  std::vector<Answer> answers(4);
  for (Answer &answer : answers) {
    waiting.emplace_back([&] { answer = tried(EventAwaitArgs{.event = event.get()}); });
  }
  EXPECT_EQ(set(event.get(), ErrorCode::Aborted, "enough"), ErrorCode::Ok);
  for (std::thread &each : waiting) {
    each.join();
  }
  for (const Answer &answer : answers) {
    EXPECT_EQ(answer, ErrorCode::Aborted);
  }
}

TEST(PjrtEvent, MayGoBeforeItIsSet) {
  std::vector<Answer> heard;
  listen(makeEvent().get(), heard);
  EXPECT_TRUE(heard.empty());
}

#include "drumlin/pjrt/Profile.h"

#include "drumlin/pjrt/ProtoWriter.h"

#include <map>
#include <sys/syscall.h>
#include <unistd.h>

namespace drumlin::pjrt {

// The limit on records, which take about 200 MiB.
static constexpr size_t maxSpans = 1'000'000;

namespace {
struct Current {
  std::mutex mutex;
  std::shared_ptr<Profile> profile;
  std::atomic<bool> isOn{false}; // atomic, since each run reads it
};
} // namespace

// Never destroyed: programs may run until the process ends.
static Current &place() {
  static auto *made = new Current();
  return *made;
}

std::shared_ptr<Profile> Profile::current() {
  if (!place().isOn.load(std::memory_order_acquire)) {
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(place().mutex);
  return place().profile;
}

bool Profile::begin(std::shared_ptr<Profile> profile) {
  std::lock_guard<std::mutex> lock(place().mutex);
  if (place().profile) {
    return false;
  }
  place().profile = std::move(profile);
  place().isOn.store(true, std::memory_order_release);
  return true;
}

void Profile::end() {
  std::lock_guard<std::mutex> lock(place().mutex);
  place().profile = nullptr;
  place().isOn.store(false, std::memory_order_release);
}

void Profile::add(const std::string &program, const std::string &kernel, int64_t tileBegin,
                  int64_t tileEnd, Time begin, Time end) {
  int64_t thread = syscall(SYS_gettid);
  std::lock_guard<std::mutex> lock(mutex);
  if (spans.size() < maxSpans) {
    spans.push_back({program, kernel, tileBegin, tileEnd, thread, begin, end});
  }
}

namespace {
// The numbers of the fields of each message.
namespace space {
enum : uint32_t { planes = 1 };
}
namespace plane {
enum : uint32_t { id = 1, name = 2, lines = 3, eventMetadata = 4, statMetadata = 5 };
}
namespace line {
enum : uint32_t { id = 1, name = 2, timestampNs = 3, events = 4 };
}
namespace event {
enum : uint32_t { metadataId = 1, offsetPs = 2, durationPs = 3, stats = 4 };
}
namespace metadata { // the metadata of events and of statistics
enum : uint32_t { id = 1, name = 2 };
}
namespace stat {
enum : uint32_t { metadataId = 1, int64Value = 4, stringValue = 5 };
}
namespace entry { // an entry of a map
enum : uint32_t { key = 1, value = 2 };
}
} // namespace

static std::string metadataEntry(int64_t id, std::string_view name) {
  std::string value, made;
  addField(value, metadata::id, id);
  addField(value, metadata::name, name);
  addField(made, entry::key, id);
  addField(made, entry::value, value);
  return made;
}

static int64_t picoseconds(Profile::Time::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count() * 1000;
}

std::string Profile::toXSpace() const {
  static constexpr std::string_view statNames[] = {"program", "tiles"};
  std::lock_guard<std::mutex> lock(mutex);
  std::map<std::string, int64_t> kernels;  // from a kernel's name to its metadata's number
  std::map<int64_t, std::string> eventsOf; // by thread
  for (const Span &span : spans) {
    auto number = kernels.try_emplace(span.kernel, static_cast<int64_t>(kernels.size()) + 1);
    std::string program, tiles, made;
    addField(program, stat::metadataId, 1);
    addField(program, stat::stringValue, span.program);
    addField(tiles, stat::metadataId, 2);
    addField(tiles, stat::int64Value, span.tileEnd - span.tileBegin);
    addField(made, event::metadataId, number.first->second);
    addField(made, event::offsetPs, picoseconds(span.begin - began));
    addField(made, event::durationPs, picoseconds(span.end - span.begin));
    addField(made, event::stats, program);
    addField(made, event::stats, tiles);
    addField(eventsOf[span.thread], line::events, made);
  }
  std::string made;
  addField(made, plane::id, 0);
  // Viewers take a plane with such a name for that of a device unknown to XLA, and show it
  // unchanged.
  addField(made, plane::name, "/device:CUSTOM:Drumlin");
  for (const auto &[thread, events] : eventsOf) {
    std::string text;
    addField(text, line::id, thread);
    addField(text, line::name, "kernels on thread " + std::to_string(thread));
    addField(text, line::timestampNs, since.count());
    addField(made, plane::lines, text + events);
  }
  for (const auto &[kernel, number] : kernels) {
    addField(made, plane::eventMetadata, metadataEntry(number, kernel));
  }
  for (size_t i = 0; i < std::size(statNames); ++i) {
    addField(made, plane::statMetadata, metadataEntry(static_cast<int64_t>(i) + 1, statNames[i]));
  }
  std::string whole;
  addField(whole, space::planes, made);
  return whole;
}

} // namespace drumlin::pjrt

// Tests the parser of compile options: whatever the bytes, it reads nothing past their end.
#include "drumlin/pjrt/CompileOptions.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace drumlin::pjrt;

namespace {
// Bytes at the end of readable memory: reading the next byte faults.
class Guarded {
public:
  Guarded()
      : page(static_cast<size_t>(sysconf(_SC_PAGESIZE))),
        memory(static_cast<char *>(
            mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    EXPECT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  }
  ~Guarded() { munmap(memory, 2 * page); }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  std::string_view put(std::string_view bytes) {
    char *place = memory + page - bytes.size();
    bytes.copy(place, bytes.size());
    return {place, bytes.size()};
  }

private:
  size_t page;
  char *memory;
};
} // namespace

static std::string field(int number, const std::string &bytes) {
  std::string made = {static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())};
  return made + bytes;
}

// Encodes xla's ShapeProto of f32[sizes…]; `layout` is its encoded LayoutProto, if any.
static std::string shapeOf(const std::string &sizes, const std::string &layout = {}) {
  return "\x10\x0b" + field(3, sizes) + (layout.empty() ? "" : field(5, layout));
}
// Encodes a tuple, which is element type 13.
static std::string tupleOf(const std::vector<std::string> &shapes) {
  std::string made = "\x10\x0d";
  for (const std::string &shape : shapes) {
    made += field(4, shape);
  }
  return made;
}

// Returns messages that together have every field that is read: packed and unpacked device
// assignments, options of each kind, and layouts.
static std::vector<std::string> messages() {
  using namespace std::string_literals;
  auto option = [](const std::string &name, const std::string &value) {
    return field(7, field(1, name) + field(2, value));
  };
  std::string options = option("text", field(1, "value")) + option("flag", "\x10\x01"s) +
                        option("number", "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s) +
                        option("real", "\x21\0\0\0\0\0\0\xf8\x3f"s) +
                        option("xla_gpu_ftz", "\x10\x01"s);
  std::string build = "\x20\x02\x28\x01"s +
                      field(9, "\x08\x02\x10\x01"s + field(3, field(1, "\x00\x85\x01"s))) +
                      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s;
  std::string unpacked = field(9, field(3, "\x08\x07"s));
  std::string columns = field(1, "\0\x01"s), tiled = columns + field(6, field(1, "\x08\x80\x01"s));
  std::string layouts = field(1, shapeOf("\x04\x02", columns)) +
                        field(1, tupleOf({shapeOf("\x03"), shapeOf("\x02\x08", tiled)})) +
                        field(3, field(2, tupleOf({shapeOf("\x04\x02", columns), shapeOf("")})));
  return {options, field(3, build), field(3, build) + options, field(3, unpacked) + options,
          "",      layouts};
}

TEST(PjrtCompileOptions, AreRead) {
  auto all = readCompileOptions(messages()[2]);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->replicas, 2);
  EXPECT_EQ(all->partitions, 1);
  EXPECT_EQ(all->devices, (std::vector<int64_t>{0, 133}));
  EXPECT_EQ(all->options,
            (std::vector<CompileOption>{
                {"text", "value"}, {"flag", "true"}, {"number", "-1"}, {"real", "1.5"}}));
  EXPECT_EQ(all->ignored, (std::vector<std::string>{"xla_gpu_ftz"}));
  auto unpacked = readCompileOptions(messages()[3]);
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(unpacked->devices, (std::vector<int64_t>{7}));
}

// XLA's options and JAX's level of effort have counterparts here, which Drumlin's own options
// override.
TEST(PjrtCompileOptions, OfXlaHaveCounterparts) {
  using namespace std::string_literals;
  auto option = [](const std::string &name, const std::string &value) {
    return field(7, field(1, name) + field(2, value));
  };
  std::string level = option("xla_backend_optimization_level", "\x18\x01"s),
              folder = option("xla_dump_to", field(1, "here")),
              effort = field(3, "\xc0\x01\x27"s), // O3
      none = field(3, field(3, "\xf8\x01\x00"s)), usual = field(3, field(3, "\xf8\x01\x03"s)),
              own = option("optimization-level", "\x18\x00"s);
  auto optionsOf = [](const std::string &bytes) {
    auto request = readCompileOptions(bytes);
    return request ? request->options : std::vector<CompileOption>{{"failed", ""}};
  };
  EXPECT_EQ(optionsOf(level + folder),
            (std::vector<CompileOption>{{"O", "1"}, {"dump_phases", "here"}}));
  EXPECT_EQ(optionsOf(effort), (std::vector<CompileOption>{{"O", "3"}}));
  EXPECT_EQ(optionsOf(none), (std::vector<CompileOption>{{"O", "0"}}));
  EXPECT_EQ(optionsOf(none + level), (std::vector<CompileOption>{{"O", "1"}}));
  EXPECT_EQ(optionsOf(usual), std::vector<CompileOption>());
  EXPECT_EQ(optionsOf(effort + level), (std::vector<CompileOption>{{"O", "1"}}));
  EXPECT_EQ(optionsOf(level + own + effort),
            (std::vector<CompileOption>{{"optimization-level", "0"}}));
  auto wrong = readCompileOptions(option("xla_backend_optimization_level", field(1, "banana")));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, drumlin::errors::CompilerOptionInvalid);
}

// Tuples have one layout per array; a layout that has more than a dimension order keeps HLO's
// syntax.
TEST(PjrtCompileOptions, HaveLayouts) {
  auto given = readCompileOptions(messages()[5]);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->layouts.arguments,
            (std::vector<ArrayLayout>{
                {"f32[4,2]", "{0,1}"}, {"f32[3]", ""}, {"f32[2,8]", "{0,1:T(8,128)}"}}));
  EXPECT_EQ(given->layouts.results,
            (std::vector<ArrayLayout>{{"f32[4,2]", "{0,1}"}, {"f32[]", ""}}));
  auto none = readCompileOptions(messages()[2]);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->layouts.arguments || none->layouts.results);
}

TEST(PjrtCompileOptions, MayBeAnyBytes) {
  unsigned seed = 0;
  Guarded memory;
  size_t good = 0, bad = 0;
  for (const std::string &whole : messages()) {
    std::mt19937 random(++seed);
    for (size_t cut = 0; cut <= whole.size(); ++cut) {
      (readCompileOptions(memory.put(std::string_view(whole).substr(0, cut))) ? good : bad) += 1;
    }
    for (int round = 0; round < 20'000; ++round) {
      std::string bytes = whole;
      for (unsigned change = 0; change <= random() % 3; ++change) {
        size_t at = bytes.empty() ? 0 : random() % bytes.size();
        auto byte = static_cast<char>(random() % 3 == 0 ? 0x80 | random()
                                      : random() % 2    ? random() % 16
                                                        : random());
        switch (random() % 4) {
        case 0:
          bytes.insert(at, 1 + random() % 3, byte);
          break;
        case 1:
          bytes.erase(at, 1 + random() % 3);
          break;
        default:
          if (!bytes.empty()) {
            bytes[at] = byte;
          }
        }
      }
      (readCompileOptions(memory.put(bytes)) ? good : bad) += 1;
    }
  }
  EXPECT_GT(good, 1000U);
  EXPECT_GT(bad, 1000U);
}

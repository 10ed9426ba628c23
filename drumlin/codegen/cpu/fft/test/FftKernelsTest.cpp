// Compares Fourier transforms with the interpreter, which computes in long double and rounds once.
#include "drumlin/codegen/cpu/test/KernelCheck.h"
#include "drumlin/runtime/executable/TensorCall.h"

namespace drumlin {

namespace {
enum class Kind { Forward, Inverse, RealForward, RealInverse };
constexpr Kind allKinds[] = {Kind::Forward, Kind::Inverse, Kind::RealForward, Kind::RealInverse};

// A transform of the last dimensions, whose lengths are `lengths`.
struct Transform {
  Kind kind = Kind::Forward;
  ElementType type = ElementType::F32;
  Shape batch;
  std::vector<int64_t> lengths;

  bool isFromReal() const { return kind == Kind::RealForward; }
  bool isToReal() const { return kind == Kind::RealInverse; }
  Shape shape(bool isHalf) const {
    Shape made = batch;
    made.insert(made.end(), lengths.begin(), lengths.end());
    if (isHalf && lengths.back() > 0) {
      made.back() = lengths.back() / 2 + 1;
    }
    return made;
  }
  Shape operand() const { return shape(isToReal()); }
  Shape result() const { return shape(isFromReal()); }
};
} // namespace

static std::string complexType(const Shape &shape, ElementType type) {
  std::string made = tensorType(shape, type), element(name(type));
  replaceAll(made, element + ">", "complex<" + element + ">>");
  return made;
}

// Returns a program with several transforms of separate arguments.
static std::string programOf(const std::vector<Transform> &transforms) {
  std::string arguments, body, results, types;
  auto comma = [](std::string &text) { text += text.empty() ? "" : ", "; };
  auto addResult = [&](const std::string &value, const std::string &type) {
    comma(results);
    comma(types);
    results += value;
    types += type;
  };
  for (size_t i = 0; i < transforms.size(); ++i) {
    const Transform &each = transforms[i];
    std::string n = std::to_string(i);
    std::string real = tensorType(each.operand(), each.type);
    std::string both = complexType(each.operand(), each.type);
    std::string realResult = tensorType(each.result(), each.type);
    std::string bothResult = complexType(each.result(), each.type);
    comma(arguments);
    arguments += "%a" + n + ": " + real;
    std::string operand = "%a" + n;
    if (!each.isFromReal()) {
      arguments += ", %b" + n + ": " + real;
      operand = "%c" + n;
      body += "  %c" + n + " = stablehlo.complex %a" + n + ", %b" + n + " : (" + real + ", " +
              real + ") -> " + both + "\n";
    }
    const char *names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    body += "  %f" + n + " = stablehlo.fft " + operand +
            ", type = " + names[static_cast<size_t>(each.kind)] + ", length = [" +
            list(each.lengths) + "] : (" + (each.isFromReal() ? real : both) + ") -> " +
            (each.isToReal() ? realResult : bothResult) + "\n";
    if (each.isToReal()) {
      addResult("%f" + n, realResult);
      continue;
    }
    for (const char *part : {"real", "imag"}) {
      std::string value = std::string("%") + part + n;
      body += "  " + value + " = stablehlo." + part + " %f" + n + " : (" + bothResult + ") -> " +
              realResult + "\n";
      addResult(value, realResult);
    }
  }
  return "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body + "  return " +
         results + " : " + types + "\n}\n";
}

static std::vector<Tensor> argumentsOf(const std::vector<Transform> &transforms) {
  std::vector<Tensor> arguments;
  for (const Transform &each : transforms) {
    for (int part = 0; part < (each.isFromReal() ? 1 : 2); ++part) {
      arguments.push_back(
          drawTensor(each.type, each.operand(), Values::Many, 17 + arguments.size()));
    }
  }
  return arguments;
}

// Checks the documented bound. For the results of one transform, with root mean squares,
//   rms(error) <= eps (1 + log2 n) / 2 rms(result)
// where eps is half a unit in the last place of one; each element's error is at most 8 times that.
static void expectClose(const Transform &transform, std::span<const Tensor> got,
                        std::span<const Tensor> expected) {
  double squares = 0, errors = 0, largest = 0, length = 1, count = 0;
  for (size_t part = 0; part < got.size(); ++part) {
    ASSERT_EQ(got[part].shape(), expected[part].shape());
    int64_t size = storageBytes(transform.type);
    for (int64_t i = 0; i < got[part].elements(); ++i) {
      double x = toDouble(transform.type, got[part].data() + i * size);
      double y = toDouble(transform.type, expected[part].data() + i * size);
      squares += y * y;
      errors += (x - y) * (x - y);
      largest = std::max(largest, std::abs(x - y));
      count += 1;
    }
  }
  if (count == 0) {
    return;
  }
  for (int64_t each : transform.lengths) {
    length *= static_cast<double>(each);
  }
  double epsilon = transform.type == ElementType::F64 ? 0x1p-53 : 0x1p-24;
  double bound = epsilon * (1 + std::log2(length)) / 2 * std::sqrt(squares / count);
  EXPECT_LE(std::sqrt(errors / count), bound) << "lengths " << list(transform.lengths);
  EXPECT_LE(largest, 8 * bound) << "lengths " << list(transform.lengths);
}

static void checkAll(const std::vector<Transform> &transforms,
                     const std::vector<std::string> &targets = nativeOnly, unsigned level = 2) {
  auto compare = [&](const std::vector<Tensor> &got, const std::vector<Tensor> &expected) {
    size_t next = 0;
    for (const Transform &each : transforms) {
      size_t count = each.isToReal() ? 1 : 2;
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(each.kind)));
      expectClose(each, std::span(got).subspan(next, count),
                  std::span(expected).subspan(next, count));
      next += count;
    }
  };
  checkWith(programOf(transforms), argumentsOf(transforms), targets, compare, level);
}

static ElementType alternating(size_t i) {
  return i % 2 == 0 ? ElementType::F32 : ElementType::F64;
}

// Tests every length, with few lines (lanes run along lines) and with more lines than a register
// has lanes.
TEST(SlowFftKernel, EveryLength) {
  for (Kind kind : allKinds) {
    for (int64_t first = 0; first <= 130; first += 10) {
      std::vector<Transform> transforms;
      for (int64_t length = first; length < first + 10; ++length) {
        transforms.push_back({kind, alternating(transforms.size()), {3}, {length}});
        transforms.push_back({kind, alternating(transforms.size() / 2), {19}, {length}});
      }
      checkAll(transforms, nativeOnly, /*level=*/0);
    }
  }
}

// Tests lengths that need several passes: powers of two, other smooth numbers, primes, and
// multiples of primes.
TEST(SlowFftKernel, LongerLengths) {
  for (ElementType type : {ElementType::F32, ElementType::F64}) {
    for (int64_t length : {256, 512, 1000, 1024, 1009, 2018, 2187, 3125, 4096, 5040, 8191, 16384}) {
      std::vector<Transform> transforms;
      for (Kind kind : allKinds) {
        transforms.push_back({kind, type, {}, {length}});
        transforms.push_back({kind, type, {2, 9}, {length}});
      }
      checkAll(transforms);
    }
  }
}

// Tests lines that are so long that they are split into matrices, and convolutions of such lines.
TEST(SlowFftKernel, SplitLines) {
  for (int64_t length : {1 << 16, 1 << 18, 100000, 65537, 200003, 59049}) {
    checkAll({{Kind::Forward, ElementType::F32, {}, {length}},
              {Kind::RealInverse, ElementType::F32, {}, {length}}});
    checkAll({{Kind::Inverse, ElementType::F64, {}, {length}},
              {Kind::RealForward, ElementType::F64, {}, {length}}});
  }
  checkAll({{Kind::Forward, ElementType::F32, {3}, {1 << 15}},
            {Kind::Inverse, ElementType::F32, {2}, {1 << 16}},
            {Kind::Forward, ElementType::F32, {}, {8192, 4}},
            {Kind::RealForward, ElementType::F32, {2}, {1 << 16}},
            {Kind::RealInverse, ElementType::F32, {2}, {1 << 16}}});
}

TEST(FftKernel, SeveralDimensions) {
  for (Kind kind : allKinds) {
    for (ElementType type : {ElementType::F32, ElementType::F64}) {
      checkAll({{kind, type, {}, {8, 8}},
                {kind, type, {}, {64, 32}},
                {kind, type, {3}, {5, 7}},
                {kind, type, {2, 2}, {6, 1}},
                {kind, type, {}, {1, 9}},
                {kind, type, {}, {20, 37}},
                {kind, type, {}, {4, 6, 10}},
                {kind, type, {2}, {3, 67, 4}},
                {kind, type, {2, 1, 2, 1, 2}, {2, 3, 4}},
                {kind, type, {}, {16, 24, 40}}});
    }
  }
}

// Tests planes larger than L2. Their columns are copied in blocks, with and without remainders.
TEST(FftKernel, LargePlanes) {
  checkAll({{Kind::Forward, ElementType::F32, {}, {256, 1000}},
            {Kind::Inverse, ElementType::F32, {3}, {64, 1031}},
            {Kind::RealForward, ElementType::F64, {}, {200, 1001}},
            {Kind::RealInverse, ElementType::F64, {2}, {128, 600}},
            {Kind::Forward, ElementType::F64, {}, {2, 67, 1024}}},
           everyTarget);
}

TEST(FftKernel, EmptyAndSingle) {
  for (Kind kind : allKinds) {
    checkAll({{kind, ElementType::F32, {0}, {8}},
              {kind, ElementType::F32, {4}, {0}},
              {kind, ElementType::F64, {}, {0}},
              {kind, ElementType::F64, {}, {1}},
              {kind, ElementType::F32, {40}, {1}},
              {kind, ElementType::F32, {}, {1, 1}},
              {kind, ElementType::F32, {}, {4, 0}}});
  }
}

TEST(FftKernel, EveryTarget) {
  for (Kind kind : allKinds) {
    for (ElementType type : {ElementType::F32, ElementType::F64}) {
      checkAll({{kind, type, {}, {64}},
                {kind, type, {30}, {64}},
                {kind, type, {33}, {15}},
                {kind, type, {3}, {240}},
                {kind, type, {2}, {67}},
                {kind, type, {}, {24, 12}}},
               everyTarget);
    }
  }
}

// An infinity or a NaN makes all results of its own line infinite or NaN, but affects no other
// line.
TEST(FftKernel, LinesAreApart) {
  for (int64_t length : {64, 60, 7, 37}) {
    Transform transform{Kind::Forward, ElementType::F32, {40}, {length}};
    std::string text = programOf({transform});
    SCOPED_TRACE(text);
    mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
    auto module = importText(text, "test.mlir", context);
    ASSERT_TRUE(module) << module.error().str();
    std::vector<Tensor> arguments = argumentsOf({transform});
    for (Tensor &part : arguments) {
      setElement(part, 5 * length + 1, NAN);
      setElement(part, 39 * length, INFINITY);
    }
    CompileOptions options;
    options.useCache = false;
    auto compiled = compile(**module, "test", options);
    ASSERT_TRUE(compiled) << compiled.error().str();
    auto executable = compiled->load("test");
    ASSERT_TRUE(executable) << executable.error().str();
    auto got = call(**executable, arguments);
    ASSERT_TRUE(got) << got.error().str();
    for (const Tensor &part : *got) {
      for (int64_t i = 0; i < part.elements(); ++i) {
        int64_t line = i / length;
        ASSERT_EQ(std::isfinite(part.as<float>()[i]), line != 5 && line != 39) << "element " << i;
      }
    }
  }
}

} // namespace drumlin

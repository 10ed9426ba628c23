// Prints the report as text and as JSON.
#include "drumlin/driver/check/Check.h"
#include "drumlin/support/json/JsonStream.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace drumlin {

static std::string counted(int64_t count, const char *what) {
  bool hisses = llvm::StringRef(what).ends_with("ch");
  return std::to_string(count) + " " + what + (count == 1 ? "" : hisses ? "es" : "s");
}

static void originText(const char *what, const NonFiniteOrigins &native,
                       const NonFiniteOrigins &interpreted,
                       std::optional<NonFiniteOrigin> NonFiniteOrigins::*kind, std::string &text) {
  const std::optional<NonFiniteOrigin> &ran = native.*kind, &program = interpreted.*kind;
  if (!ran && !program) {
    return;
  }
  text += std::string("first ") + what + ":\n";
  text += "  native: " + (ran ? ran->str() : "none") + "\n";
  text += "  interpreted: " + (program ? program->str() : "none") + "\n";
}

static std::string divergenceText(const LaunchDivergence &first, int64_t launches) {
  std::string text = "first divergence: " + first.place.str() + "\n  " + first.value + ": " +
                     first.elements.str() + "\n";
  if (first.operation.empty()) {
    text += "  operations of the kernel:\n";
    for (const std::string &operation : first.place.operations) {
      text += "    " + operation + "\n";
    }
  } else {
    text += "  first operation that differs if the kernel stores each value in memory: " +
            first.operation + ", " + first.operationType + ": " + first.operationElements.str() +
            "\n";
  }
  return launches == 1 ? text
                       : text + "  " + counted(launches - 1, "later launch") + " differ too\n";
}

std::string checkText(const CheckReport &report) {
  std::string text = counted(report.launches, "launch") + " of " +
                     counted(static_cast<int64_t>(report.kernels.size()), "kernel") +
                     " against the interpreter\n";
  for (const CheckedKernel &kernel : report.kernels) {
    std::string ulps =
        kernel.maxUlps == noUlps ? "a NaN on one side" : counted(kernel.maxUlps, "ULP") + " apart";
    text += "  " + kernel.kernel + ": " + kernel.operation + ": " + counted(kernel.calls, "call") +
            ", at most " + ulps +
            (kernel.divergentCalls > 0
                 ? ", " + std::to_string(kernel.divergentCalls) + " beyond the tolerance"
                 : "") +
            (kernel.relaxations == Numerics::Strict
                 ? ""
                 : ", with " + llvm::join(kernel.relaxations.names(), " and ")) +
            "\n";
  }
  if (!report.memoryFault.empty()) {
    text += "memory: " + report.memoryFault + "\n";
  }
  if (report.first) {
    text += divergenceText(*report.first, report.divergentLaunches);
  }
  for (const ResultCheck &result : report.results) {
    text += "result " + result.name + ", " + result.type + ": " + result.elements.str() + "\n";
  }
  if (!report.wrongPhase.empty()) {
    text += "first phase that changes the results: " + report.wrongPhase + "\n";
  }
  originText("NaN", report.native, report.interpreted, &NonFiniteOrigins::nan, text);
  originText("infinity", report.native, report.interpreted, &NonFiniteOrigins::infinity, text);
  text += counted(static_cast<int64_t>(report.roundings.size()), "changed rounding") + "\n";
  for (const RoundingNote &note : report.roundings) {
    text += "  " + (note.source.empty() ? "" : note.source + ": ") + note.operation + ": " +
            note.what + ": " + note.text + "\n";
  }
  if (report.ranges) {
    text += rangesText(*report.ranges);
  }
  return text;
}

static void writeUlps(JsonStream &out, const char *name, int64_t ulps) {
  ulps == noUlps ? out.attribute(name, nullptr) : out.attribute(name, ulps);
}

// Writes a number; JSON can't represent NaN and infinity.
static void writeNumber(JsonStream &out, const char *name, double value) {
  if (std::isfinite(value)) {
    out.attribute(name, value);
    return;
  }
  out.attribute(name, std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static void writeElements(JsonStream &out, const ElementCheck &check) {
  out.attribute("elements", check.elements);
  out.attribute("differing", check.differing);
  out.attribute("beyond", check.beyond);
  writeUlps(out, "most_ulps", check.maxUlps);
  writeNumber(out, "most_relative", check.maxRelative);
  out.attribute("diverges", check.diverges);
  if (check.place >= 0) {
    out.attribute("place", check.place);
    writeNumber(out, "got", check.got);
    writeNumber(out, "expected", check.expected);
    writeUlps(out, "ulps", check.ulps);
  }
}

static void writeOrigin(JsonStream &out, const char *name,
                        const std::optional<NonFiniteOrigin> &origin) {
  if (!origin) {
    out.attribute(name, nullptr);
    return;
  }
  out.attributeObject(name, [&] {
    out.attribute("operation", origin->operation);
    out.attribute("source", origin->source);
    out.attribute("kernel", origin->kernel);
    out.attribute("element", origin->element);
    out.attribute("operands", origin->operands);
  });
}

static void writeDivergence(JsonStream &out, const LaunchDivergence &first) {
  out.attributeObject("first", [&] {
    out.attribute("kernel", first.place.kernel);
    out.attribute("kind", first.place.kind);
    out.attribute("launch", first.place.launch);
    out.attribute("call", first.place.call);
    out.attributeArray("operations", [&] {
      for (const std::string &operation : first.place.operations) {
        out.value(operation);
      }
    });
    out.attribute("value", first.value);
    writeElements(out, first.elements);
    if (!first.operation.empty()) {
      out.attributeObject("operation", [&] {
        out.attribute("name", first.operation);
        out.attribute("type", first.operationType);
        writeElements(out, first.operationElements);
      });
    }
  });
}

std::string checkJson(const CheckReport &report) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream out(stream, 1);
  out.object([&] {
    out.attribute("launches", report.launches);
    out.attribute("divergent_launches", report.divergentLaunches);
    out.attributeArray("kernels", [&] {
      for (const CheckedKernel &kernel : report.kernels) {
        out.object([&] {
          out.attribute("name", kernel.kernel);
          out.attribute("kind", kernel.kind);
          out.attribute("operation", kernel.operation);
          out.attribute("calls", kernel.calls);
          out.attribute("divergent_calls", kernel.divergentCalls);
          writeUlps(out, "most_ulps", kernel.maxUlps);
          writeNumber(out, "most_relative", kernel.maxRelative);
          out.attributeArray("relaxations", [&] {
            for (std::string_view name : kernel.relaxations.names()) {
              out.value(std::string(name));
            }
          });
        });
      }
    });
    out.attribute("memory_fault", report.memoryFault);
    if (report.first) {
      writeDivergence(out, *report.first);
    }
    out.attributeArray("results", [&] {
      for (const ResultCheck &result : report.results) {
        out.object([&] {
          out.attribute("name", result.name);
          out.attribute("type", result.type);
          writeElements(out, result.elements);
        });
      }
    });
    out.attribute("wrong_phase", report.wrongPhase);
    for (auto [name, origins] :
         {std::pair("native", &report.native), std::pair("interpreted", &report.interpreted)}) {
      out.attributeObject(name, [&, of = origins] {
        writeOrigin(out, "first_nan", of->nan);
        writeOrigin(out, "first_infinity", of->infinity);
      });
    }
    out.attributeArray("roundings", [&] {
      for (const RoundingNote &note : report.roundings) {
        out.object([&] {
          out.attribute("what", note.what);
          out.attribute("operation", note.operation);
          out.attribute("source", note.source);
          out.attribute("text", note.text);
        });
      }
    });
    if (report.ranges) {
      writeRanges(out, *report.ranges);
    }
  });
  return text;
}

} // namespace drumlin

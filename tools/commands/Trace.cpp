#include "commands/Trace.h"

#include "drumlin/support/json/JsonStream.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <sys/syscall.h>
#include <unistd.h>

namespace drumlin::cli {

// The largest number of recorded spans. This many spans take about 60 MiB of memory, and their JSON
// about 200 MB.
static constexpr size_t maxSpans = 1'000'000;

static long thisThread() { return syscall(SYS_gettid); }

void Trace::observe(LoadOptions &options) {
  options.observer = [this](LaunchMoment moment, int64_t kernel, void *const *) {
    if (moment == LaunchMoment::Before) {
      launched = std::chrono::steady_clock::now();
    } else {
      add({kernel, thisThread(), launched, std::chrono::steady_clock::now(), -1, -1});
    }
  };
  options.tilesObserver = [this](int64_t kernel, int64_t tileBegin, int64_t tileEnd, Time begin) {
    add({kernel, thisThread(), begin, std::chrono::steady_clock::now(), tileBegin, tileEnd});
  };
}

void Trace::begin() {
  caller = thisThread();
  began = std::chrono::steady_clock::now();
}

void Trace::end() { ended = std::chrono::steady_clock::now(); }

void Trace::add(const Span &span) {
  std::lock_guard<std::mutex> lock(adding);
  if (spans.size() < maxSpans) {
    spans.push_back(span);
  } else {
    ++leftOut;
  }
}

class Trace::Writer {
public:
  Writer(const Trace &trace, const ImageDescription &image, llvm::raw_ostream &stream)
      : trace(trace), image(image), out(stream), threads{{trace.caller, 0}} {}

  void write() {
    out.object([&] {
      out.attribute("displayTimeUnit", "ns");
      out.attributeObject("otherData", [&] {
        out.attribute("compiler", image.compilerVersion);
        out.attribute("target", image.targetCpu);
        out.attribute("spans_left_out", trace.leftOut);
      });
      out.attributeArray("traceEvents", [&] { writeEvents(); });
    });
  }

private:
  void writeEvents() {
    writeRun();
    for (const Span &span : trace.spans) {
      if (span.tileBegin < 0) {
        writeLaunch(span);
      } else {
        writeTiles(span);
      }
    }
    writeName("process_name", "drumlin run", 0);
    for (const auto &[thread, number] : threads) {
      writeName("thread_name", number == 0 ? "caller" : "worker " + std::to_string(number), number);
    }
  }

  double micros(Time time) const {
    return std::chrono::duration<double, std::micro>(time - trace.began).count();
  }

  // Writes the attributes of an event with these arguments.
  template <typename Arguments>
  void event(const char *kind, const std::string &name, int thread, Arguments arguments) {
    out.attribute("ph", kind);
    out.attribute("name", name);
    out.attribute("pid", 1);
    out.attribute("tid", thread);
    out.attributeObject("args", arguments);
  }

  void writeTimes(Time begin, Time end) {
    out.attribute("ts", micros(begin));
    out.attribute("dur", micros(end) - micros(begin));
  }

  void writeRun() {
    out.object([&] {
      event("X", "run", 0, [&] {
        out.attribute("program", image.program);
        out.attribute("flops", image.cost.modelFlops());
        out.attribute("bytes", image.cost.askedBytes());
      });
      writeTimes(trace.began, trace.ended);
    });
  }

  void writeLaunch(const Span &span) {
    const KernelDescription &kernel = image.kernels[static_cast<size_t>(span.kernel)];
    out.object([&] {
      event("X", kernel.name, numberOf(span.thread), [&] {
        out.attribute("tiles", kernel.tiles);
        out.attribute("flops", static_cast<int64_t>(kernel.modelFlops));
        out.attribute("bytes_read", static_cast<int64_t>(kernel.bytesRead));
        out.attribute("bytes_written", static_cast<int64_t>(kernel.bytesWritten));
      });
      out.attribute("cat", "launch");
      writeTimes(span.begin, span.end);
    });
    // Writes the launch's rates at its begin, and zero rates at its end.
    std::chrono::duration<double, std::nano> taken = span.end - span.begin;
    double nanoseconds = std::max(taken.count(), 1.0);
    writeCounter("GFLOP/s", span.begin, static_cast<double>(kernel.modelFlops) / nanoseconds);
    writeCounter("GB/s", span.begin,
                 static_cast<double>(kernel.bytesRead + kernel.bytesWritten) / nanoseconds);
    writeCounter("GFLOP/s", span.end, 0);
    writeCounter("GB/s", span.end, 0);
  }

  void writeTiles(const Span &span) {
    const KernelDescription &kernel = image.kernels[static_cast<size_t>(span.kernel)];
    out.object([&] {
      event("X", kernel.name, numberOf(span.thread), [&] {
        out.attribute("first", span.tileBegin);
        out.attribute("tiles", span.tileEnd - span.tileBegin);
      });
      out.attribute("cat", "tiles");
      writeTimes(span.begin, span.end);
    });
  }

  void writeCounter(const char *name, Time time, double value) {
    out.object([&] {
      event("C", name, 0, [&] { out.attribute(name, value); });
      out.attribute("ts", micros(time));
    });
  }

  void writeName(const char *what, const std::string &name, int thread) {
    out.object([&] { event("M", what, thread, [&] { out.attribute("name", name); }); });
  }

  int numberOf(long thread) {
    return threads.emplace(thread, static_cast<int>(threads.size())).first->second;
  }

  const Trace &trace;
  const ImageDescription &image;
  JsonStream out;
  std::map<long, int> threads; // small numbers for thread IDs; the caller's is the first
};

std::string Trace::json(const ImageDescription &image) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Writer(*this, image, stream).write();
  return text;
}

} // namespace drumlin::cli

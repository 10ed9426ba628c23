// Compiled programs, as executables, loaded executables and their runs share them.
#pragma once

#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/CompileOptions.h"
#include "drumlin/pjrt/ProgramCode.h"
#include "drumlin/pjrt/Types.h"
#include "drumlin/runtime/executable/Executable.h"

#include <atomic>
#include <limits>

namespace drumlin::pjrt {

// What a program calls beside its own code.
struct CallsOfProgram {
  bool any = false;
  bool functions = false; // of the framework's language (HostCallbacks.h)
  bool transfers = false; // with the host: what a run waits for may come after the call

  static CallsOfProgram of(const std::vector<HostCall> &calls);
};

// What a framework has of a program that was compiled, or read again.
struct ProgramOfFramework {
  CompiledProgram compiled;
  ProgramCode code;                           // that was compiled
  ProgramFormat format = ProgramFormat::Mlir; // of the code
  std::string compileOptions;                 // the message that it was compiled with
  CompileRequest request;                     // what that says
  CallsOfProgram calls = {};                  // to code outside of it
  std::string fingerprint;                    // of image and options
  // In the program's order; of tokens arrays without elements.
  std::vector<ArrayType> arguments = {}, results = {};

  // Of a program and the message of its options. Fails as compileProgram() does, and with
  // UnsupportedOption where the program is one for several devices.
  static Result<std::shared_ptr<const ProgramOfFramework>>
  compile(std::string_view code, ProgramFormat format, std::string compileOptions);
  // Fails with ImageInvalid where the bytes aren't a program of this version and target.
  static Result<std::shared_ptr<const ProgramOfFramework>> deserialize(std::string_view bytes);
  // Fails with InputTooLarge where there are more bytes than the format has room for.
  Result<std::string> serialize() const;
  // programText() of it, made when it is first asked for.
  const Result<std::string> &text() const;

private:
  static Result<std::shared_ptr<const ProgramOfFramework>>
  make(CompiledProgram compiled, ProgramCode code, ProgramFormat format, std::string compileOptions,
       CompileRequest request);

  mutable std::once_flag textIsMade = {};
  mutable std::optional<Result<std::string>> madeText = {};
};

// A layout as frameworks hold it: the text that HLO writes, `{1,0}` for row-major.
struct MemoryLayout {
  std::string text;

  explicit MemoryLayout(std::string text) : text(std::move(text)) {}
  explicit MemoryLayout(const ArrayType &type);
};

struct MemoryLayouts {
  std::vector<MemoryLayout> layouts;
  std::vector<MemoryLayout *> places = {}; // of these

  explicit MemoryLayouts(const std::vector<ArrayType> &types);
};

// Texts as getters give them: those of several values, one after the other.
struct TextList {
  std::vector<const char *> texts = {};
  std::vector<size_t> sizes = {};

  void add(std::string_view text) {
    texts.push_back(text.data());
    sizes.push_back(text.size());
  }
};

struct Executable {
  std::shared_ptr<const ProgramOfFramework> program;

  // What getters give, made when the executable is.
  std::vector<BufferType> resultTypes = {};
  std::vector<int64_t> resultDims = {};
  std::vector<size_t> resultRanks = {};
  TextList argumentKinds = {}, resultKinds = {}; // of memory
  TextList argumentShardings = {}, resultShardings = {};
  std::vector<NamedValue> costs = {};
  MemoryLayouts argumentLayouts, resultLayouts;

  explicit Executable(std::shared_ptr<const ProgramOfFramework> program);
};

// A program in memory, with code to run on a device. Its runs share it.
struct RunnableProgram {
  std::shared_ptr<const ProgramOfFramework> program;
  std::shared_ptr<drumlin::Executable> native;
  Device *device = nullptr;

  // Loads the code. Fails as drumlin::Device::load() does.
  static Result<std::shared_ptr<RunnableProgram>>
  load(std::shared_ptr<const ProgramOfFramework> program, Device &device);

  // The code for a run now: that which tells a profiler of its kernels, where one is on. It is
  // compiled when it is needed first; where it can't be, kernels aren't told of.
  std::shared_ptr<drumlin::Executable> code();

  // That a run is expected to take: what is predicted, or, where nothing can be, what the run that
  // ended last took. Infinite before there is one.
  double expectedSeconds() const;
  // Runs the code, and keeps the time where nothing is predicted.
  Status run(const RunRequest &request);

  // A run gets this memory as a static argument (a number of the image's), which the runtime knows
  // by its place: where another array lay there before, it is told so.
  void useStatic(size_t argument, const std::shared_ptr<Storage> &storage);

private:
  std::shared_ptr<drumlin::Executable> compileWithTimers() const;

  std::atomic<double> lastSeconds{std::numeric_limits<double>::infinity()};
  std::once_flag timing;
  std::shared_ptr<drumlin::Executable> timed;
  struct SeenStatic {
    const std::byte *place;
    std::weak_ptr<Storage> storage;
  };
  std::map<size_t, std::vector<SeenStatic>> seen; // the last few of each argument
  std::mutex mutex;
};

struct LoadedExecutable {
  std::shared_ptr<const ProgramOfFramework> program;
  std::vector<Device *> devices;
  std::vector<LogicalDeviceIds> logicalIds;
  std::string deviceAssignment;

  explicit LoadedExecutable(std::shared_ptr<RunnableProgram> runnable)
      : program(runnable->program), devices{runnable->device}, runnable{std::move(runnable)} {}
  bool isDeleted() const;
  // Gives the program as it is loaded on a device; null: its own. One that is assigned to no device
  // is loaded on others when it first runs there. Fails with InvalidArgument where it was deleted,
  // or is assigned to another device.
  Outcome on(Device *device, std::shared_ptr<RunnableProgram> &made);
  void remove();

private:
  mutable std::mutex mutex;
  std::vector<std::shared_ptr<RunnableProgram>> runnable; // by device, its own first
};

// Loads the code for the device that it is assigned to. Fails as RunnableProgram::load() does, and
// with DistributionUnsupported where the client has no device of that number.
Result<LoadedExecutable *> load(Client &client, std::shared_ptr<const ProgramOfFramework> program);

} // namespace drumlin::pjrt

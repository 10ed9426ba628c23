// Compiled programs, shared by executables, loaded executables and their runs.
#pragma once

#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/CompileOptions.h"
#include "drumlin/pjrt/PjrtTypes.h"
#include "drumlin/pjrt/ProgramCode.h"
#include "drumlin/runtime/executable/Executable.h"

#include <atomic>
#include <limits>

namespace drumlin::pjrt {

// The kinds of host calls that a program makes.
struct CallsOfProgram {
  bool any = false;
  bool functions = false; // whether it calls functions in the framework's language
  // Whether it transfers values from or to the host. The host's side may act only after the call
  // that starts the run has returned.
  bool transfers = false;

  static CallsOfProgram of(const std::vector<HostCall> &calls);
};

// A framework's program, compiled or deserialized.
struct ProgramOfFramework {
  CompiledProgram compiled;
  ProgramCode code;                           // the framework's code, before compilation
  ProgramFormat format = ProgramFormat::Mlir; // the format of `code`
  std::string compileOptions;                 // the serialized CompileOptionsProto
  CompileRequest request;                     // the parsed `compileOptions`
  CallsOfProgram calls = {};                  // what the program calls outside of itself
  std::string fingerprint;                    // a hash of image and options
  // Types in the order of the program's signature. A token counts as an array without elements.
  std::vector<ArrayType> arguments = {}, results = {};

  // Compiles a program with serialized options. Fails as compileProgram() does, and with
  // UnsupportedOption if the program is for several devices.
  static Result<std::shared_ptr<const ProgramOfFramework>>
  compile(std::string_view code, ProgramFormat format, std::string compileOptions);
  // Deserializes a program. Fails with ImageInvalid if the bytes aren't a program of this version
  // and target.
  static Result<std::shared_ptr<const ProgramOfFramework>> deserialize(std::string_view bytes);
  // Serializes the program. Fails with InputTooLarge if it exceeds the format's size limit.
  Result<std::string> serialize() const;
  // Returns programText(), computed at the first call.
  const Result<std::string> &text() const;

private:
  static Result<std::shared_ptr<const ProgramOfFramework>>
  make(CompiledProgram compiled, ProgramCode code, ProgramFormat format, std::string compileOptions,
       CompileRequest request);

  mutable std::once_flag textIsMade = {};
  mutable std::optional<Result<std::string>> madeText = {};
};

// A layout for frameworks: HLO's text, `{1,0}` for row-major.
struct MemoryLayout {
  std::string text;

  explicit MemoryLayout(std::string text) : text(std::move(text)) {}
  explicit MemoryLayout(const ArrayType &type);
};

struct MemoryLayouts {
  std::vector<MemoryLayout> layouts;
  std::vector<MemoryLayout *> places = {}; // pointers to `layouts`

  explicit MemoryLayouts(const std::vector<ArrayType> &types);
};

// A list of texts, as getters return it.
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

  // The results of getters, computed on construction.
  std::vector<BufferType> resultTypes = {};
  std::vector<int64_t> resultDims = {};
  std::vector<size_t> resultRanks = {};
  TextList argumentKinds = {}, resultKinds = {}; // memory kinds
  TextList argumentShardings = {}, resultShardings = {};
  std::vector<NamedValue> costs = {};
  MemoryLayouts argumentLayouts, resultLayouts;

  explicit Executable(std::shared_ptr<const ProgramOfFramework> program);
};

// A program loaded on a device, shared by its runs.
struct RunnableProgram {
  std::shared_ptr<const ProgramOfFramework> program;
  std::shared_ptr<drumlin::Executable> native;
  Device *device = nullptr;

  // Loads a program on a device. Fails as drumlin::Device::load() does.
  static Result<std::shared_ptr<RunnableProgram>>
  load(std::shared_ptr<const ProgramOfFramework> program, Device &device);

  // Returns the code for a run that starts now: while a profiler is on, code that reports its
  // kernels, compiled at the first use. If that compilation fails, kernels aren't reported.
  std::shared_ptr<drumlin::Executable> code();

  // Returns the time in seconds that a run is expected to take: the shorter one of the predicted
  // time on one thread and the time of the last run. Infinite if neither is known.
  double expectedSeconds() const;
  // Runs the code, and records the time.
  Status run(const RunRequest &request);

  // Announces that a run gets this memory as a static argument; `argument` is its index in the
  // image. The runtime identifies static arguments by their addresses, so this function tells the
  // runtime if another array was at this address before.
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
  std::map<size_t, std::vector<SeenStatic>> seen; // the last memories of each static argument
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
  // Sets `made` to the program loaded on a device; a null `device` is the program's own device. A
  // program assigned to no device is loaded on further devices at its first run there. Fails with
  // InvalidArgument if the program was deleted, or is assigned to another device.
  Outcome on(Device *device, std::shared_ptr<RunnableProgram> &made);
  void remove();

private:
  mutable std::mutex mutex;
  // The program as loaded on each device: on its own device first, then on further ones.
  std::vector<std::shared_ptr<RunnableProgram>> runnable;
};

// Loads the program on the device that it is assigned to. Fails as RunnableProgram::load() does,
// and with DistributionUnsupported if the client has no device with that number.
Result<LoadedExecutable *> load(Client &client, std::shared_ptr<const ProgramOfFramework> program);

} // namespace drumlin::pjrt

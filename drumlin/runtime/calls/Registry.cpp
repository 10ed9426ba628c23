#include "drumlin/runtime/calls/Registry.h"

#include "drumlin/runtime/calls/Builtins.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <map>
#include <mutex>

namespace drumlin {

namespace {
struct Registry {
  std::mutex mutex;
  std::map<std::string, HostCode> codes, alternatives;
};
} // namespace

// Never destroyed: code may be registered and called until the process ends.
static Registry &registry() {
  static auto *made = new Registry();
  return *made;
}

// Whether two registrations have the same code, and so may have the same name: each library that
// contains a copy of a registration registers the code again.
static bool isSame(const HostCode &a, const HostCode &b) {
  if (const auto *plain = std::get_if<PlainFunction>(&a)) {
    const auto *other = std::get_if<PlainFunction>(&b);
    return other && plain->function == other->function && plain->interface == other->interface;
  }
  const auto *bundle = std::get_if<ffi::HandlerBundle>(&a);
  const auto *other = std::get_if<ffi::HandlerBundle>(&b);
  return bundle && other && bundle->instantiate == other->instantiate &&
         bundle->prepare == other->prepare && bundle->initialize == other->initialize &&
         bundle->execute == other->execute;
}

static bool isCode(const HostCode &code) {
  if (const auto *plain = std::get_if<PlainFunction>(&code)) {
    return plain->function && plain->interface < HostInterface::TypedFfi;
  }
  const auto *bundle = std::get_if<ffi::HandlerBundle>(&code);
  return bundle ? bundle->execute != nullptr : static_cast<bool>(std::get<RuntimeCode>(code));
}

Result<HostCode> hostCodeOf(int apiVersion, void *function) {
  if (apiVersion < 1 || apiVersion > 4 || !function) {
    return diagnose(errors::HostCodeInvalid, "code is registered with version " +
                                                 std::to_string(apiVersion) +
                                                 (function ? "" : " and without a function"));
  }
  if (apiVersion == 4) {
    auto *handler = reinterpret_cast<ffi::Handler *>(function);
    return HostCode(ffi::HandlerBundle{nullptr, nullptr, nullptr, handler});
  }
  return HostCode(PlainFunction{function, static_cast<HostInterface>(apiVersion - 1)});
}

static Status addTo(std::map<std::string, HostCode> &codes, const std::string &name,
                    const HostCode &code) {
  if (name.empty() || !isCode(code)) {
    return diagnose(errors::HostCodeInvalid,
                    "`" + name + "` is registered without a name, a function or its convention");
  }
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto [place, isNew] = codes.try_emplace(name, code);
  if (!isNew && !isSame(place->second, code)) {
    return diagnose(errors::HostCodeInvalid, "other code is registered as `" + name + "` already");
  }
  return Done();
}

Status registerHostCode(const std::string &name, HostCode code) {
  return addTo(registry().codes, name, code);
}

Status registerAlternative(const std::string &name, HostCode code) {
  return addTo(registry().alternatives, name, code);
}

FoundCode findHostCode(const std::string &name) {
  auto find = [&](const std::map<std::string, HostCode> &codes) {
    auto found = codes.find(name);
    return found == codes.end() ? std::nullopt : std::optional(found->second);
  };
  std::lock_guard<std::mutex> lock(registry().mutex);
  return {find(registry().codes), findBuiltin(name), find(registry().alternatives)};
}

} // namespace drumlin

#include "commands/PrintedColours.h"
#include "commands/CommandOptions.h"
#include "commands/Printing.h"
#include "drumlin/support/VisibleText.h"

#include <cstdlib>
#include <unistd.h>

namespace drumlin::cli {

namespace {
enum class Choice { Auto, Always, Never };
} // namespace

// The choice outlives the command's options, since errors are printed when these no longer exist.
static thread_local Choice choice = Choice::Auto;

void addColourOption(CLI::App &app) {
  choice = Choice::Auto;
  addChoice(app, "--color", choice, {Choice::Auto, Choice::Always, Choice::Never});
}

static bool isSet(const char *name) {
  const char *value = std::getenv(name);
  return value && *value != '\0';
}

bool isColoured(std::FILE *stream) {
  if (choice != Choice::Auto) {
    return choice == Choice::Always;
  }
  const char *terminal = std::getenv("TERM");
  bool isAble = terminal && std::string_view(terminal) != "dumb";
  return isAble && !isSet("NO_COLOR") && isatty(descriptorOf(stream)) != 0;
}

std::string textFor(std::FILE *stream, const Diagnostic &diagnostic, std::string_view kind) {
  std::string plain = diagnostic.str(kind);
  if (!isColoured(stream)) {
    return plain;
  }
  static constexpr std::string_view hint = "\n  hint: ";
  std::string place = diagnostic.location.empty() ? "" : visibleText(diagnostic.location) + ": ";
  std::string head = std::string(kind) + " " + std::string(info(diagnostic.code).id) + ":";
  size_t body = place.size() + head.size(), end = plain.rfind(hint);
  return coloured(place, Colour::Bold, true) +
         coloured(head, kind == "warning" ? Colour::Yellow : Colour::Red, true) +
         plain.substr(body, end - body) + coloured(hint, Colour::Cyan, true) +
         plain.substr(end + hint.size());
}

} // namespace drumlin::cli

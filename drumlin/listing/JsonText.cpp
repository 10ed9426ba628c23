#include "drumlin/listing/JsonText.h"

#include "drumlin/support/JsonDepth.h"
#include "llvm/Support/JSON.h"

namespace drumlin::listing {

bool isJsonBlock(std::string_view text) {
  if (text.empty() || (text.front() != '{' && text.front() != '[') ||
      jsonDepth(text) > maxJsonDepth) {
    return false;
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  return true;
}

// Indents JSON. maxJsonDepth limits the recursion's depth.
class JsonIndenter {
public:
  JsonIndenter(std::string_view text, size_t width) : text(text), width(width) {}

  void print(size_t indent, size_t column, std::string &out) {
    skipSpace();
    size_t begin = at;
    std::string line;
    bool fits = printOnOneLine(line, width > column ? width - column : 0);
    if (fits) {
      out += line;
      return;
    }
    at = begin;
    char open = text[at];
    if (open != '{' && open != '[') {
      printScalar(out);
      return;
    }
    ++at;
    out += open;
    skipSpace();
    if (text[at] == '}' || text[at] == ']') {
      out += text[at++];
      return;
    }
    for (skipSpace(); text[at] != '}' && text[at] != ']'; skipSpace()) {
      out += '\n';
      out.append(indent + 2, ' ');
      size_t start = out.size();
      if (open == '{') {
        printScalar(out);
        skipSpace();
        ++at; // `:`
        out += ": ";
      }
      print(indent + 2, indent + 2 + out.size() - start, out);
      skipSpace();
      if (text[at] == ',') {
        ++at;
        out += ',';
      }
    }
    out += '\n';
    out.append(indent, ' ');
    out += text[at++];
  }

private:
  void skipSpace() {
    while (at < text.size() && std::string_view(" \t\r\n").find(text[at]) != text.npos) {
      ++at;
    }
  }

  // Prints a string, a number or a word.
  void printScalar(std::string &out) {
    size_t begin = at;
    if (text[at] == '"') {
      for (++at; text[at] != '"'; ++at) {
        at += text[at] == '\\';
      }
      ++at;
    } else {
      while (at < text.size() && std::string_view(" \t\r\n,:[]{}").find(text[at]) == text.npos) {
        ++at;
      }
    }
    out += text.substr(begin, at - begin);
  }

  // Prints a value on one line and moves past it. Returns false as soon as it doesn't fit.
  bool printOnOneLine(std::string &out, size_t room) {
    size_t depth = 0;
    do {
      skipSpace();
      char c = text[at];
      if (c == '{' || c == '[') {
        ++depth;
        out += c;
        ++at;
      } else if (c == '}' || c == ']') {
        --depth;
        out += c;
        ++at;
      } else if (c == ',' || c == ':') {
        out += c;
        out += ' ';
        ++at;
      } else {
        printScalar(out);
      }
      if (out.size() > room) {
        return false;
      }
    } while (depth != 0);
    return true;
  }

  std::string_view text;
  size_t width;
  size_t at = 0;
};

std::string indentedJson(std::string_view text, size_t indent, size_t width) {
  std::string out;
  JsonIndenter(text, width).print(indent, indent, out);
  return out;
}

} // namespace drumlin::listing

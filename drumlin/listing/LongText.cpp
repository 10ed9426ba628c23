#include "drumlin/listing/LongText.h"

#include <algorithm>
#include <map>
#include <vector>

namespace drumlin::listing {

static constexpr size_t maxWidth = 120, shownTypes = 3;

static std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(' ');
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// Whether there is an opening bracket here. The `<` of a bounded size `[<=8]` and the `>` of an
// arrow aren't brackets.
static bool opens(std::string_view text, size_t at) {
  bool isBound = text[at] == '<' && at + 1 < text.size() && text[at + 1] == '=';
  return std::string_view("([{<").find(text[at]) != std::string_view::npos && !isBound;
}

static bool closes(std::string_view text, size_t at) {
  bool isArrow = text[at] == '>' && at > 0 && text[at - 1] == '-';
  return std::string_view(")]}>").find(text[at]) != std::string_view::npos && !isArrow;
}

// Returns the position of the bracket that closes the text's first bracket, or npos.
static size_t closingOf(std::string_view text) {
  size_t depth = 0;
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isQuoted || c == '"') {
      isQuoted = isQuoted ? c != '"' || text[i - 1] == '\\' : true;
      continue;
    }
    depth += opens(text, i);
    if (depth == 0) {
      break;
    }
    if (closes(text, i) && --depth == 0) {
      return i;
    }
  }
  return text.npos;
}

// Splits a list at the commas outside of brackets.
static std::vector<std::string_view> itemsOf(std::string_view list) {
  std::vector<std::string_view> items;
  for (std::string_view rest = trimmed(list); !rest.empty();) {
    size_t end = 0;
    while (end < rest.size() && rest[end] != ',') {
      size_t closing = rest[end] == '"'   ? rest.find('"', end + 1)
                       : opens(rest, end) ? closingOf(rest.substr(end))
                                          : 0;
      closing -= rest[end] == '"' && closing != rest.npos ? end : 0;
      end = closing == rest.npos ? rest.size() : end + closing + 1;
    }
    items.push_back(trimmed(rest.substr(0, end)));
    rest = end < rest.size() ? trimmed(rest.substr(end + 1)) : std::string_view();
  }
  return items;
}

// Returns ranges of consecutive positions, such as `0, 2-5`.
static std::string rangesOf(const std::vector<size_t> &positions) {
  std::string text;
  for (size_t i = 0; i < positions.size();) {
    size_t last = i;
    while (last + 1 < positions.size() && positions[last + 1] == positions[last] + 1) {
      ++last;
    }
    text += (text.empty() ? "" : ", ") + std::to_string(positions[i]);
    text += last == i ? "" : "-" + std::to_string(positions[last]);
    i = last + 1;
  }
  return text;
}

static std::string filled(const std::vector<std::string_view> &items, size_t indent) {
  std::string text, line;
  for (size_t i = 0; i < items.size(); ++i) {
    std::string item = std::string(items[i]) + (i + 1 < items.size() ? "," : "");
    if (!line.empty() && indent + line.size() + 1 + item.size() > maxWidth) {
      text.append(indent, ' ').append(line).append("\n");
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item;
  }
  return line.empty() ? text : text.append(indent, ' ').append(line).append("\n");
}

static std::string tableOfItems(const std::vector<std::string_view> &items, size_t indent) {
  std::vector<std::string_view> rows;
  std::map<std::string_view, std::vector<size_t>> positions;
  for (size_t i = 0; i < items.size(); ++i) {
    std::vector<size_t> &of = positions[items[i]];
    if (of.empty()) {
      rows.push_back(items[i]);
    }
    of.push_back(i);
  }
  if (rows.size() == items.size()) {
    return filled(items, indent);
  }
  std::vector<std::string> ranges;
  size_t width = 0;
  for (std::string_view row : rows) {
    ranges.push_back(rangesOf(positions[row]));
    width = std::max(width, std::min(ranges.back().size(), maxWidth / 2));
  }
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    text.append(indent, ' ').append(ranges[i]);
    text.append(ranges[i].size() < width ? width - ranges[i].size() : 0, ' ');
    text.append("  ").append(rows[i]).append("\n");
  }
  return text;
}

static std::string tableOfList(std::string_view list, size_t indent) {
  bool isList = list.size() >= 2 && closingOf(list) == list.size() - 1;
  std::vector<std::string_view> items =
      isList ? itemsOf(list.substr(1, list.size() - 2)) : std::vector<std::string_view>{list};
  return tableOfItems(items, indent);
}

std::string tableOf(std::string_view text, size_t indent) {
  text = trimmed(text);
  size_t end = closingOf(text);
  if (text.size() < 2 || end != text.size() - 1) {
    return {};
  }
  // A list whose only item is a function type is treated like the type.
  std::string_view type = trimmed(text.substr(1, text.size() - 2));
  size_t parameters = closingOf(type);
  if (parameters != type.npos && type.substr(parameters + 1).starts_with("->")) {
    std::string spaces(indent, ' ');
    return spaces + "parameters\n" + tableOfList(type.substr(0, parameters + 1), indent + 2) +
           spaces + "results\n" + tableOfList(type.substr(parameters + 3), indent + 2);
  }
  return tableOfList(text, indent);
}

std::string cutType(const std::string &type) {
  if (type.size() <= maxHeader || closingOf(type) != type.size() - 1) {
    return type;
  }
  std::vector<std::string_view> items = itemsOf(std::string_view(type).substr(1, type.size() - 2));
  if (items.size() <= shownTypes) {
    return type;
  }
  std::string cut = type.substr(0, 1);
  for (size_t i = 0; i < shownTypes; ++i) {
    cut.append(items[i]).append(", ");
  }
  return cut + "… " + std::to_string(items.size()) + " elements" + type.back();
}

} // namespace drumlin::listing

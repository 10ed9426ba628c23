#include "drumlin/hlo/Value.h"

#include "drumlin/hlo/Printer.h"

#include <charconv>
#include <utility>

namespace drumlin::hlo {

Referent::Referent(const Referent &from) : bits(from.bits) {
  if (const Shape *shape = from.shape()) {
    bits = 0;
    set(std::make_unique<Shape>(*shape));
  }
}

void Referent::destroy(Shape *shape) { delete shape; }

Value::Value(const Value &from)
    : kind(from.kind), bracket(from.bracket), comma(from.comma), percent(from.percent),
      indexComments(from.indexComments), commaAtEnd(from.commaAtEnd), before(from.before),
      beforeClose(from.beforeClose), text(from.text), items(from.items), referent(from.referent),
      comment(from.comment ? std::make_unique<Comment>(*from.comment) : nullptr) {}

Value &Value::operator=(const Value &from) { return *this = Value(from); }

Value Value::word(std::string_view text) {
  Value value;
  value.text = text;
  return value;
}

Value Value::number(int64_t number) {
  Value value;
  value.kind = Kind::Number;
  value.text = std::to_string(number);
  return value;
}

void Value::setNumber(int64_t value, Arena &arena) {
  char digits[24];
  char *end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  kind = Kind::Number;
  text.assign({digits, static_cast<size_t>(end - digits)}, arena);
}

Value Value::string(std::string_view contents) {
  Value value;
  value.kind = Kind::String;
  value.bracket = '"';
  std::string text;
  for (char c : contents) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') {
      text += '\\';
    }
    text += c;
  }
  value.text = text;
  return value;
}

Value Value::list(char bracket, List<Value> items, bool spaced) {
  Value value;
  value.kind = Kind::List;
  value.bracket = bracket;
  value.items = std::move(items);
  for (size_t i = 1; i < value.items.size(); ++i) {
    value.items[i].comma = true;
    value.items[i].before.spaces = spaced;
  }
  return value;
}

Value Value::entry(std::string_view key, Value item) {
  Value value;
  value.kind = Kind::Entry;
  value.bracket = '=';
  value.items.reserve(2);
  value.items.push_back(word(key));
  value.items.push_back(std::move(item));
  return value;
}

Value Value::shapeOf(const Shape &shape) {
  Value value;
  value.kind = Kind::Shape;
  value.referent.set(std::make_unique<Shape>(shape));
  return value;
}

std::optional<int64_t> Value::integer() const {
  int64_t number = 0;
  const char *begin = text.view().data(), *last = begin + text.size();
  auto [end, error] = std::from_chars(begin, last, number);
  if (kind != Kind::Number || error != std::errc() || end != last) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::vector<int64_t>> Value::integers() const {
  if (kind != Kind::List) {
    return std::nullopt;
  }
  std::vector<int64_t> numbers;
  for (const Value &item : items) {
    std::optional<int64_t> number = item.integer();
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::string Value::contents() const {
  if (kind != Kind::String) {
    return text.str();
  }
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    char c = text[++i];
    result += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return result;
}

const Value *Value::find(std::string_view key) const {
  for (const Value &item : items) {
    if (kind == Kind::List && item.kind == Kind::Entry && item.items[0].text == key) {
      return &item.items[1];
    }
  }
  return nullptr;
}

Value *Value::find(std::string_view key) {
  return const_cast<Value *>(std::as_const(*this).find(key));
}

void Value::append(Value item) {
  item.comma = items.size() < 2 || items.back().comma;
  item.before = items.size() < 2 ? Gap() : items.back().before;
  items.push_back(std::move(item));
}

void Value::erase(size_t index) {
  if (index == 0 && items.size() > 1) {
    items[1].before = items[0].before;
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
}

std::string Value::str() const {
  std::string out;
  print(out);
  return out;
}

void print(const Gap &gap, std::string &out) {
  out.append(gap.lines, '\n');
  out.append(gap.spaces, ' ');
}

static char closing(char bracket) { return bracket == '{' ? '}' : bracket == '(' ? ')' : ']'; }

static void printItem(const Value &item, std::string &out) {
  print(item.before, out);
  if (item.comment && !item.comment->text.empty()) {
    out.append("/*").append(item.comment->text).append("*/");
    print(item.comment->after, out);
  }
  item.print(out);
}

void Value::print(std::string &out) const {
  switch (kind) {
  case Kind::Word:
  case Kind::Number:
  case Kind::Mark:
    out += text;
    return;
  case Kind::String:
    out += bracket;
    out += text;
    out += bracket;
    return;
  case Kind::Name:
    if (computation() && computation()->isInline) {
      printBody(*computation(), out);
      return;
    }
    if (percent) {
      out += '%';
    }
    out += computation()   ? std::string_view(computation()->name)
           : instruction() ? std::string_view(instruction()->name)
                           : text.view();
    return;
  case Kind::List:
    out += bracket;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != 0 && items[i].comma) {
        out += ',';
      }
      if (indexComments && i != 0 && i % 5 == 0) {
        hlo::print(items[i].before, out);
        out.append("/*index=").append(std::to_string(i)).append("*/");
        if (items[i].comment) {
          hlo::print(items[i].comment->after, out);
        }
        items[i].print(out);
      } else {
        printItem(items[i], out);
      }
    }
    if (commaAtEnd) {
      out += ',';
    }
    hlo::print(beforeClose, out);
    out += closing(bracket);
    return;
  case Kind::Entry:
  case Kind::Range:
  case Kind::Sequence:
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != 0 && kind != Kind::Sequence) {
        hlo::print(beforeClose, out);
        out += kind == Kind::Entry ? bracket : ':';
      }
      if (i != 0) {
        hlo::print(items[i].before, out);
      }
      items[i].print(out);
    }
    return;
  case Kind::Shape:
    shape()->print(out);
    return;
  }
}

} // namespace drumlin::hlo

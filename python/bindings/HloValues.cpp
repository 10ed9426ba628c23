#include "python/bindings/HloValues.h"

#include "drumlin/hlo/Parser.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "python/bindings/PythonErrors.h"

#include <algorithm>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace drumlin::python {

void raise(const Diagnostic &diagnostic) {
  const std::string_view standard = info(diagnostic.code).remedy;
  raise(makeError(info(diagnostic.code).id.data(), diagnostic.message.c_str(),
                  diagnostic.location.c_str(),
                  diagnostic.remedy.empty() ? standard.data() : diagnostic.remedy.c_str()));
}

static nb::object wordType() { return nb::module_::import_("drumlin.hlo").attr("Word"); }

static nb::object word(const std::string &text) { return wordType()(text); }

static nb::object listToPython(const hlo::Value &list) {
  bool isDictionary =
      !list.items.empty() && std::ranges::all_of(list.items, [](const hlo::Value &item) {
        return item.kind == hlo::Value::Kind::Entry;
      });
  if (!isDictionary) {
    nb::list all;
    for (const hlo::Value &item : list.items) {
      all.append(item.kind == hlo::Value::Kind::Entry ? word(item.str()) : toPython(item));
    }
    return all;
  }
  nb::dict all;
  for (const hlo::Value &item : list.items) {
    const hlo::Value &key = item.items[0];
    bool isText = key.kind == hlo::Value::Kind::String || key.kind == hlo::Value::Kind::Word;
    all[nb::cast(isText ? key.contents() : key.str())] = toPython(item.items[1]);
  }
  return all;
}

nb::object toPython(const hlo::Value &value) {
  switch (value.kind) {
  case hlo::Value::Kind::Word:
    return value.isWord("true")    ? nb::object(nb::bool_(true))
           : value.isWord("false") ? nb::object(nb::bool_(false))
                                   : word(value.text.str());
  case hlo::Value::Kind::Number:
    if (std::optional<int64_t> integer = value.integer()) {
      return nb::int_(*integer);
    }
    try {
      return nb::float_(std::stod(value.text.str()));
    } catch (const std::exception &) {
      return word(value.text.str());
    }
  case hlo::Value::Kind::String:
    return nb::cast(value.contents());
  case hlo::Value::Kind::List:
    return listToPython(value);
  default:
    return word(value.str());
  }
}

hlo::Value valueOfText(const std::string &text) {
  static constexpr std::string_view computation = "\n\ne {\n  ROOT p = s32[] parameter(0)\n}\n";
  std::string around = "HloModule m, value=" + text;
  Result<hlo::Module> module = hlo::parse(around.append(computation), "<attribute>");
  if (!module) {
    raise(module.error());
  }
  if (module->attributes.size() != 1 || module->computations.size() != 1) {
    raise(diagnose(errors::SyntaxInvalid, "`" + text + "` is not one value", "<attribute>"));
  }
  return std::move(module->attributes[0].value);
}

hlo::Value fromPython(nb::handle object) {
  if (nb::isinstance<nb::bool_>(object)) {
    return hlo::Value::word(nb::cast<bool>(object) ? "true" : "false");
  }
  if (nb::isinstance<nb::int_>(object)) {
    return hlo::Value::number(nb::cast<int64_t>(object));
  }
  if (nb::isinstance<nb::float_>(object)) {
    return valueOfText(nb::cast<std::string>(nb::repr(object)));
  }
  if (nb::isinstance<nb::str>(object)) {
    std::string text = nb::cast<std::string>(object);
    return nb::isinstance(object, wordType()) ? valueOfText(text) : hlo::Value::string(text);
  }
  hlo::List<hlo::Value> items;
  if (nb::isinstance<nb::dict>(object)) {
    for (auto [key, item] : nb::borrow<nb::dict>(object)) {
      items.push_back(hlo::Value::entry(nb::cast<std::string>(key), fromPython(item)));
    }
    return hlo::Value::list('{', std::move(items));
  }
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
    for (nb::handle item : object) {
      items.push_back(fromPython(item));
    }
    return hlo::Value::list('{', std::move(items));
  }
  throw nb::type_error("an attribute is a bool, an int, a float, a str, a Word, a list or a dict");
}

nb::object configToPython(const hlo::Value &value) {
  nb::module_ json = nb::module_::import_("json");
  bool isQuoted = value.kind == hlo::Value::Kind::String;
  try {
    return json.attr("loads")(isQuoted ? value.contents() : value.str());
  } catch (const nb::python_error &error) {
    if (!error.matches(json.attr("JSONDecodeError"))) {
      throw;
    }
    return toPython(value);
  }
}

hlo::Value configFromPython(nb::handle object, const hlo::Value *before) {
  nb::object separators = nb::make_tuple(",", ":");
  std::string text = nb::cast<std::string>(
      nb::module_::import_("json").attr("dumps")(object, nb::arg("separators") = separators));
  bool isQuoted = before && before->kind == hlo::Value::Kind::String;
  return isQuoted ? hlo::Value::string(text) : valueOfText(text);
}

} // namespace drumlin::python

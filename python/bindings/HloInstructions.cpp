// drumlin.hlo.Instruction.
#include "python/bindings/HloParts.h"

namespace nb = nanobind;

namespace drumlin::python {

// Edits an instruction; `change` gets the editor and the instruction's computation.
template <typename Change> static auto edit(const Instruction &self, Change change) {
  hlo::Instruction &instruction = self.get();
  hlo::Computation &parent = self.state->parentOf(instruction);
  return self.state->edit(parent,
                          [&](hlo::Editor editor) { return change(editor, parent, instruction); });
}

static void rename(const Instruction &self, const std::string &name) {
  orRaise(edit(self, [&](auto &editor, auto &parent, auto &instruction) {
    return editor.rename(parent, instruction, name);
  }));
}

static void setOpcode(const Instruction &self, const std::string &opcode) {
  orRaise(edit(self, [&](auto &editor, auto &, auto &instruction) {
    return editor.setOpcode(instruction, opcode);
  }));
}

static void setLiteral(const Instruction &self, const std::string &text) {
  orRaise(edit(self, [&](auto &editor, auto &, auto &instruction) {
    return editor.setLiteral(instruction, text);
  }));
}

static void remove(const Instruction &self) {
  orRaise(edit(self, [&](auto &editor, auto &parent, auto &instruction) {
    return editor.remove(parent, instruction);
  }));
}

static void setOperands(const Instruction &self, const std::vector<Instruction> &operands) {
  std::vector<hlo::Instruction *> all;
  for (const Instruction &operand : operands) {
    all.push_back(&operand.get());
  }
  orRaise(edit(self, [&](auto &editor, auto &parent, auto &instruction) {
    return editor.setOperands(parent, instruction, all);
  }));
}

static void setOperand(const Instruction &self, size_t index, const Instruction &to) {
  std::vector<hlo::Instruction *> all;
  for (const hlo::Operand &operand : self->operands) {
    all.push_back(operand.instruction);
  }
  if (index >= all.size()) {
    throw nb::index_error("the instruction has fewer operands");
  }
  all[index] = &to.get();
  orRaise(edit(self, [&](auto &editor, auto &parent, auto &instruction) {
    return editor.setOperands(parent, instruction, all);
  }));
}

static void replaceUses(const Instruction &self, const Instruction &by) {
  hlo::Instruction &other = by.get();
  orRaise(edit(self, [&](auto &editor, auto &parent, auto &instruction) {
    return editor.replaceUses(parent, instruction, other);
  }));
}

//===-- shapes --------------------------------------------------------------------------------===//

static void setShape(const Instruction &self, nb::handle shape) {
  hlo::Shape made = shapeOf(shape);
  orRaise(edit(self, [&](auto &editor, auto &parent, auto &instruction) {
    return editor.setShape(parent, instruction, made);
  }));
}

// Sets a layout. `element` is the index, or the indices, of an element in nested tuples.
static void setLayout(const Instruction &self, nb::object order, nb::object tiles,
                      nb::object memorySpace, nb::object element) {
  std::vector<size_t> path;
  if (nb::isinstance<nb::int_>(element)) {
    path.push_back(nb::cast<size_t>(element));
  } else {
    path = nb::cast<std::vector<size_t>>(element);
  }
  std::vector<nb::object> around{nb::cast(self->shape)};
  for (size_t index : path) {
    around.push_back(around.back().attr("elements")[index]);
  }
  nb::object made = around.back().attr("with_layout")(order, nb::arg("tiles") = tiles,
                                                      nb::arg("memory_space") = memorySpace);
  for (size_t i = path.size(); i > 0; --i) {
    made = around[i - 1].attr("with_element")(path[i - 1], made);
  }
  setShape(self, made);
}

static nb::object ofShape(const Instruction &self, const char *property) {
  return nb::cast(self->shape).attr(property);
}

static void defineShapes(nb::class_<Instruction> &type) {
  type.def_prop_rw(
          "shape", [](const Instruction &self) { return self->shape; },
          [](Instruction &self, nb::object shape) { setShape(self, shape); },
          nb::for_setter(nb::sig("def shape(self, value: Shape | str, /) -> None")),
          "Assigning also changes it in users, in the signature and in the module's layout.")
      .def_prop_rw(
          "layout", [](const Instruction &self) { return ofShape(self, "layout"); },
          [](Instruction &self, nb::object order) {
            if (order.is_none()) {
              setShape(self, nb::cast(self->shape).attr("without_layout")());
            } else {
              setLayout(self, order, nb::none(), nb::none(), nb::make_tuple());
            }
          },
          nb::for_getter(nb::sig("def layout(self) -> tuple[int, ...] | None")),
          nb::for_setter(nb::arg("value").none()),
          nb::for_setter(
              nb::sig("def layout(self, value: collections.abc.Sequence[int] | None, /) -> None")),
          "Dimensions, the fastest first; None for an array without a layout, and for tuples.")
      .def_prop_rw(
          "tiles", [](const Instruction &self) { return ofShape(self, "tiles"); },
          [](Instruction &self, nb::object tiles) {
            setLayout(self, nb::none(), tiles, nb::none(), nb::make_tuple());
          },
          nb::for_getter(nb::sig("def tiles(self) -> list[list[int]]")),
          nb::for_setter(nb::sig("def tiles(self, value: "
                                 "collections.abc.Sequence[collections.abc.Sequence[int]], /) "
                                 "-> None")))
      .def_prop_rw(
          "memory_space", [](const Instruction &self) { return ofShape(self, "memory_space"); },
          [](Instruction &self, nb::object space) {
            setLayout(self, nb::none(), nb::none(), space, nb::make_tuple());
          },
          nb::for_getter(nb::sig("def memory_space(self) -> int")),
          nb::for_setter(nb::sig("def memory_space(self, value: int, /) -> None")))
      .def("set_layout", setLayout, nb::arg("order") = nb::none(), nb::kw_only(),
           nb::arg("tiles") = nb::none(), nb::arg("memory_space") = nb::none(),
           nb::arg("element") = nb::make_tuple(),
           nb::sig("def set_layout(self, order: collections.abc.Sequence[int] | None = None, *, "
                   "tiles: collections.abc.Sequence[collections.abc.Sequence[int]] | None = None, "
                   "memory_space: int | None = None, "
                   "element: int | collections.abc.Sequence[int] = ()) -> None"),
           "Parts that aren't given stay unchanged. `element`: the index, or indices, in nested "
           "tuples.");
}

//===-- attributes ----------------------------------------------------------------------------===//

static void setAttribute(const Instruction &self, const std::string &name, nb::handle object) {
  std::string text = attributeText(name, object, self->find(name));
  orRaise(edit(self, [&](auto &editor, auto &parent, auto &instruction) {
    return editor.setAttribute(parent, instruction, name, text);
  }));
}

static bool removeAttribute(const Instruction &self, const std::string &name) {
  return edit(self, [&](auto &editor, auto &, auto &instruction) {
    return editor.removeAttribute(instruction, name);
  });
}

// Returns the text of an attribute that has a grammar of its own.
static nb::object written(const Instruction &self, const char *name) {
  const hlo::Value *value = self->find(name);
  return value ? nb::module_::import_("drumlin.hlo").attr("Word")(value->str())
               : nb::object(nb::none());
}

static nb::object dictionary(const Instruction &self, const char *name) {
  const hlo::Value *value = self->find(name);
  return value ? toPython(*value) : nb::object(nb::dict());
}

static void defineKnownAttributes(nb::class_<Instruction> &type) {
  type.def_prop_ro(
          "metadata",
          [](const Instruction &self) {
            nb::object object = dictionary(self, "metadata");
            return nb::isinstance<nb::dict>(object) ? object : nb::object(nb::dict());
          },
          nb::for_getter(nb::sig("def metadata(self) -> dict[str, typing.Any]")),
          "`op_name`, `source_file` and the like; empty if there are none.")
      .def_prop_rw(
          "frontend_attributes",
          [](const Instruction &self) { return dictionary(self, "frontend_attributes"); },
          [](Instruction &self, nb::object value) {
            setAttribute(self, "frontend_attributes", value);
          },
          nb::for_getter(nb::sig("def frontend_attributes(self) -> dict[str, typing.Any]")),
          nb::for_setter(
              nb::sig("def frontend_attributes(self, value: dict[str, typing.Any], /) -> None")),
          "Empty if there are none. A copy: assign it to change the attributes.")
      .def_prop_rw(
          "sharding", [](const Instruction &self) { return written(self, "sharding"); },
          [](Instruction &self, nb::str text) {
            setAttribute(self, "sharding", nb::module_::import_("drumlin.hlo").attr("Word")(text));
          },
          nb::for_getter(nb::sig("def sharding(self) -> drumlin.hlo.Word | None")),
          nb::for_setter(nb::sig("def sharding(self, value: str, /) -> None")),
          "The sharding's text, `{devices=[2,1]<=[2]}`; None if there is none.")
      .def_prop_ro(
          "original_value", [](const Instruction &self) { return written(self, "original_value"); },
          nb::for_getter(nb::sig("def original_value(self) -> drumlin.hlo.Word | None")),
          "The text naming the instruction of the unoptimized program that it computes; "
          "None if there is none.")
      .def_prop_rw(
          "backend_config",
          [](const Instruction &self) -> nb::object {
            const hlo::Value *value = self->find("backend_config");
            return value ? configToPython(*value) : nb::none();
          },
          [](Instruction &self, nb::object value) { setAttribute(self, "backend_config", value); },
          nb::for_getter(nb::sig("def backend_config(self) -> typing.Any")),
          nb::for_setter(nb::sig("def backend_config(self, value: typing.Any, /) -> None")),
          "JSON as Python objects, else the text; None if there is none. A copy: assign it to "
          "change the attribute.");
}

static void defineUses(nb::class_<Instruction> &type) {
  type.def_prop_rw(
          "operands",
          [](const Instruction &self) {
            std::vector<Instruction> all;
            for (const hlo::Operand &operand : self->operands) {
              all.push_back({self.state, operand.instruction});
            }
            return all;
          },
          setOperands,
          nb::for_setter(nb::sig(
              "def operands(self, value: collections.abc.Sequence[Instruction], /) -> None")))
      .def("set_operand", setOperand, nb::arg("index"), nb::arg("instruction"))
      .def_prop_ro(
          "users",
          [](const Instruction &self) {
            std::vector<Instruction> all;
            for (hlo::Instruction *user : self.state->usersOf(self.get())) {
              all.push_back({self.state, user});
            }
            return all;
          },
          "The instructions that use this one, each once, in program order.")
      .def("replace_uses", replaceUses, nb::arg("by"),
           "Replaces this instruction by `by` in its users, and as the root if it is the root. "
           "Instructions on which `by` depends still use this one.")
      .def("remove", remove, "Removes the instruction; raises an error if it is still used.")
      .def_prop_ro(
          "called_computations",
          [](const Instruction &self) {
            std::vector<Computation> all;
            for (hlo::Computation *computation : self->calledComputations()) {
              all.push_back({self.state, computation});
            }
            return all;
          },
          "The computations that the instruction's attributes name.");
}

void defineInstruction(nb::class_<Instruction> &type) {
  definePart(type);
  defineAttributes(type);
  type.def_prop_rw(
          "name", [](const Instruction &self) { return self->name; }, rename,
          "Assigning also renames the instruction in its users and in attributes.")
      .def_prop_rw(
          "opcode", [](const Instruction &self) { return self->opcode; }, setOpcode)
      .def_prop_ro("is_root",
                   [](const Instruction &self) {
                     return self.state->parentOf(*self.part).root() == self.part;
                   })
      .def_prop_ro("parameter_number",
                   [](const Instruction &self) { return self->parameterNumber(); })
      .def_prop_rw(
          "literal",
          [](const Instruction &self) {
            return self->literal ? std::optional<std::string>(self->literal->str()) : std::nullopt;
          },
          setLiteral, nb::for_setter(nb::sig("def literal(self, value: str, /) -> None")),
          "A constant's value as text: `({1, 2})`.")
      .def_prop_ro("computation",
                   [](const Instruction &self) {
                     return Computation{self.state, &self.state->parentOf(*self.part)};
                   })
      .def("set_attribute", setAttribute, nb::arg("name"), nb::arg("value"),
           nb::sig("def set_attribute(self, name: str, value: typing.Any) -> None"),
           "Changes or adds an attribute. A str is written with quotes, a Word without, a "
           "Computation by its name.")
      .def("remove_attribute", removeAttribute, nb::arg("name"),
           "Removes an attribute; returns whether there was one.")
      .def("__repr__", [](const Instruction &self) {
        return self.state->isRemoved(*self.part) ? "<Instruction %" + self.part->name + ", removed>"
                                                 : "<Instruction %" + self->name + " = " +
                                                       self->shape.str() + " " + self->opcode + ">";
      });
  defineUses(type);
  defineShapes(type);
  defineKnownAttributes(type);
}

} // namespace drumlin::python

// A program as written by HtmlPrinter.cpp, with numbers replaced by references to objects.
class Program {
  constructor(data, side) {
    this.side = side;
    this.name = data.name || "";
    this.keyword = data.keyword || "";
    this.sigil = data.sigil || "";
    this.attributes = data.attributes || [];
    this.instructions = [];
    this.sources = data.sources.map(([scope, place], index) =>
      ({ side, number: index + 1, scope, place, instructions: [] }));
    this.computations = data.computations.map((computation, number) => {
      const made = { ...computation, side, number, program: this, owner: null, callers: [], attributes: computation.attributes || [] };
      for (const instruction of made.instructions) {
        instruction.computation = made;
        instruction.number = this.instructions.length;
        this.instructions.push(instruction);
      }
      return made;
    });
    this.anchors = new Map();
    for (const instruction of this.instructions) {
      this.link(instruction, data.types);
      this.addAnchor(instruction);
    }
    // Shows the entry first, as readers look for it.
    const whole = this.computations.filter(each => !each.region);
    this.top = [...whole.filter(each => each.entry), ...whole.filter(each => !each.entry)];
  }

  // Sets the part after `#` in an instruction's address: its full name. If an earlier instruction has the same name, the number of the instruction follows.
  addAnchor(instruction) {
    const name = instruction.full || instruction.name, side = this.side > 0 ? this.side + ":" : "";
    const isFirst = name !== "" && !this.anchors.has(side + name);
    instruction.anchor = side + (isFirst ? name : name + "~" + instruction.number);
    this.anchors.set(instruction.anchor, instruction);
  }

  link(instruction, types) {
    instruction.side = this.side;
    instruction.name ??= "";
    instruction.type = instruction.type === undefined ? "" : types[instruction.type];
    instruction.argument ??= "";
    instruction.attributes ??= [];
    instruction.notes ??= [];
    instruction.users ??= [];
    const place = instruction.computation;
    instruction.operands = (instruction.operands || []).map(operand => {
      const [number, result] = Array.isArray(operand) ? operand : [operand, -1];
      const producer = this.instructions[number];
      producer.users ??= [];
      if (producer.users.at(-1) !== instruction) {
        producer.users.push(instruction);
      }
      return { instruction: producer, result };
    });
    const regions = (instruction.regions || []).map(number => this.computations[number]);
    const calls = (instruction.calls || []).map(number => this.computations[number]);
    regions.forEach(region => { region.owner = instruction; });
    calls.forEach(called => called.callers.push(instruction));
    // The computations that unfold under the instruction. In invalid programs, the instruction may call its own computation, which is excluded.
    instruction.inside = [...regions, ...calls].filter(each => each !== place);
    instruction.source = instruction.source ? this.sources[instruction.source - 1] : null;
    if (instruction.source) {
      instruction.source.instructions.push(instruction);
    }
  }
}

function labelOf(instruction) {
  return instruction.name === "" ? instruction.opcode : "%" + instruction.name;
}

// Returns an instruction's address in this page.
function addressOf(instruction) {
  return "#" + encodeURIComponent(instruction.anchor);
}

function operandText(operand) {
  return "%" + operand.instruction.name + (operand.result < 0 ? "" : "#" + operand.result);
}

function sourceText(source) {
  return [source.scope, source.place].filter(Boolean).join("  ");
}

function attributeText([name, text]) {
  return text === "" ? name : name + "=" + text;
}

function computationLabel(computation) {
  const sigil = computation.region ? "" : computation.program.sigil;
  return (computation.keyword ? computation.keyword + " " : "") + sigil + computation.name;
}

// Returns the text of an instruction that a search in `field` examines, except for the name of the instruction's computation.
function searchedText(instruction, field) {
  switch (field) {
  case "name": return labelOf(instruction) + " " + (instruction.full || "");
  case "op": return instruction.opcode;
  case "type": return instruction.type;
  case "source": return instruction.source ? sourceText(instruction.source) : "";
  }
  instruction.searched ??= [labelOf(instruction), instruction.full || "", instruction.type, instruction.opcode, instruction.argument,
    instruction.expression || "", ...instruction.attributes.map(attributeText), searchedText(instruction, "source")].join("  ");
  return instruction.searched;
}

// Creates an element with a class, text or children, and attributes.
function element(tag, name, content = [], attributes = {}) {
  const made = document.createElement(tag);
  if (name) {
    made.className = name;
  }
  made.append(...(Array.isArray(content) ? content : [content]));
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  return made;
}

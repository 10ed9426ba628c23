// The details of the selected instruction, with links to related instructions.
const maxLinks = 200; // maximum number of operands and users shown

function linkTo(instruction, text = labelOf(instruction)) {
  return element("a", "go", text, { href: addressOf(instruction), "data-side": instruction.side, "data-go": instruction.number });
}

function linkToSource(source) {
  return element("a", "go", sourceText(source), { href: "#", "data-side": source.side, "data-source": source.number });
}

function linksTo(instructions, textOf) {
  const shown = instructions.slice(0, maxLinks).map(each => element("li", "", [
    linkTo(each.instruction, textOf(each)),
    element("span", "quiet", " " + [each.instruction.name === "" ? "" : each.instruction.opcode, each.instruction.type].filter(Boolean)
      .join(" ")),
  ]));
  if (instructions.length > maxLinks) {
    shown.push(element("li", "quiet", `… ${instructions.length} in all`));
  }
  return element("ul", "links", shown);
}

// Whether a note is about costs. Other notes are decisions, named by their rules.
function isCost([name]) {
  return name === "cost" || name === "calls";
}

// Returns the sources of an instruction and of the instructions inside of it.
function sourcesOf(instruction, found = new Set(), depth = 0) {
  const maxDepth = 8;
  if (instruction.source) {
    found.add(instruction.source);
  }
  if (depth < maxDepth && found.size < maxLinks) {
    instruction.inside.forEach(each => each.instructions.forEach(inner => sourcesOf(inner, found, depth + 1)));
  }
  return [...found];
}

function valueElement([, text, isJson]) {
  if (!isJson) {
    return element("span", "value", text);
  }
  return element("pre", "value", JSON.stringify(JSON.parse(text), null, 2));
}

// Returns the elements of the panel for an instruction. `differences` and `change` are only given when two programs are compared.
function detailsOf(instruction, differences = [], change = "") {
  const shown = [
    element("h2", "", [labelOf(instruction), element("span", "quiet", (instruction.root ? " root" : "") + (change ? " " + change : ""))]),
    ...differences,
  ];
  const facts = [];
  const add = (name, content) => facts.push(element("dt", "", name), element("dd", "", content));
  if (instruction.full) {
    add("full name", "%" + instruction.full);
  }
  add("opcode", instruction.opcode);
  if (instruction.type) {
    add("type", instruction.type);
  }
  if (instruction.argument) {
    add("argument", instruction.argument);
  }
  if (instruction.expression) {
    add("computes", instruction.expression);
  }
  add("in", computationLabel(instruction.computation));
  instruction.attributes.forEach(each => add(each[0], [valueElement(each)]));
  instruction.notes.filter(isCost).forEach(each => add(each[0], [valueElement(each)]));
  instruction.inside.forEach(called => {
    called.attributes.forEach(each => add(each[0] + " of " + called.name, [valueElement(each)]));
  });
  shown.push(element("dl", "", facts));
  const section = (title, content) => shown.push(element("h3", "", title), content);
  if (instruction.operands.length > 0) {
    section("operands", linksTo(instruction.operands, operandText));
  }
  if (instruction.users.length > 0) {
    section("users", linksTo(instruction.users.map(each => ({ instruction: each })), each => labelOf(each.instruction)));
  }
  if (instruction.computation.callers.length > 0) {
    section("called by", linksTo(instruction.computation.callers.map(each => ({ instruction: each })), each => labelOf(each.instruction)));
  }
  const decisions = instruction.notes.filter(each => !isCost(each));
  if (decisions.length > 0) {
    section("decisions", element("dl", "", decisions.flatMap(each => [element("dt", "", each[0]), element("dd", "", each[1])])));
  }
  const sources = sourcesOf(instruction);
  if (sources.length > 0) {
    section(sources.length === 1 ? "source" : "sources",
      element("ul", "links", sources.slice(0, maxLinks).map(each => element("li", "", linkToSource(each)))));
  }
  return shown;
}

function programDetails(program) {
  const counts = new Map();
  for (const instruction of program.instructions) {
    counts.set(instruction.opcode, (counts.get(instruction.opcode) || 0) + 1);
  }
  const facts = program.attributes.flatMap(each => [element("dt", "", each[0]), element("dd", "", [valueElement(each)])]);
  const opcodes = [...counts].sort((a, b) => b[1] - a[1]).map(([opcode, count]) => element("li", "", [
    element("a", "go", opcode, { href: "#", "data-search": "op:" + opcode }), element("span", "quiet", " " + count),
  ]));
  return [
    element("h2", "", [program.keyword, program.name].filter(Boolean).join(" ")),
    element("dl", "", facts),
    element("h3", "", "operations"),
    element("ul", "links", opcodes),
  ];
}

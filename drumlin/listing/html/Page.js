// The page: a search field, the list, and a panel about the selection.
const rowHeight = 24; // pixels, as in page.css

class Page {
  constructor(programs) {
    this.programs = programs;
    this.pairs = programs.length > 1 ? new Pairs(...programs) : new Singles(programs[0]);
    this.tree = new Tree(this.pairs);
    this.selected = null; // the selected instruction
    this.marked = new Set(); // the instructions of the marked source
    this.tab = "instruction";
    this.build();
    this.setColumns();
    this.update();
    this.select(programs[0].top[0]?.instructions.find(each => each.root) || programs[0].top[0]?.instructions.at(-1) || null);
    this.showTab("program");
    this.isReady = true; // from now on, the page's address names the selection
    this.goToAddress();
  }

  build() {
    this.search = element("input", "", [], { type: "search", id: "search", placeholder: "search: dot  op:add  source:model.py  /re(lu|duce)/",
      "aria-label": "search instructions", autocomplete: "off", spellcheck: "false" });
    this.status = element("span", "status", "", { role: "status", id: "status" });
    this.bar = element("div", "bar", [this.search, this.button("unfold all", () => this.setAll(true)),
      this.button("fold all", () => this.setAll(false)), ...this.comparison(), this.status]);
    const names = this.programs.map(each => each.name || "program").join(" compared with ");
    this.treeRoot = element("div", this.programs.length > 1 ? "tree pairs" : "tree", [], { role: "tree", id: "tree", tabindex: "0", "aria-label": "instructions" });
    this.list = new VirtualList(this.treeRoot, rowHeight, (row, index) => this.makeRow(row, index));
    this.tabs = element("div", "tabs", [], { role: "tablist" });
    this.panels = {};
    const panel = element("aside", "panel", [this.tabs], { "aria-label": "details" });
    for (const name of this.tabNames()) {
      this.tabs.append(element("button", "tab", name, { role: "tab", id: "tab-" + name, "data-tab": name, "aria-controls": "panel-" + name }));
      this.panels[name] = element("div", "content", [], { role: "tabpanel", id: "panel-" + name, "aria-labelledby": "tab-" + name,
        tabindex: "0" });
      panel.append(this.panels[name]);
    }
    this.buildSources();
    this.buildGraph();
    this.programs.forEach(each => this.panels.program.append(...programDetails(each)));
    document.body.append(element("header", "", [element("h1", "", names), this.bar]), element("main", "", [this.treeRoot, panel]));
    this.listen();
  }

  // Returns the controls for comparing two programs.
  comparison() {
    this.onlyDifferences = element("input", "", [], { type: "checkbox", id: "only-differences" });
    this.onlyDifferences.addEventListener("change", () => this.update(true));
    if (this.programs.length === 1) {
      return [];
    }
    this.differing = this.pairs.differing();
    this.differingAt = -1;
    const counts = new Map();
    this.differing.forEach(pair => counts.set(this.pairs.changeOf(pair), (counts.get(this.pairs.changeOf(pair)) || 0) + 1));
    const text = ["added", "removed", "changed"].filter(each => counts.has(each)).map(each => `${counts.get(each)} ${each}`).join(", ");
    return [this.button("next difference", () => this.stepDifference(1)), this.button("previous", () => this.stepDifference(-1)),
      element("label", "", [this.onlyDifferences, " only differences"]),
      element("span", "summary", text || "no differences", { id: "differences" })];
  }

  stepDifference(by) {
    const count = this.differing.length;
    if (count > 0) {
      this.differingAt = this.differingAt < 0 && by < 0 ? count - 1 : (this.differingAt + by + count) % count;
      const [before, after] = this.differing[this.differingAt];
      this.show(after || before);
    }
  }

  tabNames() {
    return ["instruction", "graph", "sources", "program"];
  }

  button(text, action) {
    const made = element("button", "", text, { type: "button" });
    made.addEventListener("click", action);
    return made;
  }

  buildGraph() {
    this.scale = 1;
    this.graphText = element("span", "quiet");
    this.graphRoot = element("div", "graph", [], { id: "graph", tabindex: "0", "aria-label": "graph" });
    const zoom = by => { this.scale = Math.max(0.2, Math.min(2, this.scale * by)); this.drawGraph(); };
    this.panels.graph.append(element("div", "marks", [this.button("−", () => zoom(0.8)), this.button("+", () => zoom(1.25)),
      this.button("fit", () => this.fitGraph()), this.graphText]),
      this.graphRoot);
    this.graphRoot.addEventListener("click", event => {
      const node = event.target.closest("[data-node]");
      if (node) {
        this.show(this.programs[node.dataset.side].instructions[node.dataset.node]);
      }
    });
  }

  fitGraph() {
    const drawn = this.graphRoot.firstElementChild, least = 0.2;
    const box = drawn.viewBox.baseVal;
    this.scale = Math.max(least, Math.min(1, this.graphRoot.clientWidth / box.width, this.graphRoot.clientHeight / box.height));
    this.drawGraph();
  }

  // Draws the graph of the computation in which the selected instruction is shown. Does nothing while the graph is hidden.
  drawGraph() {
    if (this.tab !== "graph" || !this.selected) {
      return;
    }
    const selected = this.selected, isUnfolded = this.tree.unfoldedAnywhere();
    let computation = (this.current && this.tree.topOf(this.current, selected.side)) || selected.computation;
    let graph = graphOf(computation, selected, isUnfolded);
    if (!graph.nodes.includes(selected) && !isUnfolded(selected)) {
      computation = selected.computation;
      graph = graphOf(computation, selected, isUnfolded);
    }
    const isSelected = each => each === selected || selected.inside.includes(each.computation);
    const label = computationLabel(computation);
    this.graphText.textContent = graph.isPart ? `${label}: ${graph.nodes.length} of ${graph.all}, near to ${labelOf(selected)}`
      : `${label}: ${graph.all} instructions`;
    const drawn = drawGraph(graph, label, each => [isSelected(each) ? "selected" : "", this.marked.has(each) ? "marked" : "",
      this.pairs.changeOf(this.pairs.ofInstruction(each))].join(" "));
    drawn.setAttribute("width", drawn.getAttribute("width") * this.scale);
    drawn.setAttribute("height", drawn.getAttribute("height") * this.scale);
    this.graphRoot.replaceChildren(drawn);
    drawn.querySelector(".node.selected")?.scrollIntoView({ block: "center", inline: "center" });
  }

  buildSources() {
    const rows = this.programs.flatMap(each => each.sources);
    rows.sort((a, b) => a.place.localeCompare(b.place, "en", { numeric: true }) || a.scope.localeCompare(b.scope));
    this.sourceRows = rows;
    const root = element("div", "sources", [], { id: "sources" });
    this.sourceMark = element("div", "marks", "Click a source to mark its instructions.");
    this.panels.sources.append(this.sourceMark, root);
    if (rows.length === 0) {
      this.sourceMark.textContent = "The program does not say where its instructions come from.";
    }
    this.sourceList = new VirtualList(root, rowHeight, source => {
      const row = element("div", "row source" + (source === this.source ? " selected" : ""), [
        element("span", "place", source.place), element("span", "scope", source.scope),
        element("span", "quiet", String(source.instructions.length)),
      ], { "data-side": source.side, "data-source": source.number, title: sourceText(source) });
      return row;
    });
    this.sourceList.show(rows);
  }

  // Sets the column widths to fit the names and types of most rows.
  setColumns() {
    const maxName = 26, maxType = 30, least = 6;
    const width = (textOf, max) => Math.max(least, ...this.programs.map(program => program.instructions.reduce((widest, each) => {
      const length = textOf(each).length;
      return length <= max ? Math.max(widest, length) : max;
    }, 0)));
    this.treeRoot.style.setProperty("--name", width(labelOf, maxName) + 4 + "ch");
    this.treeRoot.style.setProperty("--type", width(each => each.type, maxType) + 1 + "ch");
  }

  listen() {
    this.treeRoot.addEventListener("click", event => this.clickedRow(event));
    this.treeRoot.addEventListener("keydown", event => this.pressed(event));
    this.search.addEventListener("input", () => this.update(true));
    this.search.addEventListener("keydown", event => {
      if (event.key === "ArrowDown" || event.key === "Enter") {
        event.preventDefault();
        this.treeRoot.focus();
        this.moveTo(this.list.rows.findIndex(each => each.kind === "instruction"));
      }
    });
    this.tabs.addEventListener("click", event => this.showTab(event.target.dataset.tab));
    document.addEventListener("click", event => this.followed(event));
    window.addEventListener("hashchange", () => this.goToAddress());
    document.addEventListener("keydown", event => {
      if (event.key === "/" && event.target !== this.search) {
        event.preventDefault();
        this.search.focus();
        this.search.select();
      }
    });
  }

  // Shows the instruction that the page's address names after `#`.
  goToAddress() {
    const anchor = decodeURIComponent(location.hash.slice(1));
    const wanted = this.programs.map(each => each.anchors.get(anchor)).find(Boolean);
    if (wanted && wanted !== this.selected) {
      this.show(wanted);
    }
  }

  // Follows a click on a link or a source anywhere in the page.
  followed(event) {
    const link = event.target.closest?.("[data-go], [data-source], [data-search]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) {
      return; // the browser opens the address in another tab
    }
    event.preventDefault();
    const { side, go, source, search } = link.dataset;
    if (go !== undefined) {
      this.show(this.programs[side].instructions[go]);
    } else if (source !== undefined) {
      this.markSource(this.programs[side].sources[source - 1]);
    } else {
      this.search.value = search;
      this.update(true);
    }
  }

  clickedRow(event) {
    const made = event.target.closest(".row");
    if (!made || event.target.closest("[data-go], [data-source]")) {
      return;
    }
    const row = this.list.rows[Number(made.dataset.index)];
    if (event.target.closest("a")) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) {
        return;
      }
      event.preventDefault();
    }
    if (event.target.closest(".toggle") || row.kind === "computation") {
      this.toggle(row);
      return;
    }
    const side = event.target.closest(".cell")?.dataset.side;
    this.select(row.pair[side] || row.pair[0] || row.pair[1], row.key);
  }

  toggle(row) {
    if (row.canOpen) {
      this.tree.toggle(row.key);
      this.update();
      this.drawGraph();
    }
  }

  setAll(open) {
    this.tree.setAll(open);
    this.update();
  }

  // Updates the page after a change of the query or of unfolded rows.
  update(searched = false) {
    let test = null;
    this.search.setCustomValidity("");
    try {
      test = searchFor(this.search.value);
    } catch (problem) {
      this.search.setCustomValidity(problem.message);
      this.status.textContent = problem.message;
      return;
    }
    const matches = test, isFound = pair => !matches || pair.some(item => item && matches(item));
    if (this.onlyDifferences.checked) {
      const differing = new Set(this.differing.map(keyOf));
      test = pair => isFound(pair) && differing.has(keyOf(pair));
    } else {
      test = test && isFound;
    }
    const rows = test ? this.tree.matching(test) : this.tree.rows();
    this.list.show(rows);
    this.status.textContent = test ? this.foundText(rows) : "";
    if (searched) {
      test ? this.treeRoot.scrollTop = 0 : this.selected && this.show(this.selected);
      this.list.draw(true);
    }
  }

  foundText(rows) {
    const found = rows.filter(each => each.kind === "instruction").length;
    return found === 0 ? "nothing found" : `${found} found`;
  }

  // Scrolls to an instruction in its computation.
  show(instruction) {
    this.search.value = "";
    this.onlyDifferences.checked = false;
    const key = this.tree.reveal(instruction);
    this.update();
    this.select(instruction, key);
    this.list.scrollTo(this.list.rows.findIndex(each => each.key === key));
  }

  // Selects an instruction and shows its details. `key`: the key of the row in which it was selected.
  select(instruction, key = null) {
    this.selected = instruction;
    this.current = key;
    this.panels.instruction.replaceChildren(...(instruction ? this.details(instruction) : []));
    this.panels.instruction.scrollTop = 0;
    this.showTab(this.tab === "graph" ? "graph" : "instruction");
    this.list.draw(true);
    if (this.isReady && instruction) {
      history.replaceState(null, "", addressOf(instruction));
    }
  }

  details(instruction) {
    const pair = this.pairs.ofInstruction(instruction), change = this.pairs.changeOf(pair);
    return detailsOf(instruction, change === "changed" ? differenceList(this.pairs.differences(pair)) : [], change);
  }

  // Marks the instructions that come from a source.
  markSource(source) {
    this.source = source;
    this.marked = new Set(source.instructions);
    this.markedAt = -1;
    const own = source.instructions;
    const text = `${own.length} instruction${own.length === 1 ? "" : "s"} from ${sourceText(source)}`;
    this.sourceMark.replaceChildren(element("span", "", text),
      this.button("next", () => this.step(1)), this.button("previous", () => this.step(-1)), this.button("clear", () => this.clearMarks()));
    this.showTab("sources");
    this.sourceList.scrollTo(this.sourceRows.indexOf(source));
    this.step(1);
  }

  step(by) {
    const own = this.source.instructions;
    this.markedAt = (this.markedAt + by + own.length) % own.length;
    this.show(own[this.markedAt]);
    this.showTab("sources");
  }

  clearMarks() {
    this.source = null;
    this.marked = new Set();
    this.sourceMark.textContent = "Click a source to mark its instructions.";
    this.sourceList.draw(true);
    this.list.draw(true);
  }

  showTab(name) {
    if (!this.panels[name]) {
      return;
    }
    this.tab = name;
    for (const tab of this.tabs.children) {
      tab.setAttribute("aria-selected", tab.dataset.tab === name);
      this.panels[tab.dataset.tab].hidden = tab.dataset.tab !== name;
    }
    this.treeRoot.parentElement.classList.toggle("wide", name === "graph");
    this.drawGraph();
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const at = this.list.rows.findIndex(each => this.isCurrent(each)), row = this.list.rows[at];
    const pageRows = Math.max(1, Math.floor(this.treeRoot.clientHeight / rowHeight) - 1);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + pageRows, PageUp: at - pageRows, Home: 0, End: this.list.rows.length };
    if (event.key in moves) {
      this.moveTo(Math.max(0, Math.min(moves[event.key], this.list.rows.length - 1)));
    } else if (row && (event.key === "ArrowRight" && !row.open || event.key === "ArrowLeft" && row.open || event.key === " ")) {
      this.toggle(row);
    } else if (row && event.key === "ArrowLeft") {
      const isAbove = each => each.depth < row.depth;
      this.moveTo(this.list.rows.slice(0, at).findLastIndex(isAbove));
    } else if (row && event.key === "Enter" && this.selected) {
      this.show(this.selected);
    } else {
      return;
    }
    event.preventDefault();
  }

  isCurrent(row) {
    return this.current ? row.key === this.current : row.pair.includes(this.selected);
  }

  // Moves to a row by keyboard. Selects an instruction's row, but only highlights a computation's.
  moveTo(index) {
    const row = this.list.rows[index];
    if (!row) {
      return;
    }
    if (row.kind === "instruction") {
      this.select(row.pair[0] || row.pair[1], row.key);
    }
    this.current = row.key;
    this.list.scrollTo(index);
  }

  makeRow(row, index) {
    const isCurrent = this.isCurrent(row);
    const names = ["row", row.kind, isCurrent ? "current" : ""];
    const change = this.pairs.changeOf(row.pair);
    names.push(change);
    if (row.pair.some(item => this.marked.has(item))) {
      names.push("marked");
    }
    const made = element("div", names.filter(Boolean).join(" "), [], { role: "treeitem", "aria-level": row.depth + 1, "data-index": index,
      id: "row-" + index, "aria-selected": isCurrent });
    if (row.canOpen) {
      made.setAttribute("aria-expanded", row.open);
    }
    if (isCurrent) {
      this.treeRoot.setAttribute("aria-activedescendant", made.id);
    }
    const toggle = element("span", "toggle", row.canOpen ? (row.open ? "▾" : "▸") : "", { "aria-hidden": "true" });
    toggle.style.marginLeft = row.depth + "em";
    made.append(toggle);
    if (row.pair.length > 1) {
      const sign = { added: "+", removed: "−", changed: "≠" }[change] || "";
      made.append(element("span", "sign", sign, change ? { title: change, "aria-label": change } : {}));
    }
    row.pair.forEach((item, side) => made.append(this.makeCell(row, item, side)));
    return made;
  }

  makeCell(row, item, side) {
    const cell = element("div", "cell", [], { "data-side": side });
    if (item && row.kind === "computation") {
      cell.append(element("b", "label", computationLabel(item)), element("span", "quiet", computationFacts(item)));
      cell.title = computationLabel(item) + "  " + computationFacts(item);
    } else if (item) {
      cell.append(...instructionParts(item));
    }
    return cell;
  }
}

function differenceList(differences) {
  return [element("dl", "differences", differences.flatMap(([name, before, after]) => [element("dt", "", name),
    element("dd", "", name === "inside" ? after : [element("del", "", before || "none"), element("ins", "", after || "none")])]))];
}

function computationFacts(computation) {
  const count = computation.instructions.length;
  return [computation.result ? "→ " + computation.result : "", `${count} instruction${count === 1 ? "" : "s"}`,
    ...computation.attributes.filter(each => !each[2]).map(attributeText)].filter(Boolean).join("  ");
}

function instructionParts(instruction) {
  const maxOperands = 16; // more operands than fit in a row
  const what = element("span", "what", [element("span", "opcode", instruction.opcode)]);
  if (instruction.expression) {
    what.append(element("span", "expression", " " + instruction.expression));
  } else {
    what.append("(" + instruction.argument);
    instruction.operands.slice(0, maxOperands).forEach((operand, index) =>
      what.append(index === 0 ? "" : ", ", linkTo(operand.instruction, operandText(operand))));
    what.append(instruction.operands.length > maxOperands ? ", …)" : ")");
    const attributes = instruction.attributes.filter(each => !each[2]).map(attributeText);
    what.append(element("span", "quiet", attributes.map(each => ", " + each).join("")));
  }
  what.title = what.textContent;
  const name = element("a", instruction.root ? "name root" : "name", instruction.name === "" ? "" : labelOf(instruction),
    { href: addressOf(instruction), tabindex: "-1", title: "%" + (instruction.full || instruction.name) });
  const parts = [name, element("span", "type", instruction.type, { title: instruction.type }), what];
  const cost = instruction.notes.find(each => each[0] === "cost");
  if (cost) {
    parts.push(element("span", "cost", cost[1].split(/[,;]/)[0], { title: cost[1] }));
  }
  if (instruction.source) {
    parts.push(element("a", "mark", "@" + instruction.source.number, { href: "#", tabindex: "-1", "data-side": instruction.side,
      "data-source": instruction.source.number, title: sourceText(instruction.source) }));
  }
  return parts;
}

window.page = new Page(JSON.parse(document.getElementById("data").textContent).map((data, side) => new Program(data, side)));

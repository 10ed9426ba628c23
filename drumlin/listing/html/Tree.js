// The rows of one or two programs: computations with their instructions, under which called computations unfold in place. A row shows an
// item (a computation or an instruction), or a pair of items of which one may be missing.
class Tree {
  // `pairs`: the pairs of the two programs' items (drumlin/listing/html/Compare.js); with one program, each item is single.
  constructor(pairs) {
    this.pairs = pairs;
    this.unfolded = new Set();
    const first = pairs.top()[0];
    if (first) {
      this.unfolded.add(keyOf(first));
    }
  }

  toggle(key, open = !this.unfolded.has(key)) {
    open ? this.unfolded.add(key) : this.unfolded.delete(key);
  }

  // Unfolds or folds all computations. Doesn't unfold a called computation in the rows of its callers.
  setAll(open) {
    this.unfolded.clear();
    if (open) {
      this.pairs.top().forEach(pair => this.unfolded.add(keyOf(pair)));
    }
  }

  // Returns a predicate for whether an instruction is unfolded in any row.
  unfoldedAnywhere() {
    const last = new Set([...this.unfolded].map(key => key.slice(key.lastIndexOf("/") + 1)));
    return instruction => last.has(keyOf(this.pairs.ofInstruction(instruction)));
  }

  // Returns the top-level computation that a row's key begins with.
  topOf(key, side) {
    return this.pairs.top().find(pair => key.startsWith(keyOf(pair) + "/"))?.[side];
  }

  // Returns the visible rows.
  rows() {
    const rows = [];
    for (const pair of this.pairs.top()) {
      this.addComputation(rows, pair, "", 0);
    }
    return rows;
  }

  addComputation(rows, pair, parent, depth) {
    const key = parent + keyOf(pair), open = this.unfolded.has(key);
    rows.push({ kind: "computation", pair, key, depth, open, canOpen: true });
    if (open) {
      this.addInstructions(rows, pair, key + "/", depth + 1);
    }
  }

  addInstructions(rows, computations, parent, depth) {
    for (const pair of this.pairs.instructions(computations)) {
      const inside = this.pairs.inside(pair), key = parent + keyOf(pair);
      const open = inside.length > 0 && this.unfolded.has(key);
      rows.push({ kind: "instruction", pair, key, depth, open, canOpen: inside.length > 0 });
      if (open && inside.length === 1) {
        this.addInstructions(rows, inside[0], key + "/" + keyOf(inside[0]) + "/", depth + 1);
      } else if (open) {
        inside.forEach(each => this.addComputation(rows, each, key + "/", depth + 1));
      }
    }
  }

  // Returns the rows of the pairs that pass a test, under their computations.
  matching(test) {
    const rows = [];
    for (const pair of this.pairs.top()) {
      const start = rows.length;
      rows.push({ kind: "computation", pair, key: "found/" + keyOf(pair), depth: 0, open: true, canOpen: false });
      this.addMatching(rows, pair, test);
      if (rows.length === start + 1) {
        rows.pop();
      }
    }
    return rows;
  }

  addMatching(rows, computations, test) {
    for (const pair of this.pairs.instructions(computations)) {
      if (test(pair)) {
        rows.push({ kind: "instruction", pair, key: "found/" + keyOf(pair), depth: 1, open: false, canOpen: false });
      }
      this.pairs.inside(pair).filter(each => (each[0] || each[1]).region).forEach(each => this.addMatching(rows, each, test));
    }
  }

  // Unfolds the regions and the computation that contain an instruction, and returns the key of its row.
  reveal(instruction) {
    const place = instruction.computation;
    let parent = "";
    if (place.owner) {
      const owner = this.reveal(place.owner);
      this.unfolded.add(owner);
      parent = owner + "/";
    }
    const key = parent + keyOf(this.pairs.ofComputation(place));
    this.unfolded.add(key);
    return key + "/" + keyOf(this.pairs.ofInstruction(instruction));
  }
}

// Returns the key of an item or a pair: the numbers of its instructions (`i`) or computations (`c`).
function keyOf(pair) {
  return pair.map(item => item ? (item.computation ? "i" : "c") + item.number : "-").join("|");
}

// The pairs of a single program: every item is single.
class Singles {
  constructor(program) {
    this.program = program;
  }
  top() { return this.program.top.map(each => [each]); }
  instructions([computation]) { return computation.instructions.map(each => [each]); }
  inside([instruction]) { return instruction.inside.map(each => [each]); }
  ofInstruction(instruction) { return [instruction]; }
  ofComputation(computation) { return [computation]; }
  changeOf() { return ""; }
  differences() { return []; }
  differing() { return []; }
}

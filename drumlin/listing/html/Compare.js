// Compares two programs: pairs corresponding instructions and finds their differences.

// Attributes that name computations. The computations are compared by content, not by name.
const computationNames = new Set(["calls", "to_apply", "condition", "body", "kernel", "callee", "branch_computations", "true_computation",
  "false_computation", "called_computations", "key"]);

class Pairs {
  constructor(before, after) {
    this.matches = new Map();
    this.topPairs = [];
    this.topPairOf = new Map();
    this.changes = new Map();
    if (before.top[0]?.entry && after.top[0]?.entry) {
      this.addTop([before.top[0], after.top[0]]);
    }
    // First pairs the computations that paired instructions call, then the remaining computations with the same name.
    this.pairCalled();
    const named = new Map(after.top.filter(each => !this.topPairOf.has(each)).map(each => [each.name, each]));
    for (const each of before.top) {
      if (!this.topPairOf.has(each) && named.has(each.name)) {
        this.addTop([each, named.get(each.name)]);
      }
    }
    this.pairCalled();
    before.top.filter(each => !this.topPairOf.has(each)).forEach(each => this.addTop([each, null]));
    after.top.filter(each => !this.topPairOf.has(each)).forEach(each => this.addTop([null, each]));
  }

  addTop(pair) {
    this.topPairs.push(pair);
    pair.filter(Boolean).forEach(each => this.topPairOf.set(each, pair));
  }

  pairCalled() {
    const visit = computations => this.instructions(computations).forEach(pair => this.inside(pair).forEach(inner => {
      const [before, after] = inner;
      if (before?.region || after?.region) {
        visit(inner);
      } else if (before && after && !this.topPairOf.has(before) && !this.topPairOf.has(after)) {
        this.addTop(inner);
      }
    }));
    for (const pair of this.topPairs) { // visit() adds pairs to the list
      visit(pair);
    }
  }

  top() { return this.topPairs; }

  instructions([before, after]) {
    if (!before || !after) {
      return (before || after).instructions.map(each => before ? [each, null] : [null, each]);
    }
    return this.match(before, after).pairs;
  }

  inside([before, after]) {
    const first = before?.inside || [], second = after?.inside || [];
    const made = [];
    for (let i = 0; i < Math.max(first.length, second.length); ++i) {
      made.push([first[i] ?? null, second[i] ?? null]);
    }
    return made;
  }

  ofComputation(computation) {
    if (!computation.owner) {
      return this.topPairOf.get(computation);
    }
    return this.inside(this.ofInstruction(computation.owner)).find(pair => pair.includes(computation));
  }

  ofInstruction(instruction) {
    const [before, after] = this.ofComputation(instruction.computation);
    if (!before || !after) {
      return before ? [instruction, null] : [null, instruction];
    }
    return this.match(before, after).pairOf.get(instruction);
  }

  // Returns the pairs of two computations' instructions, in an order that keeps both computations' orders.
  match(before, after) {
    const key = keyOf([before, after]);
    let match = this.matches.get(key);
    if (!match) {
      const pairs = pairsOf(before.instructions, after.instructions);
      const pairOf = new Map(pairs.flatMap(pair => pair.filter(Boolean).map(each => [each, pair])));
      match = { pairs, pairOf };
      this.matches.set(key, match);
    }
    return match;
  }

  // Returns `added`, `removed`, `changed` or an empty text for a pair of instructions or computations.
  changeOf(pair) {
    const [before, after] = pair;
    if (!before || !after) {
      return before ? "removed" : "added";
    }
    const key = keyOf(pair);
    if (!this.changes.has(key)) {
      this.changes.set(key, ""); // ends the recursion if the computation contains itself
      this.changes.set(key, this.differences(pair).length > 0 ? "changed" : "");
    }
    return this.changes.get(key);
  }

  // Returns the differences of a pair: names with the text before and after.
  differences([before, after]) {
    const found = [];
    const compare = (name, first, second) => first !== second && found.push([name, first, second]);
    compareAttributes(before.attributes, after.attributes, compare);
    if (before.instructions) {
      compare("result", before.result || "", after.result || "");
      const changed = this.instructions([before, after]).filter(pair => this.changeOf(pair) !== "").length;
      if (changed > 0) {
        found.push(["inside", "", `${changed} instruction${changed === 1 ? " differs" : "s differ"}`]);
      }
      return found;
    }
    ["opcode", "type", "argument"].forEach(name => compare(name, before[name], after[name]));
    compareAttributes(before.notes.filter(isCost), after.notes.filter(isCost), compare);
    const operands = each => each.operands.map(operandText).join(", ");
    const areSame = before.operands.length === after.operands.length && before.operands.every((operand, index) => {
      const other = after.operands[index];
      return operand.result === other.result && this.areTogether(operand.instruction, other.instruction);
    });
    if (!areSame) {
      found.push(["operands", operands(before), operands(after)]);
    }
    for (const inner of this.inside([before, after])) {
      const change = this.changeOf(inner), label = (inner[0] || inner[1]).name;
      if (change === "changed") {
        this.differences(inner).forEach(([name, first, second]) => found.push([name === "inside" ? name : name + " of " + label, first, second]));
      } else if (change !== "") {
        compare("computation", inner[0] ? label : "", inner[1] ? label : "");
      }
    }
    return found;
  }

  // Returns the pairs of instructions that differ themselves, not only in the computations that they call.
  differing() {
    const found = [];
    const visit = computations => this.instructions(computations).forEach(pair => {
      const change = this.changeOf(pair);
      if (change !== "" && (change !== "changed" || this.differences(pair).some(each => each[0] !== "inside"))) {
        found.push(pair);
      }
      this.inside(pair).filter(inner => (inner[0] || inner[1]).region).forEach(visit);
    });
    this.topPairs.forEach(visit);
    return found;
  }

  areTogether(before, after) {
    return this.match(before.computation, after.computation).pairOf.get(before)?.[1] === after;
  }
}

function compareAttributes(before, after, compare) {
  const textOf = attributes => new Map(attributes.filter(each => !computationNames.has(each[0])).map(each => [each[0], each[1] || each[0]]));
  const first = textOf(before || []), second = textOf(after || []);
  new Set([...first.keys(), ...second.keys()]).forEach(name => compare(name, first.get(name) ?? "", second.get(name) ?? ""));
}

// Pairs instructions in several passes, so that a change in one place doesn't affect later pairs. The first pass pairs equal instructions
// with the same name and source. The next one pairs instructions between these pairs that have the same operation, type and source; and so
// on. If names are numbers (`%12`), operands are compared instead.
function pairsOf(before, after) {
  const own = each => each.opcode + " " + each.type + " " + (each.opcode === "parameter" || each.operands.length === 0 ? each.argument : "");
  const deep = (each, depth) => depth === 0 ? each.opcode
    : own(each) + "(" + each.operands.map(operand => deep(operand.instruction, depth - 1)).join() + ")";
  const withSource = each => own(each) + " " + (each.source ? sourceText(each.source) : "");
  const isNamed = each => !/^\d*$/.test(each.name);
  const strong = each => isNamed(each) ? withSource(each) + " " + each.name : each.source ? withSource(each) : deep(each, 2);
  return matched(before, after, [strong, withSource, own, each => each.opcode, each => each.name]);
}

function matched(before, after, [keyOfOne, ...others]) {
  if (before.length === 0 || after.length === 0 || !keyOfOne) {
    return [...before.map(each => [each, null]), ...after.map(each => [null, each])];
  }
  const pairs = [];
  let first = 0, second = 0;
  const upTo = (i, j) => matched(before.slice(first, i), after.slice(second, j), others).forEach(each => pairs.push(each));
  for (const [i, j] of commonSequence(before.map(keyOfOne), after.map(keyOfOne))) {
    upTo(i, j);
    pairs.push([before[i], after[j]]);
    [first, second] = [i + 1, j + 1];
  }
  upTo(before.length, after.length);
  return pairs;
}

// Returns the positions of a longest common subsequence (Myers: An O(ND) Difference Algorithm and Its Variations, 1986). If there are many
// differences, the result is combined from parts and may be shorter than the longest.
function commonSequence(before, after) {
  let start = 0, endBefore = before.length, endAfter = after.length;
  while (start < endBefore && start < endAfter && before[start] === after[start]) {
    ++start;
  }
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    --endBefore;
    --endAfter;
  }
  const positions = [];
  for (let i = 0; i < start; ++i) {
    positions.push([i, i]);
  }
  for (let i = start, j = start; i < endBefore && j < endAfter;) {
    const part = shortestEdit(before.slice(i, endBefore), after.slice(j, endAfter));
    part.positions.forEach(each => positions.push([each[0] + i, each[1] + j]));
    i += part.before;
    j += part.after;
  }
  for (let i = endBefore; i < before.length; ++i) {
    positions.push([i, endAfter + i - endBefore]);
  }
  return positions;
}

// Returns the shortest edit between prefixes of the two sequences, and the prefixes' lengths `before` and `after`. The prefixes are the
// whole sequences, unless the edit would need more than `maxEdits` steps.
function shortestEdit(before, after) {
  const maxEdits = 1000; // the square of this number limits the time and memory of a part
  const trace = []; // for each number of edits, the position in `before` that each diagonal reaches; diagonal 0 is in the middle
  let reached = Int32Array.of(-1, -1, 0); // as if diagonal 0 were reached from above
  for (let edits = 0;; ++edits) {
    let furthest = { before: 0, after: 0 };
    const next = new Int32Array(2 * edits + 5).fill(-1), middle = edits + 1;
    trace.push(reached);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let i = stepFrom(reached, middle, diagonal, edits).start;
      while (i < before.length && i - diagonal < after.length && before[i] === after[i - diagonal]) {
        ++i;
      }
      next[middle + 1 + diagonal] = i;
      const j = i - diagonal;
      if (i <= before.length && j <= after.length && i + j > furthest.before + furthest.after) {
        furthest = { before: i, after: j };
      }
    }
    if (edits === maxEdits || furthest.before === before.length && furthest.after === after.length) {
      return { positions: traceBack(trace, furthest.before, furthest.after), ...furthest };
    }
    reached = next;
  }
}

// Returns the better step to a diagonal: its start, and the diagonal that it comes from.
function stepFrom(reached, middle, diagonal, edits) {
  const left = reached[middle + diagonal - 1], right = reached[middle + diagonal + 1];
  const isDown = diagonal === -edits || diagonal !== edits && left < right;
  return isDown ? { start: right, from: diagonal + 1, fromI: right } : { start: left + 1, from: diagonal - 1, fromI: left };
}

function traceBack(trace, i, j) {
  const positions = [];
  for (let edits = trace.length - 1; edits >= 0; --edits) {
    const { start, from, fromI } = stepFrom(trace[edits], edits + 1, i - j, edits);
    while (i > start) {
      positions.push([--i, --j]);
    }
    [i, j] = [fromI, fromI - from];
  }
  return positions.reverse();
}

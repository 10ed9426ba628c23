// Draws a computation as a graph. A computation that is unfolded in the list is drawn in place of the instruction that calls it. Layers
// go from operands to users; long edges pass through points in the layers between (Sugiyama, Tagawa, Toda: Methods for Visual
// Understanding of Hierarchical System Structures, 1981).
const maxNodes = 200; // larger graphs show only the surroundings of the selected instruction
const nodeHeight = 38, layerGap = 34, nodeGap = 14, pointWidth = 8;
const sweeps = 8; // number of passes through all layers; each pass moves nodes closer to their neighbours

// Returns a graph of instructions: `{ nodes, edges: [[from, to]], all, isPart }`.
function graphOf(computation, selected, isUnfolded) {
  const nodes = [], edges = [];
  collectGraph(computation, null, isUnfolded, nodes, edges, 0);
  if (nodes.length <= maxNodes) {
    return { nodes, edges, all: nodes.length, isPart: false };
  }
  const near = nearTo(selected && nodes.includes(selected) ? selected : nodes.at(-1), nodes, edges);
  return { nodes: nodes.filter(each => near.has(each)), edges: edges.filter(([from, to]) => near.has(from) && near.has(to)),
    all: nodes.length, isPart: true };
}

// Whether the instruction's operands correspond to the parameters of the computation inside of it.
function isCall(instruction) {
  const inside = instruction.inside.length === 1 ? instruction.inside[0].instructions : [];
  const parameters = inside.filter(each => each.opcode === "parameter").length;
  return /^(fusion|call|func\.call|plan\..*)$/.test(instruction.opcode) && parameters === instruction.operands.length;
}

// Collects the nodes and edges of a computation. `operands`: the caller's operands, which replace the computation's parameters. Returns the
// node of the result.
function collectGraph(computation, operands, isUnfolded, nodes, edges, depth) {
  const maxDepth = 16;
  const standsFor = new Map(); // the node drawn instead of an instruction
  const drawn = instruction => standsFor.get(instruction) ?? instruction;
  const hasRoot = computation.instructions.some(each => each.root);
  let result = null;
  for (const instruction of computation.instructions) {
    const own = instruction.operands.map(each => drawn(each.instruction));
    const isReturn = operands && instruction.name === "" && own.length === 1;
    if (operands && instruction.opcode === "parameter") {
      standsFor.set(instruction, operands[Number(instruction.argument)]);
      continue;
    }
    let made = isReturn ? own[0] : null;
    if (!made && depth < maxDepth && isUnfolded(instruction) && isCall(instruction)) {
      made = collectGraph(instruction.inside[0], own, isUnfolded, nodes, edges, depth + 1);
      standsFor.set(instruction, made ?? instruction);
    }
    if (!made) {
      made = instruction;
      nodes.push(instruction);
      new Set(own).forEach(from => edges.push([from, instruction]));
    }
    result = instruction.root || !hasRoot ? made : result;
  }
  return result;
}

function nearTo(start, nodes, edges) {
  const maxNear = 60;
  const beside = new Map(nodes.map(each => [each, []]));
  edges.forEach(([from, to]) => { beside.get(from)?.push(to); beside.get(to)?.push(from); });
  const near = new Set([start]);
  for (const node of near) {
    for (const other of beside.get(node)) {
      if (near.size < maxNear && beside.has(other)) {
        near.add(other);
      }
    }
  }
  return near;
}

// Returns the lines of a node: its operation, and its name with as much of its type as fits. The name is never cut.
function graphLabel(instruction) {
  const longest = 26, name = instruction.name ? labelOf(instruction) : "";
  const cut = (text, room) => text.length > room ? text.slice(0, Math.max(0, room - 1)) + "…" : text;
  const what = instruction.expression && instruction.inside.length > 0 ? instruction.expression : instruction.opcode;
  return [cut(what + (instruction.argument ? "(" + instruction.argument + ")" : ""), Math.max(longest, name.length)),
    [name, cut(instruction.type, longest - name.length)].filter(Boolean).join(" ")];
}

// Computes the positions of all nodes and of the points of their edges.
function layOut(nodes, edges) {
  const charWidth = 6.7, leastWidth = 60;
  const boxes = new Map(nodes.map(node => {
    const label = graphLabel(node);
    return [node, { node, label, width: Math.max(leastWidth, Math.max(...label.map(each => each.length)) * charWidth + 14), layer: 0, above: [], below: [] }];
  }));
  const known = edges.filter(([from, to]) => boxes.has(from) && boxes.has(to) && from !== to);
  // Operands precede their users, so a single pass gives the longest path from the top.
  known.forEach(([from, to]) => { boxes.get(to).layer = Math.max(boxes.get(to).layer, boxes.get(from).layer + 1); });
  // Nodes without operands are in the layer above their first user.
  const hasOperands = new Set(known.map(([, to]) => to));
  for (const box of boxes.values()) {
    if (!hasOperands.has(box.node)) {
      const users = known.filter(([from]) => from === box.node).map(([, to]) => boxes.get(to).layer);
      box.layer = users.length > 0 ? Math.min(...users) - 1 : 0;
    }
  }
  const layers = [];
  const add = box => (layers[box.layer] ??= []).push(box);
  boxes.forEach(add);
  const paths = known.map(([from, to]) => {
    const path = [boxes.get(from)];
    for (let layer = boxes.get(from).layer + 1; layer < boxes.get(to).layer; ++layer) {
      const point = { width: pointWidth, layer, above: [], below: [] };
      add(point);
      path.push(point);
    }
    path.push(boxes.get(to));
    path.slice(1).forEach((box, index) => { box.above.push(path[index]); path[index].below.push(box); });
    return { path, from, to };
  });
  for (let layer = 0; layer < layers.length; ++layer) {
    layers[layer] ??= [];
  }
  return { ...placed(layers), boxes: [...boxes.values()], paths };
}

function placed(layers) {
  layers.forEach(layer => spread(layer));
  for (let sweep = 0; sweep < sweeps; ++sweep) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      layer.forEach(box => {
        const beside = down ? box.above : box.below;
        box.wanted = beside.length > 0 ? beside.reduce((sum, each) => sum + each.x, 0) / beside.length : box.x;
      });
      layer.sort((a, b) => a.wanted - b.wanted);
      spread(layer);
    }
  }
  const all = layers.flat(), margin = 12;
  const left = Math.min(0, ...all.map(box => box.x - box.width / 2));
  all.forEach(box => { box.x += margin - left; });
  layers.forEach((layer, index) => layer.forEach(box => { box.y = margin + index * (nodeHeight + layerGap); }));
  return { width: Math.max(0, ...all.map(box => box.x + box.width / 2)) + margin, height: layers.length * (nodeHeight + layerGap) };
}

// Places the boxes of a layer side by side in their order, as near as possible to their wanted positions. Boxes that would overlap form
// a group, which is placed at the average of the positions that its boxes want.
function spread(layer) {
  const groups = [];
  for (const box of layer) {
    const wanted = (box.wanted ?? 0) - box.width / 2;
    // `sum`: the sum, over the group's boxes, of the group start that puts the box at its wanted position.
    let group = { boxes: [box], width: box.width, sum: wanted, start: wanted };
    while (groups.length > 0 && groups.at(-1).start + groups.at(-1).width + nodeGap > group.start) {
      const before = groups.pop();
      const offset = before.width + nodeGap;
      group = { boxes: [...before.boxes, ...group.boxes], width: offset + group.width,
        sum: before.sum + group.sum - group.boxes.length * offset, start: 0 };
      group.start = group.sum / group.boxes.length;
    }
    groups.push(group);
  }
  for (const group of groups) {
    let at = group.start;
    for (const box of group.boxes) {
      box.x = at + box.width / 2;
      at += box.width + nodeGap;
    }
  }
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

// `classOf(instruction)`: returns the CSS class of its node.
function drawGraph(graph, label, classOf) {
  const { width, height, boxes, paths } = layOut(graph.nodes, graph.edges);
  const drawn = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const { path } of paths) {
    let line = "";
    path.forEach((box, index) => {
      const y = index === path.length - 1 ? box.y : box.y + nodeHeight;
      if (index === 0) {
        line = `M${box.x} ${y}`;
        return;
      }
      const before = path[index - 1], from = before.y + nodeHeight, middle = (from + box.y) / 2;
      line += `C${before.x} ${middle} ${box.x} ${middle} ${box.x} ${box.y}`;
      line += index < path.length - 1 ? `L${box.x} ${y}` : "";
    });
    drawn.append(svg("path", { d: line, class: "edge" }));
  }
  for (const box of boxes) {
    const [first, second] = box.label.map((text, index) => svg("text", { x: box.x, y: box.y + 15 + 15 * index, class: index ? "second" : "" }, text));
    drawn.append(svg("g", { class: "node " + classOf(box.node), "data-side": box.node.side, "data-node": box.node.number },
      svg("title", {}, [labelOf(box.node), box.node.opcode, box.node.expression, box.node.type].filter(Boolean).join(" ")),
      svg("rect", { x: box.x - box.width / 2, y: box.y, width: box.width, height: nodeHeight, rx: 5 }), first, second));
  }
  return drawn;
}

// Graphs of a recording, and what of a large one is shown.
//
// A graph is what hangs together, leaves aside: one operator is one item, however many nodes it
// made. Items form a tree of loops, calls and modules. Only what is around the step is open, so
// that a step costs as much in a graph of 50,000 nodes as in one of ten.

const MOST_BOXES = 44;

function findGraphs() {
  const roots = connectedNodes();
  const graphOfRoot = new Map();
  recording.graphs = [];
  recording.nodes.forEach((node, number) => {
    node.graph = null;
    if (!isInGraph(node)) return;
    const root = roots(number);
    if (!graphOfRoot.has(root)) {
      graphOfRoot.set(root, recording.graphs.length);
      recording.graphs.push({number: recording.graphs.length, nodes: []});
    }
    node.graph = graphOfRoot.get(root);
    recording.graphs[node.graph].nodes.push(number);
  });
  for (const graph of recording.graphs) fillGraph(graph);
  findCuts();
}

// Leaves belong to no graph, nor do nodes that were made before the recording began.
function isInGraph(node) {
  return (
    !node.isLeaf &&
    node.event !== undefined &&
    node.event !== null &&
    recording.events[node.event].kind === "op"
  );
}

function connectedNodes() {
  const {nodes} = recording;
  const parents = nodes.map((_, i) => i);
  const root = (i) => {
    while (parents[i] !== i) {
      parents[i] = parents[parents[i]];
      i = parents[i];
    }
    return i;
  };
  nodes.forEach((node, i) => {
    if (!isInGraph(node)) return;
    for (const [other] of node.edges) {
      if (other !== null && isInGraph(nodes[other])) parents[root(i)] = root(other);
    }
  });
  return root;
}

function fillGraph(graph) {
  const events = [...new Set(graph.nodes.map((number) => recording.nodes[number].event))];
  graph.items = events
    .sort((one, other) => one - other)
    .map((event, index) => ({
      event,
      index,
      nodes: [],
      chips: [],
      cuts: [],
      path: pathOf(recording.events[event]),
    }));
  graph.itemOfEvent = new Map(graph.items.map((item) => [item.event, item]));
  for (const number of graph.nodes) {
    const node = recording.nodes[number];
    node.item = graph.itemOfEvent.get(node.event);
    node.item.nodes.push(number);
  }
  const edges = new Map();
  for (const item of graph.items) connectItem(item, edges);
  graph.edges = [...edges.values()];
  graph.tree = treeOf(graph);
}

function connectItem(item, edges) {
  const shown = new Set();
  for (const number of item.nodes) {
    recording.nodes[number].edges.forEach(([target], edge) => {
      if (target === null) return;
      const other = recording.nodes[target];
      if (other.isLeaf) {
        if (!shown.has(other.leaf))
          item.chips.push({tensor: other.leaf, isLeaf: true, node: target});
        shown.add(other.leaf);
      } else if (other.item && other.item !== item && other.item.index < item.index) {
        const key = `${other.item.index} ${item.index}`;
        if (!edges.has(key)) edges.set(key, {from: other.item.index, to: item.index, via: []});
        edges.get(key).via.push({node: number, edge});
      }
    });
  }
  for (const tensor of recording.events[item.event].ins) {
    const {grad, leaf, maker} = recording.tensors[tensor];
    const isOutside = grad && !leaf && maker === null;
    if (shown.has(tensor) || (grad && !isOutside)) continue;
    shown.add(tensor);
    item.chips.push({tensor, isLeaf: false, isOutside, cut: isOutside ? null : cutOf(tensor)});
  }
}

// The operator that cut a tensor off from a history, a few operators back; null for plain data.
function cutOf(tensor, depth = 4) {
  const {maker} = recording.tensors[tensor];
  if (maker === null || depth === 0) return null;
  const {ins} = recording.events[maker];
  if (ins.some((input) => recording.tensors[input].grad)) return maker;
  for (const input of ins) {
    const cut = cutOf(input, depth - 1);
    if (cut !== null) return cut;
  }
  return null;
}

// Operators that take a result of a graph and make no node: detach, or any under no_grad.
function findCuts() {
  recording.events.forEach((event, number) => {
    const makesTensors = event.kind === "op" && event.outs.length > 0;
    if (!makesTensors || event.fn.some(Boolean) || event.writes.length) return;
    for (const tensor of event.ins) {
      const item = recording.tensors[tensor].grad ? itemOfTensor(tensor) : null;
      if (item && item.cuts.length < 2) item.cuts.push({event: number});
    }
  });
}

function itemOfOperator(number) {
  for (const made of recording.events[number].fn) {
    if (made && recording.nodes[made[0]].item) return recording.nodes[made[0]].item;
  }
  return null;
}

function itemOfTensor(number) {
  const {maker} = recording.tensors[number];
  return maker === null ? null : itemOfOperator(maker);
}

// ---- which graph a step shows

function assignGraphs() {
  for (const step of steps) step.graph = graphOfStep(step);
  let next = null;
  for (const step of steps.slice().reverse()) {
    if (step.graph !== null) next = step.graph;
    else if (step.phase === "forward") step.graph = next;
  }
  let last = recording.graphs.length ? 0 : null;
  for (const step of steps) {
    if (step.graph === null) step.graph = last;
    else last = step.graph;
  }
}

function graphOfStep(step) {
  const event = recording.events[step.first];
  if (step.kind === "op") {
    const graphs = event.ins.map((tensor) => graphOfMaker(recording.tensors[tensor].maker));
    return graphOfMaker(step.first) ?? graphs.find((graph) => graph !== null) ?? null;
  }
  if (step.kind === "node") return recording.nodes[event.node].graph;
  if (step.kind === "backward") {
    const root = (event.roots || []).find(
      (node) => node !== null && recording.nodes[node].graph !== null,
    );
    return root === undefined ? null : recording.nodes[root].graph;
  }
  if (step.kind === "accumulate" && step.latestNode !== null) {
    return recording.nodes[step.latestNode].graph;
  }
  return null;
}

// The graph that an operator made a node of, null if none.
function graphOfMaker(number) {
  const made = number === null ? [] : recording.events[number].fn;
  const node = made.find((output) => output && recording.nodes[output[0]].graph !== null);
  return node ? recording.nodes[node[0]].graph : null;
}

// The item of a graph that a step is about, null where there is none.
function itemOfStep(step, graph) {
  const event = recording.events[step.first];
  if (step.kind === "op") return graph.itemOfEvent.get(step.first) || null;
  let node = null;
  if (step.kind === "node") node = event.node;
  if (step.kind === "accumulate") node = step.latestNode;
  if (step.kind === "backward") node = (event.roots || []).find((root) => root !== null) ?? null;
  const item = node === null ? null : recording.nodes[node].item;
  return item && graph.items[item.index] === item ? item : null;
}

// ---- the tree of loops, calls and modules

function pathOf(event) {
  const path = [];
  event.frames.forEach(({place, rounds}, depth) => {
    for (const [loop, round] of rounds) {
      const [, , label] = recording.files[place.file].loops[loop];
      path.push({key: `loop ${place.file} ${loop}`, round, label, isLoop: true});
    }
    const inner = event.frames[depth + 1];
    if (inner) path.push({key: `call ${place.number}`, round: 0, label: `${inner.place.caller}()`});
  });
  for (const module of (event.module || []).slice(1)) {
    path.push({key: `module ${module}`, round: 0, label: module.replace(":", " ")});
  }
  return path;
}

function treeOf(graph) {
  const root = {children: [], first: 0, last: graph.items.length - 1, depth: 0, label: ""};
  for (const item of graph.items) {
    let zone = root;
    for (const part of item.path) {
      const latest = zone.children[zone.children.length - 1];
      const goesOn =
        latest && latest.children && latest.key === part.key && latest.round === part.round;
      if (!goesOn)
        zone.children.push({...part, children: [], first: item.index, depth: zone.depth + 1});
      zone = zone.children[zone.children.length - 1];
      zone.last = item.index;
    }
    zone.children.push({item: item.index, first: item.index, last: item.index});
  }
  return simplified(root);
}

// A zone that holds one zone becomes one with it; a zone of one item is that item.
function simplified(tree) {
  if (!tree.children) return tree;
  tree.children = tree.children.map(simplified);
  if (tree.children.length !== 1) return tree;
  const [only] = tree.children;
  if (!only.children) return tree.depth ? only : tree;
  if (!tree.depth) return {...only, depth: 0};
  const label = tree.isLoop ? tree.label : `${tree.label} › ${only.label}`;
  return {...tree, children: only.children, label};
}

function sizeOf(part) {
  return part.last - part.first + 1;
}

// What is shown of a tree: items, folded zones, and where open zones begin and end.
function visibleParts(tree, at) {
  const isSmall = sizeOf(tree) <= MOST_BOXES;
  const open = new Set();
  for (
    let zone = tree;
    zone && zone.children;
    zone = zone.children.find((part) => holds(part, at))
  ) {
    open.add(zone);
  }
  const reach = isSmall ? Infinity : 4;
  let shown = partsOf(tree, at, open, reach);
  for (let grown = true; grown;) {
    grown = false;
    for (const part of nearestClosed(shown, at)) {
      open.add(part.folded[0]);
      const larger = partsOf(tree, at, open, reach);
      if (larger.filter((each) => each.first !== undefined).length <= MOST_BOXES) {
        shown = larger;
        grown = true;
        break;
      }
      open.delete(part.folded[0]);
    }
  }
  return shown;
}

function holds(part, at) {
  return part.first <= at && at <= part.last;
}

function nearestClosed(parts, at) {
  const closed = parts.filter(
    (part) => part.folded && part.folded.length === 1 && part.folded[0].children,
  );
  return closed
    .sort((one, other) => Math.abs(one.first - at) - Math.abs(other.first - at))
    .slice(0, 6);
}

// Children near to `at` are shown one by one, runs of the others as one box.
function partsOf(zone, at, open, reach) {
  const {children} = zone;
  let here = children.findIndex((part) => holds(part, at));
  if (here < 0) here = at < zone.first ? 0 : children.length - 1;
  const near = children.length > 14 ? reach : Infinity;
  const parts = [];
  let run = [];
  const endRun = () => {
    if (run.length) parts.push(foldedPart(run));
    run = [];
  };
  children.forEach((part, k) => {
    const isOpen = part.children && open.has(part);
    const isNear = Math.abs(k - here) <= near || k === 0 || k === children.length - 1;
    if (!isOpen && !isNear) {
      run.push(part);
      return;
    }
    endRun();
    if (isOpen) parts.push({begin: part}, ...partsOf(part, at, open, reach), {end: part});
    else parts.push(foldedPart([part]));
  });
  endRun();
  return parts;
}

function foldedPart(run) {
  const first = run[0].first;
  const last = run[run.length - 1].last;
  if (run.length === 1 && !run[0].children) return {item: run[0].item, first, last};
  return {folded: run, first, last};
}

// Two lines for a folded part: what it is, and how much is in it.
function foldedLabel(part, graph) {
  const [one] = part.folded;
  const last = part.folded[part.folded.length - 1];
  const size = counted(sizeOf(part), "operator");
  if (part.folded.length === 1)
    return [one.label, one.isLoop ? `round ${one.round + 1} · ${size}` : size];
  if (one.isLoop && one.key === last.key) {
    const [from, to] = [one, last].map((zone) => (zone.round + 1).toLocaleString("en"));
    return [`${part.folded.length.toLocaleString("en")} × ${one.label}`, `rounds ${from} to ${to}`];
  }
  const name = (index) => operatorName(recording.events[graph.items[index].event]);
  return [size, `${name(part.first)} … ${name(part.last)}`];
}

// The graph pane: boxes for operators, chips for leaves and data, edges that carry values forward
// and gradients back. A graph is drawn when the step leaves what is shown; a step within it only
// changes its state.

const BOX_WIDTH = 216;
const BOX_HEIGHT = 60;
const CHIP_HEIGHT = 24;
const CHIP_GAP = 5;
const LETTER = 7.0; // pixels of a letter of the chips' font, with a little room

// The picture in the pane: {graph, key, stage, boxes, edges, boxOfItem, width, height}.
let drawn = null;

function showGraph() {
  const step = steps[view.step];
  const graph = step && step.graph !== null ? recording.graphs[step.graph] : null;
  showGraphTitle(step, graph);
  if (!graph) {
    drawn = null;
    byId("crumbs").replaceChildren();
    byId("graph").replaceChildren(
      element("p", {class: "hint"}, "No graph: nothing that was computed here requires grad."),
    );
    return;
  }
  const item = itemOfStep(step, graph) || lastItemShown(graph, step);
  const isSmall = graph.items.length <= MOST_BOXES;
  const key = isSmall ? "all" : String(item.index);
  const isOther = !drawn || drawn.graph !== graph;
  if (isOther || drawn.key !== key) drawGraph(graph, item.index, key);
  drawn.item = item.index;
  showState(step);
  showCrumbs(graph, item);
  if (isOther) camera.isFree = false;
  followStep(isOther);
}

// For a step that is not of the graph: what it takes from it, or where the program is.
function lastItemShown(graph, step) {
  const {ins = []} = recording.events[step.first];
  const taken = ins.map(itemOfTensor).find((item) => item && graph.items[item.index] === item);
  if (taken) return taken;
  if (step.phase === "forward")
    return graph.items.findLast((item) => item.event < step.end) ?? graph.items[0];
  return graph.items[drawn && drawn.graph === graph ? drawn.item : graph.items.length - 1];
}

function showGraphTitle(step, graph) {
  const count = recording.graphs.length;
  const title = graph ? ["Graph ", bold(String(graph.number + 1)), ` of ${count}`] : ["Graph"];
  byId("graph-title").replaceChildren(...title);
  byId("graph-before").disabled = !graph || graph.number === 0;
  byId("graph-after").disabled = !graph || graph.number === count - 1;
}

// Where in loops, calls and modules the step is, and how much of the graph is in sight.
function showCrumbs(graph, item) {
  const crumbs = item.path.map((part) =>
    span(
      "",
      part.isLoop ? `${part.label} · round ${(part.round + 1).toLocaleString("en")}` : part.label,
    ),
  );
  byId("crumbs").replaceChildren(...crumbs);
  const isPart = graph.items.length > MOST_BOXES;
  byId("part-shown").textContent = isPart
    ? `${counted(graph.items.length, "operator")}, folded`
    : "";
}

// ---- drawing

function drawGraph(graph, at, key) {
  const {parts, zones} = shownParts(graph, at);
  const boxOfItem = new Int32Array(graph.items.length);
  parts.forEach((part, k) => boxOfItem.fill(k, part.first, part.last + 1));
  const edges = mergedEdges(graph, boxOfItem);
  const shapes = parts.map((part) => shapeOfPart(part, graph));
  const layout = layered(shapes, edges, {gapX: 30, gapY: zones.length ? 44 : 29});
  const stage = drawing("g");
  const svg = drawing(
    "svg",
    {role: "group", "aria-label": "Graph of operators"},
    drawing("defs", {}, ["idle", "back", "live"].map(arrowHead)),
    stage,
  );
  const boxes = parts.map((part, k) => placedBox(part, shapes[k], layout.x[k], layout.y[k]));
  stage.append(...zones.flatMap((zone) => zoneDrawing(zone, boxes)));
  const lines = edges.map((edge, k) => edgeDrawing(edge, edges, boxes, layout.routes[k]));
  stage.append(...lines.map((line) => line.path));
  for (const box of boxes) stage.append(...chipDrawings(box), boxDrawing(box, graph));
  stage.append(...lines.map((line) => line.label));
  const hadFocus = byId("graph").contains(document.activeElement);
  byId("graph").replaceChildren(svg);
  keepAnchor(graph, boxes[boxOfItem[at]]);
  if (hadFocus) boxes[boxOfItem[at]].made.focus({preventScroll: true});
  drawn = {
    graph,
    key,
    stage,
    boxes,
    edges: lines,
    boxOfItem,
    item: at,
    width: layout.width,
    height: layout.height,
  };
  moveStage();
}

function shownParts(graph, at) {
  const parts = [];
  const zones = [];
  const open = [];
  for (const part of visibleParts(graph.tree, at)) {
    if (part.begin) open.push({zone: part.begin, first: parts.length, depth: open.length});
    else if (part.end) zones.push({...open.pop(), last: parts.length - 1});
    else parts.push(part);
  }
  return {parts, zones: zones.filter((zone) => zone.last > zone.first)};
}

// Edges between boxes; those inside a folded box vanish, parallel ones become one.
function mergedEdges(graph, boxOfItem) {
  const merged = new Map();
  for (const edge of graph.edges) {
    const from = boxOfItem[edge.from];
    const to = boxOfItem[edge.to];
    if (from === to) continue;
    const key = from * 1000 + to; // at most 44 boxes
    if (!merged.has(key)) merged.set(key, {from, to, via: []});
    const {via} = merged.get(key);
    if (via.length < 40) via.push(...edge.via);
  }
  return [...merged.values()];
}

function shapeOfPart(part, graph) {
  const half = BOX_WIDTH / 2;
  if (part.folded)
    return {left: half + 8, right: half + 8, height: BOX_HEIGHT, chips: [], cuts: []};
  const item = graph.items[part.item];
  const chips = item.chips.map((chip) => ({...chip, ...sized(chipText(chip))}));
  const cuts = item.cuts.map((cut) => ({
    ...cut,
    ...sized(`✂ ${operatorName(recording.events[cut.event])}`),
  }));
  const reach = (list) => (list.length ? Math.max(...list.map((each) => each.width)) + 24 : 0);
  const tall = Math.max(chips.length, cuts.length) * (CHIP_HEIGHT + CHIP_GAP) - CHIP_GAP;
  return {
    left: half + reach(chips),
    right: half + reach(cuts),
    height: Math.max(BOX_HEIGHT, tall),
    chips,
    cuts,
  };
}

function sized(text) {
  return {text, width: Math.ceil(text.length * LETTER) + 18};
}

function chipText({tensor}) {
  const name = shortened(nameOf(tensor), 18);
  const {shape} = recording.tensors[tensor];
  const full = shape.length ? `${name} ${shapeText(shape)}` : name;
  return (isMarked(tensor) ? "✗ " : "") + (full.length <= 18 ? full : name);
}

function placedBox(part, shape, x, y) {
  return {
    part,
    shape,
    x: x - BOX_WIDTH / 2,
    y: y - BOX_HEIGHT / 2,
    centerX: x,
    centerY: y,
    width: BOX_WIDTH,
    height: BOX_HEIGHT,
    chips: [],
  };
}

function arrowHead(kind) {
  return drawing(
    "marker",
    {
      id: `arrow-${kind}`,
      class: `arrow ${kind}`,
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 8,
      markerHeight: 8,
      orient: "auto-start-reverse",
      markerUnits: "userSpaceOnUse",
    },
    drawing("path", {d: "M0,0.6L7.500,4L0,7.400z"}),
  );
}

// A zone is drawn where no other box lies between its own.
function zoneDrawing({zone, first, last, depth}, boxes) {
  const bounds = (box) => ({
    left: box.centerX - box.shape.left,
    right: box.centerX + box.shape.right,
    top: box.centerY - box.shape.height / 2,
    bottom: box.centerY + box.shape.height / 2,
  });
  const inside = boxes.slice(first, last + 1).map(bounds);
  const pad = 15 - 3 * Math.min(depth, 3);
  const left = Math.min(...inside.map((each) => each.left)) - pad;
  const right = Math.max(...inside.map((each) => each.right)) + pad;
  const top = Math.min(...inside.map((each) => each.top)) - pad;
  const bottom = Math.max(...inside.map((each) => each.bottom)) + pad;
  const isCrossed = boxes.some((box, k) => {
    const other = bounds(box);
    return (
      (k < first || k > last) &&
      other.right > left &&
      other.left < right &&
      other.bottom > top &&
      other.top < bottom
    );
  });
  if (isCrossed) return [];
  const label = zone.isLoop ? `${zone.label}, round ${zone.round + 1}` : zone.label;
  return [
    drawing("rect", {
      class: "zone",
      x: left,
      y: top,
      width: right - left,
      height: bottom - top,
      rx: 12,
    }),
    textDrawing(left + 10, top - 5, shortened(label, 44), "zone-label"),
  ];
}

function edgeDrawing(edge, edges, boxes, route) {
  const points = route.map((point) => ({...point}));
  points[0].y = boxes[edge.from].y + BOX_HEIGHT;
  points[points.length - 1].y = boxes[edge.to].y;
  points[points.length - 1].x += portOffset(edge, edges, boxes);
  const label = drawing(
    "g",
    {class: "factor"},
    drawing("rect", {height: 18, rx: 5, y: -9}),
    textDrawing(0, 4.5, "", null, "middle"),
  );
  const [from, to] = points.slice(-2);
  const y = Math.max(to.y - 16, (from.y + to.y) / 2);
  label.setAttribute("transform", `translate(${curveAt(from, to, y)},${y})`);
  return {...edge, path: drawing("path", {class: "edge", d: curve(points)}), label};
}

// Edges that end at one box arrive side by side.
function portOffset(edge, edges, boxes) {
  const together = edges.filter((other) => other.to === edge.to);
  together.sort((one, other) => boxes[one.from].centerX - boxes[other.from].centerX);
  const place = together.indexOf(edge) - (together.length - 1) / 2;
  return place * Math.min(40, 120 / together.length);
}

function curve(points) {
  let path = `M${points[0].x},${points[0].y}`;
  for (let k = 1; k < points.length; k++) {
    const [from, to] = [points[k - 1], points[k]];
    const middle = (from.y + to.y) / 2;
    path += ` C${from.x},${middle} ${to.x},${middle} ${to.x},${to.y}`;
  }
  return path;
}

// Where the last piece of a curve is at a height: labels stand between two rows, on their edge.
function curveAt(from, to, y) {
  const middle = (from.y + to.y) / 2;
  let [low, high] = [0, 1];
  for (let k = 0; k < 20; k++) {
    const t = (low + high) / 2;
    const reached = (1 - t) ** 3 * from.y + 3 * (1 - t) * t * middle + t ** 3 * to.y;
    if (reached < y) low = t;
    else high = t;
  }
  const share = low ** 2 * (3 - 2 * low);
  return from.x + (to.x - from.x) * share;
}

// ---- boxes

function boxDrawing(box, graph) {
  const made = drawing("g", {
    transform: `translate(${box.x},${box.y})`,
    tabindex: 0,
    role: "button",
  });
  box.made = made;
  if (box.part.folded) fillFoldedBox(box, graph);
  else fillOperatorBox(box, graph.items[box.part.item]);
  reachByKeys(made, box);
  return made;
}

// A box or chip is a button: Enter and Space press it, and it comes into sight with the focus.
function reachByKeys(made, bounds) {
  made.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    made.onclick();
  };
  made.onfocus = () => {
    if (made.matches(":focus-visible")) bringIntoSight(bounds);
  };
}

function fillFoldedBox(box, graph) {
  const {made, part} = box;
  const [title, note] = foldedLabel(part, graph);
  made.setAttribute("class", "box folded");
  made.setAttribute("aria-label", `${title}, ${note}: open it`);
  for (const offset of part.folded.length > 1 ? [8, 4] : [4]) {
    made.append(
      drawing("rect", {
        class: "behind",
        x: offset,
        y: -offset,
        width: BOX_WIDTH - 2 * offset,
        height: BOX_HEIGHT,
        rx: 10,
      }),
    );
  }
  made.append(
    drawing("rect", {class: "body", width: BOX_WIDTH, height: BOX_HEIGHT, rx: 10}),
    textDrawing(14, 26, shortened(title, 27), "title"),
    textDrawing(14, 44, shortened(note, 27), "small"),
  );
  const middle = graph.items[(part.first + part.last) >> 1];
  const target = part.folded.length > 1 ? middle : graph.items[part.first];
  made.onclick = () => go(recording.events[target.event].step);
}

function fillOperatorBox(box, item) {
  const {made} = box;
  const event = recording.events[item.event];
  const name = operatorName(event);
  const sign = OPERATOR_SIGNS[name];
  const label = (isMarkedEvent(event) ? "✗ " : "") + ownLabel(event);
  box.item = item;
  box.bytes = keptByItem(item);
  box.image = drawing("image", {
    x: 9,
    y: 9,
    width: 42,
    height: 42,
    preserveAspectRatio: "none",
    class: "heat",
  });
  box.number = textDrawing(30, 34.5, "", "small", "middle");
  box.line = textDrawing(60, 52, "", "small");
  box.badge = drawing("g", {transform: `translate(${BOX_WIDTH - 9},${BOX_HEIGHT - 8})`});
  const room = label ? 16 - Math.min(10, label.length) + 2 : 20;
  made.append(
    drawing("rect", {class: "body", width: BOX_WIDTH, height: BOX_HEIGHT, rx: 10}),
    drawing("rect", {class: "plate", x: 8.5, y: 8.5, width: 43, height: 43, rx: 5}),
    box.image,
    box.number,
    textDrawing(60, 21, shortened(sign ? `${name} ${sign}` : name, Math.max(8, room)), "title"),
    textDrawing(60, 37, nodesText(item), "small"),
    box.line,
    box.badge,
  );
  if (label) made.append(textDrawing(BOX_WIDTH - 10, 21, shortened(label, 10), "variable", "end"));
  made.setAttribute("data-tip", boxTip(box, item, event));
  made.setAttribute("aria-label", `${name} ${label}, ${whereText(placeOf(event))}`);
  made.onclick = () => goToItem(item);
}

function isMarkedEvent(event) {
  return event.outs.some(([tensor]) => isMarked(tensor));
}

// The variable that a result is assigned to, or else the module that made it.
function ownLabel(event) {
  const [output] = event.outs;
  const name = output && recording.tensors[output[0]].name;
  if (name) return name;
  const module = (event.module || []).slice(1).pop();
  return module ? module.split(":")[0] : "";
}

function nodesText(item) {
  const {name: full} = mainNode(item.nodes);
  const more = item.nodes.length > 1 ? ` +${item.nodes.length - 1}` : "";
  const room = 20 - more.length;
  return shortened(full.length > room ? nodeWord(full) : full, room) + more;
}

function boxTip(box, item, event) {
  const names = item.nodes.map((number) => recording.nodes[number].name).join(", ");
  const kept = box.bytes ? `\nkeeps ${bytesText(box.bytes)} for the backward` : "";
  return `${expressionOf(event)}\n${names}${kept}`;
}

// First the operator itself, then, from there, its backward.
function goToItem(item) {
  const forward = recording.events[item.event].step;
  const runs = item.nodes.flatMap((number) => recording.nodes[number].runs);
  go(view.step === forward && runs.length ? recording.events[Math.min(...runs)].step : forward);
}

function chipDrawings(box) {
  const {chips = [], cuts = []} = box.shape;
  const place = (list, k) => box.centerY + (k - (list.length - 1) / 2) * (CHIP_HEIGHT + CHIP_GAP);
  const left = chips.map((chip, k) => {
    const y = place(chips, k);
    const end = box.x - 22;
    const port = box.centerY + (k - (chips.length - 1) / 2) * Math.min(12, 44 / chips.length);
    const line = drawing("path", {
      class: "edge",
      d: `M${end},${y} C${end + 11},${y} ${box.x - 11},${port} ${box.x},${port}`,
    });
    const made = chipDrawing(chip, end - chip.width, y, chipKind(chip), chipTip(chip));
    made.onclick = () => lightLeaf(chip.tensor);
    box.chips.push({
      ...chip,
      made,
      line,
      x: end - chip.width,
      y: y - CHIP_HEIGHT / 2,
      height: CHIP_HEIGHT,
    });
    return [line, made];
  });
  const right = cuts.map((cut, k) => {
    const y = place(cuts, k);
    const start = box.x + BOX_WIDTH;
    const event = recording.events[cut.event];
    const made = chipDrawing(cut, start + 20, y, "chip cut", cutText(event));
    made.onclick = () => go(event.step);
    box.chips.push({
      ...cut,
      made,
      isCut: true,
      x: start + 20,
      y: y - CHIP_HEIGHT / 2,
      height: CHIP_HEIGHT,
    });
    return [
      drawing("path", {class: "edge cut", d: `M${start},${box.centerY} L${start + 20},${y}`}),
      made,
    ];
  });
  return [...left, ...right].flat();
}

function chipDrawing({text, width}, x, y, kind, tip) {
  const made = drawing(
    "g",
    {
      class: kind,
      transform: `translate(${x},${y - CHIP_HEIGHT / 2})`,
      tabindex: 0,
      role: "button",
      "data-tip": tip,
      "aria-label": tip,
    },
    drawing("rect", {width, height: CHIP_HEIGHT, rx: CHIP_HEIGHT / 2}),
    textDrawing(9, 16.5, text),
  );
  reachByKeys(made, {x, y: y - CHIP_HEIGHT / 2, width, height: CHIP_HEIGHT});
  return made;
}

function chipKind(chip) {
  if (isMarked(chip.tensor)) return "chip leaf marked";
  if (chip.isLeaf) return "chip leaf";
  if (chip.isOutside) return "chip outside";
  return chip.cut !== null && chip.cut !== undefined ? "chip cut" : "chip";
}

function chipTip(chip) {
  const name = nameOf(chip.tensor);
  if (chip.isLeaf) return `${name}: a leaf that requires grad`;
  if (chip.isOutside)
    return `${name}: a backward made its history, or it is older than the recording: not drawn`;
  if (chip.cut !== null && chip.cut !== undefined)
    return `${name}: ${cutText(recording.events[chip.cut])}`;
  return `${name}: requires no grad, so no gradient goes there`;
}

function cutText(event) {
  const reason =
    event.grad_mode === false ? "grad mode is off" : `${operatorName(event)} makes no node`;
  return `the graph is cut here: ${reason} (${whereText(placeOf(event))})`;
}

// All uses of one leaf light up together: it is one tensor, however often it is drawn.
function lightLeaf(tensor) {
  view.leaf = view.leaf === tensor ? null : tensor;
  showState(steps[view.step]);
  if (view.leaf !== null) showTab("gradients");
}

// ---- the state at a step

function showState(step) {
  const {graph} = drawn;
  const state = {
    step,
    end: step.end,
    event: recording.events[step.first],
    hidden: hiddenEvent() !== null,
  };
  state.active = new Set(step.kind === "op" ? step.events : []);
  if (step.kind === "node") state.active.add(recording.nodes[state.event.node].event);
  drawn.edges.forEach((edge) => showEdgeState(edge, state, graph));
  for (const box of drawn.boxes) {
    if (box.part.folded) {
      box.made.classList.toggle("todo", graph.items[box.part.first].event >= state.end);
    } else showBoxState(box, state);
  }
}

function showEdgeState(edge, state, graph) {
  const from = drawn.boxes[edge.from];
  const to = drawn.boxes[edge.to];
  const isMade = graph.items[to.part.first].event < state.end;
  const flow = gradientFlow(edge, state);
  const isLive = !to.part.folded && state.step.kind === "op" && state.active.has(to.item.event);
  let kind = isMade ? "" : " todo";
  if (flow.isLive) kind = " live back";
  else if (isLive) kind = " live";
  else if (flow.hasPassed) kind = " back";
  edge.path.setAttribute("class", `edge${kind}`);
  edge.path.setAttribute(
    "marker-end",
    flow.hasPassed ? "" : `url(#arrow-${isLive ? "live" : "idle"})`,
  );
  edge.path.setAttribute(
    "marker-start",
    flow.hasPassed ? `url(#arrow-${flow.isLive ? "live" : "back"})` : "",
  );
  const [plate, text] = edge.label.children;
  const width = flow.factor ? flow.factor.length * 7.4 + 10 : 0;
  text.textContent = flow.factor;
  plate.setAttribute("width", width);
  plate.setAttribute("x", -width / 2);
  edge.ends = [from, to];
}

// Whether a gradient went back along an edge, and for scalars what it was multiplied with.
function gradientFlow(edge, state) {
  const flow = {hasPassed: false, isLive: false, factor: ""};
  for (const {node, edge: place} of edge.via) {
    const run = lastRun(recording.nodes[node], state.end);
    const out = run && recording.values[run.out_of[place]];
    if (!out) continue;
    const isNow = state.step.kind === "node" && state.event.node === node;
    if (isNow && state.hidden) continue;
    flow.hasPassed = true;
    flow.isLive ||= isNow;
    const into = recording.values[run.into[0]];
    const isScalar = into && into.scalar && out.scalar !== null;
    if (isScalar) flow.factor = `× ${numberText(out.scalar / into.scalar)}`;
  }
  return flow;
}

function showBoxState(box, state) {
  const {item, made} = box;
  const event = recording.events[item.event];
  const isDone = item.event < state.end;
  const value = isDone && event.outs.length ? recording.values[event.outs[0][1]] || null : null;
  const gradient = itemGradient(item, state.end);
  const pathOn = view.litItems && view.litItems.has(item);
  made.setAttribute(
    "class",
    [
      "box",
      isDone ? "" : "todo",
      isMarkedEvent(event) ? "marked" : "",
      state.active.has(item.event) ? "now" : "",
      pathOn ? "lit" : "",
    ].join(" "),
  );
  const room = showBadge(box, isDone, state.end);
  showBoxValue(box, value, gradient, room);
  for (const chip of box.chips) if (!chip.isCut) showChipState(chip, isDone, state, box);
}

function itemGradient(item, end) {
  const event = recording.events[item.event];
  const root = event.fn.find(Boolean);
  const number = root ? gradientAt(root[0], root[1], end) : undefined;
  if (number !== undefined) return recording.values[number] || null;
  for (const each of item.nodes) {
    const run = lastRun(recording.nodes[each], end);
    if (run && recording.values[run.into[0]]) return recording.values[run.into[0]];
  }
  return null;
}

// Writes a box's value and gradient; its line has `room` letters, beside the badge.
function showBoxValue(box, value, gradient, room) {
  const shown = gradient || value;
  const isNumber = shown && shown.scalar !== null;
  box.number.textContent = isNumber ? fittingNumber(shown.scalar, 6) : "";
  box.number.setAttribute("class", gradient ? "tiny gradient" : "tiny");
  const picture = shown && !isNumber ? pictureOf(shown) : null;
  if (picture) box.image.setAttribute("href", picture.url);
  box.image.style.display = picture ? "" : "none";
  box.line.setAttribute("class", gradient ? "small gradient" : "small");
  if (gradient) {
    const own = value && value.scalar !== null ? `${numberText(value.scalar)}  ` : "";
    const norm = fittingNumber(gradient.norm, room - 4);
    const short = gradient.scalar !== null ? fittingNumber(gradient.scalar, room - 2) : `‖${norm}‖`;
    const texts = [`${own}∂ ${sizeText(gradient)}`, `∂ ${sizeText(gradient)}`, `∂ ${short}`];
    box.line.textContent = texts.find((text) => text.length <= room) ?? texts[2];
    return;
  }
  const [output] = recording.events[box.item.event].outs;
  const {shape} = output ? recording.tensors[output[0]] : {shape: []};
  box.line.textContent = shape.length ? shapeText(shape) : "scalar";
}

// What a box keeps for the backward: bytes, "freed" after the node ran, "still" with retain_graph.
// Returns how many letters it leaves for the line beside it.
function showBadge(box, isDone, end) {
  box.badge.replaceChildren();
  if (!box.bytes || !isDone) return lettersIn(0);
  const nodes = box.item.nodes.map((number) => recording.nodes[number]);
  const isFreed = nodes.every((node) => node.freed < end || !node.saved.length);
  const hasRun = nodes.some((node) => lastRun(node, end));
  const bytes = bytesText(box.bytes);
  const text = isFreed
    ? "freed"
    : hasRun && nodes.some((node) => node.freed >= end && node.saved.length && lastRun(node, end))
      ? `still ${bytes}`
      : bytes;
  const width = text.length * 6.8 + 10;
  box.badge.setAttribute("class", isFreed ? "badge freed" : "badge");
  box.badge.append(
    drawing("rect", {x: -width, y: -11, width, height: 17, rx: 5}),
    textDrawing(-width / 2, 1.5, text, null, "middle"),
  );
  return lettersIn(width + 6);
}

function lettersIn(taken) {
  return Math.floor((BOX_WIDTH - 60 - 9 - taken) / 7.25);
}

function showChipState(chip, isDone, state, box) {
  const isNow = chip.isLeaf && state.step.kind === "accumulate" && state.event.leaf === chip.tensor;
  const hasGradient = chip.isLeaf && hasArrived(chip, state.end);
  const isFed = state.step.kind === "op" && state.active.has(box.item.event);
  const kind =
    chipKind(chip) +
    (hasGradient ? " got" : "") +
    (isNow ? " now" : "") +
    (view.leaf === chip.tensor ? " lit" : "");
  chip.made.setAttribute("class", kind);
  let line = isDone ? "" : " todo";
  if (isNow) line = " live back";
  else if (isFed) line = " live";
  else if (hasGradient) line = " back";
  chip.line.setAttribute("class", `edge${line}`);
}

function hasArrived(chip, end) {
  return (
    lastRun(recording.nodes[chip.node], end) !== null && leafGradientAt(chip.tensor, end) !== null
  );
}

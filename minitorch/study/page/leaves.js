// The Step pane where a gradient reaches a leaf: what is added to .grad, and how it came there.

function accumulatePane(step, event) {
  const name = nameOf(event.leaf);
  if (isPredicting()) {
    return [
      paneTitle("AccumulateGrad", step.place),
      predictionPane(step, event),
      heading("The gradient that arrives: G"),
      valueCard("G", recording.values[event.into[0]]),
    ];
  }
  const before = leafGradientAt(event.leaf, step.first);
  const total = recording.values[event.total] || null;
  const into = recording.values[event.into[0]] || null;
  const isFirst = before === null;
  return [
    paneTitle("AccumulateGrad", step.place, `${name}.grad ${isFirst ? "=" : "+="} G`),
    paragraph(
      span("tag back", "adds up"),
      isFirst
        ? `The end of the graph at the leaf ${name}: its .grad was None and becomes G.`
        : `The leaf ${name} had a .grad already: G is added to it.`,
    ),
    !isFirst && before !== "zeros" && accumulationWarning(name, before, into, total),
    valueCard("G", into),
    !isFirst &&
      valueCard(
        `${name}.grad before`,
        before === "zeros" ? null : recording.values[before],
        before === "zeros" ? "zeros" : "",
      ),
    !isFirst && valueCard(`${name}.grad now`, total),
    pathsPane(event, step),
  ];
}

function accumulationWarning(name, before, into, total) {
  const old = recording.values[before];
  const isScalar = old && old.scalar !== null && into && total && total.scalar !== null;
  const sum = isScalar
    ? `${numberText(old.scalar)} + ${numberText(into.scalar)} = ${numberText(total.scalar)}. `
    : "";
  return block(
    "warning",
    bold(sum),
    "If an earlier backward left the old gradient by mistake, call ",
    code("zero_grad()"),
    " before this one.",
  );
}

// "The chain rule, path by path": every way from the result to a leaf, in a graph of sixty nodes.
function pathsPane(event, step) {
  const found = pathsTo(event.leaf, step);
  if (!found || !found.length) return null;
  const rows = found.map((path) => pathRow(path));
  const isScalar = found.every((path) => path.every((stop) => stop.factor !== null));
  const total =
    isScalar && found.length > 1 && found.reduce((sum, path) => sum + productOf(path), 0);
  return [
    heading("The chain rule, path by path"),
    block(
      "paths",
      rows,
      found.length > 1 &&
        block(
          "total",
          isScalar
            ? `sum = ${numberText(total)}`
            : `${found.length} paths lead here: their gradients are added.`,
        ),
    ),
  ];
}

function productOf(path) {
  return path.reduce((product, stop) => product * stop.factor, 1);
}

function pathRow(path) {
  const isScalar = path.every((stop) => stop.factor !== null);
  const factors = isScalar ? path.map((stop) => numberText(stop.factor)) : [];
  const light = (items) => {
    view.litItems = items;
    if (drawn) showState(steps[view.step]);
  };
  const items = new Set(path.map((stop) => stop.item).filter(Boolean));
  const row = element(
    "button",
    {
      class: "path",
      onclick: () => light(items),
      onmouseenter: () => light(items),
      onmouseleave: () => light(null),
      onblur: () => light(null),
    },
    isScalar && bold(`${factors.join(" · ")} = ${numberText(productOf(path))}`),
    span("", path.map((stop) => stop.name).join(" → ")),
  );
  row.onfocus = row.onclick;
  return row;
}

// Paths through the nodes that ran in this backward; null where there are too many to list.
function pathsTo(leaf, step) {
  const ran = new Map();
  for (let i = step.backward ?? step.first; i <= step.first; i++) {
    const event = recording.events[i];
    if (event.kind === "node") ran.set(event.node, event);
  }
  if (!ran.size || ran.size > 60) return null;
  const found = [];
  const scalar = (number) => (recording.values[number] ? recording.values[number].scalar : null);
  const walk = (number, path) => {
    const run = ran.get(number);
    if (!run || found.length > 8) return;
    const node = recording.nodes[number];
    node.edges.forEach(([target], edge) => {
      if (target === null) return;
      const [into, out] = [scalar(run.into[0]), scalar(run.out_of[edge])];
      const factor = into === null || out === null ? null : into ? out / into : 0;
      const longer = [...path, {name: nodeWord(node.name), factor, item: node.item}];
      const other = recording.nodes[target];
      if (!other.isLeaf) walk(target, longer);
      else if (other.leaf === leaf) found.push(longer);
    });
  };
  const roots = step.backward === null ? [] : recording.events[step.backward].roots || [];
  for (const root of roots.some((each) => each !== null) ? roots : [ran.keys().next().value])
    walk(root, []);
  return found.length > 8 ? null : found;
}

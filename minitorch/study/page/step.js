// The Step pane: what the current step does, in a sentence, in values and in a formula.

function stepPane() {
  const step = steps[view.step];
  const event = recording.events[step.first];
  const panes = {
    op: operatorPane,
    backward: backwardPane,
    node: nodePane,
    accumulate: accumulatePane,
    update: updatePane,
    zero: zeroPane,
    error: errorPane,
    stopped: stoppedPane,
  };
  return [
    view.step === markedStep() && markCard(),
    view.step === 0 && !view.isWelcomed && welcome(),
    panes[step.kind](step, event),
  ].flat(2);
}

// What the page points at, and why.
function markCard() {
  const {mark} = recording.reports;
  return element(
    "div",
    {class: "verdict wrong", role: "note"},
    bold(`✗ ${nameOf(mark.tensor)} is the first mistake. `),
    element("p", {}, mark.text),
    element("p", {}, "This page shows how the right values come about."),
  );
}

// A newcomer begins here: what the page is, and the first thing to do.
function welcome() {
  const backward = steps.findIndex((step) => step.kind === "backward");
  const close = () => {
    view.isWelcomed = true;
    showSide();
  };
  return block(
    "welcome",
    bold("Start here"),
    element(
      "p",
      {},
      "This page replays your program, one operator a step. Take steps with the buttons at the ",
      "top or with ",
      element("kbd", {}, "→"),
      "; ",
      element("kbd", {}, "Space"),
      " lets it run.",
    ),
    element(
      "p",
      {},
      "Blue is the forward: values flow down. Orange is the backward: gradients flow up. ",
      "Violet is memory that a node keeps until its backward.",
    ),
    block(
      "actions",
      element("button", {class: "action strong", onclick: () => go(1)}, "First step →"),
      backward > 0 &&
        element("button", {class: "action", onclick: () => go(backward)}, "Go to the backward"),
      element("button", {class: "action", onclick: showKeys}, "All keys"),
      element("button", {class: "action", onclick: close}, "Hide"),
    ),
  );
}

function paneTitle(title, place, text = place ? place.expression : "") {
  return [
    element("h2", {}, title),
    place && block("where", whereText(place), text && text !== title && span("", text)),
  ];
}

function paragraph(...parts) {
  return element("p", {}, ...parts);
}

function heading(text) {
  return element("h3", {}, text);
}

function formula(...parts) {
  return block("formula", ...parts);
}

// ---- forward

function operatorPane(step, event) {
  if (step.events.length > 1) return quietPane(step);
  const graph = step.graph === null ? null : recording.graphs[step.graph];
  const item = graph && graph.itemOfEvent.get(step.first);
  const nodes = item ? item.nodes : [];
  return [
    paneTitle(
      event.scalars
        ? `${operatorName(event)} (${shortened(event.scalars, 36)})`
        : operatorName(event),
      step.place,
    ),
    paragraph(...operatorSentence(event, nodes)),
    event.ins.length > 0 && heading("Takes"),
    [...new Set(event.ins)].map((tensor) => inputCard(tensor, step, event)),
    event.outs.length > 0 && heading(event.writes.length ? "Becomes" : "Gives"),
    event.outs.map(([tensor, value]) => outputCard(tensor, value)),
    keptList(nodes, step),
  ];
}

// Operators that no gradient goes through, called by one expression: making a layer, or data.
function quietPane(step) {
  const results = new Map();
  for (const number of step.events) {
    for (const [tensor, value] of recording.events[number].outs) results.set(tensor, value);
  }
  const leaves = [...results.keys()].filter((tensor) => recording.tensors[tensor].param);
  const shown = leaves.length ? leaves : [...results.keys()];
  const sentence = leaves.length
    ? `Makes ${counted(leaves.length, "parameter")}: leaves that a backward gives a .grad.`
    : `${counted(step.events.length, "operator")} that no gradient goes through.`;
  return [
    paneTitle(shortened(step.place.expression, 60), step.place, ""),
    paragraph(sentence),
    shown
      .slice(0, 6)
      .map((tensor) => valueCard(nameOf(tensor), recording.values[results.get(tensor)])),
    shown.length > 6 && paragraph(`… and ${shown.length - 6} more.`),
  ];
}

function operatorSentence(event, nodes) {
  if (nodes.length) {
    const rule = ruleOf(mainNode(nodes).name);
    const names = nodes.map((number) => recording.nodes[number].name);
    const made =
      names.length > 1 ? `${names.length} nodes for the backward: ` : "a node for the backward: ";
    return [
      `Makes ${made}`,
      code(names.slice(0, 6).join(", ") + (names.length > 6 ? ", …" : "")),
      ". ",
      rule ? rule.sentence : "",
    ];
  }
  if (event.writes.length) {
    const quiet = event.grad_mode === false ? ", unseen by autograd: grad mode is off" : "";
    return [`Writes ${listed(event.writes.map(nameOf))} in place${quiet}.`];
  }
  const [output] = event.outs;
  const result = output && recording.tensors[output[0]];
  if (result && result.leaf && result.grad) {
    return ["Makes a leaf that requires grad. A backward adds to its .grad."];
  }
  const required = [...new Set(event.ins.filter((tensor) => recording.tensors[tensor].grad))];
  if (!required.length) return ["Makes no node: nothing that comes in requires grad."];
  const names = listed(required.map(nameOf));
  if (!event.outs.length)
    return [`Hands a value of ${names} to Python: autograd does not follow it there.`];
  if (event.grad_mode === false)
    return [`Makes no node, though ${names} requires grad: grad mode is off.`];
  return [
    `Cuts the graph: ${names} requires grad, the result does not. No gradient comes back this way.`,
  ];
}

// Of the nodes of one operator that which says most: views and transposes only move numbers.
function mainNode(numbers) {
  const nodes = numbers
    .map((number) => recording.nodes[number])
    .sort((one, other) => other.seq - one.seq);
  return nodes.find((node) => (ruleOf(node.name) || {tag: "moves"}).tag !== "moves") || nodes[0];
}

function inputCard(tensor, step, event) {
  const {leaf, grad} = recording.tensors[tensor];
  const times = event.ins.filter((other) => other === tensor).length;
  const note = [leaf && grad ? "leaf" : "", times > 1 ? `${times} times` : ""]
    .filter(Boolean)
    .join(", ");
  return valueCard(nameOf(tensor), valueAt(tensor, step.first), note);
}

function outputCard(number, value) {
  const tensor = recording.tensors[number];
  const isView = tensor.base !== undefined && tensor.base !== null;
  const facts = [
    tensor.dtype === "float32" ? "" : tensor.dtype,
    bytesText(tensor.bytes),
    isView ? "a view" : "",
    tensor.device || "",
  ];
  return valueCard(
    tensor.name || "result",
    recording.values[value],
    facts.filter(Boolean).join(" · "),
  );
}

function keptList(nodes, step) {
  const rows = nodes.flatMap((number) =>
    recording.nodes[number].saved.map((saved) => keptRow(number, saved, step)),
  );
  return rows.length > 0 && [heading("Kept for the backward"), rows];
}

function keptRow(number, saved, step) {
  return block(
    "kept",
    span("tag keeps", nodeWord(recording.nodes[number].name)),
    bold(saved.name),
    span("", keptText(saved, step)),
  );
}

function keptText(saved, step) {
  if (saved.packed) return saved.packed;
  if (saved.tensor === undefined) return signedText(saved.text || "");
  const shape = saved.shape && saved.shape.length ? ` ${shapeText(saved.shape)}` : "";
  const [bytes, born] = recording.storages[saved.storage] || [0, 0];
  const notes = {parameter: " · a parameter: no extra memory", data: " · data: no extra memory"};
  const note =
    notes[recording.memory.kinds[saved.storage]] || (born < step.first ? " · shared" : "");
  const name = nameOf(saved.tensor);
  const isNameless = name === recording.keptAs.get(saved.tensor);
  return `${isNameless ? "" : name}${shape} ${bytesText(bytes)}${note}`;
}

// ---- backward

function ruleOf(name) {
  return recording.rules[name] || null;
}

function backwardPane(step, event) {
  const {events} = recording;
  let end = step.first + 1;
  while (
    end < events.length &&
    events[end].kind !== "backward_end" &&
    events[end].kind !== "backward"
  )
    end++;
  const results = (events[end] && events[end].kind === "backward_end" && events[end].outs) || [];
  const inside = events.slice(step.first, end);
  const ran = inside.filter((each) => each.kind === "node");
  const leaves = new Set(
    inside.filter((each) => each.kind === "accumulate").map((each) => each.leaf),
  );
  const fate = event.keep
    ? "What the nodes kept stays in memory: retain_graph is set."
    : "Each node lets go of what it kept as soon as it ran.";
  return [
    paneTitle(
      step.place ? shortened(step.place.expression, 60) : event.name || "backward",
      step.place,
      "",
    ),
    paragraph(
      "Starts with the gradient of the result by itself, 1, and walks the graph from the ",
      `youngest node to the oldest: ${counted(ran.length, "node")}, `,
      leaves.size === 1 ? "1 leaf" : `${leaves.size} leaves`,
      `. ${fate}`,
    ),
    event.create && paragraph("A graph of the gradients is made, too: create_graph is set."),
    results.length > 0 && heading("Gives"),
    results.map((each) =>
      each ? outputCard(...each) : paragraph("None: no gradient reaches this input."),
    ),
    heading("Order"),
    element(
      "ol",
      {class: "order"},
      ran
        .slice(0, 60)
        .map((each) =>
          element(
            "li",
            {},
            element(
              "button",
              {class: "link", onclick: () => go(each.step)},
              nodeWord(recording.nodes[each.node].name),
            ),
          ),
        ),
    ),
    ran.length > 60 && paragraph(`… and ${(ran.length - 60).toLocaleString("en")} more.`),
  ];
}

function nodePane(step, event) {
  const node = recording.nodes[event.node];
  const rule = ruleOf(node.name);
  return [
    paneTitle(node.name, step.place),
    rule && paragraph(span("tag back", rule.tag), rule.sentence),
    isPredicting() && predictionPane(step, event),
    heading("The gradient that comes in: G"),
    event.into.map((value, output) =>
      valueCard(`∂L/∂${outputName(node, output)}`, recording.values[value]),
    ),
    !isPredicting() && [
      heading("What goes on"),
      outgoingPane(node, event, rule),
      releasePane(node, step),
    ],
  ];
}

function outgoingPane(node, event, rule) {
  const shown = node.edges.flatMap(([target], edge) => {
    if (target === null) return [];
    const name = edgeName(node, edge);
    const value = recording.values[event.out_of[edge]] || null;
    const lines = rule ? spelledRule(rule, edge, event) : [];
    return [
      lines.length > 0 &&
        formula(
          bold(`∂L/∂${name}`),
          " = ",
          lines.map((line, k) => (k ? element("div", {}, line) : line)),
        ),
      valueCard(`∂L/∂${name}`, value),
    ];
  });
  const dropped = node.edges.filter(([target]) => target === null).length;
  if (dropped && node.edges.length > 1) {
    const who = dropped === 1 ? "One input gets" : `${dropped} inputs get`;
    shown.push(element("p", {class: "aside"}, `${who} no gradient: nothing there requires it.`));
  }
  if (node.name.startsWith("Relu")) shown.push(gateNote(node));
  return shown;
}

function gateNote(node) {
  const saved = node.saved.find((each) => each.tensor !== undefined);
  const value = saved && valueAt(saved.tensor, node.event + 1);
  if (!value || !value.isWhole) return null;
  const open = value.numbers.filter((number) => number > 0).length;
  return paragraph(`The gate is open for ${open} of ${value.numbers.length} elements.`);
}

function releasePane(node, step) {
  const names = node.saved
    .filter(
      (saved) => saved.storage !== undefined && recording.memory.kinds[saved.storage] === "other",
    )
    .map((saved) => nameOf(saved.tensor));
  if (!names.length) return null;
  if (node.freed !== step.first) {
    return [
      heading("Memory"),
      paragraph(`Keeps ${listed(names)}: retain_graph is set, or another backward freed it.`),
    ];
  }
  const less = memoryAt(step.first).kept - memoryAt(step.end).kept;
  const own = listed([...new Set(names)]);
  if (less <= 0)
    return [heading("Memory"), paragraph(`Lets go of ${own}; another node still keeps it.`)];
  return [
    heading("Memory"),
    paragraph(`Lets go of ${own}: `, bold(bytesText(less)), " less are kept for the backward."),
  ];
}

// The formula of an edge in the reader's names, and below it the definitions that it uses. G is the
// gradient that comes in.
function spelledRule(rule, edge, event) {
  const entry = rule.formulas[Math.min(edge, rule.formulas.length - 1)];
  if (!entry) return [];
  const names = argumentNames(rule, recording.nodes[event.node]);
  const spelled = (text) =>
    text
      .replace(/(?<![.\w])[A-Za-z_]\w*/g, (word) => names.get(word) ?? word)
      .replace(/ᵀᵀ/g, "")
      .replace(/(?<![\w.])1 · /g, "");
  const used = new Set();
  const note = (text) =>
    rule.where.forEach(([name, definition]) => {
      if (used.has(name) || !new RegExp(`\\b${name}\\b`).test(text)) return;
      used.add(name);
      note(definition);
    });
  note(entry[1]);
  const shapes = [event.into[0], event.out_of[edge]].map(
    (number) => (recording.values[number] || {}).shape || [],
  );
  return [
    spelled(withoutSum(entry[1], ...shapes)),
    ...rule.where
      .filter(([name]) => used.has(name))
      .map(([name, text]) => `${name} = ${spelled(text)}`),
  ];
}

// "sum_to(G, self.shape)" says something only where the forward had repeated an input.
function withoutSum(text, shape, wanted) {
  const inner = /^sum_to\((.*), [\w.]+\.shape\)$/.exec(text);
  if (!inner) return text;
  return String(shape) === String(wanted)
    ? inner[1]
    : `${inner[1]}, summed to ${shapeText(wanted)}`;
}

// What the arguments in a node's formulas are called in the reader's program.
function argumentNames(rule, node) {
  const names = new Map();
  const put = (argument, name) => {
    if (name.length <= 18) names.set(argument, /^[\w.ᵀ−-]+$/.test(name) ? name : `(${name})`);
  };
  if (rule.formulas.length === node.edges.length) {
    rule.formulas.forEach(([argument], k) => {
      if (node.edges[k][0] !== null) put(argument, edgeName(node, k));
    });
  }
  for (const saved of node.saved) {
    if (saved.tensor !== undefined) put(saved.name, nameOf(saved.tensor));
    else if (saved.text !== undefined) put(saved.name, signedText(saved.text));
  }
  return names;
}

function outputName(node, output) {
  const maker = isInGraph(node) ? recording.events[node.event] : null;
  if (!maker) return "output";
  const number = recording.nodes.indexOf(node);
  const place = maker.fn.findIndex((made) => made && made[0] === number && made[1] === output);
  if (place < 0) return "output";
  return shortened(nameOf(maker.outs[place][0]), 24);
}

// What an edge leads to: a leaf, a variable, or a node inside of one operator.
function edgeName(node, edge) {
  const [target, output] = node.edges[edge];
  const other = recording.nodes[target];
  if (other.isLeaf) return shortened(nameOf(other.leaf), 24);
  if (other.event === node.event) return `output of ${nodeWord(other.name)}`;
  return outputName(other, output);
}

// The panes Memory, Gradients and Findings.

function table(headers, rows) {
  return element(
    "table",
    {},
    element(
      "tr",
      {},
      headers.map((name) => element("th", {}, name)),
    ),
    rows,
  );
}

function bar(share, tone) {
  return element("div", {
    class: "bar-share",
    style: `width:${Math.max(1, 100 * share)}%;background:var(${tone})`,
  });
}

function tableRow(...cells) {
  return element(
    "tr",
    {},
    cells.map((cell) => element("td", {}, cell)),
  );
}

// ---- memory

function memoryPane() {
  const step = steps[view.step];
  const now = memoryAt(step.end);
  const {total, peak} = recording.memory;
  const peakStep = recording.events[Math.max(0, peak - 1)].step;
  recording.memory.tables ??= [keptByLineTable(), checkpointTable()]; // alike at all steps
  return [
    element("h2", {}, `${bytesText(now.total)} in use`),
    paragraph(
      `${bytesText(now.kept)} of it only for the backward. Most was `,
      bold(bytesText(total[peak])),
      " at ",
      stepLink(peakStep, `step ${peakStep + 1}`),
      ". This counts the program's tensors and what nodes keep, not what operators use inside.",
    ),
    recording.memory.tables,
    largestTable(step.end),
  ];
}

function keptByLineTable() {
  const lines = [...recording.memory.lines.values()].sort((one, other) => other.bytes - one.bytes);
  if (!lines.length) return null;
  const rows = lines.slice(0, 20).map((line) =>
    tableRow(
      stepLink(recording.stepsOfLine.get(line.place.key)[0], String(line.place.line)),
      code(
        [...line.what.keys()]
          .slice(0, 3)
          .map((name) => shortened(name, 24))
          .join(", "),
      ),
      bytesText(line.bytes),
      bar(line.bytes / lines[0].bytes, "--kept"),
    ),
  );
  const count = recording.graphs.length;
  return [
    heading("Kept for the backward, by line"),
    table(["line", "what", "bytes", ""], rows),
    count > 1 && element("p", {class: "aside"}, `Added up over ${count} graphs.`),
  ];
}

function checkpointTable() {
  const {checkpoints} = recording.reports;
  if (!checkpoints.length) return null;
  const rows = checkpoints.map(({name, calls, bytes, microseconds, event}) =>
    tableRow(
      stepLink(recording.events[event].step, shortened(name, 34)),
      `${calls} ×`,
      `${bytesText(bytes)} less`,
      `${millisecondsText(microseconds)} more`,
    ),
  );
  return [
    heading("What a checkpoint would save"),
    table(["part", "calls", "memory", "time"], rows),
  ];
}

function largestTable(end) {
  const {kinds} = recording.memory;
  const rows = largestLive(end, 12).map((number) => {
    const tensor = recording.ofStorage.get(number);
    const keepers = kinds[number] === "other" ? keepersAt(number, end) : [];
    const isKept = keepers.length > 0;
    const tag = isKept ? `kept by ${keepers.slice(0, 2).join(", ")}` : kinds[number];
    return tableRow(
      code(tensor === undefined ? "gradient" : shortened(nameOf(tensor), 26)),
      element("span", {class: isKept ? "tag keeps" : "tag"}, tag),
      bytesText(recording.storages[number][0]),
    );
  });
  return (
    rows.length > 0 && [
      heading("Largest that are in use now"),
      table(["tensor", "", "bytes"], rows),
    ]
  );
}

// The nodes that keep a storage, each name once.
function keepersAt(storage, end) {
  const nodes = [...recording.keepers[storage]].map((number) => recording.nodes[number]);
  const keeping = nodes.filter((node) => (node.event ?? 0) < end && node.freed >= end);
  return [...new Set(keeping.map((node) => nodeWord(node.name)))];
}

function largestLive(end, count) {
  const found = [];
  for (const number of recording.memory.bySize) {
    const [, born, died] = recording.storages[number];
    if (born < end && (died ?? Infinity) >= end) found.push(number);
    if (found.length === count) break;
  }
  return found;
}

// ---- gradients

function gradientPane() {
  const step = steps[view.step];
  const leaves = recording.leavesWithGrad;
  const rows = leaves.map((leaf) => leafRow(leaf, step.end, hiddenEvent()));
  const sizes = rows.filter((row) => row.norm > 0).map((row) => Math.log10(row.norm));
  const low = Math.min(...sizes) - 1;
  const high = Math.max(...sizes);
  return [
    element("h2", {}, "Gradients of the leaves"),
    leaves.length
      ? paragraph("What .grad holds after this step, and its ratio to the value; logarithmic bars.")
      : paragraph("No leaf of this program requires grad."),
    leaves.length > 0 &&
      table(
        ["leaf", "‖grad‖", "ratio", ""],
        rows.map((row) => {
          const share =
            row.norm > 0 ? 0.08 + (0.92 * (Math.log10(row.norm) - low)) / (high - low || 1) : 0;
          const name = element(
            "b",
            {class: view.leaf === row.leaf ? "lit" : null},
            breakable(shortened(nameOf(row.leaf), 24)),
          );
          const first =
            row.step === null
              ? name
              : element("button", {class: "link", onclick: () => go(row.step)}, name);
          if (row.norm === null) return missingRow(first, row.reason);
          const ratio = row.ratio === null ? "" : numberText(row.ratio);
          return tableRow(first, numberText(row.norm), ratio, bar(share, "--backward"));
        }),
      ),
    alongGraph(step),
  ];
}

function missingRow(first, reason) {
  const why = element("td", {colspan: 3}, "None ", span("tag", reason));
  return element("tr", {}, element("td", {}, first), why);
}

function leafRow(leaf, end, hidden) {
  const entry = leafGradientAt(leaf, hidden ?? end);
  const gradient = entry === "zeros" ? null : recording.values[entry] || null;
  const value = valueAt(leaf, end);
  const arrivals = recording.times.gradients.get(leaf) || [];
  const next = arrivals.find((each) => each.event >= end) || arrivals[0];
  const norm = entry === "zeros" ? 0 : gradient ? gradient.norm : null;
  return {
    leaf,
    norm,
    ratio: norm !== null && value && value.norm ? norm / value.norm : null,
    step: next ? recording.events[next.event].step : null,
    reason: norm === null ? missingReason(leaf, end) : "",
  };
}

// Why the .grad of a leaf is None.
function missingReason(leaf, end) {
  const arrivals = recording.times.gradients.get(leaf) || [];
  const latest = lastBefore(arrivals, end);
  if (latest && latest.cleared) return "was cleared";
  if (arrivals.length) return "no backward yet";
  const uses = recording.events.filter((event) => event.kind === "op" && event.ins.includes(leaf));
  if (!uses.length) return "never used";
  const seen = uses.find((event) => event.fn.some(Boolean));
  if (seen) return "no backward leads here";
  const [use] = uses;
  const reason = use.grad_mode === false ? "grad mode was off" : `${operatorName(use)} cut it off`;
  return placeOf(use) ? `${reason}, line ${placeOf(use).line}` : reason;
}

function alongGraph(step) {
  const graph = recording.graphs[step.graph];
  if (!graph) return null;
  const rows = [];
  for (const item of graph.items.slice(-60).reverse()) {
    const gradient = itemGradient(item, step.end);
    if (!gradient) continue;
    const event = recording.events[item.event];
    const units = deadUnits(event);
    rows.push(
      tableRow(
        stepLink(event.step, `${operatorName(event)} ${ownLabel(event)}`),
        numberText(gradient.norm),
        gradient.zeros ? `${(100 * gradient.zeros).toFixed(0)} %` : "",
        units && units.dead ? span("tag back", `${units.dead} of ${units.all} units dead`) : "",
      ),
    );
  }
  return (
    rows.length > 0 && [heading("Along this graph"), table(["result of", "‖∂‖", "zeros", ""], rows)]
  );
}

// Units of a ReLU that are zero for each row of the batch: no gradient passes there.
function deadUnits(event) {
  if (operatorName(event).replace(/_$/, "") !== "relu" || !event.outs.length) return null;
  const value = recording.values[event.outs[0][1]];
  if (!value || !value.isWhole || value.shape.length !== 2 || value.shape[0] < 2) return null;
  const [rows, all] = value.shape;
  let dead = 0;
  for (let unit = 0; unit < all; unit++) {
    let isDead = true;
    for (let row = 0; row < rows && isDead; row++) isDead = !(value.numbers[row * all + unit] > 0);
    if (isDead) dead++;
  }
  return {dead, all};
}

// ---- findings

const GRAVE = ["error", "not finite", "written after saving"];

function findingsPane() {
  const list = recording.reports.findings;
  const marked = markedStep();
  return [
    marked !== null &&
      paragraph("This page points at ", stepLink(marked, `the first mistake, step ${marked + 1}`)),
    element("h2", {}, list.length ? counted(list.length, "finding") : "Nothing to report"),
    paragraph(
      list.length
        ? "What a second pair of eyes would point at. Each leads to its step."
        : "All values are finite, no gradient was added to an old one, every leaf got a gradient.",
    ),
    list.map(({kind, event, text}) => {
      const {step} = recording.events[event];
      const {place} = steps[step];
      return element(
        "button",
        {class: GRAVE.includes(kind) ? "finding bad" : "finding", onclick: () => go(step)},
        bold(kind[0].toUpperCase() + kind.slice(1)),
        span("", text),
        span("where", `step ${step + 1}`, place && span("", ` ${whereText(place)}`)),
      );
    }),
  ];
}

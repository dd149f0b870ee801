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
  return [
    element("h2", {}, `${bytesText(now.total)} in use`),
    paragraph(
      `${bytesText(now.kept)} of it only for the backward. Most was `,
      bold(bytesText(total[peak])),
      " at ",
      stepLink(peakStep, `step ${peakStep + 1}`),
      ". Counted are the program's tensors and what nodes keep, not what operators need inside.",
    ),
    keptByLineTable(),
    checkpointTable(step),
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

function checkpointTable(step) {
  const graph = recording.graphs[step.graph];
  const gains = graph ? checkpointGains(graph) : [];
  if (!gains.length) return null;
  const rows = gains.map((gain) =>
    tableRow(
      stepLink(gain.step, shortened(gain.label, 34)),
      `${bytesText(gain.bytes)} less`,
      `${millisecondsText(gain.time)} more`,
    ),
  );
  return [heading("What a checkpoint would save"), table(["part", "memory", "time"], rows)];
}

function largestTable(end) {
  const {kinds} = recording.memory;
  const live = recording.storages
    .map((storage, number) => ({number, bytes: storage[0], storage}))
    .filter(({storage: [, born, died]}) => born < end && (died ?? Infinity) >= end)
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, 12);
  const rows = live.map(({number, bytes}) => {
    const tensor = recording.ofStorage.get(number);
    const keepers = [...recording.keepers[number]]
      .map((each) => recording.nodes[each])
      .filter((node) => (node.event ?? 0) < end && node.freed >= end)
      .map((node) => nodeWord(node.name));
    const isKept = keepers.length && kinds[number] === "other";
    const tag = isKept ? `kept by ${[...new Set(keepers)].slice(0, 2).join(", ")}` : kinds[number];
    return tableRow(
      code(tensor === undefined ? "gradient" : shortened(nameOf(tensor), 26)),
      element("span", {class: isKept ? "tag keeps" : "tag"}, tag),
      bytesText(bytes),
    );
  });
  return (
    rows.length > 0 && [
      heading("Largest that are in use now"),
      table(["tensor", "", "bytes"], rows),
    ]
  );
}

// ---- gradients

function gradientPane() {
  const step = steps[view.step];
  const leaves = leavesWithGrad();
  const rows = leaves.map((leaf) => leafRow(leaf, step.end, hiddenEvent()));
  const sizes = rows.filter((row) => row.norm > 0).map((row) => Math.log10(row.norm));
  const low = Math.min(...sizes) - 1;
  const high = Math.max(...sizes);
  return [
    element("h2", {}, "Gradients of the leaves"),
    leaves.length
      ? paragraph("What .grad holds after this step; the bars are logarithmic.")
      : paragraph("No leaf of this program requires grad."),
    leaves.length > 0 &&
      table(
        ["leaf", "‖grad‖", "/ ‖value‖", ""],
        rows.map((row) => {
          const share =
            row.norm > 0 ? 0.08 + (0.92 * (Math.log10(row.norm) - low)) / (high - low || 1) : 0;
          const name = element(
            "b",
            {class: view.leaf === row.leaf ? "lit" : null},
            shortened(nameOf(row.leaf), 24),
          );
          return tableRow(
            row.step === null
              ? name
              : element("button", {class: "link", onclick: () => go(row.step)}, name),
            row.norm === null ? "None" : numberText(row.norm),
            row.ratio === null ? "" : numberText(row.ratio),
            row.norm === null ? span("tag", row.reason) : bar(share, "--backward"),
          );
        }),
      ),
    alongGraph(step),
  ];
}

function leavesWithGrad() {
  return recording.tensors
    .map((_, number) => number)
    .filter((number) => {
      const {leaf, grad, storage} = recording.tensors[number];
      return leaf && grad && recording.ofStorage.get(storage) === number;
    });
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
  if (arrivals.length) return "no backward came here yet";
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

function findingsPane() {
  recording.findings ??= findings();
  const list = recording.findings;
  return [
    element("h2", {}, list.length ? counted(list.length, "finding") : "Nothing to report"),
    paragraph(
      list.length
        ? "What a second pair of eyes would point at. Each leads to its step."
        : "All values are finite, no gradient was added to an old one, and every leaf got one.",
    ),
    list.map((finding) =>
      element(
        "button",
        {class: `finding ${finding.kind}`, onclick: () => go(finding.step)},
        bold(finding.title),
        span("", finding.text),
        span(
          "where",
          `step ${finding.step + 1}`,
          steps[finding.step].place && span("", whereText(steps[finding.step].place)),
        ),
      ),
    ),
  ];
}

function findings() {
  return [
    endings(),
    notFinite(),
    accumulations(),
    unusedLeaves(),
    deadRelus(),
    graphsWithoutBackward(),
    vanishing(),
    idleUpdates(),
  ].flat();
}

function finding(kind, number, title, text) {
  return {kind, step: recording.events[number].step, title, text};
}

function endings() {
  return recording.events.flatMap((event, number) => {
    if (event.kind === "error")
      return [finding("bad", number, "The program raised an error", shortened(event.text, 140))];
    if (event.kind === "stopped")
      return [finding("note", number, "The recording stops early", event.text)];
    return [];
  });
}

function notFinite() {
  const isBad = (number) => recording.values[number] && recording.values[number].badCount > 0;
  const results = recording.events.findIndex(
    (event) => event.kind === "op" && event.outs.some(([, value]) => isBad(value)),
  );
  const gradients = recording.events.findIndex(
    (event) => event.kind === "node" && event.out_of.some(isBad),
  );
  const found = [];
  if (results >= 0) {
    found.push(
      finding(
        "bad",
        results,
        "First value that is not finite",
        `${operatorName(recording.events[results])} gives nan or inf.`,
      ),
    );
  }
  if (gradients >= 0) {
    const {name} = recording.nodes[recording.events[gradients].node];
    found.push(
      finding(
        "bad",
        gradients,
        "First gradient that is not finite",
        `${name} passes on nan or inf.`,
      ),
    );
  }
  return found;
}

// A gradient added to that of an earlier backward, once for each leaf.
function accumulations() {
  const found = new Map();
  recording.events.forEach((event, number) => {
    if (event.kind !== "accumulate" || found.has(event.leaf)) return;
    const before = leafGradientAt(event.leaf, number);
    if (before === null || before === "zeros") return;
    const name = nameOf(event.leaf);
    found.set(
      event.leaf,
      finding(
        "note",
        number,
        `${name}.grad was added to`,
        "An earlier backward had left a gradient. If that is not meant, call zero_grad() between.",
      ),
    );
  });
  return [...found.values()].slice(0, 6);
}

function unusedLeaves() {
  const last = recording.events.length - 1;
  const backwards = recording.events.filter((event) => event.kind === "backward").length;
  if (!backwards) return [];
  return leavesWithGrad()
    .filter((leaf) => !recording.times.gradients.has(leaf))
    .slice(0, 8)
    .map((leaf) =>
      finding(
        "note",
        recording.tensors[leaf].maker ?? last,
        `${nameOf(leaf)} got no gradient`,
        `${counted(backwards, "backward")} ran; ${missingReason(leaf, last)}.`,
      ),
    );
}

function deadRelus() {
  const seen = new Set();
  return recording.events
    .flatMap((event, number) => {
      const place = event.kind === "op" ? placeOf(event) : null;
      const units = place && !seen.has(`${place.number} ${event.module}`) ? deadUnits(event) : null;
      if (!units || !units.dead) return [];
      seen.add(`${place.number} ${event.module}`);
      return [
        finding(
          "note",
          number,
          `${units.dead} of ${units.all} units are dead`,
          "This ReLU gives zero for every row there, so no gradient passes.",
        ),
      ];
    })
    .slice(0, 6);
}

// Graphs that were built and never walked: what they keep is kept for nothing.
function graphsWithoutBackward() {
  const idle = recording.graphs.filter((graph) =>
    graph.nodes.every((node) => !recording.nodes[node].runs.length),
  );
  const first = idle.find((graph) => graph.items.some(keptByItem));
  if (!first) return [];
  const bytes = first.items.reduce((sum, item) => sum + keptByItem(item), 0);
  return [
    finding(
      "note",
      first.items[0].event,
      `${counted(idle.length, "graph")} without a backward`,
      `Graph ${first.number + 1} keeps ${bytesText(bytes)}. torch.no_grad() would make no graph.`,
    ),
  ];
}

function vanishing() {
  return recording.graphs
    .flatMap((graph) => {
      let least = null;
      let most = null;
      for (const number of graph.nodes) {
        const [run] = recording.nodes[number].runs;
        const gradient = run === undefined ? null : recording.values[recording.events[run].into[0]];
        const norm = gradient ? gradient.norm : 0;
        if (!(norm > 0 && norm < Infinity)) continue;
        if (!least || norm < least.norm) least = {norm, run};
        if (!most || norm > most.norm) most = {norm, run};
      }
      if (!least || most.norm / least.norm < 1e6) return [];
      const shrinks = least.run > most.run;
      return [
        finding(
          "note",
          shrinks ? least.run : most.run,
          shrinks ? "Gradients vanish" : "Gradients explode",
          `Their norms go from ${numberText(least.norm)} to ${numberText(most.norm)}.`,
        ),
      ];
    })
    .slice(0, 3);
}

function idleUpdates() {
  const isIdle = ([, before, after]) => before === after && recording.values[before];
  const number = recording.events.findIndex(
    (event) => event.kind === "update" && event.params.length && event.params.every(isIdle),
  );
  return number < 0
    ? []
    : [
        finding(
          "note",
          number,
          "A step that moved nothing",
          "No parameter changed. Was .grad cleared between backward() and step()?",
        ),
      ];
}

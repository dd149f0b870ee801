// The Tape pane, all steps as rows, and the search, which looks through the same rows.

const ROW_HEIGHT = 28;

// A step in one line: {title, detail}.
function rowText(step) {
  const event = recording.events[step.first];
  if (step.kind === "op") return operatorRow(step, event);
  const place = step.place ? step.place.expression : "";
  const rows = {
    node: () => [recording.nodes[event.node].name, event.into.map(briefOf).join(" ")],
    accumulate: () => [`${nameOf(event.leaf)}.grad += G`, briefOf(event.into[0])],
    backward: () => [place || "backward", ""],
    update: () => [`${event.name}.step()`, counted(event.params.length, "parameter")],
    zero: () => [
      `.grad = ${event.to === "zeros" ? "0" : "None"} of ${listed(event.tensors.map(nameOf))}`,
      "",
    ],
  };
  const [title, detail] = rows[step.kind] ? rows[step.kind]() : [event.text || step.kind, ""];
  return {title, detail};
}

function operatorRow(step, event) {
  if (step.events.length > 1)
    return {title: step.place.expression, detail: counted(step.events.length, "operator")};
  const [output] = event.outs;
  const tensor = output ? recording.tensors[output[0]] : null;
  const name = tensor && tensor.name ? `${tensor.name} = ` : "";
  const nodes = event.fn
    .filter(Boolean)
    .map(([node]) => recording.nodes[node].name)
    .join(" ");
  return {
    title: name + operatorName(event),
    detail: tensor ? `${shapeText(tensor.shape)} ${nodes}` : nodes,
  };
}

// In predict mode a gradient that is still to be answered must not be read elsewhere.
function briefOf(number) {
  return briefText(recording.values[number]);
}

// Only the rows in sight are made: a tape may have fifty thousand.
function showTape(pane) {
  let tape = byId("tape");
  if (!tape) {
    tape = element("div", {id: "tape", style: `height:${steps.length * ROW_HEIGHT}px`});
    pane.replaceChildren(tape);
  }
  const showRows = () => {
    const first = Math.max(0, Math.floor(pane.scrollTop / ROW_HEIGHT) - 4);
    const last = Math.min(steps.length, first + Math.ceil(pane.clientHeight / ROW_HEIGHT) + 8);
    tape.replaceChildren(...steps.slice(first, last).map(tapeRow));
  };
  pane.onscroll = showRows;
  const top = view.step * ROW_HEIGHT;
  const isInSight =
    top >= pane.scrollTop && top <= pane.scrollTop + pane.clientHeight - 2 * ROW_HEIGHT;
  if (!isInSight) pane.scrollTop = top - pane.clientHeight / 2;
  showRows();
}

function tapeRow(step) {
  const isHidden = isPredicting() && step.number > view.step && step.phase === "backward";
  const {title, detail} = rowText(step);
  return element(
    "button",
    {
      class: step.number === view.step ? "row now" : "row",
      style: `top:${step.number * ROW_HEIGHT}px`,
      "aria-current": step.number === view.step ? "step" : null,
      tabindex: step.number === view.step ? 0 : -1,
      onclick: () => go(step.number),
    },
    span("row-line", step.place ? String(step.place.line) : ""),
    element("i", {class: `dot ${step.phase}`}),
    bold(title),
    span("detail", isHidden ? "?" : detail),
  );
}

// ---- search

const MOST_FOUND = 60;

function showSearch() {
  byId("search").showModal();
  byId("search-text").select();
  findSteps();
}

function searchText(step) {
  if (step.words === undefined) {
    const {title, detail} = rowText(step);
    const event = recording.events[step.first];
    const modules = (event.module || []).join(" ");
    const nodes =
      step.kind === "op"
        ? event.fn.filter(Boolean).map(([node]) => recording.nodes[node].name)
        : [];
    step.words = [
      title,
      detail,
      modules,
      step.place ? step.place.expression : "",
      whereText(step.place),
      ...nodes,
      step.kind,
    ]
      .join(" ")
      .toLowerCase();
  }
  return step.words;
}

// Every word has to occur. A step with that number comes first, then those with the words in their
// titles.
function foundSteps(text) {
  const words = text.split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = steps.filter((step) => words.every((word) => searchText(step).includes(word)));
  const isTitled = (step) =>
    words.every((word) => rowText(step).title.toLowerCase().includes(word));
  const first = found.filter(isTitled).slice(0, MOST_FOUND);
  const numbered = /^\d+$/.test(text) && steps[Number(text) - 1];
  return [...new Set([...(numbered ? [numbered] : []), ...first, ...found])].slice(0, MOST_FOUND);
}

function findSteps() {
  const text = byId("search-text").value.trim().toLowerCase();
  const found = foundSteps(text);
  const rows = found.map((step) => {
    const {title, detail} = rowText(step);
    return element(
      "button",
      {
        class: "found",
        onclick: () => {
          byId("search").close();
          go(step.number);
        },
      },
      element("i", {class: `dot ${step.phase}`}),
      bold(shortened(title, 44)),
      span("detail", `step ${step.number + 1} · ${whereText(step.place)} ${shortened(detail, 30)}`),
    );
  });
  const hint = text
    ? "No step has these words."
    : "Type an operator, a variable, a node, a line such as train.py:12, or a step's number.";
  byId("search-results").replaceChildren(
    ...(rows.length ? rows : [element("p", {class: "hint"}, hint)]),
  );
}

function listenToSearch() {
  const results = byId("search-results");
  byId("search-text").oninput = findSteps;
  byId("search").onkeydown = (event) => {
    const rows = [...results.querySelectorAll("button")];
    const place = rows.indexOf(document.activeElement);
    if (event.key === "Escape") {
      event.preventDefault(); // or else it empties the field, and closes what was opened since
      byId("search").close();
    }
    if (event.key === "Enter" && place < 0 && rows.length) {
      event.preventDefault(); // or else it presses what has the focus afterwards
      rows[0].click();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const next = place + (event.key === "ArrowDown" ? 1 : -1);
    (rows[next] || (next < 0 ? byId("search-text") : rows[place])).focus();
  };
}

// The code pane: the reader's source, the expression of the step, and values at the ends of lines.

const PYTHON_WORDS = `and as assert async await break class continue def del elif else except
  False finally for from global if import in is lambda None nonlocal not or pass raise return
  True try while with yield`;
const TOKENS = new RegExp(
  [
    "(?<comment>#.*$)",
    "(?<string>[rbfRBF]{0,2}(?:\"\"\"|'''|\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'))",
    `(?<keyword>\\b(?:${PYTHON_WORDS.split(/\s+/).join("|")})\\b)`,
    "(?<digits>\\b\\d[\\d_.]*(?:e[+-]?\\d+)?\\b)",
    "(?<call>[A-Za-z_]\\w*)(?=\\()",
  ].join("|"),
  "g",
);

const shownCode = {file: -1, rows: [], widths: []};

function tokens(line) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    if (match.index > end) parts.push(span("", line.slice(end, match.index)));
    parts.push(element("span", {class: kind}, match[0]));
    end = match.index + match[0].length;
  }
  parts.push(span("", line.slice(end)));
  return parts;
}

function showFile(file) {
  if (shownCode.file === file) return;
  shownCode.file = file;
  const tabs = recording.files.map((each, number) =>
    element(
      "button",
      {
        class: "tab",
        "aria-pressed": String(number === file),
        onclick: () => {
          showFile(number);
          markCode();
        },
      },
      each.name,
    ),
  );
  byId("files").replaceChildren(...tabs);
  const text = (recording.files[file] || {}).text || "";
  shownCode.rows = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, k) => codeRow(file, line, k + 1));
  if (text) byId("code").replaceChildren(...shownCode.rows);
  else
    byId("code").replaceChildren(
      element("p", {class: "hint"}, "The source of this program is not to be had."),
    );
  // Measured once: to ask for widths at each step takes 10 ms.
  shownCode.widths = shownCode.rows.map((row) => row.querySelector(".text").offsetWidth);
}

function codeRow(file, line, number) {
  const key = lineKey(file, number);
  const stepsHere = recording.stepsOfLine.get(key);
  const gutter = element(stepsHere ? "button" : "span", {class: "gutter"}, String(number));
  if (stepsHere) {
    gutter.setAttribute("aria-label", `Line ${number}: go to its next step`);
    gutter.onclick = () => go(stepsHere.find((step) => step > view.step) ?? stepsHere[0]);
  }
  const kept = recording.memory.lines.get(key);
  if (kept && kept.bytes) gutter.append(keptBar(kept));
  return block("line", gutter, span("text", tokens(line)), span("ghost"));
}

function keptBar(kept) {
  const most = Math.max(...Array.from(recording.memory.lines.values(), (line) => line.bytes));
  const what = [...kept.what].map(([name, bytes]) => `\n  ${name}: ${bytesText(bytes)}`).join("");
  return element("i", {
    class: "keptbar",
    style: `opacity:${0.3 + (0.7 * kept.bytes) / most}`,
    "data-tip": `kept for backward by this line: ${bytesText(kept.bytes)}${what}`,
  });
}

// Marks the lines of the step: the expression itself, and paler the lines that called it.
function markCode() {
  const step = steps[view.step];
  for (const row of shownCode.rows) {
    row.classList.remove("now", "caller");
    row.removeAttribute("aria-current");
    row.querySelectorAll(".mark").forEach((mark) => mark.remove());
  }
  if (!step) return;
  for (const place of callersOf(step)) {
    const row = rowOf(place);
    if (row) row.classList.add("caller");
  }
  if (step.place) markExpression(step.place);
  showGhosts(step.end);
}

function callersOf(step) {
  if (step.kind === "node" || step.kind === "accumulate") {
    const place = step.backward === null ? null : placeOf(recording.events[step.backward]);
    return place ? [place] : [];
  }
  return recording.events[step.first].frames.slice(0, -1).map((frame) => frame.place);
}

function rowOf(place) {
  return place.file === shownCode.file ? shownCode.rows[place.line - 1] : undefined;
}

function markExpression(place) {
  const last = Math.min(place.endLine || place.line, place.line + 12);
  for (let line = place.line; line <= last; line++) {
    const row = place.file === shownCode.file ? shownCode.rows[line - 1] : undefined;
    if (!row) return;
    const text = row.querySelector(".text");
    const whole = text.textContent;
    const start = line === place.line ? place.column : whole.length - whole.trimStart().length;
    const end = line === place.endLine ? place.endColumn : whole.length;
    row.classList.remove("caller");
    row.classList.add("now");
    row.setAttribute("aria-current", "step");
    text.prepend(
      element("i", {class: "mark", style: `left:${start}ch;width:${Math.max(1, end - start)}ch`}),
    );
  }
  keepLineInSight(rowOf(place));
}

function keepLineInSight(row) {
  const pane = byId("code");
  const above = row.offsetTop - pane.scrollTop;
  if (above < 20 || above > pane.clientHeight - 50)
    pane.scrollTop = row.offsetTop - pane.clientHeight * 0.4;
  const mark = row.querySelector(".mark");
  const left = mark ? mark.offsetLeft : 0;
  if (left < pane.scrollLeft || left + 60 > pane.scrollLeft + pane.clientWidth)
    pane.scrollLeft = Math.max(0, left - 60);
}

// What each line assigned last and, in a backward, its gradient: as much as fits behind the code.
function showGhosts(end) {
  const width = byId("code").clientWidth;
  shownCode.rows.forEach((row, k) => {
    const entry = lastBefore(recording.times.lineResults.get(lineKey(shownCode.file, k + 1)), end);
    const ghost = row.querySelector(".ghost");
    if (!entry) {
      if (ghost.firstChild) ghost.replaceChildren();
      return;
    }
    const room = Math.floor((width - 68 - shownCode.widths[k]) / 7.25);
    const parts = ghostTexts(entry, end).find((texts) => texts.join("").length <= room);
    const kinds = ["", "value", "", "gradient"];
    ghost.replaceChildren(
      ...(parts || []).map((text, i) => element("span", {class: kinds[i]}, text)),
    );
  });
}

// From the longest to the shortest: name, value, word, gradient.
function ghostTexts({name, tensor, value, made}, end) {
  const shown = recording.values[value];
  if (!shown) return [];
  const {word, gradient} = ghostGradient(tensor, made, end);
  const long = [`${name} = `, briefText(shown)];
  const short = ["", sizeText(shown)];
  if (!gradient) return [long, ["", briefText(shown)], short];
  return [
    [...long, word, briefText(gradient)],
    [...long, word, sizeText(gradient)],
    [...short, word, sizeText(gradient)],
    ["", "", word, sizeText(gradient)],
  ];
}

function ghostGradient(tensor, made, end) {
  const hidden = hiddenEvent();
  if (made) {
    const number = gradientAt(made[0], made[1], end);
    return {word: "   ∂ ", gradient: recording.values[number] || null};
  }
  const entry = recording.tensors[tensor].grad ? leafGradientAt(tensor, hidden ?? end) : null;
  return {word: "   .grad ", gradient: recording.values[entry] || null};
}

function showPrinted(step) {
  const {prints, printed} = recording.times;
  const isLast = !step || step.number === steps.length - 1;
  const upTo = lastBefore(prints, isLast ? recording.events.length : step.end);
  const length = upTo ? upTo.length : 0;
  const output = byId("printed");
  output.textContent = printed.slice(Math.max(0, length - 4000), length).replace(/\n$/, "");
  output.scrollTop = output.scrollHeight;
}

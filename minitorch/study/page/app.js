// The page as a whole: the current step, the controls, the keys.

const TABS = ["step", "tape", "memory", "gradients", "findings"];
const view = {
  step: 0,
  tab: "step",
  leaf: null,
  litItems: null,
  isWelcomed: false,
  player: null,
  isPredictOn: false,
  answers: new Map(),
};

async function main() {
  if (!("DecompressionStream" in window)) {
    byId("side").textContent = "This page needs a browser of 2023 or later.";
    return;
  }
  await readRecording();
  setTheme(
    storedTheme() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
  );
  showHeader();
  listen();
  showFile(firstFile());
  go(stepInAddress() ?? markedStep() ?? 0);
  window.ready = true; // the tests wait for it
}

// A page may point at one value: there it opens.
function markedStep() {
  const {mark} = recording.reports;
  return mark ? recording.events[mark.event].step : null;
}

function isMarked(tensor) {
  const {mark} = recording.reports;
  return Boolean(mark) && mark.tensor === tensor;
}

function firstFile() {
  const step = steps.find((each) => each.place);
  return step ? step.place.file : 0;
}

function showHeader() {
  const nodes = recording.nodes.filter((node) => !node.isLeaf).length;
  byId("title").textContent = recording.title || "recording";
  byId("about").textContent = [
    recording.library,
    counted(steps.length, "step"),
    `${counted(nodes, "node")} in ${counted(recording.graphs.length, "graph")}`,
  ].join(" · ");
  byId("legend").append(
    ...MEMORY_KINDS.map(([, name, tone]) =>
      span("", element("i", {style: `background:var(${tone})`}), name),
    ),
  );
  byId("tabs").append(
    ...TABS.map((name, k) =>
      element(
        "button",
        {
          class: "tab",
          role: "tab",
          id: `tab-${name}`,
          "aria-controls": "side",
          title: `${name} (${k + 1})`,
          onclick: () => showTab(name),
        },
        name[0].toUpperCase() + name.slice(1),
      ),
    ),
  );
}

// ---- going to a step

function go(number) {
  if (!steps.length) {
    showEmptyPage();
    return;
  }
  view.step = Math.max(0, Math.min(steps.length - 1, number));
  view.litItems = null;
  const step = steps[view.step];
  document.documentElement.style.setProperty("--tone", `var(--${step.phase})`);
  showPosition(step);
  if (step.place) showFile(step.place.file);
  showPrinted(step);
  markCode();
  showGraph();
  showSide();
  drawTimeline();
}

function showPosition(step) {
  const names = {forward: "Forward", backward: "Backward", update: "Update", error: "Error"};
  byId("count").replaceChildren(
    bold((view.step + 1).toLocaleString("en")),
    ` / ${steps.length.toLocaleString("en")}`,
  );
  byId("phase").className = `pill ${step.phase}`;
  byId("phase").textContent = step.kind === "stopped" ? "Stopped" : names[step.phase];
  const timeline = byId("timeline");
  timeline.setAttribute("aria-valuenow", view.step + 1);
  timeline.setAttribute("aria-valuetext", `step ${view.step + 1}, ${rowText(step).title}`);
  timeline.setAttribute("aria-valuemax", steps.length);
  for (const name of ["first", "line-back", "back"]) byId(name).disabled = view.step === 0;
  for (const name of ["next", "line-next", "last"])
    byId(name).disabled = view.step === steps.length - 1;
  try {
    history.replaceState(null, "", `#step=${view.step + 1}`);
  } catch (_) {
    // A frame made of srcdoc has no address.
  }
}

function showEmptyPage() {
  byId("count").textContent = "0 steps";
  byId("phase").hidden = true;
  showPrinted(null);
  byId("graph").replaceChildren(element("p", {class: "hint"}, "Nothing was recorded."));
  byId("side").replaceChildren(
    element("h2", {}, "No operator was called"),
    paragraph("Nothing in this program made or changed a tensor while it was recorded."),
  );
  document
    .querySelectorAll("#transport button, #tabs button, #search-open, #predict, #graph-bar button")
    .forEach((button) => {
      button.disabled = true;
    });
}

function stepInAddress() {
  const found = /step=(\d+)/.exec(location.hash);
  return found ? Number(found[1]) - 1 : null;
}

// To the next step of another line or another phase; back to the first step of the line before.
function goLine(direction) {
  const isSame = (one, other) =>
    steps[one].place === steps[other].place ||
    (steps[one].place &&
      steps[other].place &&
      steps[one].place.key === steps[other].place.key &&
      steps[one].phase === steps[other].phase);
  let number = view.step;
  const last = direction > 0 ? steps.length - 1 : 0;
  while (number !== last && isSame(number, view.step)) number += direction;
  while (direction < 0 && number > 0 && isSame(number, number - 1)) number--;
  go(number);
}

function goGraph(direction) {
  const graph = recording.graphs[(steps[view.step].graph ?? 0) + direction];
  if (graph) go(recording.events[graph.items[0].event].step);
}

function togglePlay() {
  if (view.player) {
    clearInterval(view.player);
    view.player = null;
  } else if (steps.length) {
    if (view.step === steps.length - 1) go(0);
    view.player = setInterval(() => {
      if (view.step >= steps.length - 1 || isPredicting()) togglePlay();
      else go(view.step + 1);
    }, 800);
  }
  byId("play").setAttribute("aria-pressed", String(Boolean(view.player)));
  byId("play").setAttribute("aria-label", view.player ? "Pause" : "Play");
}

// ---- the side

function showTab(name) {
  view.tab = name;
  showSide();
}

function showSide() {
  if (!steps.length) return;
  for (const name of TABS)
    byId(`tab-${name}`).setAttribute("aria-selected", String(name === view.tab));
  const side = byId("side");
  const hadFocus = side.contains(document.activeElement);
  side.classList.toggle("rows", view.tab === "tape");
  side.setAttribute("aria-labelledby", `tab-${view.tab}`);
  if (view.tab === "tape") showTape(side);
  else fillSide(side);
  // What was replaced takes the focus with it: a keyboard goes on from here.
  if (hadFocus && !side.contains(document.activeElement))
    (side.querySelector(".row.now") || side).focus({preventScroll: true});
}

function fillSide(side) {
  const panes = {
    step: stepPane,
    memory: memoryPane,
    gradients: gradientPane,
    findings: findingsPane,
  };
  const parts = [view.tab === "step" && verdict(), panes[view.tab]()];
  side.onscroll = null;
  side.replaceChildren(...parts.flat(4).filter(Boolean));
  if (view.tab === "step") side.scrollTop = 0;
}

// ---- theme, tips, dialogs

// A sandboxed frame has no storage: there the page follows the system.
function storedTheme() {
  try {
    return localStorage.getItem("minitorch-study-theme");
  } catch (_) {
    return null;
  }
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  pictures.clear();
  drawn = null;
}

function switchTheme() {
  const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  setTheme(name);
  try {
    localStorage.setItem("minitorch-study-theme", name);
  } catch (_) {
    // The choice lasts as long as the page.
  }
  go(view.step);
}

function showTip(text, event) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.style.display = "block";
  const isLow = event.clientY + 18 + tip.offsetHeight > innerHeight;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${isLow ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18}px`;
}

function hideTip() {
  byId("tip").style.display = "none";
}

function showKeys() {
  byId("keys").showModal();
  byId("keys").querySelector("h2").focus(); // on a small screen the button is far below
}

// For those who hear the page, and shortly on the screen.
function announce(text) {
  const note = byId("note");
  note.textContent = text;
  note.classList.add("shown");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => note.classList.remove("shown"), 2500);
}

// ---- controls and keys

const ACTIONS = {
  first: () => go(0),
  last: () => go(steps.length - 1),
  back: () => go(view.step - 1),
  next: () => go(view.step + 1),
  "line-back": () => goLine(-1),
  "line-next": () => goLine(1),
  play: togglePlay,
  "search-open": showSearch,
  predict: switchPredict,
  theme: switchTheme,
  help: showKeys,
  "graph-before": () => goGraph(-1),
  "graph-after": () => goGraph(1),
  fit: fitGraph,
  follow: () => setFollowing(!camera.follows),
  "zoom-in": () => zoomGraph(1.25),
  "zoom-out": () => zoomGraph(0.8),
};

const KEYS = {
  ArrowRight: "next",
  ArrowLeft: "back",
  "Shift+ArrowRight": "line-next",
  "Shift+ArrowLeft": "line-back",
  Home: "first",
  End: "last",
  " ": "play",
  "[": "graph-before",
  "]": "graph-after",
  "/": "search-open",
  "?": "help",
  f: "fit",
  t: "theme",
  p: "predict",
  "+": "zoom-in",
  "=": "zoom-in",
  "-": "zoom-out",
};

function onKey(event) {
  // The focus stays in a dialog that was closed until the next frame is drawn.
  const dialog = event.target.closest("dialog");
  const isTyping = dialog ? dialog.open : event.target.closest("input");
  const isButton = event.target.closest("button, [role=button]");
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping || event.defaultPrevented) return;
  if (event.key === " " && isButton) return; // the button itself is meant
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const id = KEYS[event.shiftKey && name.startsWith("Arrow") ? `Shift+${name}` : name];
  if (id) {
    event.preventDefault();
    if (!byId(id).disabled) ACTIONS[id]();
  } else if (TABS[Number(event.key) - 1]) showTab(TABS[Number(event.key) - 1]);
}

function listen() {
  for (const [id, action] of Object.entries(ACTIONS)) byId(id).onclick = action;
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }
  addEventListener("keydown", onKey);
  addEventListener("hashchange", () => {
    const step = stepInAddress();
    if (step !== null && step !== view.step) go(step);
  });
  document.addEventListener("mousemove", (event) => {
    const target = event.target.closest("[data-tip]");
    if (target) showTip(target.dataset.tip, event);
    else if (!event.target.closest("#timeline")) hideTip();
  });
  listenToGraph();
  listenToSearch();
  listenToTimeline();
}

main();

"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const escape = text => String(text).replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
const SEVERITY = Object.fromEntries(Object.keys(data.looks).map((grade, place) => [grade, place]));
const impl = data.about.impl;

const units = data.units;
units.forEach((unit, number) => {
  unit.number = number;
  unit.name = unit.source === "opinfo" ? unit.key : `${unit.source}/${unit.key}`;
  unit.group = `${unit.source} ${unit.tier}`.trim();
  const grades = Object.values(unit.found).map(found => SEVERITY[found.grade]);
  unit.worst = unit.trouble ? 99 : Math.max(-1, ...grades);
});
const groups = [...new Set(units.map(unit => unit.group))];
const state = { text: "", groups: new Set(), grades: new Set(), by: "", down: true };

/* The head of the page */

function head() {
  const clean = units.filter(unit => unit.passes).length;
  const title = `${impl} against torch ${data.torch}`;
  document.title = `${title}: ${clean} of ${units.length}`;
  at("title").textContent = title;
  at("lead").textContent = clean === units.length
    ? `All ${clean} units behave as torch does.`
    : `${clean} of ${units.length} units behave as torch does; ${units.length - clean} differ.`;
  const { profile, seed, wall } = data.about;
  at("about").textContent = `profile ${profile}, seed ${seed}, ${wall} s`;
  const alarms = data.stale.map(gap => `gaps.toml: ${gap} no longer differs: remove the entry`);
  if (units.length < data.about.units)
    alarms.unshift(`Interrupted: ${units.length} of ${data.about.units} units were examined.`);
  for (const alarm of alarms)
    at("about").insertAdjacentHTML("afterend", `<p class="alarm">${escape(alarm)}</p>`);
}

function overview() {
  const names = Object.keys(data.properties);
  const rows = groups.map(group => {
    const among = units.filter(unit => unit.group === group);
    const cells = [share(among, unit => unit.passes, unit => unit.worst)];
    for (const name of names) {
      const found = among.map(unit => unit.found[name]).filter(Boolean);
      cells.push(share(found, passes, cell => SEVERITY[cell.grade]));
    }
    const label = `<button type="button" data-group="${escape(group)}">${escape(group)}</button>`;
    return `<tr><th scope="row">${label}</th>${cells.join("")}</tr>`;
  });
  const headers = ["", "clean", ...names].map(name => `<th scope="col">${escape(name)}</th>`);
  at("overview").innerHTML =
    `<thead><tr>${headers.join("")}</tr></thead><tbody>${rows.join("")}</tbody>`;
  at("overview").addEventListener("click", event => {
    const button = event.target.closest("[data-group]");
    if (!button) return;
    state.groups = new Set([button.dataset.group]);
    chips();
    table();
    at("filters").scrollIntoView({ block: "start" });
  });
}

const passes = found => SEVERITY[found.grade] <= SEVERITY.TOLERANCE;

/* How many pass, in the colour of the worst that does not. */
function share(among, passing, severity) {
  if (!among.length) return "<td></td>";
  const others = among.filter(each => !passing(each));
  if (!others.length) return `<td class="SAME">${among.length}</td>`;
  const worst = Object.keys(SEVERITY)[Math.max(...others.map(severity))] || "WRONG";
  return `<td class="part ${worst}">${among.length - others.length}/${among.length}</td>`;
}

/* Filters */

function chips() {
  const chip = (kind, value, pressed, label, count) =>
    `<button type="button" class="chip" data-${kind}="${escape(value)}" aria-pressed="${pressed}">` +
    `${label}<span class="soft">${count}</span></button>`;
  at("groups").innerHTML = groups.length < 2 ? "" : groups.map(group => {
    const count = units.filter(unit => unit.group === group).length;
    return chip("group", group, state.groups.has(group), escape(group), count);
  }).join("");
  at("grades").innerHTML = Object.entries(data.looks).map(([grade, look]) => {
    const count = units.filter(unit => has(unit, grade)).length;
    const label = `<b class="${grade}">${escape(look.mark)}</b> ${escape(look.words)}`;
    return count ? chip("grade", grade, state.grades.has(grade), label, count) : "";
  }).join("");
}

const has = (unit, grade) => Object.values(unit.found).some(found => found.grade === grade);

function toggle(set, value) {
  if (!set.delete(value)) set.add(value);
  chips();
  table();
}

at("filters").addEventListener("click", event => {
  const chip = event.target.closest(".chip");
  if (!chip) return;
  const { group, grade } = chip.dataset;
  if (group) toggle(state.groups, group);
  else toggle(state.grades, grade);
  const selector = group ? `[data-group="${CSS.escape(group)}"]` : `[data-grade="${grade}"]`;
  at("filters").querySelector(selector).focus();
});
at("filters").addEventListener("submit", event => event.preventDefault());
at("search").addEventListener("input", event => {
  state.text = event.target.value.trim().toLowerCase();
  table();
});
document.addEventListener("keydown", event => {
  const typing = event.target.matches("input") || at("details").open;
  if (event.key !== "/" || typing) return;
  event.preventDefault();
  at("search").focus();
});

/* The table of units */

function table() {
  const shown = units.filter(unit =>
    unit.name.toLowerCase().includes(state.text) &&
    (!state.groups.size || state.groups.has(unit.group)) &&
    (!state.grades.size || [...state.grades].some(grade => has(unit, grade))));
  shown.sort(order());
  const names = Object.keys(data.properties).filter(name => shown.some(unit => unit.found[name]));
  const several = groups.length > 1;
  const rows = shown.map(unit => {
    const group = several ? ` <span class="group">${escape(unit.group)}</span>` : "";
    const trouble = unit.trouble ? " class=trouble" : "";
    const cells = names.map(name => {
      const found = unit.found[name];
      return found
        ? `<td role="gridcell" tabindex="-1" class="${found.grade}">${data.looks[found.grade].mark}</td>`
        : "<td role=gridcell></td>";
    });
    return `<tr data-unit="${unit.number}"><th scope="row" title="${escape(unit.name)}">` +
      `<button type="button"${trouble}>${escape(unit.key)}</button>${group}</th>${cells.join("")}</tr>`;
  });
  const header = (name, label) => {
    const sorted = state.by === name ? ` aria-sort="${state.down ? "descending" : "ascending"}"` : "";
    const meaning = escape(data.properties[name] || "");
    return `<th scope="col" data-name="${escape(name)}"${sorted}>` +
      `<button type="button" title="${meaning}">${escape(label)}</button></th>`;
  };
  const headers = [header("name", "unit"), ...names.map(name => header(name, name))];
  at("units").innerHTML =
    `<thead><tr>${headers.join("")}</tr></thead><tbody>${rows.join("")}</tbody>`;
  at("units").names = names;
  at("count").textContent = `${shown.length} of ${units.length} shown` +
    (state.by ? "" : ", those that differ first");
  at("units").querySelector("td[tabindex]")?.setAttribute("tabindex", "0");
}

/* Without a column to sort by, those that differ come first. */
function order() {
  const byName = (a, b) => (a.name < b.name ? -1 : 1);
  const sign = state.by && !state.down ? -1 : 1;
  if (state.by === "name") return (a, b) => -sign * byName(a, b);
  const severity = state.by
    ? unit => (unit.found[state.by] ? SEVERITY[unit.found[state.by].grade] : -1)
    : unit => (unit.passes ? -1 : unit.worst);
  return (a, b) => sign * (severity(b) - severity(a)) || byName(a, b);
}

function sort(name) {
  const first = name !== "name"; // properties begin with the worst, names with A
  if (state.by !== name) Object.assign(state, { by: name, down: first });
  else if (state.down === first) state.down = !first;
  else state.by = "";
  table();
  at("units").querySelector(`th[data-name="${CSS.escape(name)}"] button`)?.focus();
}

const place = cell => ({
  unit: units[cell.closest("tr").dataset.unit],
  name: at("units").names[cell.cellIndex - 1],
});

at("units").addEventListener("click", event => {
  const header = event.target.closest("thead th");
  if (header) return sort(header.dataset.name);
  const cell = event.target.closest("td, th[scope=row]");
  if (!cell) return;
  const { unit, name } = place(cell);
  if (!name || unit.found[name]) open(unit, name);
});
at("units").addEventListener("focusin", event => {
  if (!event.target.matches("td")) return;
  const { unit, name } = place(event.target);
  const words = data.looks[unit.found[name].grade].words;
  event.target.setAttribute("aria-label", `${unit.name}, ${name}: ${words}`);
  at("units").querySelector("td[tabindex='0']")?.setAttribute("tabindex", "-1");
  event.target.setAttribute("tabindex", "0");
});
at("units").addEventListener("keydown", event => {
  const cell = event.target.closest("td");
  if (!cell) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return cell.click();
  }
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!step) return;
  event.preventDefault();
  let next = cell;
  do {
    const row = step[0] < 0 ? next.parentNode.previousSibling
      : step[0] > 0 ? next.parentNode.nextSibling : next.parentNode;
    next = row?.cells[next.cellIndex + step[1]];
  } while (next && !next.hasAttribute("tabindex"));
  next?.focus();
});

/* The details of a cell */

let opened = null;

function open(unit, wanted) {
  const names = Object.keys(data.properties).filter(name => unit.found[name]);
  const worst = Math.max(-1, ...names.map(name => SEVERITY[unit.found[name].grade]));
  const name = wanted || names.find(each => SEVERITY[unit.found[each].grade] === worst);
  opened = { unit, name, names };
  at("details-title").textContent = unit.name;
  at("properties").innerHTML = names.map(each => {
    const grade = unit.found[each].grade;
    return `<button type="button" class="chip ${grade}" data-name="${escape(each)}"` +
      ` aria-current="${each === name}">${data.looks[grade].mark} ${escape(each)}</button>`;
  }).join("");
  const trouble = unit.trouble ? `<p class="alarm">${escape(unit.trouble)}</p>` : "";
  at("found").innerHTML = trouble + (name ? body(unit.found[name], name) : "<p>No case here.</p>");
  if (!at("details").open) at("details").showModal();
  at("details").scrollTop = 0;
  history.replaceState(null, "", `#${encodeURIComponent(unit.name)}:${encodeURIComponent(name || "")}`);
}

function body(found, name) {
  const look = data.looks[found.grade];
  const count = found.differing
    ? `${found.differing} of ${found.cases} cases differ`
    : `${found.cases} ${found.cases === 1 ? "case" : "cases"}`;
  const meaning = data.properties[name] ? ` · ${data.properties[name]}` : "";
  const gaps = (found.gaps || []).map(([reason, link]) =>
    `<blockquote>Accepted: ${escape(reason)}<br><a href="${escape(link)}">${escape(link)}</a></blockquote>`);
  let before = -1;
  const shown = found.shown.map(([title, path, script, theirs, ours]) => {
    const source = script === before ? "" : reproducer(data.scripts[script], !!ours && before < 0);
    before = script;
    const sides = ours
      ? side("theirs", `torch ${data.torch}`, theirs) + side("ours", impl, ours)
      : side("", "both", theirs);
    return `<h3>${escape(title)} <code class="soft">${escape(path)}</code></h3>` +
      `<div class="sides">${sides}</div>${source}`;
  });
  return `<h3>${escape(name)} <span class="badge ${found.grade}">${look.mark} &ensp;${escape(look.words)}</span></h3>` +
    `<p class="soft">${count}${escape(meaning)}</p>${gaps.join("")}${shown.join("")}`;
}

function side(kind, caption, pieces) {
  const text = pieces.map((piece, number) =>
    number % 2 && piece ? `<mark>${escape(piece)}</mark>` : escape(piece));
  return `<figure class="${kind}"><figcaption>${escape(caption)}</figcaption>` +
    `<pre tabindex="0">${text.join("")}</pre></figure>`;
}

function reproducer(script, open) {
  return `<details class="script"${open ? " open" : ""}><summary>Reproducer</summary>` +
    `<button type="button" class="copy">Copy</button><pre tabindex="0">${escape(script)}</pre></details>`;
}

async function copy(button) {
  const text = button.nextSibling.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(button.nextSibling);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
}

at("details").addEventListener("click", event => {
  if (event.target === at("details") || event.target.closest("#close")) return at("details").close();
  const button = event.target.closest("button");
  if (button?.matches(".copy")) return copy(button);
  if (button?.dataset.name) {
    open(opened.unit, button.dataset.name);
    at("properties").querySelector("[aria-current=true]").focus();
  }
});
at("details").addEventListener("close", () => history.replaceState(null, "", "#"));

function fromAddress() {
  const [unit, name] = location.hash.slice(1).split(":").map(decodeURIComponent);
  const found = units.find(each => each.name === unit);
  if (found) open(found, found.found[name] ? name : "");
}

head();
overview();
chips();
table();
fromAddress();

// What the tests ask a page, as functions in its window.

function stepsAcross(count) {
  const stride = Math.max(1, Math.floor(steps.length / count));
  return steps.filter((_, k) => k % stride === 0).map((step) => step.number);
}

// Steps at which two boxes or chips lie over each other.
function overlaps() {
  return stepsAcross(40).filter((step) => {
    go(step);
    const all = drawn ? drawn.boxes.flatMap((box) => [box, ...box.chips]) : [];
    return all.some((one, i) =>
      all
        .slice(0, i)
        .some(
          (other) =>
            one.x < other.x + other.width &&
            other.x < one.x + one.width &&
            one.y < other.y + other.height &&
            other.y < one.y + one.height,
        ),
    );
  });
}

// Takes a step in the side pane only, for which the browser lays nothing out.
function goUnseen(step) {
  byId("side").hidden = true;
  view.step = step;
}

// Lines of boxes that run under the badge of what is kept.
function coveredLines() {
  return stepsAcross(40).flatMap((step) => {
    go(step);
    const boxes = drawn ? drawn.boxes.filter((box) => box.badge && box.badge.firstChild) : [];
    return boxes
      .filter(({line, badge}) => {
        const end = line.getBoundingClientRect().right;
        return end > badge.getBoundingClientRect().left;
      })
      .map((box) => `${step}: ${box.line.textContent}`);
  });
}

// The focused control if it is out of sight, covered, or not outlined; null if all is well.
function hiddenFocus() {
  const focused = document.activeElement;
  if (focused === document.body) return null; // after the last control comes the browser's own
  const {left, top, right, bottom} = focused.getBoundingClientRect();
  const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  const isSeen = hit && (focused.contains(hit) || hit.contains(focused));
  const outlined = focused.querySelector(".body, rect");
  const style = getComputedStyle(focused);
  const isOutlined = outlined
    ? parseFloat(getComputedStyle(outlined).strokeWidth) >= 3
    : style.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2;
  return isInside && isSeen && isOutlined ? null : focused.outerHTML.slice(0, 120);
}

// Steps and tabs whose pane fails, is empty, or shows a value that it does not have.
function spoiledPanes(tabs, numbers, goTo = go) {
  const found = [];
  for (const step of numbers) {
    try {
      goTo(step);
      for (const tab of tabs) {
        showTab(tab);
        const text = byId("side").textContent.trim();
        if (text === "" || /undefined|NaN|\[object/.test(text))
          found.push([step, tab, text.slice(0, 80)]);
      }
    } catch (error) {
      found.push([step, view.tab, String(error)]);
    }
  }
  return found;
}

function allSteps() {
  return steps.map((step) => step.number);
}

// The text of the code that lies under the mark.
function markedText() {
  const text = document.querySelector(".line.now .text");
  const mark = text.querySelector(".mark").getBoundingClientRect();
  const inside = [...text.querySelectorAll("span")].filter((span) => {
    const box = span.getBoundingClientRect();
    return box.left >= mark.left - 1 && box.right <= mark.right + 1;
  });
  return inside
    .map((span) => span.textContent)
    .join("")
    .trim();
}

function colorParts4(color) {
  const numbers = (color.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const scale = color.startsWith("color(") ? 255 : 1;
  return [...numbers.slice(0, 3).map((number) => number * scale), numbers[3] ?? 1];
}

function luminance(color) {
  const linear = color
    .slice(0, 3)
    .map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

// What lies behind an element: its background, or the first rectangle of a group of a drawing.
function colorBehind(shown) {
  const layers = [];
  for (let at = shown; at; at = at.parentElement) {
    const plate = at.tagName === "g" ? at.querySelector(":scope > rect") : null;
    const style = getComputedStyle(plate || at);
    const color = colorParts4(plate ? style.fill : style.backgroundColor);
    if (color[3] > 0) layers.push(color);
    if (color[3] === 1) break;
  }
  return layers
    .reverse()
    .reduce(
      (below, top) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])),
      [255, 255, 255],
    );
}

// Texts with less contrast than 4.5. What is yet to come is pale on purpose.
function paleTexts() {
  const texts = "h1, h2, h3, p, b, th, td, code, span, button, text";
  return [...document.querySelectorAll(texts)].flatMap((shown) => {
    const own = [...shown.childNodes].some(
      (node) => node.nodeType === 3 && node.textContent.trim(),
    );
    const isAside = shown.closest(".todo, :disabled, dialog:not([open]), #tip, #note");
    if (!own || isAside || !shown.getClientRects().length) return [];
    const style = getComputedStyle(shown);
    const color = colorParts4(shown.tagName === "text" ? style.fill : style.color);
    const lights = [luminance(color), luminance(colorBehind(shown))].sort(
      (one, other) => other - one,
    );
    const ratio = (lights[0] + 0.05) / (lights[1] + 0.05);
    return ratio < 4.5 ? [`${ratio.toFixed(2)} ${shown.textContent}`] : [];
  });
}

function namelessControls() {
  const controls = document.querySelectorAll("button, input, [role=button], [tabindex]");
  return [...controls]
    .filter(
      (each) =>
        !each.getAttribute("aria-label") &&
        !each.getAttribute("aria-labelledby") &&
        !each.textContent.trim(),
    )
    .map((each) => each.outerHTML);
}

// Numbers the controls that a keyboard must reach, and returns how many there are.
function numberControls() {
  const controls = document.querySelectorAll("header button, main button, footer [tabindex]");
  const shown = [...controls].filter((each) => !each.disabled && each.getClientRects().length);
  shown.forEach((each, i) => {
    each.dataset.mark = String(i);
  });
  return shown.length;
}

// What is wider than its frame.
function wideParts() {
  const parts = [document.scrollingElement, byId("side"), byId("tabs"), byId("graph-bar")];
  return parts.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.id);
}

// Goes to the first step of a kind, with a node, an operator or a leaf of a name.
function goToFirst(kind, name) {
  go(
    steps.findIndex((step) => {
      const event = recording.events[step.first];
      const own = {
        op: () => event.name,
        node: () => recording.nodes[event.node].name,
        accumulate: () => nameOf(event.leaf),
      };
      return step.kind === kind && (name === undefined || own[kind]() === name);
    }),
  );
}

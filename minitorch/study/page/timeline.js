// The timeline: memory over the steps, stacked by kind, the phases below it, and where we are.

const EDGE = 14; // room at both ends
let backdrop = null; // the curves, painted once for a size and a theme

function timelineGeometry() {
  const pane = byId("timeline");
  const [width, height] = [pane.clientWidth, pane.clientHeight];
  const stride = (width - 2 * EDGE) / Math.max(1, steps.length);
  return {width, height, stride, base: height - 13, top: 10, left: (step) => EDGE + stride * step};
}

function drawTimeline() {
  const canvas = byId("timeline").querySelector("canvas");
  const shape = timelineGeometry();
  if (!steps.length || !shape.width || !shape.height) return;
  const ratio = devicePixelRatio || 1;
  const key = `${shape.width} ${shape.height} ${ratio} ${document.documentElement.dataset.theme}`;
  if (!backdrop || backdrop.key !== key) {
    backdrop = {key, canvas: document.createElement("canvas")};
    for (const each of [backdrop.canvas, canvas]) {
      each.width = shape.width * ratio;
      each.height = shape.height * ratio;
    }
    const context = backdrop.canvas.getContext("2d");
    context.scale(ratio, ratio);
    paintPhases(context, shape);
    paintMemory(context, shape);
    paintGraphs(context, shape, paintPeak(context, shape));
  }
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(backdrop.canvas, 0, 0);
  context.scale(ratio, ratio);
  paintHandle(context, shape);
  showMemoryNow();
}

function showMemoryNow() {
  const now = memoryAt(steps[view.step].end);
  byId("memory-now").replaceChildren(
    "Memory ",
    bold(bytesText(now.total)),
    " · kept for backward ",
    bold(bytesText(now.kept)),
  );
}

const PHASE_COLORS = {
  forward: "--forward",
  backward: "--backward",
  update: "--update",
  error: "--error",
};

function paintPhases(context, {left, base, stride}) {
  for (let first = 0; first < steps.length;) {
    let end = first + 1;
    while (end < steps.length && steps[end].phase === steps[first].phase) end++;
    context.fillStyle = themeColor(PHASE_COLORS[steps[first].phase]);
    context.globalAlpha = 0.06;
    context.fillRect(left(first), 0, stride * (end - first), base);
    context.globalAlpha = 0.9;
    context.fillRect(left(first), base + 4, Math.max(1, stride * (end - first) - 1), 5);
    first = end;
  }
  context.globalAlpha = 1;
}

function paintMemory(context, {left, base, top, stride, width}) {
  const {rows, total, peak} = recording.memory;
  const scale = (base - top) / (total[peak] || 1);
  const skip = Math.max(1, Math.floor(steps.length / (2 * width)));
  const shown = steps.filter((_, k) => k % skip === 0);
  const low = new Float64Array(shown.length);
  for (const [kind, , tone] of MEMORY_KINDS) {
    const high = shown.map((step, k) => low[k] + rows[kind][Math.min(total.length - 1, step.end)]);
    const area = new Path2D();
    area.moveTo(left(0), base - scale * low[0]);
    shown.forEach((step, k) => {
      area.lineTo(left(step.number), base - scale * high[k]);
      area.lineTo(left(step.number + skip), base - scale * high[k]);
    });
    for (let k = shown.length - 1; k >= 0; k--) {
      area.lineTo(left(shown[k].number + skip), base - scale * low[k]);
      area.lineTo(left(shown[k].number), base - scale * low[k]);
      low[k] = high[k];
    }
    context.fillStyle = themeColor(tone);
    context.globalAlpha = kind === "other" ? 0.35 : 0.68;
    context.fill(area);
  }
  context.globalAlpha = 1;
}

// Where graphs begin; a label that would lie over that of the peak is left out.
function paintGraphs(context, {left, base, width}, peak) {
  const count = recording.graphs.length;
  if (count < 2 || count > 60) return;
  context.font = `11px ${themeColor("--sans")}`;
  const starts = recording.graphs.map((graph) => recording.events[graph.items[0].event].step);
  starts.forEach((step, number) => {
    context.fillStyle = themeColor("--rule");
    context.fillRect(left(step), 0, 1, base);
    context.fillStyle = themeColor("--soft");
    const hasRoom = width / count > 70 && (left(step) + 58 < peak.from || left(step) > peak.to);
    if (hasRoom) context.fillText(`graph ${number + 1}`, left(step) + 5, 13);
  });
}

function paintPeak(context, {left, width}) {
  const {total, peak} = recording.memory;
  const step = recording.events.length ? recording.events[Math.max(0, peak - 1)].step : 0;
  const text = `peak ${bytesText(total[peak])}`;
  context.font = `600 11px ${themeColor("--sans")}`;
  const room = context.measureText(text).width + 12;
  const x = Math.min(width - room - 4, left(step) + 4);
  context.fillStyle = themeColor("--panel");
  context.globalAlpha = 0.85;
  context.fillRect(x, 1, room, 17);
  context.globalAlpha = 1;
  context.fillStyle = themeColor("--ink");
  context.fillText(text, x + 6, 13);
  return {from: x, to: x + room};
}

function paintHandle(context, {left, base, height, stride}) {
  const x = left(view.step) + stride / 2;
  context.fillStyle = themeColor("--ink");
  context.fillRect(x - 1, 0, 2, height - 4);
  for (const [color, radius] of [
    ["--ink", 6],
    ["--panel", 2.5],
  ]) {
    context.beginPath();
    context.arc(x, base + 6.5, radius, 0, 7);
    context.fillStyle = themeColor(color);
    context.fill();
  }
}

function listenToTimeline() {
  const pane = byId("timeline");
  let isDown = false;
  const stepAt = (event) => {
    const bounds = pane.getBoundingClientRect();
    const place = Math.floor((event.clientX - bounds.left - EDGE) / timelineGeometry().stride);
    return Math.max(0, Math.min(steps.length - 1, place));
  };
  pane.addEventListener("pointerdown", (event) => {
    isDown = true;
    pane.setPointerCapture(event.pointerId);
    go(stepAt(event));
  });
  pane.addEventListener("pointermove", (event) => {
    if (!steps.length) return;
    const step = stepAt(event);
    if (isDown && step !== view.step) go(step);
    const {title} = rowText(steps[step]);
    showTip(`${step + 1}  ${title}\n${whereText(steps[step].place)}`, event);
  });
  pane.addEventListener("pointerup", () => {
    isDown = false;
  });
  pane.addEventListener("pointerleave", hideTip);
}

// Where the graph is in its pane: moved by hand, or following the step.

const camera = {x: 0, y: 0, scale: 1, isFree: false, follows: true};
const SMALLEST_TO_READ = 0.82; // below it the text of a box is under ten pixels

function moveStage(isSmooth = false) {
  if (!drawn) return;
  drawn.stage.style.transition = isSmooth ? "transform .2s ease-out" : "";
  const {x, y, scale} = camera;
  drawn.stage.style.transform = `translate(${x}px,${y}px) scale(${scale})`;
}

function paneSize() {
  const pane = byId("graph");
  return {width: pane.clientWidth, height: pane.clientHeight};
}

function fitGraph() {
  if (!drawn) return;
  const {width, height} = paneSize();
  camera.isFree = true;
  camera.scale = wholeScale(width, height);
  centerStage(width, height);
  moveStage(true);
}

function wholeScale(width, height) {
  return Math.min(
    1.15,
    (width - 48) / Math.max(drawn.width, 1),
    (height - 56) / Math.max(drawn.height, 1),
  );
}

function centerStage(width, height) {
  camera.x = (width - drawn.width * camera.scale) / 2;
  camera.y = (height - drawn.height * camera.scale) / 2;
}

// All of the graph if it can be read so, else the part around the step.
function followStep(isOther) {
  const box = drawn && drawn.boxes[drawn.boxOfItem[drawn.item]];
  if (!box || camera.isFree || !camera.follows) return;
  const {width, height} = paneSize();
  const whole = wholeScale(width, height);
  if (whole >= SMALLEST_TO_READ) {
    camera.scale = whole;
    centerStage(width, height);
  } else {
    camera.scale = Math.min(1, Math.max(SMALLEST_TO_READ, (width - 48) / drawn.width));
    camera.x = followed(
      width,
      drawn.width * camera.scale,
      (box.centerX + (box.shape.right - box.shape.left) / 2) * camera.scale,
      24,
      24,
      width / 2,
    );
    const y = box.centerY * camera.scale;
    const isInSight = !isOther && y + camera.y > 110 && y + camera.y < height - 110;
    camera.y = followed(
      height,
      drawn.height * camera.scale,
      y,
      34,
      30,
      isInSight ? y + camera.y : height * 0.45,
    );
  }
  moveStage(!isOther);
}

// Where a picture of `length` begins so that `point` of it lies at `wanted`, if that leaves no gap.
function followed(room, length, point, before, after, wanted) {
  if (length <= room - before - after) return before + (room - before - after - length) / 2;
  return Math.min(before, Math.max(room - length - after, wanted - point));
}

// A folded graph is drawn anew around each step: the box of the step stays where it was.
function keepAnchor(graph, box) {
  if (!drawn || drawn.graph !== graph || !box) return;
  const before = drawn.boxes[drawn.boxOfItem[drawn.item]];
  if (!before) return;
  camera.x += (before.centerX - box.centerX) * camera.scale;
  camera.y += (before.centerY - box.centerY) * camera.scale;
}

// Moves the picture no further than it takes to show a box or chip.
function bringIntoSight({x, y, width, height}) {
  const size = paneSize();
  const {scale} = camera;
  const moved = (from, to, room) => Math.max(20 - from, 0) || Math.min(room - 20 - to, 0);
  camera.x += moved(x * scale + camera.x, (x + width) * scale + camera.x, size.width);
  camera.y += moved(y * scale + camera.y, (y + height) * scale + camera.y, size.height);
  moveStage();
}

function zoomGraph(factor, x = paneSize().width / 2, y = paneSize().height / 2) {
  const scale = Math.min(2.5, Math.max(0.08, camera.scale * factor));
  camera.isFree = true;
  camera.x = x - ((x - camera.x) * scale) / camera.scale;
  camera.y = y - ((y - camera.y) * scale) / camera.scale;
  camera.scale = scale;
  moveStage();
}

function setFollowing(isOn) {
  camera.follows = isOn;
  camera.isFree = !isOn;
  byId("follow").setAttribute("aria-pressed", String(isOn));
  if (isOn) followStep(true);
}

function listenToGraph() {
  const pane = byId("graph");
  let grip = null;
  pane.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const bounds = pane.getBoundingClientRect();
      zoomGraph(
        Math.exp(-event.deltaY * 0.0016),
        event.clientX - bounds.left,
        event.clientY - bounds.top,
      );
    },
    {passive: false},
  );
  pane.addEventListener("pointerdown", (event) => {
    grip = {x: event.clientX, y: event.clientY, cameraX: camera.x, cameraY: camera.y};
  });
  addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [right, down] = [event.clientX - grip.x, event.clientY - grip.y];
    if (Math.hypot(right, down) < 4) return; // a click on a box is no drag
    camera.isFree = true;
    camera.x = grip.cameraX + right;
    camera.y = grip.cameraY + down;
    moveStage();
  });
  addEventListener("pointerup", () => {
    grip = null;
  });
  addEventListener("pointercancel", () => {
    grip = null;
  });
  new ResizeObserver(() => {
    followStep(true);
    drawTimeline();
  }).observe(pane);
}

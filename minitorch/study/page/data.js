// The recording as the page reads it: unpacked, without gaps, cut into steps.
//
// Event numbers are the clock. A step ends before the first event of the next one; a question like
// "what was the value then" is answered with the last entry of a sorted list before that end.

let recording = null;
let steps = [];

const PHASE_OF_KIND = {
  op: "forward",
  backward: "backward",
  node: "backward",
  accumulate: "backward",
  update: "update",
  zero: "update",
  error: "error",
  stopped: "error",
};

class Value {
  constructor([shape, offset, count, rows, columns, statistics], numbers) {
    this.shape = shape;
    this.numbers = numbers.subarray(offset, offset + count);
    this.isWhole = statistics === undefined;
    this.rows = rows;
    this.columns = columns;
    this.statistics = statistics;
  }

  // The number of a tensor with one element, null for any other.
  get scalar() {
    return this.isWhole && this.numbers.length === 1 ? this.numbers[0] : null;
  }

  get norm() {
    if (!this.isWhole) return this.statistics.norm;
    let sum = 0;
    for (const number of this.numbers) sum += number * number;
    return Math.sqrt(sum);
  }

  get badCount() {
    if (!this.isWhole) return this.statistics.bad || 0;
    return this.numbers.reduce((count, number) => count + (Number.isFinite(number) ? 0 : 1), 0);
  }

  // The part of the elements that is exactly zero, from 0 to 1.
  get zeros() {
    if (!this.isWhole) return this.statistics.zeros || 0;
    return this.numbers.length
      ? this.numbers.filter((number) => number === 0).length / this.numbers.length
      : 0;
  }
}

async function unpacked(id) {
  const holder = byId(id);
  const binary = atob(holder.textContent.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  holder.remove();
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
}

async function readRecording() {
  const [text, numbers] = await Promise.all([
    unpacked("data").then((response) => response.text()),
    unpacked("numbers").then((response) => response.arrayBuffer()),
  ]);
  recording = JSON.parse(text);
  recording.rules = JSON.parse(byId("rules").textContent);
  recording.reports = JSON.parse(byId("reports").textContent);
  const all = new Float32Array(numbers);
  recording.values = recording.values.map((row) => new Value(row, all));
  fillGaps();
  steps = stepsOf(recording.events);
  indexTensors();
  indexTimes();
  findGraphs();
  assignGraphs();
  indexLines();
  measureMemory();
}

// Keys without a value are left out of a recording: here each gets its place.
function fillGaps() {
  recording.places = recording.places.map(
    ([file, line, column, endLine, endColumn, caller, expression], number) => ({
      number,
      file,
      line,
      column,
      endLine,
      endColumn,
      caller,
      expression,
      key: lineKey(file, line),
    }),
  );
  for (const file of recording.files) file.loops = file.loops || [];
  for (const event of recording.events) {
    event.frames = (event.at || []).map(([place, rounds]) => ({
      place: recording.places[place],
      rounds: rounds || [],
    }));
    if (event.kind === "node") {
      event.into = event.into || [];
      event.out_of = event.out_of || [];
    } else if (event.kind === "accumulate") {
      event.into = [event.into].flat();
    }
    if (event.kind === "backward_end") event.outs = event.outs || [];
    if (event.kind !== "op") continue;
    event.ins = event.ins || [];
    event.outs = event.outs || [];
    event.fn = event.fn || [];
    event.writes = event.writes || [];
    event.scalars = [event.scalars || []].flat().join(", ");
  }
  for (const node of recording.nodes) {
    node.edges = node.edges || [];
    node.saved = node.saved || [];
    node.isLeaf = node.leaf !== undefined && node.leaf !== null;
    node.runs = [];
    node.freed = Infinity;
  }
}

function lineKey(file, line) {
  return file * 1e6 + line;
}

// The reader's innermost line of an event, null where none is known.
function placeOf(event) {
  return event.frames.length ? event.frames[event.frames.length - 1].place : null;
}

function expressionOf(event) {
  const place = placeOf(event);
  return place ? place.expression : "";
}

// ---- steps

function stepsOf(events) {
  const found = [];
  const open = new Map(); // the backward that runs on each thread
  let latestNode = null;
  let hasBackward = false;
  events.forEach((event, number) => {
    const thread = event.thread || 0;
    if (event.kind === "backward") open.set(thread, number);
    hasBackward ||= event.kind === "backward";
    if (event.kind === "backward_end") open.delete(thread);
    const backward = open.get(thread) ?? null;
    noteRun(event, number, backward);
    if (event.kind === "node") latestNode = event.node;
    const last = found[found.length - 1];
    if (last && belongsTo(last, event)) last.events.push(number);
    else if (event.kind in PHASE_OF_KIND) {
      found.push({
        kind: event.kind,
        first: number,
        events: [number],
        graph: null,
        latestNode,
        phase: phaseOf(event, backward, hasBackward),
        backward,
        place: null,
        number: found.length,
      });
    }
    event.step = Math.max(0, found.length - 1);
    event.backward = backward;
  });
  found.forEach((step, k) => {
    step.end = k + 1 < found.length ? found[k + 1].first : events.length;
    step.place = stepPlace(step);
  });
  if (hasBackward) joinUpdates(found);
  return found;
}

// What an update by hand takes belongs to it: the product of p -= 0.1 * p.grad.
function joinUpdates(found) {
  const taken = new Set();
  for (const step of found.slice().reverse()) {
    const event = recording.events[step.first];
    if (step.kind !== "op") continue;
    const isUnseen = event.grad_mode === false && isQuiet(event);
    const isTaken = event.outs.some(([tensor]) => taken.has(tensor));
    if (step.phase === "forward" && isUnseen && isTaken) step.phase = "update";
    if (step.phase === "update") event.ins.forEach((tensor) => taken.add(tensor));
  }
}

// What writes with grad mode off before any backward makes initial values; later it is an update.
function phaseOf(event, backward, hasBackward) {
  if (event.kind === "op" && backward !== null) return "backward";
  const isUnseenWrite = event.kind === "op" && event.writes.length && event.grad_mode === false;
  if (isUnseenWrite && hasBackward) return "update";
  return PHASE_OF_KIND[event.kind];
}

// A node that ran without retain_graph lets go of what it kept.
function noteRun(event, number, backward) {
  if (event.kind !== "node" && event.kind !== "accumulate") return;
  const node = recording.nodes[event.node];
  const keeps = backward !== null && Boolean(recording.events[backward].keep);
  node.runs.push(number);
  if (!keeps && node.freed === Infinity) node.freed = number;
}

// Operators that make no node are one step if one expression called them: making a layer, say.
function belongsTo(step, event) {
  if (step.kind !== "op" || event.kind !== "op") return false;
  const before = recording.events[step.first];
  return (
    isQuiet(before) && isQuiet(event) && event.frames.length > 0 && hasSameFrames(before, event)
  );
}

function isQuiet(event) {
  return !event.writes.length && !event.fn.some(Boolean);
}

function hasSameFrames(one, other) {
  return (
    one.frames.length === other.frames.length &&
    one.frames.every((frame, k) => {
      const twin = other.frames[k];
      return frame.place === twin.place && String(frame.rounds) === String(twin.rounds);
    })
  );
}

// Backward steps belong to the line that made the node, or else to the line that called backward.
function stepPlace(step) {
  const event = recording.events[step.first];
  if (step.kind === "node") {
    const maker = recording.nodes[event.node].event;
    if (maker !== undefined && maker !== null) return placeOfMaker(recording.events[maker]);
  }
  if (step.kind === "node" || step.kind === "accumulate") {
    return step.backward === null ? null : placeOf(recording.events[step.backward]);
  }
  return placeOf(event);
}

// A node of a gradient's own graph, by create_graph, was made by the line of a backward.
function placeOfMaker(event) {
  const isOfBackward = event.kind !== "op" && event.backward !== null;
  return placeOf(isOfBackward ? recording.events[event.backward] : event);
}

// ---- names of tensors

function indexTensors() {
  const {tensors, events, nodes} = recording;
  tensors.forEach((tensor) => {
    tensor.maker = null;
  });
  events.forEach((event, number) => {
    if (event.kind !== "op") return;
    event.outs.forEach(([tensor], k) => {
      tensors[tensor].maker ??= number;
      // What a Function makes is seen before it gets its history.
      if (event.fn[k]) Object.assign(tensors[tensor], {grad: true, leaf: false});
    });
  });
  // A node keeps an object of its own: its storage and its shape tell which tensor that is.
  recording.alike = new Map();
  recording.ofStorage = new Map();
  tensors.forEach((tensor, number) => {
    preferNamed(recording.ofStorage, tensor.storage, number);
    if (tensor.name || tensor.maker !== null) {
      preferNamed(recording.alike, `${tensor.storage} ${tensor.shape}`, number);
    }
  });
  recording.leavesWithGrad = [...tensors.keys()].filter((number) => {
    const {leaf, grad, storage} = tensors[number];
    return leaf && grad && recording.ofStorage.get(storage) === number;
  });
  recording.keptAs = new Map();
  for (const node of nodes) {
    for (const saved of node.saved) {
      if (saved.tensor === undefined || recording.keptAs.has(saved.tensor)) continue;
      recording.keptAs.set(saved.tensor, `${saved.name} of ${nodeWord(node.name)}`);
    }
  }
}

function preferNamed(map, key, number) {
  const known = map.get(key);
  const isBetter =
    known === undefined || (recording.tensors[number].name && !recording.tensors[known].name);
  if (isBetter) map.set(key, number);
}

// The reader's own name of a tensor, or the expression that made it.
function nameOf(number) {
  const tensor = recording.tensors[number];
  if (tensor.name) return tensor.name;
  if (tensor.maker === null) {
    const twin = recording.alike.get(`${tensor.storage} ${tensor.shape}`);
    if (twin !== undefined && twin !== number) return nameOf(twin);
    const turned = [...tensor.shape].reverse();
    const original = recording.alike.get(`${tensor.storage} ${turned}`);
    if (original !== undefined && original !== number) return `${nameOf(original)}ᵀ`;
  }
  const expression = tensor.maker === null ? "" : expressionOf(recording.events[tensor.maker]);
  return expression || recording.keptAs.get(number) || `tensor ${number}`;
}

// ---- what was when

function append(map, key, entry) {
  const list = map.get(key);
  if (list) list.push(entry);
  else map.set(key, [entry]);
}

// The last entry of a list, sorted by its events, that is before `end`; null if there is none.
function lastBefore(list, end) {
  if (!list) return null;
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].event < end) low = middle + 1;
    else high = middle;
  }
  return low ? list[low - 1] : null;
}

function indexTimes() {
  const times = (recording.times = {
    values: new Map(),
    gradients: new Map(),
    lineResults: new Map(),
    prints: [],
    printed: "",
  });
  recording.events.forEach((event, number) => {
    if (event.out) {
      times.printed += event.out;
      times.prints.push({event: number, length: times.printed.length});
    }
    if (event.kind === "accumulate") {
      append(times.gradients, event.leaf, {event: number, total: event.total, storage: event.gs});
    } else if (event.kind === "zero") {
      for (const tensor of event.tensors) {
        append(times.gradients, tensor, {event: number, total: null, cleared: event.to});
      }
    } else if (event.kind === "update") {
      for (const [tensor, , after] of event.params) {
        append(times.values, tensor, {event: number, value: after});
      }
    } else if (event.kind === "backward_end") {
      for (const [tensor, value] of event.outs.filter(Boolean)) {
        append(times.values, tensor, {event: number, value});
      }
    } else if (event.kind === "op") indexOperator(event, number, times);
  });
}

function indexOperator(event, number, times) {
  const place = placeOf(event);
  event.outs.forEach(([tensor, value], k) => {
    append(times.values, tensor, {event: number, value});
    const {name, param} = recording.tensors[tensor];
    if (place && name && !param) {
      append(times.lineResults, place.key, {event: number, name, tensor, value, made: event.fn[k]});
    }
  });
}

function valueAt(tensor, end) {
  const entry = lastBefore(recording.times.values.get(tensor), end);
  return (entry && recording.values[entry.value]) || null;
}

// The number of the value of .grad, null where it is None; "zeros" where zero_grad() left zeros.
function leafGradientAt(tensor, end) {
  const entry = lastBefore(recording.times.gradients.get(tensor), end);
  if (!entry) return null;
  if (entry.cleared) return entry.cleared === "zeros" ? "zeros" : null;
  const storage = recording.storages[entry.storage];
  const isGone = storage && storage[2] !== null && storage[2] !== undefined && storage[2] < end;
  return isGone ? null : entry.total;
}

// The gradient that last came into an output of a node, undefined before the node ran.
function gradientAt(node, output, end) {
  const run = lastRun(recording.nodes[node], end);
  return run === null ? undefined : run.into[output];
}

function lastRun(node, end) {
  for (let k = node.runs.length - 1; k >= 0; k--) {
    if (node.runs[k] < end) return recording.events[node.runs[k]];
  }
  return null;
}

// ---- lines

function indexLines() {
  recording.stepsOfLine = new Map();
  steps.forEach((step, k) => {
    if (step.place) append(recording.stepsOfLine, step.place.key, k);
  });
}

function whereText(place) {
  return place ? `${recording.files[place.file].name}:${place.line}` : "";
}

function lineText(place) {
  const lines = (recording.files[place.file].text || "").split("\n");
  return (lines[place.line - 1] || "").trim();
}

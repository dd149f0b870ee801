// Memory over time: which storages are alive, and which of them only because a node kept them.

const MEMORY_KINDS = [
  ["parameter", "parameters", "--update"],
  ["data", "data", "--forward"],
  ["kept", "kept for backward", "--kept"],
  ["gradient", "gradients", "--backward"],
  ["other", "other", "--faint"],
];

function measureMemory() {
  const length = recording.events.length + 1;
  const memory = (recording.memory = {
    kinds: storageKinds(),
    spans: keptSpans(length),
    total: new Float64Array(length),
    peak: 0,
    rows: {},
    bySize: storagesBySize(),
  });
  for (const [kind] of MEMORY_KINDS) memory.rows[kind] = new Float64Array(length);
  recording.storages.forEach((_, storage) => addLife(storage, memory, length));
  for (const [kind] of MEMORY_KINDS) {
    const row = memory.rows[kind];
    for (let i = 0; i < length; i++) {
      if (i) row[i] += row[i - 1];
      memory.total[i] += row[i];
    }
  }
  memory.total.forEach((bytes, i) => {
    if (bytes > memory.total[memory.peak]) memory.peak = i;
  });
  memory.lines = keptByLine();
}

// Sorted once: a step takes the first of them that are alive.
function storagesBySize() {
  const {storages} = recording;
  return [...storages.keys()].sort((one, other) => storages[other][0] - storages[one][0]);
}

function storageKinds() {
  const kinds = recording.storages.map(() => "other");
  for (const tensor of recording.tensors) {
    if (tensor.storage === undefined || tensor.storage === null || !tensor.leaf) continue;
    if (tensor.grad) kinds[tensor.storage] = "parameter";
    else if (kinds[tensor.storage] !== "parameter" && isData(tensor))
      kinds[tensor.storage] = "data";
  }
  for (const event of recording.events) {
    if (event.kind === "accumulate" && kinds[event.gs] !== undefined) kinds[event.gs] = "gradient";
  }
  return kinds;
}

function isData(tensor) {
  return tensor.base === undefined || tensor.base === null;
}

// From when to when the nodes keep a storage: [first event, last event], null for never.
function keptSpans(length) {
  const spans = recording.storages.map(() => null);
  recording.keepers = recording.storages.map(() => new Set());
  recording.nodes.forEach((node, number) => {
    for (const {storage} of node.saved) {
      if (storage === undefined || storage === null) continue;
      const from = (node.event ?? 0) + 1;
      const to = Math.min(node.freed, length);
      const span = spans[storage];
      spans[storage] = span ? [Math.min(span[0], from), Math.max(span[1], to)] : [from, to];
      recording.keepers[storage].add(number);
    }
  });
  return spans;
}

function addLife(storage, {kinds, spans, rows}, length) {
  const [bytes, born, death] = recording.storages[storage];
  const died = Math.max(born, death ?? length);
  const add = (kind, from, to) => {
    if (from >= to) return;
    rows[kind][from] += bytes;
    if (to < length) rows[kind][to] -= bytes;
  };
  const kind = kinds[storage];
  if (kind !== "other" || !spans[storage]) {
    add(kind, born, died);
    return;
  }
  const from = Math.min(died, Math.max(born, spans[storage][0]));
  const to = Math.max(from, Math.min(died, spans[storage][1] + 1));
  add("other", born, from);
  add("kept", from, to);
  add("other", to, died);
}

// For each line: bytes that its nodes keep of their own, and which values these are.
function keptByLine() {
  const lines = new Map();
  const seen = new Set();
  for (const node of recording.nodes) {
    const place = isInGraph(node) ? placeOf(recording.events[node.event]) : null;
    if (!place) continue;
    for (const {storage, tensor} of node.saved) {
      const key = `${place.key} ${storage}`;
      const isOwn = recording.memory.kinds[storage] === "other";
      if (storage === undefined || !isOwn || seen.has(key)) continue;
      seen.add(key);
      if (!lines.has(place.key)) lines.set(place.key, {place, bytes: 0, what: new Map()});
      const line = lines.get(place.key);
      const [bytes] = recording.storages[storage];
      line.bytes += bytes;
      const name = nameOf(tensor);
      line.what.set(name, (line.what.get(name) || 0) + bytes);
    }
  }
  return lines;
}

function memoryAt(end) {
  const {total, rows} = recording.memory;
  const at = Math.min(total.length - 1, end);
  return {total: total[at], kept: rows.kept[at]};
}

// Bytes that the nodes of an item keep beyond parameters and data.
function keptByItem(item) {
  const storages = new Set();
  for (const number of item.nodes) {
    for (const {storage} of recording.nodes[number].saved) {
      if (recording.memory.kinds[storage] === "other") storages.add(storage);
    }
  }
  let sum = 0;
  for (const storage of storages) sum += recording.storages[storage][0];
  return sum;
}

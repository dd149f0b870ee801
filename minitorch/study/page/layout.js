// A layered layout for graphs whose items are numbered in the order in which they were made: every
// edge leads from a smaller number to a larger one. Leaves are no items, they stand beside each
// use. All of it is linear in items, edges and bends, with a fixed number of passes.
//
// items: [{left, right, height}], how far each reaches from its anchor; edges: [{from, to}].
// Returns {x, y: the anchors' places, routes: the points of each edge, width, height}.

const SORTING_PASSES = 4;
const PLACING_PASSES = 10;

function layered(items, edges, {gapX = 30, gapY = 38} = {}) {
  const {ranks, depths} = ranksOf(items.length, edges);
  const rows = rowsOf(items, edges, ranks, depths);
  for (let pass = 0; pass < SORTING_PASSES; pass++) {
    for (const row of rows.list.slice(1)) sortRow(row, rows.above, rows.order);
    for (const row of rows.list.slice(0, -1).reverse()) sortRow(row, rows.below, rows.order);
  }
  placeRows(rows, gapX);
  return finishedLayout(items, edges, rows, gapY);
}

// Ranks by the longest way from a source; `depths` says how much leads to an item.
function ranksOf(count, edges) {
  const into = Array.from({length: count}, () => []);
  const outOf = Array.from({length: count}, () => []);
  for (const {from, to} of edges) {
    into[to].push(from);
    outOf[from].push(to);
  }
  const ranks = new Array(count).fill(0);
  for (let i = 0; i < count; i++) {
    for (const from of into[i]) ranks[i] = Math.max(ranks[i], ranks[from] + 1);
  }
  const depths = ranks.slice();
  // Sources stay near to where they are used.
  for (let i = count - 1; i >= 0; i--) {
    if (into[i].length || !outOf[i].length) continue;
    ranks[i] = Math.min(...outOf[i].map((to) => ranks[to])) - 1;
  }
  return {ranks, depths};
}

// Items by rank, and a bend for each rank that an edge passes. Bends are numbered after the items.
function rowsOf(items, edges, ranks, depths) {
  const count = items.length;
  const rows = {
    count,
    list: Array.from({length: 1 + Math.max(-1, ...ranks)}, () => []),
    lefts: items.map((item) => item.left),
    rights: items.map((item) => item.right),
    ranks: ranks.slice(),
    depths: depths.slice(),
    above: items.map(() => []),
    below: items.map(() => []),
    chains: [],
    order: [],
  };
  for (let i = 0; i < count; i++) rows.list[ranks[i]].push(i);
  for (const {from, to} of edges) rows.chains.push(chainOf(rows, from, to));
  for (const row of rows.list)
    row.forEach((item, place) => {
      rows.order[item] = place;
    });
  return rows;
}

function chainOf(rows, from, to) {
  const chain = [from];
  for (let rank = rows.ranks[from] + 1; rank < rows.ranks[to]; rank++) {
    const bend = rows.lefts.length;
    rows.lefts.push(6);
    rows.rights.push(6);
    rows.ranks.push(rank);
    rows.depths.push(rows.depths[from]);
    rows.above.push([]);
    rows.below.push([]);
    rows.list[rank].push(bend);
    chain.push(bend);
  }
  chain.push(to);
  for (let k = 1; k < chain.length; k++) {
    rows.below[chain[k - 1]].push(chain[k]);
    rows.above[chain[k]].push(chain[k - 1]);
  }
  return chain;
}

// Fewer crossings: each item goes to the middle of its neighbours in the next row.
function sortRow(row, neighbours, order) {
  const wanted = new Map(
    row.map((item) => {
      const others = neighbours[item];
      const sum = others.reduce((total, other) => total + order[other], 0);
      return [item, others.length ? sum / others.length : order[item]];
    }),
  );
  row.sort((one, other) => wanted.get(one) - wanted.get(other) || one - other);
  row.forEach((item, place) => {
    order[item] = place;
  });
}

function placeRows(rows, gapX) {
  rows.x = new Float64Array(rows.lefts.length);
  for (const row of rows.list) {
    placeRow(
      rows,
      row,
      row.map((_, place) => place * 10),
      row.map(() => 1),
      gapX,
    );
  }
  for (let pass = 0; pass < PLACING_PASSES; pass++) {
    const isDownwards = pass % 2 === 0;
    const list = isDownwards ? rows.list : rows.list.slice().reverse();
    const near = isDownwards ? rows.above : rows.below;
    const far = isDownwards ? rows.below : rows.above;
    for (const row of list) {
      const wanted = row.map((item) => {
        const place = middleOf(rows, item, near[item].length ? near[item] : far[item]);
        return place * 0.97; // a weak pull to the middle: long graphs must not drift
      });
      placeRow(
        rows,
        row,
        wanted,
        row.map((item) => 1 + rows.depths[item]),
        gapX,
      );
    }
  }
}

// What much leads to weighs more: a long chain stays straight, side branches give way.
function middleOf(rows, item, others) {
  let sum = 0;
  let weights = 0;
  for (const other of others) {
    const isLong = item >= rows.count || other >= rows.count;
    const weight = (1 + rows.depths[other]) ** 2 * (isLong ? 2 : 1);
    sum += weight * rows.x[other];
    weights += weight;
  }
  return weights ? sum / weights : rows.x[item];
}

// The row that is nearest to what is wanted and keeps its order and its gaps: neighbours that would
// overlap are pooled and move as one.
function placeRow(rows, row, wanted, weights, gapX) {
  const offsets = [0];
  for (let k = 1; k < row.length; k++) {
    const hasBend = row[k] >= rows.count || row[k - 1] >= rows.count;
    const gap = hasBend ? gapX * 0.7 : gapX;
    offsets.push(offsets[k - 1] + rows.rights[row[k - 1]] + rows.lefts[row[k]] + gap);
  }
  const pools = [];
  row.forEach((_, k) => {
    let pool = {sum: weights[k] * (wanted[k] - offsets[k]), weight: weights[k], first: k};
    while (pools.length) {
      const before = pools[pools.length - 1];
      if (before.sum / before.weight <= pool.sum / pool.weight) break;
      pools.pop();
      pool = {sum: before.sum + pool.sum, weight: before.weight + pool.weight, first: before.first};
    }
    pools.push(pool);
  });
  pools.forEach((pool, p) => {
    const end = p + 1 < pools.length ? pools[p + 1].first : row.length;
    for (let k = pool.first; k < end; k++) rows.x[row[k]] = pool.sum / pool.weight + offsets[k];
  });
}

function finishedLayout(items, edges, rows, gapY) {
  const heights = rows.list.map((row) =>
    Math.max(0, ...row.filter((i) => i < rows.count).map((i) => items[i].height)),
  );
  const tops = [0];
  heights.forEach((height, rank) => tops.push(tops[rank] + height + gapY));
  let left = 0;
  let right = 0;
  if (items.length) {
    left = Infinity;
    right = -Infinity;
    rows.x.forEach((x, i) => {
      left = Math.min(left, x - rows.lefts[i]);
      right = Math.max(right, x + rows.rights[i]);
    });
  }
  const point = (i) => ({x: rows.x[i] - left, y: tops[rows.ranks[i]] + heights[rows.ranks[i]] / 2});
  const places = items.map((_, i) => point(i));
  return {
    x: places.map((place) => place.x),
    y: places.map((place) => place.y),
    routes: rows.chains.map((chain) => chain.map(point)),
    width: right - left,
    height: Math.max(0, tops[tops.length - 1] - gapY),
  };
}

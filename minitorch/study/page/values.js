// Values as pictures, numbers and statistics.

const pictures = new Map();
const easel = document.createElement("canvas"); // one for all pictures: making one costs 0.2 ms

// A value in short: a number, a few numbers, or its shape and its norm.
function briefText(value) {
  if (!value) return "None";
  if (value.scalar !== null) return numberText(value.scalar);
  if (
    value.isWhole &&
    value.shape.length === 1 &&
    value.numbers.length &&
    value.numbers.length <= 4
  ) {
    return `[${Array.from(value.numbers, numberText).join(", ")}]`;
  }
  return `${shapeText(value.shape)} ‖${numberText(value.norm)}‖`;
}

function sizeText(value) {
  return value.scalar !== null ? numberText(value.scalar) : `‖${numberText(value.norm)}‖`;
}

function rowsOfValue(value) {
  const {numbers, shape} = value;
  const isFlat = value.isWhole && shape.length <= 1;
  const columns = value.isWhole
    ? isFlat
      ? numbers.length
      : shape[shape.length - 1]
    : value.columns;
  const rows = [];
  for (let i = 0; columns && i < numbers.length; i += columns)
    rows.push(numbers.subarray(i, i + columns));
  return rows;
}

function largestSize(numbers) {
  let largest = 0;
  for (const number of numbers) {
    if (Number.isFinite(number)) largest = Math.max(largest, Math.abs(number));
  }
  return largest;
}

// How strong a number's colour is, from 0 to 1: the exponent lifts small numbers into sight.
function intensity(number, largest) {
  return largest ? (Math.abs(number) / largest) ** 0.7 : 0;
}

function themeColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function colorParts(hex) {
  const number = parseInt(hex.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

// A picture of a value, one pixel a number: {url, rows, columns}; null for an empty one.
function pictureOf(value) {
  if (pictures.has(value)) return pictures.get(value);
  const rows = rowsOfValue(value);
  if (!rows.length) return null;
  Object.assign(easel, {width: rows[0].length, height: rows.length});
  const context = easel.getContext("2d", {willReadFrequently: true});
  const image = context.createImageData(rows[0].length, rows.length);
  const [negative, middle, positive, bad] = ["--negative", "--middle", "--positive", "--bad"].map(
    (name) => colorParts(themeColor(name)),
  );
  const largest = largestSize(value.numbers);
  let at = 0;
  for (const number of rows.flatMap((row) => Array.from(row))) {
    const strength = Number.isFinite(number) ? intensity(number, largest) : 1;
    const target = Number.isFinite(number) ? (number < 0 ? negative : positive) : bad;
    for (let k = 0; k < 3; k++) image.data[at + k] = middle[k] + (target[k] - middle[k]) * strength;
    image.data[at + 3] = 255;
    at += 4;
  }
  context.putImageData(image, 0, 0);
  const picture = {url: easel.toDataURL(), rows: rows.length, columns: rows[0].length};
  pictures.set(value, picture);
  return picture;
}

// A value as large as the side pane has room: numbers on colours, or a picture.
function shownValue(value, width = 290) {
  if (value.scalar !== null) return block("number", numberText(value.scalar));
  const rows = rowsOfValue(value);
  if (!rows.length)
    return block("statistics", value.isWhole ? "no elements" : "numbers left out: long recording");
  if (value.isWhole && rows[0].length <= 6 && rows.length <= 10)
    return numberGrid(rows, value, width);
  const picture = pictureOf(value);
  const pixel = Math.max(1, Math.min(14, width / picture.columns));
  const height = Math.max(14, Math.min(150, picture.rows * pixel));
  return element("img", {
    class: "heat",
    src: picture.url,
    width: Math.round(picture.columns * pixel),
    height: Math.round(height),
    alt: `picture of ${shapeText(value.shape)}: blue is negative, orange positive`,
  });
}

function numberGrid(rows, value, width) {
  const largest = largestSize(value.numbers);
  const columns = Math.min(66, Math.floor(width / rows[0].length));
  const grid = element("div", {
    class: "grid",
    style: `grid-template-columns:repeat(${rows[0].length},${columns}px)`,
  });
  for (const number of rows.flatMap((row) => Array.from(row))) {
    const tone = number < 0 ? "--negative" : "--positive";
    const share = Math.round(intensity(number, largest) * 55);
    const color = Number.isFinite(number)
      ? `color-mix(in srgb,var(${tone}) ${share}%,var(--middle))`
      : "var(--bad-soft)";
    const digits = columns < 50 ? Number(number.toPrecision(2)) : number;
    grid.append(element("span", {style: `background:${color}`}, numberText(digits)));
  }
  return grid;
}

function statisticsOf(value) {
  const rows = value.isWhole ? wholeStatistics(value) : sampledStatistics(value);
  return block(
    "statistics",
    rows.map(([name, text]) => span("", `${name} `, bold(text))),
  );
}

function wholeStatistics(value) {
  if (value.numbers.length < 2) return [];
  const good = Array.from(value.numbers).filter(Number.isFinite);
  const rows = good.length
    ? [
        ["min", numberText(Math.min(...good))],
        ["max", numberText(Math.max(...good))],
      ]
    : [];
  rows.push(["‖·‖", numberText(value.norm)]);
  const zeros = good.filter((number) => number === 0).length;
  if (zeros) rows.push(["zeros", `${zeros} of ${value.numbers.length}`]);
  if (value.badCount) rows.push(["nan or inf", String(value.badCount)]);
  return rows;
}

function sampledStatistics({statistics}) {
  const isSample = statistics.of < statistics.n;
  const rows = [];
  for (const name of ["min", "max", "mean", "std"]) {
    if (statistics[name] !== undefined) rows.push([name, numberText(statistics[name])]);
  }
  if (statistics.norm !== undefined)
    rows.push(["‖·‖", (isSample ? "≈ " : "") + numberText(statistics.norm)]);
  if (statistics.zeros) rows.push(["zeros", `${(100 * statistics.zeros).toFixed(1)} %`]);
  if (statistics.bad) rows.push(["nan or inf", String(statistics.bad)]);
  if (isSample) rows.push(["looked at", `${statistics.of} of ${statistics.n}`]);
  return rows;
}

// A card of the side pane: a name, the value below it, and a note at the right.
function valueCard(name, value, note = "") {
  const kind = value ? (value.shape.length ? shapeText(value.shape) : "scalar") : "None";
  return block(
    "card",
    block("head", bold(name), span("", kind), note && span("note", note)),
    value && shownValue(value),
    value && statisticsOf(value),
  );
}

"use strict";
// Elements, and how numbers, sizes and shapes are written.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

function byId(id) {
  return document.getElementById(id);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) made[name] = value;
    else made.setAttribute(name, value);
  }
  for (const child of children.flat(3)) {
    if (child !== null && child !== undefined && child !== false) made.append(child);
  }
  return made;
}

function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawing(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function textDrawing(x, y, text, kind = null, anchor = null) {
  return drawing("text", {x, y, class: kind, "text-anchor": anchor}, text);
}

function block(kind, ...children) {
  return element("div", {class: kind}, ...children);
}

function span(kind, ...children) {
  return element("span", {class: kind || null}, ...children);
}

function bold(...children) {
  return element("b", {}, ...children);
}

function code(text) {
  return element("code", {}, text);
}

// A number and its unit stay on one line: the space between them does not break.
function bytesText(count) {
  if (count < 1024) return `${count}\u00a0B`;
  if (count < 1048576) return `${(count / 1024).toFixed(count < 10240 ? 1 : 0)}\u00a0KiB`;
  if (count < 1073741824) return `${(count / 1048576).toFixed(1)}\u00a0MiB`;
  return `${(count / 1073741824).toFixed(2)}\u00a0GiB`;
}

// Statistics carry "nan" and "inf" as texts, for JSON has no such numbers.
function numberText(number) {
  if (typeof number === "string") return number.replace("-", "−");
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "−inf";
  const size = Math.abs(number);
  let text = String(Number(number.toPrecision(4)));
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) text = number.toExponential(2);
  if (Number.isInteger(number) && size < 1e6) text = String(number);
  return text.replace("-", "−");
}

// A number in at most so many letters: with fewer digits, never cut off.
function fittingNumber(number, letters) {
  if (typeof number !== "number") return numberText(number);
  const texts = [
    numberText(number),
    ...[3, 2, 1].map((digits) => numberText(Number(number.toPrecision(digits)))),
  ];
  const short = number.toExponential(0).replaceAll("-", "−");
  return texts.find((text) => text.length <= letters) ?? short;
}

function millisecondsText(microseconds) {
  return `${numberText(Number((microseconds / 1000).toPrecision(2)))}\u00a0ms`;
}

function shapeText(shape) {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}

function shortened(text, limit) {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

// A name that may go on in the next line after each of its dots.
function breakable(name) {
  return name.split(/(?<=\.)/).flatMap((part) => [part, element("wbr")]);
}

function counted(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

const OPERATOR_SIGNS = {
  matmul: "@",
  mm: "@",
  bmm: "@",
  add: "+",
  sub: "−",
  rsub: "−",
  mul: "×",
  div: "÷",
  pow: "**",
  neg: "−",
};

// Both libraries watch at different heights: torch sees cross_entropy_loss inside cross_entropy.
function operatorName(event) {
  return event.name.replace(/^(.+)_loss$/, (whole, name) =>
    name === "cross_entropy" ? name : whole,
  );
}

function nodeWord(name) {
  return name.replace(/Backward\d*$/, "");
}

// Numbers of 64 bits that stand for negative ones: reduction dims are kept unsigned.
function signedText(text) {
  const limit = 2n ** 63n;
  return text.replace(/\b\d{19,20}\b/g, (digits) =>
    BigInt(digits) >= limit ? String(BigInt(digits) - 2n * limit) : digits,
  );
}

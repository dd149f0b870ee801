// Predict mode: the next gradient is hidden until the reader has said what it will be.

// Whether the current step is one whose gradient is still to be answered.
function isPredicting() {
  const step = steps[view.step];
  return Boolean(
    view.isPredictOn &&
    step &&
    (step.kind === "node" || step.kind === "accumulate") &&
    !view.answers.has(step.number),
  );
}

// The event whose results must not be shown yet, null outside of a question.
function hiddenEvent() {
  return isPredicting() ? steps[view.step].first : null;
}

function switchPredict() {
  view.isPredictOn = !view.isPredictOn;
  byId("predict").setAttribute("aria-pressed", String(view.isPredictOn));
  announce(view.isPredictOn ? "Predict: gradients are hidden until you answer" : "Predict is off");
  go(view.step);
}

// A number is asked for where all is scalar, else one of several formulas.
function predictionPane(step, event) {
  const question = step.kind === "node" ? nodeQuestion(event) : leafQuestion(step, event);
  if (!question)
    return block(
      "question",
      element("p", {}, "Look at the value, then go on."),
      revealButton(step, "Show it"),
    );
  const answer = (isRight, said) => {
    view.answers.set(step.number, {isRight, said, right: question.right});
    go(step.number);
  };
  const isNumber = question.number !== undefined;
  return block(
    "question",
    element("p", {}, question.text),
    isNumber ? numberForm(question, answer) : choiceButtons(question, answer),
    revealButton(step, "Show me"),
  );
}

function revealButton(step, text) {
  return element(
    "button",
    {
      class: "link",
      onclick: () => {
        view.answers.set(step.number, null);
        go(step.number);
      },
    },
    text,
  );
}

function numberForm({number}, answer) {
  const field = element("input", {
    type: "text",
    inputmode: "decimal",
    "aria-label": "Your number",
    size: 10,
  });
  return element(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        const said = Number(field.value.replace("−", "-").replace(",", "."));
        const isClose = Math.abs(said - number) <= 0.01 * Math.abs(number) + 1e-6;
        answer(field.value.trim() !== "" && isClose, field.value);
      },
    },
    field,
    element("button", {class: "action strong"}, "Check"),
  );
}

function choiceButtons({choices, right}, answer) {
  return block(
    "choices",
    choices.map((choice) =>
      element("button", {class: "choice", onclick: () => answer(choice === right, choice)}, choice),
    ),
  );
}

function nodeQuestion(event) {
  const node = recording.nodes[event.node];
  const edge = node.edges.findIndex(([target]) => target !== null);
  if (edge < 0) return null;
  const text = `What goes on to ${edgeName(node, edge)}?`;
  const out = recording.values[event.out_of[edge]];
  const into = recording.values[event.into[0]];
  if (out && out.scalar !== null && into && into.scalar !== null) {
    return {
      text: `${text} G is ${numberText(into.scalar)}.`,
      number: out.scalar,
      right: numberText(out.scalar),
    };
  }
  const rule = ruleOf(node.name);
  const [right] = rule ? spelledRule(rule, edge, event) : [];
  if (!right) return null;
  const choices = new Set([right, "G"]);
  for (const wrong of wrongFormulas(event, rule)) if (choices.size < 4) choices.add(wrong);
  // In an order that is fixed, and not always the right one first.
  return {text, right, choices: [...choices].sort()};
}

// Formulas of the node's other inputs, and of other nodes in this recording.
function wrongFormulas(event, rule) {
  const own = rule.formulas.map((_, other) => spelledRule(rule, other, event)[0]);
  const others = Object.values(recording.rules)
    .filter((other) => other !== rule && other.formulas.length)
    .map((other) => spelledRule({...rule, formulas: other.formulas}, 0, event)[0]);
  return [...own, "−G", ...others];
}

function leafQuestion(step, event) {
  const name = nameOf(event.leaf);
  const before = leafGradientAt(event.leaf, step.first);
  const total = recording.values[event.total];
  const old = before === null ? "None" : before === "zeros" ? "0" : briefOf(before);
  const text = `${name}.grad is ${old} now. What is it after this step?`;
  if (total && total.scalar !== null)
    return {text, number: total.scalar, right: numberText(total.scalar)};
  return {text, right: before === null ? "G" : "old + G", choices: ["G", "old + G", "old · G"]};
}

// The verdict on the answer that was given at this step.
function verdict() {
  const answer = view.answers.get(view.step);
  if (!view.isPredictOn || !answer) return null;
  return element(
    "div",
    {class: answer.isRight ? "verdict right" : "verdict wrong", role: "status"},
    bold(answer.isRight ? "Right. " : "Not quite. "),
    answer.isRight ? answer.right : `You said ${answer.said || "nothing"}; it is ${answer.right}.`,
  );
}

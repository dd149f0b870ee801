// The Step pane of optimizers, of zero_grad, and of errors with what caused them.

function updatePane(step, event) {
  return [
    paneTitle(`${event.name}.step()`, step.place),
    paragraph("Writes the parameters in place, with grad mode off: no graph is made of it."),
    event.params
      .slice(0, 12)
      .map(([tensor, before, after]) =>
        valueCard(nameOf(tensor), recording.values[after], movedText(before, after)),
      ),
    event.params.length > 12 && paragraph(`… and ${event.params.length - 12} more parameters.`),
  ];
}

function movedText(before, after) {
  const [one, other] = [recording.values[before], recording.values[after]];
  if (!one || !other) return "";
  if (one === other) return "did not move";
  if (!one.isWhole || !other.isWhole) return "";
  let sum = 0;
  one.numbers.forEach((number, i) => {
    sum += (number - other.numbers[i]) ** 2;
  });
  return sum ? `moved by ‖${numberText(Math.sqrt(sum))}‖` : "did not move";
}

function zeroPane(step, event) {
  const names = event.tensors.map(nameOf);
  const result = event.to === "zeros" ? "zeros" : "None";
  return [
    paneTitle(
      step.place ? shortened(step.place.expression || "zero_grad()", 60) : "zero_grad()",
      step.place,
      "",
    ),
    paragraph(
      `Sets the .grad of ${listed(names.slice(0, 8).map((name) => name))}`,
      names.length > 8 ? ` and ${names.length - 8} more` : "",
      ` to ${result}, so that the next backward starts anew.`,
    ),
  ];
}

function errorPane(step, event) {
  return [
    paneTitle(event.text.split(":")[0] || "Error", step.place),
    element("p", {class: "error-text"}, event.text),
    errorReasons(step, event),
  ];
}

function stoppedPane(step, event) {
  return [paneTitle("The recording stops here", step.place), paragraph(event.text)];
}

function errorReasons(step, event) {
  if (/modified by an inplace operation/.test(event.text)) {
    const found = overwrittenSaves(step.first).slice(0, 4);
    return (
      found.length > 0 && [heading("What was kept, and what wrote it"), found.map(overwriteCard)]
    );
  }
  if (/second time/.test(event.text)) {
    const earlier = freeingStep(recording.graphs[step.graph]);
    return (
      earlier && [
        heading("Why"),
        block(
          "card",
          paragraph(
            "The backward of ",
            stepLink(earlier.number, whereText(earlier.place)),
            " let go of what the nodes kept. Give it ",
            code("retain_graph=True"),
            ", or compute the result anew.",
          ),
        ),
      ]
    );
  }
  return null;
}

// The backward that let go of what the nodes of a graph kept.
function freeingStep(graph) {
  const freed = graph
    ? Math.min(...graph.nodes.map((number) => recording.nodes[number].freed))
    : Infinity;
  const backward = freed === Infinity ? null : recording.events[freed].backward;
  return backward === null ? null : steps[recording.events[backward].step];
}

function stepLink(step, text) {
  return element("button", {class: "link", onclick: () => go(step)}, text);
}

function overwriteCard({node, saved, event}) {
  const writer = placeOf(recording.events[event]);
  const maker = recording.events[node.event];
  return block(
    "card",
    paragraph(
      code(node.name),
      ", made in ",
      stepLink(maker.step, whereText(placeOf(maker))),
      ", keeps ",
      bold(nameOf(saved.tensor)),
      " for its backward.",
    ),
    paragraph(
      "After that ",
      stepLink(recording.events[event].step, whereText(writer)),
      " wrote it: ",
      code(writer ? lineText(writer) : recording.events[event].name),
    ),
    element(
      "p",
      {class: "aside"},
      "Write into a copy, made with clone(), or write before the value is used.",
    ),
  );
}

// What nodes that have not run keep, and the first later operator that wrote its memory.
function overwrittenSaves(end) {
  const writers = new Map();
  recording.events.slice(0, end).forEach((event, number) => {
    if (event.kind !== "op") return;
    for (const tensor of event.writes) append(writers, recording.tensors[tensor].storage, number);
  });
  const found = [];
  for (const node of recording.nodes) {
    if (!writers.size || !isInGraph(node) || node.runs.some((run) => run < end)) continue;
    for (const saved of node.saved) {
      const event = (writers.get(saved.storage) || []).find((number) => number > node.event);
      if (event !== undefined) found.push({node, saved, event});
    }
  }
  return found;
}

// The practice form in the browser: shows a question, sends what the student did, and shows what Python says to it.
// Nothing is judged here, and nothing is fetched. HTML comes from Python only, which escapes what people typed.

const PATIENCE_MS = 4000; // a kernel at rest answers in well under a second
const WAITING =
  "Still waiting for Python. It may be busy with another cell; if the kernel was restarted, run this cell again.";

/** An element with attributes and children; a string becomes text, never HTML. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  // Keys typed here are the student's: without this mark Jupyter takes them for its own shortcuts.
  if (["input", "button"].includes(tag) || attributes.tabindex === "0") made.dataset.lmSuppressShortcuts = "true";
  made.append(...children);
  return made;
}

/** An element that holds HTML written by Python. */
function written(tag, attributes, html) {
  const made = make(tag, attributes);
  made.innerHTML = html;
  return made;
}

function textField(id, attributes = {}) {
  return make("input", { type: "text", id, autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });
}

/** A number with its unit. */
function quantity(form, id, given) {
  const field = textField(`${id}-answer`, { "aria-describedby": `${id}-how`, class: "shardwise-quantity" });
  field.value = typeof given === "string" ? given : "";
  return {
    nodes: [
      make("label", { for: field.id, class: "shardwise-label" }, "Your answer"),
      field,
      make("p", { id: `${id}-how`, class: "shardwise-how" }, form.how),
    ],
    answer: () => field.value,
  };
}

/** One or several options of a list. */
function choice(form, id, given) {
  const type = form.pick === "one" ? "radio" : "checkbox";
  const boxes = form.options.map((one) =>
    make("input", {
      type,
      name: `${id}-option`,
      value: one.label,
      checked: Array.isArray(given) && given.includes(one.label),
    }),
  );
  const rows = form.options.map((one, place) =>
    make(
      "label",
      { class: "shardwise-option" },
      boxes[place],
      make("span", { class: "shardwise-letter" }, `${one.label})`),
      written("span", {}, one.html),
    ),
  );
  return {
    nodes: [make("fieldset", {}, make("legend", { class: "shardwise-label" }, form.how), ...rows)],
    answer: () => boxes.filter((box) => box.checked).map((box) => box.value),
  };
}

/** A listing to pick a line from, an input that exposes it, and the line mended. */
function bugline(form, id, given) {
  const before = given && typeof given === "object" ? given : {};
  const fix = textField(`${id}-fix`, { class: "shardwise-code", "aria-describedby": `${id}-fix-how` });
  const list = listing(form.listing, id, fix);
  if (before.line) list.pick(before.line);
  if (before.fix) fix.value = before.fix;
  const numbers = form.arguments.map((one) => numberField(one, id, (before.input ?? {})[one.name]));
  return {
    nodes: [
      make("div", { id: `${id}-listing`, class: "shardwise-label" }, "1. Which line is wrong? Arrow keys or a click pick it."),
      list.node,
      make(
        "fieldset",
        {},
        make("legend", { class: "shardwise-label" }, "2. An input on which it goes wrong, in base units"),
        make("div", { class: "shardwise-arguments" }, ...numbers.map((one) => one.node)),
      ),
      make("label", { for: fix.id, class: "shardwise-label" }, "3. That line, mended"),
      fix,
      make("p", { id: `${id}-fix-how`, class: "shardwise-how" }, "The line that you pick above stands here for you to change."),
    ],
    answer: () => ({
      line: list.picked(),
      input: Object.fromEntries(numbers.filter((one) => one.value() !== null).map((one) => [one.name, one.value()])),
      fix: fix.value.trim() === list.text() ? "" : fix.value, // the line as it stands is no answer yet
    }),
  };
}

/** The lines of a program as a list box; the mended line follows the pick, and a line keeps what was typed for it. */
function listing(lines, id, fix) {
  const drafts = new Map();
  let picked = null;
  const options = lines.map((line, place) =>
    make(
      "div",
      { role: "option", id: `${id}-line-${place + 1}`, "aria-selected": "false", class: "shardwise-line" },
      make("span", { class: "shardwise-number" }, `${place + 1}`),
      make("code", {}, line),
    ),
  );
  const node = make(
    "div",
    { role: "listbox", tabindex: "0", "aria-labelledby": `${id}-listing`, class: "shardwise-listing" },
    ...options,
  );
  const text = () => (picked === null ? "" : lines[picked - 1].trim());

  function pick(number) {
    if (picked !== null) drafts.set(picked, fix.value);
    picked = number;
    options.forEach((option, place) => option.setAttribute("aria-selected", String(place + 1 === number)));
    node.setAttribute("aria-activedescendant", options[number - 1].id);
    fix.value = drafts.get(number) ?? text();
  }

  node.addEventListener("keydown", (event) => {
    const last = lines.length;
    const to = {
      ArrowDown: Math.min(last, (picked ?? 0) + 1),
      ArrowUp: Math.max(1, (picked ?? last + 1) - 1),
      Home: 1,
      End: last,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    pick(to);
  });
  options.forEach((option, place) => option.addEventListener("click", () => pick(place + 1)));
  return { node, pick, picked: () => picked, text };
}

function numberField(argument, id, given) {
  const field = make("input", {
    type: "number",
    id: `${id}-input-${argument.name}`,
    step: argument.whole ? "1" : "any",
    autocomplete: "off",
    "aria-describedby": `${id}-range-${argument.name}`,
  });
  if (given !== undefined) field.value = given;
  const node = make(
    "div",
    { class: "shardwise-argument" },
    make("label", { for: field.id }, make("code", {}, argument.name)),
    field,
    make("span", { id: `${id}-range-${argument.name}`, class: "shardwise-how" }, argument.range),
  );
  const value = () => {
    if (field.validity.badInput) return "?"; // not a number: Python says so
    return field.value === "" ? null : Number(field.value);
  };
  return { name: argument.name, node, value };
}

const FORMS = { quantity, choice, bugline };

function render({ model, el }) {
  const id = `shardwise-${Math.random().toString(36).slice(2)}`; // every view loads this file anew: no counter is shared
  const title = make("h3", { id: `${id}-title` });
  const points = make("span", { class: "shardwise-points" });
  const prompt = make("div", { class: "shardwise-prompt" });
  const fields = make("div", { class: "shardwise-fields" });
  const buttons = {
    check: make("button", { type: "submit", class: "shardwise-primary" }, "Check"),
    hint: make("button", { type: "button" }),
    solution: make("button", { type: "button" }, "Solution"),
    another: make("button", { type: "button" }, "Another"),
  };
  const form = make("form", {}, fields, make("div", { class: "shardwise-buttons" }, ...Object.values(buttons)));
  const status = make("div", { role: "status", "aria-live": "polite", class: "shardwise-status" });
  const hints = make("div", { "aria-live": "polite", class: "shardwise-more" });
  const solution = make("div", { "aria-live": "polite", class: "shardwise-more" });
  form.noValidate = true; // Python says what is wrong with an answer, in words
  el.append(
    make(
      "section",
      { class: "shardwise", "aria-labelledby": title.id },
      make("header", {}, title, points),
      prompt,
      form,
      status,
      hints,
      solution,
    ),
  );

  let answer = () => null;
  let waiting = null;

  function say(outcome, html) {
    status.dataset.outcome = outcome;
    status.innerHTML = html;
  }

  function send(action, more = {}) {
    const patience = () => {
      status.dataset.outcome = "blank";
      status.textContent = WAITING;
    };
    clearTimeout(waiting);
    waiting = setTimeout(patience, PATIENCE_MS);
    try {
      model.send({ do: action, seed: model.get("question").seed, ...more });
    } catch {
      patience(); // the connection is gone
    }
  }

  function showQuestion() {
    const question = model.get("question");
    title.textContent = question.title;
    points.textContent = question.points;
    prompt.innerHTML = question.prompt;
    const built = FORMS[question.kind](question.form, id, model.get("answer"));
    fields.replaceChildren(...built.nodes);
    answer = built.answer;
  }

  function showFeedback() {
    const { outcome, html } = model.get("feedback");
    say(outcome ?? "", html ?? "");
  }

  function showHints() {
    const given = model.get("hints");
    const left = model.get("question").hints - given.length;
    if (given.length < hints.children.length) hints.replaceChildren();
    for (const html of given.slice(hints.children.length)) {
      hints.append(written("div", { class: "shardwise-hint" }, html)); // only the new one, so that only it is read out
    }
    buttons.hint.textContent = left > 0 ? `Hint (${left} left)` : "No more hints";
    buttons.hint.setAttribute("aria-disabled", String(left <= 0));
  }

  function showSolution() {
    solution.innerHTML = model.get("solution");
    buttons.solution.setAttribute("aria-disabled", String(model.get("solution") !== ""));
  }

  const check = (event) => {
    event.preventDefault();
    send("check", { answer: answer() });
  };
  form.addEventListener("submit", check);
  form.addEventListener("keydown", (event) => {
    // JupyterLab's notebook (4.6) keeps the browser from submitting a form on Enter, so that is done here.
    if (event.key === "Enter" && event.target.tagName === "INPUT" && !event.isComposing) check(event);
  });
  for (const action of ["hint", "solution", "another"]) {
    buttons[action].addEventListener("click", () => {
      if (buttons[action].getAttribute("aria-disabled") !== "true") send(action);
    });
  }

  const shows = {
    question: () => (showQuestion(), showHints()),
    feedback: showFeedback,
    hints: showHints,
    solution: showSolution,
  };
  const listeners = Object.entries(shows).map(([trait, show]) => {
    show();
    const heard = () => {
      clearTimeout(waiting);
      show();
    };
    model.on(`change:${trait}`, heard);
    return [`change:${trait}`, heard];
  });
  return () => {
    clearTimeout(waiting);
    for (const [event, heard] of listeners) model.off(event, heard);
  };
}

export default { render };

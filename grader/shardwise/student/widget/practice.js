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
  if (["input", "button", "textarea", "select"].includes(tag) || attributes.tabindex === "0") made.dataset.lmSuppressShortcuts = "true";
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

/** The lines of a program as a list box. */
function listBox(lines, id) {
  const drafts = new Map();
  let picked = null;
  let follower = null;
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
  const lineText = () => (picked === null ? "" : lines[picked - 1].trim());

  function pick(number, text) {
    if (follower && picked !== null) drafts.set(picked, follower.value);
    picked = number;
    options.forEach((option, place) => option.setAttribute("aria-selected", String(place + 1 === number)));
    node.setAttribute("aria-activedescendant", options[number - 1].id);
    if (follower) follower.value = text || (drafts.get(number) ?? lineText());
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
  return { node, pick, picked: () => picked, text: lineText, follow: (input) => (follower = input) };
}

/** What stands beside a field, and what it is called. */
function described(field, id, inner, ...more) {
  return [make("label", { for: id, class: "shardwise-label" }, field.label), inner, ...more];
}

/** One line of text; one that mends a line of a listing follows the line that is picked there. */
function line(field, id, given, how) {
  const note = field.note ? make("p", { id: `${id}-how`, class: "shardwise-how" }, field.note) : null;
  const input = textField(id, {
    class: field.is_code ? "shardwise-code" : "shardwise-quantity",
    "aria-describedby": note ? note.id : how,
  });
  input.value = typeof given === "string" ? given : "";
  return { nodes: described(field, id, input, ...(note ? [note] : [])), input, value: () => input.value };
}

/** A number within a range. */
function number(field, id, given) {
  const range = make("span", { id: `${id}-range`, class: "shardwise-how" }, field.range);
  const input = make("input", {
    type: "number",
    id,
    step: field.is_whole ? "1" : "any",
    autocomplete: "off",
    "aria-describedby": range.id,
  });
  if (given != null) input.value = given;
  const node = make("div", { class: "shardwise-argument" }, make("label", { for: id }, make("code", {}, field.label)), input, range);
  const value = () => {
    if (input.validity.badInput) return "?"; // not a number: Python says so
    return input.value === "" ? null : Number(input.value);
  };
  return { nodes: [node], value };
}

/** One of a few values. */
function select(field, id, given, how) {
  const choices = field.values.map((value) => make("option", { value, selected: given === value }, value));
  const box = make("select", { id, "aria-describedby": how }, make("option", { value: "" }, "–"), ...choices);
  return { nodes: described(field, id, box), value: () => box.value };
}

/** One or several options of a list. */
function options(field, id, given, how) {
  const type = field.pick === "one" ? "radio" : "checkbox";
  const boxes = field.options.map((option) =>
    make("input", {
      type,
      name: `${id}-option`,
      value: option.label,
      checked: Array.isArray(given) && given.includes(option.label),
    }),
  );
  const rows = field.options.map((option, place) =>
    make(
      "label",
      { class: "shardwise-option" },
      boxes[place],
      make("span", { class: "shardwise-letter" }, `${option.label})`),
      written("span", {}, option.html),
    ),
  );
  return {
    nodes: [make("fieldset", { "aria-labelledby": how }, ...rows)],
    value: () => boxes.filter((box) => box.checked).map((box) => box.value),
  };
}

/** Items to be moved up and down until they stand in order. */
function order(field, id, given, how) {
  const list = make("ol", { class: "shardwise-order", "aria-labelledby": how });
  let touched = Array.isArray(given);
  const first = touched ? given : field.items.map((item) => item.label);
  const rows = new Map(
    field.items.map((item) => {
      const buttons = [["↑", -1, "up"], ["↓", 1, "down"]].map(([sign, step, word]) => {
        const button = make("button", { type: "button", "aria-label": `Move ${item.label} ${word}` }, sign);
        button.addEventListener("click", () => move(item.label, step, button));
        return button;
      });
      const text = written("span", { class: "shardwise-item" }, item.html);
      return [item.label, make("li", { "data-label": item.label }, make("span", { class: "shardwise-letter" }, `${item.label})`), text, ...buttons)];
    }),
  );
  list.append(...first.map((label) => rows.get(label)));

  function move(label, step, button) {
    const row = rows.get(label);
    const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    touched = true;
    list.insertBefore(step < 0 ? row : other, step < 0 ? other : row);
    button.focus();
  }

  return { nodes: [list], value: () => (touched ? [...list.children].map((row) => row.dataset.label) : null) };
}

/** A letter for each item. */
function pairs(field, id, given) {
  const before = given && typeof given === "object" ? given : {};
  const selects = field.items.map((item) => {
    const choices = field.options.map((option) => make("option", { value: option.label, selected: before[item.label] === option.label }, option.label));
    return make("select", { id: `${id}-${item.label}`, "aria-label": `${item.label} belongs to` }, make("option", { value: "" }, "–"), ...choices);
  });
  const rows = field.items.map((item, place) =>
    make("div", { class: "shardwise-pair" }, make("span", { class: "shardwise-letter" }, `${item.label}.`), written("span", { class: "shardwise-item" }, item.html), selects[place]),
  );
  const known = field.options.map((option) =>
    make("li", {}, make("span", { class: "shardwise-letter" }, `${option.label})`), written("span", { class: "shardwise-item" }, option.html)),
  );
  return {
    nodes: [make("div", { class: "shardwise-pairs" }, ...rows), make("ul", { class: "shardwise-known" }, ...known)],
    value: () => Object.fromEntries(field.items.map((item, place) => [item.label, selects[place].value]).filter(([, letter]) => letter)),
  };
}

/** A program to be written. */
function program(field, id, given) {
  const area = make("textarea", { id, class: "shardwise-code", rows: Math.max(8, field.source.split("\n").length + 3), spellcheck: "false", autocapitalize: "off" });
  area.value = typeof given === "string" ? given : field.source;
  return { nodes: described(field, id, area), value: () => (area.value === field.source ? null : area.value) };
}

/** A line of a listing. */
function listing(field, id, given) {
  const label = make("div", { id: `${id}-listing`, class: "shardwise-label" }, field.label);
  const list = listBox(field.lines, id);
  return {
    nodes: [label, list.node],
    value: list.picked,
    /** Let the line that is picked stand in a text field, to be changed there; a line keeps what was typed for it. */
    mendedIn(mending) {
      list.follow(mending.input);
      if (given) list.pick(given, mending.input.value);
      const typed = mending.value;
      mending.value = () => (typed().trim() === list.text() ? "" : typed()); // the line as it stands is no answer yet
    },
  };
}

/** Several fields that belong together, perhaps under a text of their own: a part of a larger question. */
function group(field, id, given) {
  const how = field.how ? make("p", { id: `${id}-how`, class: "shardwise-how" }, field.how) : null;
  const inner = built(field.fields, id, given, how?.id);
  const legend = make("legend", { class: "shardwise-label" }, field.label);
  const text = field.html ? [written("div", { class: "shardwise-prompt" }, field.html)] : [];
  const fields = how ? [how, ...inner.nodes] : [make("div", { class: "shardwise-arguments" }, ...inner.nodes)];
  return { nodes: [make("fieldset", { class: how ? "shardwise-part" : "" }, legend, ...text, ...fields)], value: inner.value };
}

const FIELDS = { line, number, select, options, order, pairs, program, listing, group };

/** Some fields, and the answer that they make together: of a single field without a name it is that field's. */
function built(fields, id, given, how) {
  const alone = fields.length === 1 && !fields[0].name;
  const parts = fields.map((field) => {
    const before = alone ? given : given && typeof given === "object" ? given[field.name] : undefined;
    return FIELDS[field.type](field, `${id}-${field.name ?? "answer"}`, before, how);
  });
  fields.forEach((field, place) => {
    if (field.mends) parts[fields.findIndex((other) => other.name === field.mends)].mendedIn(parts[place]);
  });
  const named = () => fields.map((field, place) => [field.name, parts[place].value()]).filter(([, value]) => value !== null);
  return {
    nodes: parts.flatMap((part) => part.nodes),
    value: () => (alone ? parts[0].value() : Object.fromEntries(named())),
  };
}

/** A question's form: what the kind has to show beside the prompt, how to answer, and the fields. */
function formOf(view, id, given) {
  const how = make("p", { id: `${id}-how`, class: "shardwise-how" }, view.how);
  const { nodes, value } = built(view.fields, id, given, how.id);
  return { nodes: [...(view.html ? [written("div", { class: "shardwise-prompt" }, view.html)] : []), how, ...nodes], answer: value };
}

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

  for (const text of document.querySelectorAll(`.shardwise-waits[data-token="${model.get("token")}"]`)) text.hidden = true;

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
    const form = formOf(question.form, id, model.get("answer"));
    fields.replaceChildren(...form.nodes);
    answer = form.answer;
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

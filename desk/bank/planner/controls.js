// Labelled controls: sliders over given values, choices, text fields, files and checkboxes.

import { html, live } from "shardwise:desk";

/** A slider over numbers, which need not be evenly spaced. */
export function slider(name, values, value, set) {
  const change = (event) => set(values[event.target.value]);
  return html`<label class="control">
    <span class="name">${name} <b>${value.toLocaleString("en")}</b></span>
    <input
      type="range"
      min="0"
      max=${values.length - 1}
      .value=${live(String(values.indexOf(value)))}
      aria-valuetext=${value}
      ?disabled=${values.length < 2}
      @input=${change}
    />
  </label>`;
}

/** A drop-down list of words, or of pairs of a value and its label; and of the current value, if it is another one. */
export function choice(name, options, value, set) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  if (!pairs.some(([option]) => option === value)) pairs.push([value, value]);
  return html`<label class="control">
    <span class="name">${name}</span>
    <select @change=${(event) => set(pairs[event.target.selectedIndex][0])}>
      ${pairs.map(([option, words]) => html`<option .selected=${live(option === value)}>${words}</option>`)}
    </select>
  </label>`;
}

/** A text field for a number, or for an amount with its unit, which Python parses. */
export function text(name, value, set) {
  const change = (event) => {
    const typed = event.target.value.trim();
    const digits = typed.replace(/[,_ ]/g, "");
    set(/^\d+$/.test(digits) ? Number(digits) : typed);
  };
  return html`<label class="control">
    <span class="name">${name}</span>
    <input type="text" autocomplete="off" spellcheck="false" .value=${String(value ?? "")} @change=${change} />
  </label>`;
}

/** A file to open; `set` gets its text. */
export function file(name, set) {
  const change = async (event) => {
    const [chosen] = event.target.files;
    event.target.value = ""; // so that the same file can be opened again after an edit
    if (chosen) set(await chosen.text());
  };
  return html`<label class="control">
    <span class="name">${name}</span>
    <input type="file" accept=".json,application/json" @change=${change} />
  </label>`;
}

/** A field for a pasted text; `set` gets it unless it is blank. */
export function area(name, set) {
  return html`<label class="control">
    <span class="name">${name}</span>
    <textarea rows="4" autocomplete="off" spellcheck="false" @change=${(event) => event.target.value.trim() && set(event.target.value)}></textarea>
  </label>`;
}

/** A checkbox. */
export function box(name, ticked, set) {
  return html`<label class="box">
    <input type="checkbox" .checked=${live(ticked)} @change=${(event) => set(event.target.checked)} /> ${name}
  </label>`;
}

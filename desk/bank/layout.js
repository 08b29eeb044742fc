// A value for each axis of a layout, with its product, and the resulting layout against its limits.

import { css, drawing, html, live, nothing, previewed } from "shardwise:desk";

export const layout = {
  template(place) {
    const { field, id, draft, set } = place;
    const given = draft ?? {};
    return html`<div class="field layout">
      ${field.axes.map((axis) => {
        const choose = (value) => set({ ...given, [axis.name]: value });
        return html`<div class="axis">
          <label for="${id}-${axis.name}"><code>${axis.name}</code> <span class="quiet">${axis.label}</span></label>
          ${(axis.values.length ? stepper : entry)(axis, `${id}-${axis.name}`, given[axis.name] ?? "", choose)}
        </div>`;
      })}
      ${previewed(place, layout.answer(field, draft), product)}
      ${limits(place, layout.answer(field, draft))}
    </div>`;
  },
  answer: (_field, draft) => Object.fromEntries(Object.entries(draft ?? {}).filter(([, value]) => value !== "")),
};

/** One of a few values, chosen from a list or with − and +. */
function stepper(axis, id, value, choose) {
  const at = axis.values.indexOf(value);
  const step = (by, sign, words) => {
    const next = axis.values[at < 0 && by < 0 ? -1 : at + by];
    return html`<button
      type="button" aria-label="${words} ${axis.name}" aria-disabled=${next === undefined ? "true" : "false"}
      @click=${() => next !== undefined && choose(next)}>${sign}</button>`;
  };
  return html`<span class="stepper">
    ${step(-1, "−", "Lower")}
    <select id=${id} .value=${live(value)} @change=${(event) => choose(event.target.value)}>
      <option value="">–</option>
      ${axis.values.map((other) => html`<option value=${other} ?selected=${other === value}>${other}</option>`)}
    </select>
    ${step(1, "+", "Raise")}
  </span>`;
}

const entry = (axis, id, value, choose) => html`<span class="stepper">
  <input
    type="text" id=${id} inputmode="numeric" autocomplete="off" placeholder=${axis.follows ? "the rest" : nothing}
    .value=${live(value)} @input=${(event) => choose(event.target.value.trim())} />
</span>`;

/** The product of the axes, as a bar on a logarithmic scale, against the number of GPUs. */
function product({ read, used, of }) {
  if (!read) return nothing;
  const share = used ? Math.log(used) / Math.log(of) : 0;
  const look = used > of ? "over" : used === of ? "full" : "";
  return html`<div class="product">
    <div class="bar ${look}" aria-hidden="true"><div style="width: ${Math.min(100, Math.max(0, 100 * share))}%"></div></div>
    <p aria-live="polite">${read}</p>
  </div>`;
}

/** The layout against its limits, step by step, once an answer was checked; requested again after every check. */
function limits({ bars, checked, width }, answer) {
  return previewed({ field: {}, preview: bars, since: checked?.answer }, answer, (reply) => {
    if (!reply.rows) return reply.why ? html`<p class="limits quiet">${reply.why}</p>` : nothing;
    return html`<div class="limits">
      <p class="quiet" aria-live="polite">${reply.title}: ${reply.read}.</p>
      ${drawing("bars", reply, width)}
    </div>`;
  });
}

layout.style = css`
  .axis, .product { max-width: 36rem; }
  .limits { margin-top: 0.8rem; }
  .axis { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.3rem 1rem; padding: 0.35rem 0; }
  .axis + .axis { border-top: 1px solid var(--edge); }
  .stepper { display: flex; gap: 0.3rem; }
  .stepper button { width: 2.4rem; padding: 0; font-size: 1.1em; }
  .stepper :is(select, input[type="text"]) { width: 8rem; text-align: center; }
  .product { margin-top: 0.8rem; }
  .product .bar { height: 0.8rem; border: 1px solid var(--field-edge); border-radius: 4px; overflow: hidden; }
  .product .bar div { height: 100%; background: var(--accent); transition: width 0.15s; }
  .product .full div { background: var(--correct); }
  .product .over div { background: var(--incorrect); }
  .product p { margin-top: 0.3rem; }
  @media (prefers-reduced-motion: reduce) { .product .bar div { transition: none; } }
`;

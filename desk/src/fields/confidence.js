// A confidence in per cent, on a slider that shows what it earns. There is no answer until the slider has been moved or clicked.

import { css, html } from "lit";
import { live } from "lit/directives/live.js";

const MIDDLE = 50; // where an untouched slider stands

const written = (points) => `${Number(points.toFixed(2))} point${points === 1 ? "" : "s"}`;

/** Return the percentage in a draft, which may be typed text from an earlier form; undefined if it is not one of the table. */
const percentage = ({ earned }, draft) => earned.find(({ sure }) => sure === Number.parseFloat(draft))?.sure;

export const confidence = {
  template({ field, id, how, draft, set, points }) {
    const { earned, label } = field;
    const sure = percentage(field, draft);
    const row = earned.find((row) => row.sure === sure);
    const said = row
      ? `${sure} %. If right: ${written(points * row.right)}. If wrong: ${written(points * row.wrong)}.`
      : "Move the slider to say how sure you are.";
    const moved = (event) => set(event.target.valueAsNumber);
    return html`<div class="field confidence">
      <label class="label" for=${id}>${label}</label>
      <input
        type="range" id=${id} min=${earned[0].sure} max=${earned.at(-1).sure} step=${earned[1].sure - earned[0].sure}
        aria-describedby=${how} aria-valuetext=${said} class=${row ? "" : "unset"}
        .value=${live(String(sure ?? MIDDLE))} @input=${moved} @click=${moved} />
      <div class="quiet">${said}</div>
    </div>`;
  },
  answer: (field, draft) => percentage(field, draft) ?? null,
};

confidence.style = css`
  .confidence input { width: 100%; max-width: 24rem; margin: 0.3rem 0; accent-color: var(--accent); }
  .confidence input.unset { accent-color: var(--blank); }
`;

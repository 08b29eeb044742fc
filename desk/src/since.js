// A line above a verdict, which says that the answer has been changed since.

import { html, nothing } from "lit";

/** The line, empty until the answer is changed; screen readers announce it. */
export const since = (isOld) =>
  html`<p class="quiet since" aria-live="polite">${isOld ? "About your previous answer:" : nothing}</p>`;

// After all cells of a notebook have run, it shows its last cell. This brings the first open problem into view instead.

import { formOf, goTo } from "../way.js";

const INPUTS = ["wheel", "touchmove", "keydown", "pointerdown"];
const APPEARS_MS = 20_000; // for how long the form may be missing
const SETTLES_MS = 1500; // for how long the page may move without the student
const EACH_MS = 100;

let moved = 0; // when the student last scrolled, typed or clicked
let began = 0; // when the latest card appeared
for (const name of INPUTS) {
  addEventListener(name, () => (moved = performance.now()), { capture: true, passive: true });
}

/** Note that a card has appeared; if its data name a problem to return to, bring its form into view. */
export function returnTo(model) {
  const { returns, ...given } = model.get("given");
  const since = began || performance.now();
  began = performance.now();
  if (!returns) return;
  model.set("given", { ...given, returns: "" }); // only once: not again when the page is reloaded
  model.save_changes();
  const until = performance.now() + APPEARS_MS;
  let settled = 0;
  let place;
  const step = () => {
    if (moved > since || performance.now() > until || settled > SETTLES_MS) return;
    const form = formOf(returns);
    const top = form?.getBoundingClientRect().top;
    if (form && (place === undefined || Math.abs(top - place) > 2)) {
      goTo(form);
      place = form.getBoundingClientRect().top;
      settled = 0;
    } else if (form) settled += EACH_MS;
    setTimeout(step, EACH_MS);
  };
  step();
}

// Items to put in order with Alt and an arrow key, by dragging, or with the buttons next to each item.
// There is no answer until an item has been moved.

import { html } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

/** Return the labels in their current order: that of the draft, if it is an order of these items. */
function orderOf(field, draft) {
  const labels = field.items.map((item) => item.label);
  const isOrder = Array.isArray(draft) && draft.length === labels.length && labels.every((one) => draft.includes(one));
  return isOrder ? draft : labels;
}

const rowOf = (list, label) => list.querySelector(`[data-label="${label}"]`);

export const order = {
  template({ field, id, how, draft, set, settled }) {
    const labels = orderOf(field, draft);
    const items = new Map(field.items.map((item) => [item.label, item]));

    const moveTo = (list, label, to) => {
      if (to < 0 || to >= labels.length || labels[to] === label) return;
      const others = labels.filter((other) => other !== label);
      set(others.toSpliced(to, 0, label));
      list.parentElement.querySelector("[aria-live]").textContent = `${label} is now ${to + 1} of ${labels.length}.`;
    };
    const step = (event, label, by) => {
      const { currentTarget: button } = event;
      moveTo(button.closest("ol"), label, labels.indexOf(label) + by);
      settled().then(() => button.focus());
    };
    const pressed = (event) => {
      const label = event.target.dataset?.label;
      const from = labels.indexOf(label);
      const to = { ArrowUp: from - 1, ArrowDown: from + 1, Home: 0, End: labels.length - 1 }[event.key];
      if (from < 0 || to === undefined || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const list = event.currentTarget;
      if (event.altKey) {
        moveTo(list, label, to);
        settled().then(() => rowOf(list, label).focus()); // a moved element loses the focus
      } else {
        rowOf(list, labels[to] ?? label).focus();
      }
    };

    // The list captures the pointer rather than the item, because a moved item would lose it.
    const taken = (event) => {
      const label = event.target.closest("li")?.dataset.label;
      const isGrip = event.pointerType === "mouse" || event.target.closest(".grip");
      if (!label || !isGrip || event.button !== 0 || event.target.closest("button")) return;
      event.preventDefault();
      const list = event.currentTarget;
      list.setPointerCapture(event.pointerId);
      list.dataset.dragged = label;
      rowOf(list, label).focus();
    };
    const dragged = (event) => {
      const list = event.currentTarget;
      const label = list.dataset.dragged;
      if (!label) return;
      const middles = labels.map((other) => {
        const { top, height } = rowOf(list, other).getBoundingClientRect();
        return { other, middle: top + height / 2 };
      });
      const above = middles.filter(({ other, middle }) => other !== label && middle < event.clientY).length;
      moveTo(list, label, above);
      settled().then(() => rowOf(list, label).focus());
    };
    const dropped = (event) => {
      delete event.currentTarget.dataset.dragged;
    };

    return html`<div class="field">
      <ol
        class="order" aria-labelledby=${how} aria-describedby="${id}-keys"
        @keydown=${pressed} @pointerdown=${taken} @pointermove=${dragged}
        @pointerup=${dropped} @pointercancel=${dropped}>
        ${repeat(
          labels,
          (label) => label,
          (label, place) => html`<li data-label=${label} tabindex=${place === 0 ? "0" : "-1"}>
            <span class="grip" aria-hidden="true">⠿</span>
            <span class="letter">${label})</span>
            <span class="item">${unsafeHTML(items.get(label).html)}</span>
            <span class="moves">
              <button
                type="button" tabindex="-1" aria-label="Move ${label} up"
                @click=${(event) => step(event, label, -1)}>↑</button>
              <button
                type="button" tabindex="-1" aria-label="Move ${label} down"
                @click=${(event) => step(event, label, 1)}>↓</button>
            </span>
          </li>`,
        )}
      </ol>
      <p id="${id}-keys" class="quiet">Drag an item, or select it with ↑ and ↓ and move it with Alt+↑ and Alt+↓.</p>
      <p class="unseen" aria-live="polite"></p>
    </div>`;
  },
  answer: (_field, draft) => draft ?? null,
};

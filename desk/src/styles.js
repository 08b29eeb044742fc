// The styles of the desk: Jupyter's colours where they exist, otherwise ours, for light and dark.
// The host or the page chooses between the two with `color-scheme`. Every text has a contrast of at least 4.5:1.

import { css } from "lit";

export const styles = css`
  :host {
    --text: var(--jp-content-font-color1, light-dark(#1f2328, #e6e6e6));
    --back: var(--jp-layout-color1, light-dark(#fff, #111));
    --field-back: var(--jp-layout-color0, light-dark(#fff, #1a1a1a));
    --quiet: color-mix(in srgb, var(--text) 74%, transparent);
    --edge: color-mix(in srgb, var(--text) 22%, transparent);
    --field-edge: color-mix(in srgb, var(--text) 58%, transparent);
    --tint: color-mix(in srgb, var(--text) 6%, transparent);
    --mono: var(--jp-code-font-family, ui-monospace, "DejaVu Sans Mono", monospace);
    --accent: light-dark(#0b5cad, #79b8ff);
    --on-accent: light-dark(#fff, #0a1929);
    --correct: light-dark(#1a7f37, #56d364);
    --partial: light-dark(#8a5a00, #e3b341);
    --incorrect: light-dark(#b42318, #ff9a90);
    --unreadable: light-dark(#6941c6, #c8a8ff);
    --blank: light-dark(#57606a, #b8c0c8);

    display: block;
    box-sizing: border-box;
    max-width: 50rem;
    margin: 0.25rem 2px 0.5rem;
    padding: 1rem 1.25rem 1.1rem;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--back);
    color: var(--text);
    font: 14px/1.55 var(--jp-content-font-family, system-ui, sans-serif);
  }

  *, *::before { box-sizing: border-box; }

  header {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    justify-content: space-between;
    gap: 0.25rem 1rem;
    margin-bottom: 0.5rem;
  }

  h3 { margin: 0; font-size: 1.15em; font-weight: 600; line-height: 1.35; }
  p { margin: 0 0 0.6em; }
  p:last-child { margin-bottom: 0; }
  ul, ol { margin: 0.3em 0 0.6em; padding-left: 1.4em; }
  form { margin: 0.9rem 0 0; }
  fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }

  .quiet, .letter { color: var(--quiet); }
  .quiet { font-size: 0.93em; }
  .prose { overflow-x: auto; }
  .math.inline { white-space: nowrap; }
  .prose + .quiet { margin-top: 0.6em; }
  .said :not(pre) > code { overflow-wrap: anywhere; }

  code, pre, .listing { color: inherit; font-family: var(--mono); font-size: 13px; }
  pre { margin: 0.5em 0; padding: 0.5em 0.75em; overflow-x: auto; border-left: 2px solid var(--edge); }
  :is(pre, .listing, .chart, .data .prose, .cm-scroller)::-webkit-scrollbar { width: 10px; height: 10px; } /* always visible */
  :is(pre, .listing, .chart, .data .prose, .cm-scroller)::-webkit-scrollbar-track { background: var(--tint); }
  :is(pre, .listing, .chart, .data .prose, .cm-scroller)::-webkit-scrollbar-thumb { border-radius: 5px; background: var(--field-edge); }
  table { margin: 0.5em 0; border-collapse: collapse; }
  th, td { padding: 0.25em 0.75em; border: 1px solid var(--edge); text-align: left; }
  math[display="block"] { margin: 0.6em 0; }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  h3:focus { outline: none; }
  .solved { color: var(--correct); font-weight: 600; }

  /* Fields. */

  .fields > * + * { margin-top: 1rem; }
  .field > * { display: block; }
  .label { margin: 0 0 0.35rem; padding: 0; font-weight: 600; }
  .part { padding-top: 0.8rem; border-top: 1px solid var(--edge); }
  .arguments { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 0.6rem 1rem; }

  input[type="text"], select, textarea {
    width: 100%;
    margin: 0;
    padding: 0.3rem 0.6rem;
    border: 1px solid var(--field-edge);
    border-radius: 5px;
    background: var(--field-back);
    color: inherit;
    font: inherit;
  }

  input[type="text"], select { height: 2.15rem; }
  input.quantity { max-width: 18rem; }
  select { width: auto; max-width: 100%; }
  textarea { display: block; resize: vertical; }
  input[type="text"].code, textarea.code { font-family: var(--mono); font-size: 13px; }
  input + .quiet { margin-top: 0.3rem; }

  .option {
    display: grid;
    grid-template-columns: auto auto 1fr;
    align-items: baseline;
    gap: 0.55rem;
    padding: 0.3rem 0.5rem;
    border-radius: 5px;
    cursor: pointer;
  }

  .option:hover, .line:hover { background: var(--tint); }
  .option:has(:checked) { background: color-mix(in srgb, var(--accent) 13%, transparent); }
  .option input { margin: 0; accent-color: var(--accent); transform: translateY(1px); }

  .listing {
    padding: 0.35rem 0;
    overflow-x: auto;
    border: 1px solid var(--field-edge);
    border-radius: 5px;
    background: var(--field-back);
    line-height: 1.75;
  }

  .line {
    display: flex;
    align-items: baseline;
    width: max-content;
    min-width: 100%;
    padding-right: 0.75rem;
    border-left: 4px solid transparent;
    cursor: pointer;
  }

  .line[aria-selected="true"] {
    border-left-color: var(--accent);
    background: color-mix(in srgb, var(--accent) 16%, transparent);
  }

  .line code { white-space: pre; }
  .line .number { flex: none; width: 2.4em; padding-right: 0.9em; color: var(--quiet); text-align: right; user-select: none; }

  .order, .known { padding: 0; list-style: none; }
  .order { position: relative; margin: 0; }
  .order li { border: 1px solid var(--edge); border-radius: 5px; padding: 0.3rem 0.5rem; background: var(--field-back); }
  .order li + li { margin-top: 0.3rem; }
  ol + .quiet { margin-top: 0.5rem; }
  .order[data-dragged] { cursor: grabbing; user-select: none; }
  .order[data-dragged] li:focus { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 13%, var(--field-back)); }
  .grip { color: var(--quiet); cursor: grab; touch-action: none; }
  .order button { min-height: 1.8rem; padding: 0 0.5rem; border-color: var(--edge); }
  .order .moves { display: flex; gap: 0.4rem; }
  @media (max-width: 34rem) { .order .moves { flex-direction: column; } }
  .order li, .pair { display: flex; align-items: center; gap: 0.5rem; }
  .pair { padding: 0.2rem 0; }
  .known li { display: flex; gap: 0.5rem; }
  .item { flex: 1; }

  .estimate { margin-top: 0.6rem; }
  .estimate summary { width: max-content; color: var(--accent); cursor: pointer; }
  .estimate form { margin: 0.5rem 0 0; }
  #estimate-reading { margin-top: 0.3rem; }
  .typical { margin-top: 0.6rem; }
  .row { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.3rem; }
  .unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }

  /* Buttons and messages. */

  .buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 1rem; }

  button {
    min-height: 2.15rem;
    padding: 0 0.95rem;
    border: 1px solid var(--field-edge);
    border-radius: 5px;
    background: transparent;
    color: inherit;
    font: inherit;
    cursor: pointer;
  }

  button:not(.primary, [aria-disabled="true"]):hover { background: color-mix(in srgb, var(--text) 8%, transparent); }
  button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
  button.primary:hover { filter: brightness(1.08); }
  button.plain { padding: 0 0.5rem; border-color: transparent; color: var(--accent); }
  button.plain[aria-disabled="true"] { color: var(--quiet); }
  .buttons:has(.plain) { gap: 0.25rem; margin-top: 0.6rem; margin-left: -0.5rem; }
  .buttons:has(.plain) .primary { margin: 0 0.6rem 0 0.5rem; }
  button[aria-disabled="true"] { color: var(--quiet); cursor: default; }

  .said > :not(:empty), .more {
    margin-top: 0.9rem;
    padding: 0.15rem 0 0.15rem 0.9rem;
    border-left: 4px solid var(--edge);
  }

  .said { --outcome: var(--blank); }
  .said > :not(:empty) { border-left-color: var(--outcome); }
  .said p:first-child > strong:first-child { color: var(--outcome); }
  .said[data-outcome="correct"] { --outcome: var(--correct); }
  .said[data-outcome="partial"], .said[data-outcome="broken"] { --outcome: var(--partial); }
  .said[data-outcome="incorrect"] { --outcome: var(--incorrect); }
  .said[data-outcome="unreadable"] { --outcome: var(--unreadable); }
  .said.old { --outcome: var(--edge); color: var(--quiet); }
  .said.old.soon :is(div, strong) { transition: color 0s 0.15s, border-color 0s 0.15s; } /* no flash if Python replies at once */
  .said.old p:first-child > strong:first-child { color: inherit; }
  .since { margin-block: 0; } /* there from the start, so that screen readers announce what appears in it */
  .since:not(:empty) { margin-block: 0.9rem -0.6rem; }
  .said > *, .more, .note { scroll-margin-block: 0.75rem; }

  @media (forced-colors: active) {
    .line[aria-selected="true"] { outline: 2px solid Highlight; outline-offset: -2px; }
  }
`;

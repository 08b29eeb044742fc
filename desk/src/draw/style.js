// The styles of all drawings. Their colours stand out from light and dark backgrounds and are legible under white text.

import { css } from "lit";

export const drawingStyle = css`
  .drawing {
    --draw-blue: #1f6fae;
    --draw-orange: #b94f00;
    --draw-green: #00795a;
    --draw-purple: #8a4fa8;
    --draw-red: #c02b3b;
    --draw-grey: #686c71;
    margin: 0.5rem 0;
  }
  .drawing svg {
    display: block;
    max-width: 100%;
    overflow: visible;
    font: 12px var(--jp-ui-font-family, system-ui, sans-serif);
  }
  .drawing text {
    fill: var(--text);
  }
  .drawing .words {
    paint-order: stroke;
    stroke: var(--back);
    stroke-width: 4px;
    stroke-linejoin: round;
  }
  .drawing .on {
    fill: #fff;
    pointer-events: none;
  }
  .drawing .grid {
    stroke: var(--edge);
  }
  .drawing .line {
    fill: none;
    stroke-width: 2.2;
    stroke-linejoin: round;
  }
  .drawing .dashed {
    stroke-dasharray: 6 4;
  }
  .drawing .range {
    fill: none;
    stroke: var(--text);
    stroke-width: 1.5;
  }
  .drawing .mark {
    stroke: var(--text);
    stroke-dasharray: 2 3;
  }
  .drawing .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.2rem 1rem;
    list-style: none;
    margin: 0 0 0.4rem;
    padding: 0;
    font-size: 0.85rem;
  }
  .drawing .legend svg {
    display: inline-block;
    vertical-align: middle;
    margin-right: 0.35rem;
  }
  .drawing details {
    font-size: 0.85rem;
  }
  .drawing summary {
    width: fit-content;
    cursor: pointer;
    color: var(--quiet);
  }
  .drawing .scroll {
    overflow: auto;
    max-height: 20rem;
  }
  .drawing table {
    border-collapse: collapse;
    margin: 0.3rem 0;
    font-variant-numeric: tabular-nums;
  }
  .drawing :is(th, td) {
    padding: 0.15rem 0.6rem;
    border: 1px solid var(--edge);
    text-align: left;
    font-weight: normal;
  }
  .drawing thead th {
    font-weight: 600;
  }
  .drawing .pickable {
    cursor: pointer;
  }
  .drawing [role="option"]:focus {
    outline: none;
  }
  .drawing [role="option"]:focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
`;

/** Return the CSS colour for blue, orange, green, purple, red or grey. */
export const paint = (colour) => `var(--draw-${colour ?? "blue"})`;

// Styles of the planner, in addition to those of all elements of the desk: controls on the left of a wide page, on top of a narrow one.

import { css } from "shardwise:desk";

export const CONTROLS_PX = 250;
export const GAP_PX = 32;
export const WIDE_PX = 780;

export const plannerStyle = css`
  :host { max-width: 76rem; }
  .wide { display: grid; grid-template-columns: ${CONTROLS_PX}px minmax(0, 1fr); gap: 0 ${GAP_PX}px; }
  form { margin: 0; }
  form fieldset + fieldset, form details { margin-top: 1.1rem; }
  form details fieldset { margin-top: 0.7rem; }
  legend, h4 { margin: 0 0 0.4rem; padding: 0; font-size: 1em; font-weight: 600; }
  .results > section + section { margin-top: 1.3rem; padding-top: 1rem; border-top: 1px solid var(--edge); }
  .controls { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: 0.55rem 1.2rem; }
  .control { display: block; }
  .control .name { display: flex; justify-content: space-between; gap: 1rem; }
  .control .quiet { display: block; }
  .name b { font-weight: 600; font-variant-numeric: tabular-nums; }
  input[type="range"] { display: block; width: 100%; margin: 0.15rem 0 0; color: inherit; accent-color: var(--accent); }
  .control select, .control textarea, .control input[type="file"] { width: 100%; box-sizing: border-box; }
  .box { display: flex; align-items: baseline; gap: 0.45rem; }
  .box input { accent-color: var(--accent); transform: translateY(1px); }
  .boxes { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; }
  summary { cursor: pointer; }
  .results details { margin-top: 0.5rem; }
  .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11.5rem, 100%), 1fr)); gap: 0.8rem 1.2rem; margin: 0.6rem 0 0; }
  .facts + p { margin: 0.6rem 0; }
  .facts dt { color: var(--quiet); font-size: 0.93em; }
  .facts dd { margin: 0; }
  .facts .value { font-size: 1.35em; font-weight: 600; font-variant-numeric: tabular-nums; }
  .facts .note { color: var(--quiet); font-size: 0.93em; }
  .remarks { padding: 0; list-style: none; }
  .remarks li { margin: 0 0 0.4rem; padding-left: 0.8rem; border-left: 4px solid var(--partial); }
  .remarks.broken li { border-left-color: var(--incorrect); }
  .amounts td + td { text-align: right; font-variant-numeric: tabular-nums; }
  .scroll { overflow-x: auto; }
  .results [role="status"], .results .buttons + ul { margin-top: 0.7rem; }
  .results { margin-top: 1.2rem; }
  .wide .results { margin-top: 0; }
  .copied pre { max-height: 20rem; overflow: auto; }
  .heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

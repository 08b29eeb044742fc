// What the shipped bank's kinds bring to the desk: the field types `layout` and `schedule`, and the planner.

import { layout } from "./layout.js";
import { Planner } from "./planner/planner.js";
import { schedule } from "./schedule.js";

export const fields = { layout, schedule };
export const elements = { planner: Planner };

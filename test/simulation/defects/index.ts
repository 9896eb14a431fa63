/** Mistakes that are planted one by one in our own code, to see that the simulation finds them. */

import type { Area } from "../areas.ts";
import type { Defect } from "../programs.ts";
import { CHANNEL_DEFECTS } from "./channels.ts";
import { EDIT_DEFECTS } from "./edits.ts";
import { RUN_DEFECTS } from "./runs.ts";

export const DEFECTS_OF: Readonly<Record<Area, readonly Defect[]>> = {
  runs: RUN_DEFECTS,
  channels: CHANNEL_DEFECTS,
  edits: EDIT_DEFECTS,
};

export const DEFECTS: readonly Defect[] = Object.values(DEFECTS_OF).flat();

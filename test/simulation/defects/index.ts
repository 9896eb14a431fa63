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

/** Those that the simulation was seen to find, in at most 25 seeds. The others were not found, or not tried yet. */
export const FOUND_DEFECTS: ReadonlySet<string> = new Set([
  "a lease is never free",
  "a lease is not given back",
  "a new file is not synced before it has its name",
  "a new file is written in its place",
  "a new run is begun with another id at each try",
  "a run begins without its row",
  "a short append counts as a whole one",
  "a stored event is appended again",
  "an end is written without its row",
  "an end leaves the words before it out",
  "an input is given again to several runs",
  "an input is offered although a later run has it",
  "an interrupted run keeps its row",
  "appended lines are not synced",
  "calls that may not be repeated are",
  "events get a new id at each try",
  "no input is offered",
  "readers are not woken",
  "runs of processes that are gone are left",
  "runs that no process has are not ended",
  "sequences have gaps",
  "side writes of an append are forgotten",
  "the beginning does not move the cursor",
  "the chain of hashes leaves events out",
  "the folder above a new folder is not synced",
  "the folder is not synced after a rename",
  "the token of a lease does not grow",
  "what a full disk took of an append stays",
]);

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

/** Those that the simulation was seen to find, in at most 40 seeds. The others were not found, or not tried yet. */
export const FOUND_DEFECTS: ReadonlySet<string> = new Set([
  "a cancelled run is cancelled in any state",
  "a claim of another connection takes over the run as it is",
  "a client comes back at the newest event",
  "a client sends again under another id",
  "a client that comes back is another participant",
  "a deletion removes the old name before the new one is there",
  "a fold forgets the parts before a snapshot of it",
  "a fork has one record less",
  "a full disk ends an edit with a raw error",
  "a lease fences no append",
  "a lease is never free",
  "a lease is not given back",
  "a lost connection frees the handle at once",
  "a message stays open for its writer after its end",
  "a new file is not synced before it has its name",
  "a new file is written in its place",
  "a new run is begun with another id at each try",
  "a note is never taken away",
  "a note is not synced",
  "a process of an earlier start of the machine counts as alive",
  "a replay that collects leaves out what speaks to the reader",
  "a run begins without its row",
  "a short append counts as a whole one",
  "a stored event is appended again",
  "a sweep does not end the messages",
  "a sweep is called off by whoever is there",
  "a whole answer of a killed agent is not recognised",
  "a whole append of a killed process is taken back by one byte",
  "an end is written without its row",
  "an end leaves the words before it out",
  "an ended message takes more parts",
  "an ended run moves on",
  "an input is given again to several runs",
  "an input is offered although a later run has it",
  "an interrupted deletion is left where it was",
  "an interrupted restoration is left where it was",
  "an interrupted run keeps its row",
  "appended lines are not synced",
  "calls that may not be repeated are",
  "events get a new id at each try",
  "frames of a participant are processed at the same time",
  "no input is offered",
  "parts that wait are forgotten when a message ends",
  "readers are not woken",
  "runs of processes that are gone are left",
  "runs that no process has are not ended",
  "sequences have gaps",
  "side writes of an append are forgotten",
  "the beginning does not move the cursor",
  "the chain of hashes leaves events out",
  "the checkpoint is not stored",
  "the end of a message has only its last part",
  "the events of a run have no lease",
  "the folder above a new folder is not synced",
  "the folder is not synced after a rename",
  "the folder that a deleted file left is not synced",
  "the manifest comes after what it lists",
  "the processed cursor does not move with the end of a run",
  "the replay begins one event too late",
  "the token of a lease does not grow",
  "the unfinished file of a killed process stays",
  "what a full disk took of an append stays",
  "what is restored stays in the trash too",
]);

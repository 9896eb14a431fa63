/**
 * Sessions of opencode: rows of its database, and its export files.
 *
 * Promises: those of the reader port; the database is read while opencode runs and after a crash, and reading
 * writes neither it nor its `-wal`. SQLite is loaded when the first database is opened. The format is written
 * down in docs/formats/opencode.md; rules were seen by running 1.18.33.
 * Does not know: other agents, or who may write when.
 */

import type { AgentReader } from "../reader/index.ts";
import { findSessions, recogniseFile } from "./find.ts";
import { modelView } from "./model-view.ts";
import { openSession } from "./open.ts";
import { searchedPlaces } from "./places.ts";
import { skimSession } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";

export { opencodeForker } from "./fork.ts";
export { opencodeRepairer } from "./repair.ts";
export { opencodeWitness } from "./witness.ts";
export { opencodeWriter } from "./writer.ts";

export const opencodeReader: AgentReader = {
  agent: "opencode",
  folders: searchedPlaces,
  find: findSessions,
  recognise: recogniseFile,
  skim: skimSession,
  open: openSession,
  modelView,
  trashPlan,
};

/**
 * Sessions of opencode: rows of its database, and its export files.
 *
 * `docs/formats/opencode.md` describes the format; the rules were observed in 1.18.33.
 *
 * Promises: those of `native/kit`; the database can be read while opencode runs and after a crash, and reading
 * changes neither the database nor its `-wal`; SQLite is loaded with the first database.
 * Does not know: other agents, or who may write when.
 */

import type { AgentFormat } from "../format/index.ts";
import { openByScan } from "../scanning/index.ts";
import { filter } from "./bytes.ts";
import { findSessions, recogniseFile } from "./find.ts";
import { modelView } from "./model-view.ts";
import { searchedPlaces } from "./places.ts";
import { opencodeScan } from "./scan.ts";
import { OWN_WORDS } from "./second-records.ts";
import { skimSession } from "./skim.ts";
import { sessionStates } from "./states.ts";
import { trashPlan } from "./trash-plan.ts";

export const opencodeFormat: AgentFormat = {
  agent: "opencode",
  folders: searchedPlaces,
  find: findSessions,
  recognise: recogniseFile,
  skim: skimSession,
  statesOf: sessionStates,
  filter,
  ownWords: OWN_WORDS,
  open: openByScan(opencodeScan),
  firstMessages: async (found) => await (await import("./first-messages.ts")).readFirstMessages(found),
  modelView,
  trashPlan,
  writer: async () => (await import("./writer.ts")).opencodeWriter,
  forker: async () => (await import("./fork.ts")).opencodeForker,
  repairer: async () => ({ of: "rows", repairer: (await import("./repair.ts")).opencodeRepairer }),
  visibility: async () => (await import("./visibility.ts")).opencodeVisibility,
  relocate: async () => (await import("./relocate.ts")).relocate,
  repositoryOf: async (found) => await (await import("./relocate.ts")).repositoryOf(found),
};

export { recogniseFile } from "./find.ts";
export type { OpencodeCause } from "./hidden-causes.ts";
export { projectOf } from "./project.ts";

/**
 * Sessions of GitHub Copilot CLI: where they are, what they contain, what Copilot sends to its model.
 *
 * `docs/formats/copilot.md` describes the format; the rules were observed in 1.0.102.
 *
 * Promises: those of `native/kit`.
 * Does not know: how to run Copilot, other agents, who may write when.
 */

import type { AgentFormat } from "../format/index.ts";
import { knownUpdatedAt, rememberedUpdatedAt } from "../kit/index.ts";
import { openByScan } from "../scanning/index.ts";
import { findSessions, recogniseFile } from "./find.ts";
import { sessionOfProcess } from "./live.ts";
import { OWN_WORDS } from "./messages.ts";
import { modelView } from "./model-view.ts";
import { sessionsFolder } from "./places.ts";
import { copilotScan } from "./scan.ts";
import { skimSession } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";
import { readName } from "./workspace.ts";

export const copilotFormat: AgentFormat = {
  agent: "copilot",
  folders: (places) => [sessionsFolder(places)],
  find: findSessions,
  recognise: recogniseFile,
  sessionOfProcess: (pid, places) => sessionOfProcess(sessionsFolder(places), pid),
  skim: skimSession,
  titlesBeside:
    async () =>
    ({ location }) =>
      readName(location),
  updatedAt: (found, options) => rememberedUpdatedAt(found, options, skimSession),
  knownUpdatedAt,
  ownWords: OWN_WORDS,
  open: openByScan(copilotScan),
  modelView,
  trashPlan,
  writer: async () => (await import("./writer.ts")).copilotWriter,
  forker: async () => (await import("./fork.ts")).copilotForker,
  repairer: async () => ({ of: "lines", repairer: (await import("./repair.ts")).copilotRepairer }),
};

export { recogniseFile } from "./find.ts";

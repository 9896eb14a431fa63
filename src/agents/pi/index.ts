/**
 * Sessions of pi: where they lie, what is in them, what it would send to the model. Seen in 0.73.1, 0.87.1
 * and 1.5.2; `docs/formats/pi.md` describes the format, versions 1 to 3 of it.
 *
 * Promises: what `agents/reader` promises. An old version is read as it is; pi itself rewrites such a file.
 * Does not know: how to run pi, any other agent, who may write when.
 */

import type { AgentReader } from "../reader/index.ts";
import { findSessions, recogniseFile } from "./find.ts";
import { modelView } from "./model-view.ts";
import { openSession } from "./open.ts";
import { piFolders } from "./places.ts";
import { skimSession } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";

// For the driver.
export { toBlocks } from "./blocks.ts";
export { piForker } from "./fork.ts";
export { piRepairer } from "./repair.ts";
export { toUsage } from "./usage.ts";
export { piWitness } from "./witness.ts";
export { piWriter } from "./writer.ts";

export const piReader: AgentReader = {
  agent: "pi",
  folders: (places) => {
    const { sessions, chosen } = piFolders(places);
    return chosen === null ? [sessions] : [sessions, chosen];
  },
  find: findSessions,
  recognise: recogniseFile,
  skim: skimSession,
  open: (found, _places, options) => openSession(found, options),
  modelView,
  trashPlan,
};

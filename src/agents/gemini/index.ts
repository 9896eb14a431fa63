/**
 * Sessions of Gemini CLI: where they lie, what is in them, what it would send to the model.
 *
 * Promises: those of the reader port. The format is written down in docs/formats/gemini.md; rules were seen
 * by running 0.61.0.
 * Does not know: other agents, or who may write when.
 */

import type { AgentReader } from "../reader/index.ts";
import { findSessions, recogniseFile } from "./find.ts";
import { modelView } from "./model-view.ts";
import { openSession } from "./open.ts";
import { geminiFolders } from "./places.ts";
import { skimSession } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";

export { geminiForker } from "./fork.ts";
export { geminiRepairer } from "./repair.ts";
export { geminiWitness } from "./witness.ts";
export { geminiWriter } from "./writer.ts";

export const geminiReader: AgentReader = {
  agent: "gemini",
  folders: (places) => [geminiFolders(places).projects],
  find: findSessions,
  recognise: recogniseFile,
  skim: skimSession,
  open: openSession,
  modelView,
  trashPlan,
};

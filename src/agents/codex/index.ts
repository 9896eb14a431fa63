/**
 * Codex: where its sessions lie, and how to read them. Seen in 0.169.0;
 * `docs/formats/codex.md` describes the format.
 *
 * Promises: what `agents/reader` promises. `history_base` is followed to files of other threads in the same
 * Codex home, or in the same folder for a file that lies elsewhere; no path inside a session is opened.
 * Does not know: how to run Codex, any other agent, who may write when.
 */

import type { AgentReader } from "../reader/index.ts";
import { find, recognise } from "./find.ts";
import { modelView } from "./model-view.ts";
import { openSession } from "./open.ts";
import { codexHome, sessionFolders } from "./places.ts";
import { skim } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";

export { codexForker } from "./fork.ts";
export { codexRepairer } from "./repair.ts";
export { codexWitness } from "./witness.ts";
export { codexWriter } from "./writer.ts";

export const codexReader: AgentReader = {
  agent: "codex",
  folders: (places) => sessionFolders(codexHome(places)).map(({ path }) => path),
  find,
  recognise,
  skim,
  open: (found, _places, options) => openSession(found, options),
  modelView,
  trashPlan,
};

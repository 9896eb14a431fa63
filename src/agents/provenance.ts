/** Where handed-over sessions come from: one small file a session, below Continuo's home. */

import { join } from "node:path";
import type { AgentName } from "../model/index.ts";
import { writeBeside } from "./adapter/index.ts";
import type { Receipt } from "./handoff/index.ts";
import { continuoHome, type Places } from "./reader/index.ts";
import type { HandOffSource } from "./source.ts";

export interface Provenance {
  readonly source: HandOffSource;
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  readonly receipt: Receipt;
}

export function provenancePath(agent: AgentName, sessionId: string, places: Places): string {
  return join(continuoHome(places), "handoffs", `${agent}-${encodeURIComponent(sessionId)}.json`);
}

/** Errors: `unwritable`. */
export function writeProvenance(provenance: Provenance, places: Places): void {
  const { source, agent, sessionId, location, receipt } = provenance;
  const { messages: _messages, left: _left, ...from } = source;
  const text = `${JSON.stringify({ version: 1, from, to: { agent, sessionId, location }, receipt })}\n`;
  writeBeside({ how: "create", path: provenancePath(agent, sessionId, places), text });
}

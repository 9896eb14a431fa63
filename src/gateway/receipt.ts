/** The text about a conversation that continues in another agent. Pure. */

import type { Resumption } from "@continuo/core/model";

const PROOFS: Readonly<Record<Resumption["verifiedBy"], string>> = {
  agent: "the agent confirmed its history",
  disk: "its history was read back from disk",
  "agent and disk": "the agent confirmed its history, and it was read back from disk",
  none: "its history was not checked",
};

/** One or two sentences, as a paragraph of its own. */
export function receiptOf(agent: string, { happened, ref, verifiedBy, reason, omitted }: Resumption): string {
  const where = ref === undefined ? "" : ` (${ref.agent}:${ref.sessionId})`;
  const how =
    happened === "native"
      ? `${agent} continues this conversation in a session of its own${where}: ${PROOFS[verifiedBy]}.`
      : happened === "replay"
        ? `${agent} received this conversation from its beginning${where}.`
        : `${agent} began a new session${where}.`;
  const left = omitted === undefined ? "" : ` Left out: ${JSON.stringify(omitted)}.`;
  return `\n\n[Continuo: ${how}${reason === undefined ? "" : ` ${reason}`}${left}]\n\n`;
}

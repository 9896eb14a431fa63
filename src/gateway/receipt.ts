/** The text about a conversation that continues in another agent. Pure. */

import type { ReplayForm, Resumption } from "@continuo/core/model";
import { entryOf } from "@continuo/files";

const PROOFS: Readonly<Record<Resumption["verifiedBy"], string>> = {
  agent: "the agent confirmed its history",
  disk: "its history was read back from disk",
  "agent and disk": "the agent confirmed its history, and it was read back from disk",
  none: "its history was not checked",
};

/** The answer of the agent about the session into which Continuo wrote the conversation. */
const CONFIRMED: Readonly<Record<Resumption["verifiedBy"], string>> = {
  agent: "and the agent confirmed that session",
  disk: "but the agent did not confirm that session",
  "agent and disk": "and the agent confirmed that session",
  none: "but the agent did not confirm that session",
};

/** One or two sentences, as a paragraph of its own. */
export function receiptOf(agent: string, resumption: Resumption): string {
  const { happened, ref, verifiedBy, reason, omitted } = resumption;
  const where = ref === undefined ? "" : ` (${ref.agent}:${ref.sessionId})`;
  const how =
    happened === "native"
      ? `${agent} continues this conversation in a session of its own${where}: ${PROOFS[verifiedBy]}.`
      : happened === "replay"
        ? `${agent} received this conversation from its beginning${where}${formOf(resumption)}.`
        : `${agent} began a new session${where}.`;
  const left = omitted === undefined ? "" : ` Left out: ${JSON.stringify(omitted)}.`;
  return `\n\n[Continuo: ${how}${reason === undefined ? "" : ` ${reason}`}${left}]\n\n`;
}

/** Empty if it is not known. */
function formOf({ replayedAs, verifiedBy }: Resumption): string {
  const forms: Readonly<Record<ReplayForm, string>> = {
    session: `: it was written into the agent's own files and read back, ${CONFIRMED[verifiedBy]}`,
    text: ": it was sent as text of the first prompt, and not checked",
  };
  return replayedAs === undefined ? "" : (entryOf(forms, replayedAs) ?? "");
}

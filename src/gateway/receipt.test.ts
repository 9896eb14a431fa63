/** The text that a person reads when a conversation continues in another agent. */

import { expect, test } from "vitest";
import { receiptOf } from "./receipt.ts";

const ref = { agent: "codex", sessionId: "s1", location: null, cwd: null };

test.each([
  [
    { requested: "auto", happened: "native", ref, verifiedBy: "agent and disk" },
    "codex continues this conversation in a session of its own (codex:s1): the agent confirmed its history, and it was read back from disk.",
  ],
  [
    { requested: "auto", happened: "replay", verifiedBy: "none", reason: "It has no files." },
    "codex received this conversation from its beginning. It has no files.",
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "none", omitted: { messages: 3 } },
    'codex received this conversation from its beginning (codex:s1). Left out: {"messages":3}.',
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "agent and disk", replayedAs: "session" },
    "codex received this conversation from its beginning (codex:s1): it was written into the agent's own files and read back, and the agent confirmed that session.",
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "agent", replayedAs: "session" },
    "codex received this conversation from its beginning (codex:s1): it was written into the agent's own files and read back, and the agent confirmed that session.",
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "none", replayedAs: "session" },
    "codex received this conversation from its beginning (codex:s1): it was written into the agent's own files and read back, but the agent did not confirm that session.",
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "disk", replayedAs: "session" },
    "codex received this conversation from its beginning (codex:s1): it was written into the agent's own files and read back, but the agent did not confirm that session.",
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "agent", replayedAs: "text" },
    "codex received this conversation from its beginning (codex:s1): it was sent as text of the first prompt, and not checked.",
  ],
  [{ requested: "none", happened: "new", verifiedBy: "none" }, "codex began a new session."],
] as const)("the receipt of %o is one sentence, and the reasons follow", (resumption, words) => {
  expect(receiptOf("codex", resumption).trim()).toBe(`[Continuo: ${words}]`);
});

/** The promises of `packages/agents/src/handoff/` about the source and mirrors, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const HANDOFF: readonly PromiseOfRoom[] = [
  {
    file: "packages/agents/src/handoff/source/records.ts",
    test: "test/hand-off/returns.test.ts",
    promise: "The newest note of a session's origin counts.",
    text: "note = noteIn(entry.value) ?? note;",
    mistake: "note ??= noteIn(entry.value);",
  },
  {
    file: "packages/agents/src/handoff/mirroring/receive-mirror.ts",
    test: "test/move/mirror-receiver.test.ts",
    promise: "A mirror keeps its work tree when the other machine connects again.",
    text: "workTree: mirror?.workTree ?? null }",
    mistake: "workTree: mirror === null ? null : null }",
  },
  {
    file: "packages/agents/src/handoff/mirroring/receive-mirror.ts",
    test: "test/move/mirror-receiver.test.ts",
    promise: "A file that the other machine takes back leaves the earlier one.",
    text: "if (isWhole) renameDurably(arriving, to);",
    mistake: "if (isWhole || sizeBytes > 0) renameDurably(arriving, to);",
  },
  {
    file: "packages/agents/src/handoff/mirroring/take-over.ts",
    test: "test/move/mirror-receiver.test.ts",
    promise: "A failed take-over lets the mirror follow its machine again.",
    text: "      await change(mirror, null, options);\n",
    mistake: "      await change(current, current.takenOver, options);\n",
  },
  {
    promise: "A loss that is known only after the session was read back counts too.",
    file: "packages/agents/src/handoff/hand-off.ts",
    text: "asideLines(verification));\n  assertWithinLoss(receipt, options.maxLoss);",
    mistake: "asideLines(verification));",
    test: "test/hand-off/own-agent.test.ts",
  },
  {
    promise: "A source of which a part was left out has no mark of the whole conversation.",
    file: "packages/agents/src/handoff/source/source.ts",
    text: "[...later.left, ...within.left].length === 0;",
    mistake: "within.left.length === 0;",
    test: "packages/agents/src/handoff/source/source.test.ts",
  },
  {
    promise: "A copy of records that was changed is not used for a way back.",
    file: "packages/agents/src/handoff/returning/lineage.ts",
    text: "if (entries === null || hashOf(entries) !== from.sha256) return null;",
    mistake: "if (entries === null) return null;",
    test: "test/hand-off/returns.test.ts",
  },
];

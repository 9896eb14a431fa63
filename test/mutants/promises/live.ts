/** The promises of `packages/live/src/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const ROOM = "packages/live/src";
const DECIDE = { file: `${ROOM}/batches/decide.ts`, test: `${ROOM}/batches/decide.test.ts` };
const BATCH = { file: `${ROOM}/batches/decide-batch.ts`, test: "test/live/notes.test.ts" };

export const LIVE: readonly PromiseOfRoom[] = [
  {
    ...DECIDE,
    promise: "An unsure draft changes no note.",
    text: '  if (best !== undefined && isUnsure(draft, rule)) return keep("a note says the same with more confidence");\n',
    mistake: "",
  },
  {
    ...DECIDE,
    promise: "The same time in another video is another place.",
    text: "  if (draft.videoId !== compared.note.videoId) return [];\n",
    mistake: "",
  },
  {
    ...BATCH,
    promise: "A note can be revised again after an hour.",
    text: "(at) => nowMs - at < LIMITS.revisionMs",
    mistake: "(at) => at <= nowMs",
  },
  {
    file: `${ROOM}/owner/clean-up.ts`,
    test: "test/live/service.test.ts",
    promise: "A session whose page still pings is not abandoned.",
    text: "Math.max(fold.lastInputAtMs, pingedAtMs, activeAtMs)",
    mistake: "Math.max(fold.lastInputAtMs, activeAtMs)",
  },
  {
    file: `${ROOM}/owner/nightly-replay.ts`,
    test: `${ROOM}/owner/nightly-replay.test.ts`,
    promise: "Every night has a replay.",
    text: "now.slice(0, 10)",
    mistake: "now.slice(0, 7)",
  },
  {
    file: `${ROOM}/evidence/context-window.ts`,
    test: "test/live/context-window.test.ts",
    promise: "Evidence that is too long leaves room for shorter evidence after it.",
    text: "if (tokens + tokensOf(event) > tokenBudget) continue;",
    mistake: "if (tokens + tokensOf(event) > tokenBudget) return;",
  },
  {
    file: `${ROOM}/notes/note-history.ts`,
    test: "test/live/history.test.ts",
    promise: "The versions of a note come oldest first.",
    text: "found.unshift(entry)",
    mistake: "found.push(entry)",
  },
  {
    file: `${ROOM}/notes/note-revision.ts`,
    test: `${ROOM}/batches/decide.test.ts`,
    promise: "A note that was merged keeps its origins when it is updated.",
    text: "(bases[0]?.lineage ?? [])",
    mistake: "[]",
  },
  {
    file: `${ROOM}/batches/redo-batches.ts`,
    test: `${ROOM}/batches/redo-batches.test.ts`,
    promise: "A lane writes again only what a stand-in wrote in it.",
    text: 'lane === "all" || one.lane === lane',
    mistake: 'lane === "all" || one.lane !== ""',
  },
  {
    file: `${ROOM}/batches/agreement.ts`,
    test: `${ROOM}/batches/agreement.test.ts`,
    promise: "Other words on the same evidence are no second opinion.",
    text: "base.evidence.length > 0 && base.evidence.every((id) => !evidence.has(id))",
    mistake: "base.evidence.length > 0",
  },
  {
    file: `${ROOM}/owner/video-deletion.ts`,
    test: `${ROOM}/owner/video-deletion.test.ts`,
    promise: "Deleting a video does not delete sessions of a video whose id has the same beginning.",
    text: "metadata.live.videoId !== videoId",
    mistake: "!String(metadata.live.videoId).startsWith(videoId)",
  },
  {
    file: `${ROOM}/kit/removals.ts`,
    test: "test/live/removal.test.ts",
    promise: "A session that is being deleted is hidden.",
    text: 'removal.status !== "restored"',
    mistake: 'removal.status === "removed"',
  },
  {
    file: `${ROOM}/batches/batching.ts`,
    test: `${ROOM}/batches/batching.test.ts`,
    promise: "A frame begins no batch.",
    text: '(kind === "frame" ? null : atMs);',
    mistake: "atMs;",
  },
  {
    file: `${ROOM}/state/fold.ts`,
    test: `${ROOM}/state/fold.test.ts`,
    promise: "If more batches are owed than can be kept, the oldest are dropped.",
    text: ".slice(-LIMITS.owedBatches)",
    mistake: ".slice(0, LIMITS.owedBatches)",
  },
  {
    file: `${ROOM}/state/fold.ts`,
    test: `${ROOM}/state/fold.test.ts`,
    promise: "Only the telemetry of the agent itself counts as cost.",
    text: 'if (name === "ask" && event.actor.kind === "agent" && isFields(value))',
    mistake: 'if (name === "ask" && isFields(value))',
  },
  {
    promise: "A session cannot exceed the budget of its server.",
    file: "packages/live/src/state/budget.ts",
    text: "if (ownBudget === null || budget === null) return ownBudget ?? budget;",
    mistake: "if (ownBudget !== null) return ownBudget;",
    test: "packages/live/src/state/budget.test.ts",
  },
  {
    promise: "Tokens that a model wrote count toward the budget.",
    file: "packages/live/src/state/budget.ts",
    text: "(inputTokens + outputTokens) / maxTokens",
    mistake: "inputTokens / maxTokens",
    test: "packages/live/src/state/budget.test.ts",
  },
  {
    promise: "Evidence that was dropped is no longer pending.",
    file: "packages/live/src/state/fold.ts",
    text: 'if (type === "decision_made" || type === "evidence_dropped") removePending',
    mistake: 'if (type === "decision_made") removePending',
    test: "packages/live/src/state/fold.test.ts",
  },
  {
    promise: "The memory of a stand-in is not given to the note writer.",
    file: "packages/live/src/state/fold.ts",
    text: "if (data.memory !== undefined && reason === null) fold.memory = data.memory;",
    mistake: "if (data.memory !== undefined) fold.memory = data.memory;",
    test: "packages/live/src/state/fold.test.ts",
  },
  {
    promise: "A merged note is as unsure as the least sure of its sources.",
    file: "packages/live/src/notes/note-operations.ts",
    text: "confidence: Math.min(",
    mistake: "confidence: Math.max(",
    test: "packages/live/src/notes/note-operations.test.ts",
  },
];

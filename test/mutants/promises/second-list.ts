/** Promises whose mistakes were planted before anyone looked at their tests, and that no nearest test found then. */

import type { PromiseOfRoom } from "./promise.ts";

const MCP = "packages/server/src/mcp";
const AHP = "packages/server/src/ahp";

export const SECOND_MCP: readonly PromiseOfRoom[] = [
  {
    file: `${MCP}/recall-tool.ts`,
    test: "test/mcp/recall.test.ts",
    promise: "A query with a turn finds only that turn and later ones.",
    text: "if (words.length > 0) return from.filter(",
    mistake: "if (words.length > 0) return turns.filter(",
  },
];

export const SECOND_AHP: readonly PromiseOfRoom[] = [
  {
    file: `${AHP}/turns.ts`,
    test: `${AHP}/turns.test.ts`,
    promise: "An error in the middle of a turn did not end the turn.",
    text: 'parts.map((part) => (part.kind === "error" && part !== last ? toNotice(part) : part))',
    mistake: "parts",
  },
  {
    file: `${AHP}/unanswered.ts`,
    test: `${AHP}/unanswered.test.ts`,
    promise: "Two runs with the same prompt end two turns.",
    text: "claimed.add(turn.id);",
    mistake: "claimed.add(run.runId);",
  },
  {
    file: `${AHP}/turn-actions.ts`,
    test: `${AHP}/turn-actions.test.ts`,
    promise: "A history that changed is cut after its last turn that is the same.",
    text: "turnId: last.id }]",
    mistake: "turnId: known[0]?.id ?? last.id }]",
  },
];

export const SECOND_CLIENT: readonly PromiseOfRoom[] = [
  {
    file: "packages/core/src/client/calls.ts",
    test: "packages/core/src/client/calls.test.ts",
    promise: "Results that came before a call failed are read before its error.",
    text: "if (waiting.results.length > 0) yield",
    mistake: 'if (waiting.results.length > 0 && typeof waiting.state === "string") yield',
  },
];

export const SECOND_CHANNELS: readonly PromiseOfRoom[] = [
  {
    file: "packages/store/src/channels/claims.ts",
    test: "packages/store/src/channels/claims.test.ts",
    promise: "A message of a person between those of agents lets the agents talk on.",
    text: '      if (actor.kind === "person") return false;',
    mistake: '      if (actor.kind === "person") continue;',
  },
];

export const SECOND_SESSIONS: readonly PromiseOfRoom[] = [
  {
    file: "packages/store/src/sessions/queue.ts",
    test: "test/sessions/queue.test.ts",
    promise: "A waiting run whose process ended does not hold up the others.",
    text: '|| isGone((await readStarter(store, run)) ?? "");',
    mistake: '|| isGone(run.owner ?? "");',
  },
  {
    file: "packages/store/src/sessions/run-turn.ts",
    test: "test/sessions/continuation.test.ts",
    promise: "A turn is not replayed beside another program that has the native session open.",
    text: 'if (outcome.error.code === "session_live") return;',
    mistake: 'if (outcome.error.code === "fenced") return;',
  },
];

export const SECOND_HANDOFF: readonly PromiseOfRoom[] = [
  {
    file: "packages/agents/src/handoff/source/source.ts",
    test: "test/hand-off/returns.test.ts",
    promise: "A session that came and went twice returns by its newest note.",
    text: "note = noteIn(entry.value) ?? note;",
    mistake: "note ??= noteIn(entry.value);",
  },
];

/** The promises of `packages/server/src/ahp/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const ROOM = "packages/server/src/ahp";
const ACTIONS = { file: `${ROOM}/client-actions.ts`, test: `${ROOM}/client-actions.test.ts` };
const HOST = { file: `${ROOM}/host.ts`, test: `${ROOM}/host.test.ts` };
const TURNS = { file: `${ROOM}/turns.ts`, test: `${ROOM}/turns.test.ts` };

export const AHP: readonly PromiseOfRoom[] = [
  {
    ...ACTIONS,
    test: "test/ahp/ahp.test.ts",
    promise: "A queued message that cannot be sent does not hold up the next one.",
    text: "    sender.refuseLater(error);\n    feed.sendWaiting();\n",
    mistake: "    sender.refuseLater(error);\n",
  },
  {
    ...ACTIONS,
    test: "test/ahp/ahp.test.ts",
    promise: "A client learns why its message that waited was not sent.",
    text: "    sender.refuseLater(error);\n    feed.sendWaiting();\n",
    mistake: "    feed.sendWaiting();\n",
  },
  {
    ...ACTIONS,
    promise: "A client that only reads names no session.",
    text: 'title: string): Promise<void> {\n  sender.may("write");\n',
    mistake: "title: string): Promise<void> {\n",
  },
  {
    ...ACTIONS,
    promise: "A client that may not answer answers no question.",
    text: '  sender.may("answer");\n',
    mistake: "",
  },
  {
    ...ACTIONS,
    promise: "A client can act only for itself.",
    text: "if (clientId !== sender.origin.clientId) throw",
    mistake: 'if (clientId === "") throw',
  },
  {
    ...HOST,
    test: `${ROOM}/client-actions.test.ts`,
    promise: "A client whose connection ended is no longer active.",
    text: "      if (feed?.session.activeClients.some((one) => one.clientId === clientId) === true)\n",
    mistake: "      if (feed?.session.activeClients.length === 0)\n",
  },
  {
    ...HOST,
    promise: "A client that knew a session before gets its whole state after the session was read again.",
    text: "kept === undefined || kept.since > lastSeen",
    mistake: "kept === undefined",
  },
  {
    file: `${ROOM}/action-log.ts`,
    test: `${ROOM}/action-log.test.ts`,
    promise: "A refusal comes back only to the client whose action it was.",
    text: "return origin?.clientId === clientId",
    mistake: 'return (channels.has(channel) || clientId === "")',
  },
  {
    file: `${ROOM}/summary.ts`,
    test: `${ROOM}/summary.test.ts`,
    promise: "Parts of channels are no conversations of the list.",
    text: "place === null && title !== null",
    mistake: "title !== null",
  },
  {
    ...TURNS,
    promise: "The tokens of a turn are those of all its calls of the model.",
    text: "usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0)",
    mistake: "usages.at(-1)?.inputTokens ?? 0",
  },
  {
    ...TURNS,
    promise: "The duration of a turn is in milliseconds.",
    text: "Date.parse(times.at(-1) ?? startedAt) - Date.parse(startedAt)",
    mistake: "(Date.parse(times.at(-1) ?? startedAt) - Date.parse(startedAt)) / 1_000",
  },
  {
    file: `${ROOM}/calls.ts`,
    test: `${ROOM}/turns.test.ts`,
    promise: "An editor does not show a denied call as done.",
    text: 'denied: "the call was denied"',
    mistake: "denied: null",
  },
  {
    file: `${ROOM}/unanswered-runs.ts`,
    test: `${ROOM}/unanswered-runs.test.ts`,
    promise: "An earlier turn with the same words does not belong to a run.",
    text: "!claimed.has(id) && startedAt >= run.at &&",
    mistake: "!claimed.has(id) &&",
  },
  {
    file: `${ROOM}/client-actions.ts`,
    test: "test/ahp/ahp.test.ts",
    promise: "A client that may change sessions may also answer later questions.",
    text: 'lasting: sender.mayForever() ? "allowed" : "refused"',
    mistake: 'lasting: "refused"',
  },
  {
    file: `${ROOM}/client-actions.ts`,
    test: "test/ahp/ahp.test.ts",
    promise: "A client that may only answer grants no later questions.",
    text: 'lasting: sender.mayForever() ? "allowed" : "refused" }',
    mistake: 'lasting: "allowed" }',
  },
  {
    file: `${ROOM}/edits.ts`,
    test: `${ROOM}/questions.test.ts`,
    promise: "A question whose file is also moved shows its whole input.",
    text: "return isMissing || changes.some(isMove) || !edits.every(isOnlyEdit);",
    mistake: "return isMissing || !edits.every(isOnlyEdit);",
  },
  {
    ...HOST,
    promise: "The list shows the end of a turn although no row of the machine tells it.",
    text: '        if (action.type === "session/chatUpdated") this.#tellActivity(uri);\n',
    mistake: "",
  },
  {
    file: `${ROOM}/host.ts`,
    test: `${ROOM}/host.test.ts`,
    promise: "A session of which only the chat is read is followed.",
    text: "if (read.has(uri) || read.has(toChatUri(uri))) kept.unusedSince = null;",
    mistake: "if (read.has(uri)) kept.unusedSince = null;",
  },
  {
    file: "packages/server/src/ahp/turns.ts",
    test: "packages/server/src/ahp/turns.test.ts",
    promise: "An error in the middle of a turn did not end the turn.",
    text: 'parts.map((part) => (part.kind === "error" && part !== last ? toNotice(part) : part))',
    mistake: "parts",
  },
  {
    file: "packages/server/src/ahp/unanswered-runs.ts",
    test: "packages/server/src/ahp/unanswered-runs.test.ts",
    promise: "Two runs with the same prompt end two turns.",
    text: "claimed.add(turn.id);",
    mistake: "claimed.add(run.runId);",
  },
  {
    file: "packages/server/src/ahp/turn-actions.ts",
    test: "packages/server/src/ahp/turn-actions.test.ts",
    promise: "A history that changed is cut after its last turn that is the same.",
    text: "turnId: last.id }]",
    mistake: "turnId: known[0]?.id ?? last.id }]",
  },
];

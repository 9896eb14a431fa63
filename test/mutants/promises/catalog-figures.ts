/** The promises of figures, of `last` and of following in `packages/agents/src/catalog/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const STATS = {
  file: "packages/agents/src/catalog/stats.ts",
  test: "packages/agents/src/catalog/stats.test.ts",
};
const LAST = {
  file: "packages/agents/src/catalog/last-session.ts",
  test: "packages/agents/src/catalog/last-session.test.ts",
};
const FOLLOW = {
  file: "packages/agents/src/catalog/follow.ts",
  test: "packages/agents/src/catalog/follow.test.ts",
};
const FACTS = {
  file: "packages/agents/src/catalog/row-facts.ts",
  test: "packages/agents/src/catalog/row-facts.test.ts",
};

export const CATALOG_FIGURES: readonly PromiseOfRoom[] = [
  {
    ...STATS,
    promise: "The tokens of a sub-agent count for the session that started it.",
    text: "sessionId: parentId ?? sessionId,",
    mistake: "sessionId,",
  },
  {
    ...STATS,
    promise: "A sub-agent is not counted as a session.",
    text: "isSubagent: parentId !== undefined,",
    mistake: "isSubagent: false,",
  },
  {
    ...STATS,
    promise: "A conversation with a native session counts once.",
    text: "    if (row.nativeRefs.length > 0) continue;\n",
    mistake: "",
  },
  {
    ...STATS,
    promise: "A session counts if only one of its files changed since.",
    text: "found.files.every(({ mtimeMs })",
    mistake: "found.files.some(({ mtimeMs })",
  },
  {
    ...STATS,
    promise: "The sessions of one database keep their own tokens.",
    text: "`usage $",
    mistake: "`usage` || `$",
  },
  {
    ...STATS,
    promise: "The figures say that the store cannot be read.",
    text: "return { sessions, unreadable: unreadable + 1 };",
    mistake: "return { sessions, unreadable };",
  },
  {
    ...LAST,
    promise: "The last session is one in which somebody said something.",
    text: "(await isSpokenIn(row, looking))) return",
    mistake: "row !== null) return",
  },
  {
    ...LAST,
    promise: "The last session is found behind many empty ones.",
    text: "    if (sessions.length < limit) return { row: null, error, failures };",
    mistake: "    if (limit > 1 || sessions.length < limit) return { row: null, error, failures };",
  },
  {
    ...LAST,
    promise: "A conversation whose words are in its agent's session can be the last one.",
    text: "(await hasMessages(row, looking)) || (await isSpokenElsewhere(row, looking))",
    mistake: "await hasMessages(row, looking)",
  },
  {
    ...LAST,
    promise: "A session that only its agent can read can be the last one.",
    text: "return !isAgentName(agent) || (await isSpokenAt({",
    mistake: "return isAgentName(agent) && (await isSpokenAt({",
  },
  {
    ...LAST,
    promise: "A session with an answer, and no question, can be the last one.",
    text: '["message_sent", "message_received"] as const',
    mistake: '["message_sent"] as const',
  },
  {
    ...FOLLOW,
    promise: "Following begins with the newest turn.",
    text: '        if (isFirst && messageKind(message) === "person") news = [];\n',
    mistake: "",
  },
  {
    ...FOLLOW,
    promise: "Following begins at the start for a reader who asks for that.",
    text: "let isFirst = isOnlyNewestTurn;",
    mistake: "let isFirst = true;",
  },
  {
    ...FOLLOW,
    promise: "A session is followed to the place to which it was moved.",
    text: "lookUpSession({ agent, sessionId, location }, { places })",
    mistake: "lookUpSession(location, { places })",
  },
  {
    ...FACTS,
    promise: "A file that a patch in plain text names is among those that changed.",
    text: "changesOf(isRaw ? rawArgs : args)",
    mistake: "changesOf(args)",
  },
];

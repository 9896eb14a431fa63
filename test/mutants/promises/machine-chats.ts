/** More promises of `packages/server/src/machine/`: chats, questions and the inbox, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const MACHINE_CHATS: readonly PromiseOfRoom[] = [
  {
    file: "packages/server/src/machine/inbox/inbox.ts",
    test: "packages/server/src/machine/inbox/inbox.test.ts",
    promise: "Pages learn at once that all sessions were marked as viewed.",
    text: 'if ("all" in request) seenFile.seeAll(newestTime(byKey));',
    mistake: 'if ("all" in request) return seenFile.seeAll(newestTime(byKey));',
  },
  {
    file: "packages/server/src/machine/chat/live-turn.ts",
    test: "packages/server/src/machine/chat/live-turn.test.ts",
    promise: "An addition to a text is sent only when nothing else of the message changed.",
    text: "  if (old.content.slice(0, -1).some((one, at) => one !== now.content[at])) return null;\n",
    mistake: "",
  },
  {
    promise: "A run of another session is not cancelled.",
    file: "packages/server/src/machine/chat/chat.ts",
    text: "if (run?.sessionId !== row.sessionId) throw noSuchRun(runId);",
    mistake: "if (run === null) throw noSuchRun(runId);",
    test: "test/machine/chat.test.ts",
  },
  {
    promise: "A page is informed that another turn begins.",
    file: "packages/server/src/machine/chat/events.ts",
    text: 'yield* news((await look()).state);\n      yield { type: "turn" };',
    mistake: "yield* news((await look()).state);",
    test: "test/machine/chat.test.ts",
  },
  {
    promise: "A question of a turn in another process expires by the time limit of the run's agent.",
    file: "packages/server/src/machine/chat/stored-questions.ts",
    text: "return agents[agent]?.permissions.timeoutMs ?? DEFAULT_LIMIT_MS;",
    mistake: "return Object.values(agents)[0]?.permissions.timeoutMs ?? DEFAULT_LIMIT_MS;",
    test: "packages/server/src/machine/chat/stored-questions.test.ts",
  },
  {
    promise: "A second answer to a question is refused when another program answered first.",
    file: "packages/server/src/machine/chat/stored-questions.ts",
    text: "if (counted.isGiven) return;",
    mistake: "if (counted !== undefined) return;",
    test: "packages/server/src/machine/chat/stored-questions.test.ts",
  },
  {
    promise: "The outline of the model's view begins with what the model sees.",
    file: "packages/server/src/machine/questions.ts",
    text: "return { ...(await read(({ kept }) => outlineOf(kept, query, null))), model };",
    mistake: "void model;\n      return await read(({ kept }) => outlineOf(kept, query, null));",
    test: "test/machine/model-view.test.ts",
  },
  {
    promise: "An earlier look at a session does not make its later state unseen.",
    file: "packages/server/src/machine/inbox/seen-marks.ts",
    text: "const fresh = [...marks].filter(([key, at]) => !known.has(key, at));",
    mistake: "const fresh = [...marks];",
    test: "packages/server/src/machine/inbox/seen-marks.test.ts",
  },
  {
    promise: "A conversation opens only after one that closes has ended its agent.",
    file: "packages/server/src/machine/chat/open-chats.ts",
    text: "    await Promise.allSettled(ending);\n    const chat",
    mistake: "    const chat",
    test: "packages/server/src/machine/chat/open-chats.test.ts",
  },
  {
    promise: "A question whose title is too long to be shown completely cannot be granted on a page.",
    file: "packages/server/src/machine/chat/questions.ts",
    text: "chars <= CHAT_LIMITS.requestChars && (title?.length ?? 0) <= MAX_LINE_CHARS",
    mistake: "chars <= CHAT_LIMITS.requestChars",
    test: "packages/server/src/machine/chat/questions.test.ts",
  },
  {
    promise: "Pages that follow the list learn at once of a session that began on another page.",
    file: "packages/server/src/machine/chat/new-chat.ts",
    text: "      changes.tell();\n      return { key, runId };",
    mistake: "      return { key, runId };",
    test: "packages/server/src/machine/chat/changes.test.ts",
  },
  {
    promise: "A conversation is not closed as idle while a prompt waits for the store.",
    file: "packages/server/src/machine/chat/open-chats.ts",
    text: "      works++;\n      clearTimeout(timer);\n",
    mistake: "      works++;\n",
    test: "packages/server/src/machine/chat/open-chats.test.ts",
  },
  {
    promise: "A question says how many of its options are not shown.",
    file: "packages/server/src/machine/chat/questions.ts",
    text: "const hidden = options.length - CHAT_LIMITS.options",
    mistake: "const hidden = CHAT_LIMITS.options",
    test: "packages/server/src/machine/chat/questions.test.ts",
  },
  {
    promise: "The active branch is read even if it is longer than the limit of messages.",
    file: "packages/server/src/machine/history/branches.ts",
    text: "if (messages > HISTORY_LIMITS.branchMessages && paths.length > 0) break;",
    mistake: "if (messages > HISTORY_LIMITS.branchMessages) break;",
    test: "packages/server/src/machine/history/branches.test.ts",
  },
];

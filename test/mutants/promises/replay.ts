/** The promises of replays and retries in `packages/server/src/runtime/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const REPLAY = { file: "packages/server/src/runtime/replay.ts", test: "test/runtime/replay.test.ts" };

const IMPORTS = {
  file: "packages/server/src/runtime/replay.ts",
  test: "test/runtime/replayed-imports.test.ts",
};

const TIMES = { file: "packages/server/src/runtime/retries.ts", test: "test/runtime/retries.test.ts" };
const ISOLATION = { file: "packages/server/src/runtime/isolation.ts", test: "test/runtime/retries.test.ts" };
const RECOVERY = { file: "packages/server/src/runtime/worker.ts", test: "test/runtime/retries.test.ts" };

const RETRIES = { file: "packages/server/src/runtime/retries.ts", test: "test/runtime/approvals.test.ts" };

export const RUNTIME_REPLAY: readonly PromiseOfRoom[] = [
  {
    ...REPLAY,
    promise: "A replay leaves no session behind.",
    text: "if (keep) {",
    mistake: "if (!keep) {",
  },
  {
    ...REPLAY,
    promise: "An agent answers after the conversation before the input, without it.",
    text: "copy.fork(before, input)",
    mistake: "copy.fork(before + 1, input)",
  },
  {
    ...REPLAY,
    promise: "Calls of an attempt that failed are none of the answer.",
    text: "    first.answer = noAnswer();\n",
    mistake: "",
  },
  {
    ...REPLAY,
    promise: "Nothing is permitted in a replay, because nobody is asked.",
    text: 'outcome: "denied", by: "policy", reason: "nobody',
    mistake: 'outcome: "granted", by: "policy", reason: "nobody',
  },
  {
    ...REPLAY,
    promise: "A message that no person wrote is not an input.",
    text: '  if (fold.namesPersons && !isPerson) said.leftOut = "injected";\n',
    mistake: "",
  },
  {
    ...REPLAY,
    promise: "The agent of a replay is closed after each input.",
    text: "    await opened[Symbol.asyncDispose]?.();\n",
    mistake: "",
  },
  {
    ...REPLAY,
    promise: "A message without words leaves the words before it.",
    text: 'all.findLast(({ text }) => text !== "")?.text',
    mistake: "all.at(-1)?.text",
  },
  {
    ...REPLAY,
    promise: "An answer has the tokens of its run.",
    text: 'isEvent(event, "run_completed") || isEvent(event, "run_failed")',
    mistake: 'isEvent(event, "run_failed")',
  },
  {
    ...IMPORTS,
    promise: "A text that an agent's program added is not an input.",
    text: 'if (origin !== undefined && origin !== "person") return',
    mistake: "if (origin === null) return",
  },
  {
    ...IMPORTS,
    promise: "A person's command to the agent's own program is not an input.",
    text: 'spokenText(text) === text ? null : "command"',
    mistake: "spokenText(text) === null ? null : null",
  },
  {
    ...IMPORTS,
    promise: "The earlier conversation does not have a branch that a person left.",
    text: "  fold.hidden.set(name, sequence);\n",
    mistake: "",
  },
  {
    ...RETRIES,
    promise: "An input is given up after exactly as many attempts as allowed.",
    text: "if (attempt >= attempts && !isUnproven) return null;",
    mistake: "if (attempt > attempts && !isUnproven) return null;",
  },
  {
    ...RETRIES,
    promise: "An input that is started again is not a dead letter any more.",
    text: "  await store.deleteClaim(claim);\n  return run;",
    mistake: "  return run;",
  },
  {
    ...TIMES,
    promise: "A pause between attempts is at most a minute.",
    text: "Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** (attempt - 2))",
    mistake: "backoffMs * 2 ** (attempt - 2)",
  },
  {
    ...TIMES,
    promise: "The first further attempt is made at once.",
    text: "if (attempt === 1) return",
    mistake: "if (attempt === 0) return",
  },
  {
    ...TIMES,
    promise: "The questions of an input that is given up are closed.",
    text: "  await approvals.close(root);\n",
    mistake: "",
  },
  {
    ...TIMES,
    promise: "A dead letter that is revived has all its attempts again.",
    text: "metadata: { attempt: 1, ",
    mistake: "metadata: { attempt: 99, ",
  },
  {
    ...TIMES,
    promise: "An input that was given up is reported once, however many processes find it.",
    text: "      onlyNext: true,\n",
    mistake: "",
  },
  {
    ...TIMES,
    promise: "An input is given again even if the queue of its session is full.",
    text: "retryOf: runId, maxQueued }",
    mistake: "retryOf: runId }; void maxQueued",
  },
  {
    ...TIMES,
    promise: "A message that is interrupted among others in its last attempt gets one more, with no other.",
    text: "attempt >= attempts && !isUnproven",
    mistake: "attempt >= attempts",
  },
  {
    ...ISOLATION,
    promise: "An end of the process does not count before the agent of an isolated attempt is called.",
    text: " && run.metadata.claimed === true",
    mistake: "",
  },
  {
    file: "packages/server/src/runtime/worker.ts",
    test: "test/runtime/queue.test.ts",
    promise: "An isolated attempt waits until no other message runs in its process.",
    text: "ready: isIsolated(run) ? slot.isolated : undefined,",
    mistake: "ready: undefined,",
  },
  {
    ...RECOVERY,
    promise: "An input of a process that died is given again only where the program wants that.",
    text: 'if (options.recover !== "retry") continue;',
    mistake: "",
  },
  {
    ...RECOVERY,
    promise: "A dead letter of a process that died is not given again.",
    text: "run !== null && !(await isDead(store, rootIn(run)))",
    mistake: "run !== null",
  },
];

/**
 * The promises of the locks and leases of native sessions and of the hook that reports them, each with a mistake that
 * breaks it.
 */

import type { PromiseOfRoom } from "./promise.ts";

const HOLDERS = {
  file: "packages/files/src/session-holders.ts",
  test: "packages/files/src/session-holders.test.ts",
};
const LOCK = { file: "packages/files/src/lock.ts", test: "packages/files/src/lock.test.ts" };
const HOOK = { file: "src/cli/guard/hook.ts", test: "test/guard/two-programs.test.ts" };

export const HOLDER_PROMISES: readonly PromiseOfRoom[] = [
  {
    ...LOCK,
    promise: "The mark of a writer that is about to release its lock does not outlive the next lock.",
    text: "  tryToMark(() => rmSync(mark, { force: true }));\n",
    mistake: "",
  },
  {
    ...LOCK,
    promise: "A process waits longer for a writer that is about to release its lock.",
    text: "existsSync(leavingMark(path)) ? leavingMs : waitMs",
    mistake: "waitMs",
  },
  {
    ...HOLDERS,
    promise: "A note that does not say its time names none.",
    text: 'since: typeof since === "string" ? since : null,',
    mistake: "since: String(since),",
  },
  {
    ...HOLDERS,
    promise: "A note that is being written names its process all the same.",
    text: 'note === null || typeof note.start !== "string"',
    mistake: 'note !== null && typeof note.start !== "string"',
  },
  {
    ...HOLDERS,
    promise: "A program that closes a session lets it go.",
    text: "rmSync(notePath(session, pid), { force: true });",
    mistake: "rmSync(notePath(session, -1), { force: true });",
  },
  {
    ...HOLDERS,
    promise: "A process that has the number of one that ended holds nothing.",
    text: 'typeof note.start !== "string" || note.start === start',
    mistake: "note.start !== null || note.start === start",
  },
  {
    ...HOLDERS,
    file: "packages/files/src/process-start.ts",
    promise: "A process that ended and was not waited for holds nothing.",
    text: 'return state !== "Z" && state !== "X";',
    mistake: 'return state !== "X";',
  },
  {
    ...HOLDERS,
    promise: "Notes of another machine on a shared disk are left alone.",
    text: "if (note !== null && isOfAnotherPlace(note)) continue;",
    mistake: "",
  },
  {
    ...HOLDERS,
    promise: "Notes of processes that ended are removed.",
    text: "    } else removeHolder(session, pid);",
    mistake: "    }",
  },
  {
    ...HOLDERS,
    promise: "The holder of another session is not one of this one.",
    text: "if (id !== idOf(session)) continue;",
    mistake: "if (id === null) continue;",
  },
  {
    ...HOLDERS,
    promise: "Another agent's session of the same id is another session.",
    text: "function idOf({ agent, sessionId }: NativeSessionKey): string {",
    mistake: 'function idOf({ sessionId }: NativeSessionKey, agent = ""): string {',
  },
  {
    ...HOLDERS,
    promise: "Only its person can read a note.",
    text: "{ mode: 0o600 }",
    mistake: "{ mode: 0o644 }",
  },
];

export const HOOK_PROMISES: readonly PromiseOfRoom[] = [
  {
    ...HOOK,
    promise: "A session that ends is held no longer.",
    text: "    removeHolder(session, pid);\n",
    mistake: "",
  },
  {
    ...HOOK,
    promise: "A prompt is refused only if a flag requests that.",
    text: "flags.block === true && PROMPT_EVENTS.has(event.name)",
    mistake: "PROMPT_EVENTS.has(event.name)",
  },
  {
    ...HOOK,
    promise: "No other event than a prompt is refused.",
    text: "flags.block === true && PROMPT_EVENTS.has(event.name)",
    mistake: "flags.block === true",
  },
  {
    ...HOOK,
    promise: "An agent is not warned of itself.",
    text: "isOwn: (one) => own.has(one) || one === process.pid,",
    mistake: "isOwn: (one) => one === process.pid,",
  },
  {
    ...HOOK,
    promise: "The session is held by the agent, not by the hook.",
    text: "noteHolder(session, { pid, program: agent,",
    mistake: "noteHolder(session, { pid: process.pid, program: agent,",
  },
];

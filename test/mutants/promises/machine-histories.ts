/** More promises of `packages/server/src/machine/`: histories in use, kept facts, exports and the end of processes, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const MACHINE_HISTORIES: readonly PromiseOfRoom[] = [
  {
    promise: "Two sessions with one id are two files in an archive.",
    file: "packages/server/src/machine/export-file.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "names.has(fileName) ? `${names.size}-${fileName}` : fileName",
    mistake: "fileName",
    test: "packages/server/src/machine/export-file.test.ts",
  },
  {
    promise: "A summary does not count as a part of its turn that the model sees.",
    file: "packages/server/src/machine/model-start.ts",
    text: " && !summaries.includes(id)",
    mistake: "",
    test: "test/machine/model-view.test.ts",
  },
  {
    promise: "Each session of a database has its own kept outline.",
    file: "packages/server/src/machine/known-facts.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "return `${fact} ${sessionId}`;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    mistake: 'return `${fact} ${sessionId === ""}`;',
    test: "packages/server/src/machine/known-facts.test.ts",
  },
  {
    promise: "Facts of a file that was written a moment ago do not count as kept.",
    file: "packages/server/src/machine/known-facts.ts",
    text: "if (files === null || !isSettled(files, Date.now())) return;",
    mistake: "if (files === null) return;",
    test: "packages/server/src/machine/known-facts.test.ts",
  },
  {
    promise: "A change between two looks is not missed.",
    file: "packages/server/src/machine/chat/changes.ts",
    text: "      if (version === seen) await next.promise;",
    mistake: "      if (seen >= 0) await next.promise;",
    test: "packages/server/src/machine/chat/changes.test.ts",
  },
  {
    promise: "A turn that a dead process left does not count as running.",
    file: "packages/server/src/machine/chat/state.ts",
    text: "isLeft ? foldRuns(events).map(toLeft) : foldRuns(events)",
    mistake: "foldRuns(events)",
    test: "packages/server/src/machine/chat/state.test.ts",
  },
  {
    promise: "A history that somebody reads is not dropped for another one.",
    file: "packages/server/src/machine/history/histories.ts",
    text: "    if (slot.users > 0 || slot.reading !== null) continue;\n",
    mistake: "",
    test: "packages/server/src/machine/history/histories.test.ts",
  },
  {
    promise: "Messages that were removed at the end of a session disappear.",
    file: "packages/server/src/machine/history/history-reader.ts",
    text: "  return index === kept.length;",
    mistake: "  return true;",
    test: "packages/server/src/machine/history/history-reader.test.ts",
  },
  {
    promise: "Reading a session ends when nobody waits for it.",
    file: "packages/server/src/machine/history/histories.ts",
    text: "    reading.abort.abort();\n    if (slot.reading === reading) slot.reading = null;",
    mistake: "    void reading;",
    test: "packages/server/src/machine/history/histories.test.ts",
  },
  {
    promise: "A preview of bringing a session back changes nothing.",
    file: "packages/server/src/machine/at-risk.ts",
    text: 'write: write === "preview" ? undefined : write',
    mistake: 'write: "in place" as const',
    test: "test/machine/at-risk.test.ts",
  },
  {
    promise: "The owner of a thread learns of its end, and starts another one.",
    file: "packages/server/src/machine/reader-thread.ts",
    text: '    failAll("reading the session was ended");\n    onEnd();',
    mistake: '    failAll("reading the session was ended");',
    test: "packages/server/src/machine/reader-thread.test.ts",
  },
  {
    promise: "A run of another process is not shown as one of this server.",
    file: "packages/server/src/machine/health.ts",
    text: "open.has(sessionId) ?",
    mistake: "open.size >= 0 ?",
    test: "test/machine/health.test.ts",
  },
  {
    promise: "A page learns of a change of its session's row.",
    file: "packages/server/src/machine/growth-events.ts",
    text: 'if (row !== "" && row !== text) yield',
    mistake: 'if (row === "never") yield',
    test: "packages/server/src/machine/growth-events.test.ts",
  },
  {
    promise: "All hidden sessions are counted, also those that are not shown.",
    file: "packages/server/src/machine/at-risk.ts",
    text: "hiddenCount: left.length",
    mistake: "hiddenCount: Math.min(left.length, MACHINE_LIMITS.hiddenSessions)",
    test: "test/machine/at-risk.test.ts",
  },
];

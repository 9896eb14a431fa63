/** More promises of `packages/server/src/machine/`: pages of the list, the inbox and chats, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const LIST = {
  file: "packages/server/src/machine/list.ts",
  test: "packages/server/src/machine/list.test.ts",
};
const QUESTIONS = {
  file: "packages/server/src/machine/chat/questions.ts",
  test: "packages/server/src/machine/chat/questions.test.ts",
};
const RUNS = {
  file: "packages/server/src/machine/chat/runs.ts",
  test: "packages/server/src/machine/chat/runs.test.ts",
};

export const MACHINE_PAGES_MACHINE: readonly PromiseOfRoom[] = [
  {
    ...LIST,
    promise: "A list until a time leaves out sessions of that time, and those without one.",
    text: "(beforeMs === undefined || atMs < beforeMs)",
    mistake: "(beforeMs === undefined || !(atMs >= beforeMs))",
  },
  {
    ...LIST,
    promise: "Only archived sessions are listed if the caller asks for them.",
    text: 'session.archived === (archived === "only"))',
    mistake: "session.archived === false)",
  },
  {
    ...LIST,
    promise: "A session of several wanted tags has all of them.",
    text: "tags.every((tag) => session.marks.tags.includes(tag)) &&",
    mistake: "(tags.length === 0 || tags.some((tag) => session.marks.tags.includes(tag))) &&",
  },
  {
    ...LIST,
    promise: "Pinned sessions stand first, but not among the matches of a search.",
    text: "return text === undefined ? sessions.toSorted(byPin) : sessions;",
    mistake: "return sessions.toSorted(byPin);",
  },
  {
    ...LIST,
    promise: "Tags are filtered in upper and lower case.",
    text: "query.tag?.map((tag) => tag.toLowerCase()) ?? [];",
    mistake: "query.tag ?? [];",
  },
  {
    file: "packages/server/src/machine/inbox/inbox.ts",
    test: "packages/server/src/machine/inbox/inbox.test.ts",
    promise: "A session that runs is not among those that ended.",
    text: "!runs.has(key) && !seen.has(key, updatedAt)",
    mistake: "!seen.has(key, updatedAt)",
  },
  {
    ...QUESTIONS,
    promise: "A page that may answer one question grants no later ones.",
    text: '  if (question.lasting === "refused") refuseLasting(decision, question);\n',
    mistake: "",
  },
  {
    ...QUESTIONS,
    promise: "A question whose turn ended is no longer open.",
    text: "        if (open.get(request.approvalId) === question) open.delete(request.approvalId);\n",
    mistake: "",
  },
  {
    ...RUNS,
    promise: "A turn that was asked again is not shown as unanswered.",
    text: " && !again.has(runId),",
    mistake: ",",
  },
  {
    ...RUNS,
    promise: "Turns before the last answered one are not unanswered.",
    text: "    .slice(last + 1)\n",
    mistake: "    .slice(Math.max(0, last - 1))\n",
  },
  {
    file: "packages/server/src/machine/actions.ts",
    test: "test/machine/terminal.test.ts",
    promise: "A session that another program has open gets no second terminal.",
    text: 'if (hit.kind === "native") await refuseElsewhere(hit.native, placesOf(places));',
    mistake: "",
  },
  {
    file: "packages/server/src/machine/actions.ts",
    test: "test/machine/terminal.test.ts",
    promise: "A session that a conversation of the viewer has open starts in no terminal.",
    text: "  (await lockNative({ agent, sessionId, places })).release();\n",
    mistake: "",
  },
  {
    file: "packages/server/src/machine/export-file.ts",
    test: "packages/server/src/machine/export-file.test.ts",
    promise: "Two sessions with one id are two files of an archive.",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "const name = names.has(fileName) ? `${names.size}-${fileName}` : fileName;",
    mistake: "const name = fileName;",
  },
  {
    file: "packages/server/src/machine/find.ts",
    test: "packages/server/src/machine/find.test.ts",
    promise: "A search of a session continues before the last place that it found.",
    text: "return { found, next: end > 0 && found.length >= limit ? end : null };",
    mistake: "return { found, next: end > 0 && found.length > limit ? end : null };",
  },
  {
    ...QUESTIONS,
    promise: "An answer that names no option counts once, whatever the agent offers first.",
    text: '({ kind }) => kind === (outcome === "granted" ? "allow_once" : "reject_once")',
    mistake: '({ kind }) => kind.startsWith(outcome === "granted" ? "allow" : "reject")',
  },
];

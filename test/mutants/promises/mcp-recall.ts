/** The promises of `digest`, `recall` and other tools in `packages/server/src/mcp/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const FOLD = {
  file: "packages/server/src/mcp/digest.ts",
  test: "packages/server/src/mcp/digest.test.ts",
};
const DIGEST = { file: "packages/server/src/mcp/digest-tool.ts", test: "test/mcp/tools.test.ts" };
const RECALL = { file: "packages/server/src/mcp/recall-tool.ts", test: "test/mcp/recall.test.ts" };

export const MCP_RECALL: readonly PromiseOfRoom[] = [
  {
    ...FOLD,
    promise: "A decision that only a summary has is in the digest.",
    text: "of [...said.agent, ...said.summary]",
    mistake: "of said.agent",
  },
  {
    ...FOLD,
    promise: "A question of an earlier turn does not count as open.",
    text: "      asked = said.agent\n        .slice(-1)",
    mistake: "      if (asked.length === 0) asked = said.agent\n        .slice(-1)",
  },
  {
    ...FOLD,
    promise: "A call that failed, and succeeded when it was repeated, does not count as open.",
    text: "const lastCall = calls.at(-1);",
    mistake:
      "const lastCall = calls.findLast(({ id }) => results.get(id)?.isError === true) ?? calls.at(-1);",
  },
  {
    ...FOLD,
    promise: "Text that a program wrote into a prompt does not count as a request of the person.",
    text: "[typedIn(block).trim()]",
    mistake: "[block.text.trim()]",
  },
  {
    ...FOLD,
    promise: "Everything that a person asked for in one turn is a request.",
    text: "for (const text of said.person) push",
    mistake: "for (const text of said.person.slice(0, 1)) push",
  },
  {
    ...DIGEST,
    promise: "If there are many requests, a digest has the newest ones.",
    text: "    .slice(-items || later.length)\n    .slice(0, items)",
    mistake: "    .slice(0, items)",
  },
  {
    ...DIGEST,
    promise: "If there are many decisions, a digest has the newest ones.",
    text: "    .slice(-items || digest.decisions.length)\n    .slice(0, items)",
    mistake: "    .slice(0, items)",
  },
  {
    ...DIGEST,
    promise: "A digest counts the files that it leaves out.",
    text: "      digest.files.length -\n      (requests.length + decisions.length + openEnds.length + files.length),",
    mistake: "      0 -\n      (requests.length + decisions.length + openEnds.length),",
  },
  {
    ...DIGEST,
    promise: "A file that is as the session left it does not count as changed.",
    text: '[...since.values()].filter((state) => state !== "same").length',
    mistake: "since.size",
  },
  {
    ...RECALL,
    promise: "A recalled turn has the prompt of the person, even if the agent kept the prompt.",
    text: 'cut.has(message.id) || messageKind(message) === "person"',
    mistake: "cut.has(message.id)",
  },
  {
    ...RECALL,
    promise: "Nobody finds out a secret by searching for it.",
    text: "hasAll(one, words, mask)",
    mistake: "hasAll(one, words, (text) => text)",
  },
  {
    ...RECALL,
    promise: "A turn is found by the tool that it called.",
    text: 'entry.tool ?? ""',
    mistake: '""',
  },
  {
    ...RECALL,
    promise: "An outline shows how a turn ended, not how it began.",
    text: "const answer = turn.messages.findLast(",
    mistake: "const answer = turn.messages.find(",
  },
  {
    ...RECALL,
    promise: "A turn is found whatever the case of its letters.",
    text: '    .join("\\n")\n    .toLowerCase();',
    mistake: '    .join("\\n");',
  },
  {
    ...RECALL,
    promise: "A turn that is named is shown with all that its calls were given.",
    text: 'turn === undefined ? ("brief" as const) : ("full" as const)',
    mistake: '"brief" as const',
  },
  {
    ...RECALL,
    promise: "The titles of sessions to choose from are masked.",
    text: "shorten(mask(row.title), 100)",
    mistake: "shorten(row.title, 100)",
  },
  {
    promise: "A search says that its results have only most of the words.",
    file: "packages/server/src/mcp/search-tool.ts",
    text: 'found.matched === "all"',
    mistake: "found.matched !== undefined",
    test: "test/mcp/tools.test.ts",
  },
  {
    promise: "The tool `who` names no session that the person excluded.",
    file: "packages/server/src/mcp/who-tool.ts",
    text: "exclude: await exclude(),",
    mistake: "exclude: [],",
    test: "test/mcp/who.test.ts",
  },
  {
    ...RECALL,
    promise: "A file that the session itself changed in a later turn did not change since.",
    text: "for (const path of paths) files.set(path, { path, at, isChanged: false });",
    mistake:
      "for (const path of paths) if (!files.has(path)) files.set(path, { path, at, isChanged: false });",
  },
  {
    file: "packages/server/src/mcp/recall-tool.ts",
    test: "test/mcp/recall.test.ts",
    promise: "A query with a turn finds only that turn and later ones.",
    text: "if (words.length > 0) return from.filter(",
    mistake: "if (words.length > 0) return turns.filter(",
  },
  {
    promise: "The tool grep shows the newest session first.",
    file: "packages/server/src/mcp/grep-tool.ts",
    text: "if (x !== y) return x < y ? 1 : -1;",
    mistake: "if (x !== y) return x < y ? -1 : 1;",
    test: "test/mcp/tools.test.ts",
  },
  {
    promise: "The count of the tool grep is that of all turns, also after an offset.",
    file: "packages/server/src/mcp/grep-tool.ts",
    text: "total: hits.length,",
    mistake: "total: hits.length - offset,",
    test: "test/mcp/tools.test.ts",
  },
  {
    promise: "A line of the tool who without a last line is only this line.",
    file: "packages/server/src/mcp/who-tool.ts",
    text: "const to = lastLine ?? line;",
    mistake: "const to = lastLine ?? ofLines;",
    test: "test/mcp/who.test.ts",
  },
  {
    promise: "A last line of the tool who without a first one is refused.",
    file: "packages/server/src/mcp/who-tool.ts",
    text: "if (line === undefined && lastLine === undefined)",
    mistake: "if (line === undefined)",
    test: "test/mcp/who.test.ts",
  },
  {
    promise: "The other turns of a hit do not include its own.",
    file: "packages/server/src/mcp/hits.ts",
    text: ".filter((number) => number !== turn.number)",
    mistake: ".filter((number) => number !== 0)",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "A cancelled task of a list is not an open end.",
    file: "packages/server/src/mcp/digest.ts",
    text: '"done", "cancelled", "canceled"',
    mistake: '"done"',
    test: "packages/server/src/mcp/digest.test.ts",
  },
  {
    promise: "The open tasks of a list stay open after other calls.",
    file: "packages/server/src/mcp/digest.ts",
    text: "mask(text) })) ?? tasks;",
    mistake: "mask(text) })) ?? null;",
    test: "packages/server/src/mcp/digest.test.ts",
  },
  {
    promise: "A secret at the place where a long command is cut is masked.",
    file: "packages/server/src/mcp/fix-tool.ts",
    text: "cutMiddle(mask(repair.failed), COMMAND_CHARS)",
    mistake: "mask(cutMiddle(repair.failed, COMMAND_CHARS))",
    test: "test/mcp/experience.test.ts",
  },
  {
    promise:
      "A turn of which only text that a program inserted was cut is not among the turns that were cut.",
    file: "packages/server/src/mcp/recall-tool.ts",
    text: 'return messageKind(message) !== "injected" && message.content.length > 0;',
    mistake: "return message.content.length > 0;",
    test: "test/mcp/recall.test.ts",
  },
  {
    promise: "Files are examined also if the folder of the session is reached over a link.",
    file: "packages/server/src/mcp/file-changes.ts",
    text: "await changedAt(place, real)",
    mistake: "await changedAt(place, folder)",
    test: "packages/server/src/mcp/file-changes.test.ts",
  },
  {
    promise: "The result of a failed call is cut like any other result.",
    file: "packages/server/src/mcp/turn-text.ts",
    text: '!entry.role.startsWith("result")',
    mistake: 'entry.role !== "result"',
    test: "packages/server/src/mcp/turns-answer.test.ts",
  },
  {
    promise: "Over HTTP no folder counts as the folder of the agent.",
    file: "packages/server/src/mcp/experience.ts",
    text: "folder: callerPid === null ? null : places.cwd",
    mistake: "folder: places.cwd",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "All changes that a repair made to one file are shown.",
    file: "packages/server/src/mcp/fix-tool.ts",
    text: "const lines = files.get(path) ?? [];",
    mistake: "const lines: string[] = [];",
    test: "test/mcp/experience.test.ts",
  },
];

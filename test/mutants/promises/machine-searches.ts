/** More promises of `packages/server/src/machine/`: searches, changed files and blame, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const MACHINE_SEARCHES: readonly PromiseOfRoom[] = [
  {
    promise: "The excerpt of a found message marks the longer of two words that begin at one place.",
    file: "packages/server/src/machine/find.ts",
    text: "b.length - a.length",
    mistake: "a.length - b.length",
    test: "packages/server/src/machine/find.test.ts",
  },
  {
    promise: "A search that continues from a place does not fall back to single words.",
    file: "packages/server/src/machine/find.ts",
    text: "found.length > 0 || before !== undefined || words.length < 2",
    mistake: "found.length > 0 || words.length < 2",
    test: "packages/server/src/machine/find.test.ts",
  },
  {
    promise: "The words of a file's name in a message are found.",
    file: "packages/server/src/machine/find.ts",
    text: 'return [block.name ?? "", block.text ?? ""];',
    mistake: 'return [block.text ?? ""];',
    test: "packages/server/src/machine/find.test.ts",
  },
  {
    promise: "A message that is left out of the answer is counted.",
    file: "packages/server/src/machine/find.ts",
    text: "leftOut: matches.length - shown.length",
    mistake: "leftOut: places.length - matches.length",
    test: "packages/server/src/machine/find.test.ts",
  },
  {
    promise: "A question that was left ends its search only if nobody else waits.",
    file: "packages/server/src/machine/text-searches.ts",
    text: "if (one.waiting > 0) return;",
    mistake: "",
    test: "test/machine/found.test.ts",
  },
  {
    promise: "A session that was found has its row even if its text is not read.",
    file: "packages/server/src/machine/text-searches.ts",
    text: "return [match === undefined ? shown : { ...shown, match }];",
    mistake: "return match === undefined ? [] : [{ ...shown, match }];",
    test: "test/machine/found.test.ts",
  },
  {
    promise: "A sub-agent that was found is not counted as one without a row.",
    file: "packages/server/src/machine/text-searches.ts",
    text: "one.parentId === null && one.trashId === null && pairOf",
    mistake: "one.trashId === null && pairOf",
    test: "test/machine/found.test.ts",
  },
  {
    promise: "A session that disappeared leaves the list of a page that follows it.",
    file: "packages/server/src/machine/changed-files.ts",
    text: "if (sessions.length + gone.length > 0) yield",
    mistake: "if (sessions.length > 0) yield",
    test: "test/machine/list.test.ts",
  },
  {
    promise: "A usage that was found since a page got its list is sent to it.",
    file: "packages/server/src/machine/changed-files.ts",
    text: "usages.at(row, sentAt)",
    mistake: "usages.of(row)",
    test: "test/machine/list.test.ts",
  },
  {
    promise: "A line that no session wrote is not shown to a page.",
    file: "packages/server/src/machine/file-blame.ts",
    text: "text: line.origin === null ? null : maskSecrets(line.text).value",
    mistake: "text: maskSecrets(line.text).value",
    test: "test/machine/file-blame.test.ts",
  },
  {
    promise: "A search in a session counts only matches as left out.",
    file: "packages/server/src/machine/find.ts",
    text: "leftOut: matches.length - shown.length",
    mistake: "leftOut: places.length - shown.length",
    test: "packages/server/src/machine/find.test.ts",
  },
];

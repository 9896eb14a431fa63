/** More promises of `packages/agents/src/catalog/`: the texts that a search reads, each with a mistake that breaks it. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files

import type { PromiseOfRoom } from "./promise.ts";

export const CATALOG_TEXTS: readonly PromiseOfRoom[] = [
  {
    promise: "A session of Continuo's in the trash is searched, and marked as one in the trash.",
    file: "packages/agents/src/catalog/texts-own.ts",
    text: "trashId: isTrashed(row) ? toTrashedOwn(row).trashId : null",
    mistake: "trashId: null",
    test: "test/cli/own-trash.test.ts",
  },
  {
    promise: "An own session of an excluded folder is not searched.",
    file: "packages/agents/src/catalog/texts-own.ts",
    text: " && (row.cwd === null || !isExcluded(row.cwd)))",
    mistake: ")",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A session whose file names an excluded folder is not searched.",
    file: "packages/agents/src/catalog/texts-native.ts",
    text: "steps: isKeptOut ? asOneStep(noMessages()) : stepsOf(session, file, signal),",
    mistake: "steps: stepsOf(session, file, signal),",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A title that an agent writes beside a session is found without a change of its file.",
    file: "packages/agents/src/catalog/texts-known.ts",
    text: 'const isPlain = !archived && cwd === undefined && title === null;\n  return isPlain ? "" : `\\n${JSON.stringify({ archived, cwd, title })}`;',
    mistake:
      'const isPlain = !archived && cwd === undefined;\n  return isPlain ? "" : `\\n${JSON.stringify({ archived, cwd })}`;',
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A search has the same texts of sessions with and without the lines of an earlier list.",
    file: "packages/agents/src/catalog/texts-known.ts",
    text: "placedOf({ archived, cwd: this.#batch.cwd }, title)",
    mistake: "placedOf({ archived }, title)",
    test: "test/search/known-texts.test.ts",
  },
  {
    promise: "A store that cannot be read is reported by a search.",
    file: "packages/agents/src/catalog/texts-own.ts",
    text: "failure: { location: withoutPassword(url), message: error.message }",
    mistake: "failure: null",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A mirror of a session that exists on this machine is not searched twice.",
    file: "packages/agents/src/catalog/texts-mirrors.ts",
    text: " || metIds.has(mirror.sessionId)) continue;",
    mistake: ") continue;",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "The texts of a removed session leave the index.",
    file: "packages/agents/src/catalog/texts.ts",
    text: "      await removeText(path, gone);\n",
    mistake: "",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "The searched sessions come newest first.",
    file: "packages/agents/src/catalog/texts.ts",
    text: "b.changedMs - a.changedMs ||",
    mistake: "a.changedMs - b.changedMs ||",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A mirror whose folder is excluded has no text.",
    file: "packages/agents/src/catalog/texts-mirrors.ts",
    text: "    if (mirror.folder !== null && isExcluded(mirror.folder)) continue;\n",
    mistake: "",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A new folder between a session and the folder of sessions is known to the next search.",
    file: "packages/agents/src/catalog/texts-cache.ts",
    text: "roots.find((one) => `${start}${sep}`.startsWith(`${one}${sep}`)) ?? dirname(start)",
    mistake: "dirname(start)",
    test: "packages/agents/src/catalog/texts-cache.test.ts",
  },
  {
    promise: "The first session in an empty folder of sessions is known to the next search.",
    file: "packages/agents/src/catalog/texts-cache.ts",
    text: "new Set([...roots, ...roots.flatMap(foldersIn)])",
    mistake: "new Set(roots.flatMap(foldersIn))",
    test: "packages/agents/src/catalog/texts-cache.test.ts",
  },
];

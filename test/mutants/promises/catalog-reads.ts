/** More promises of `packages/agents/src/catalog/`: what is read, kept and counted, each with a mistake that breaks it. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files

import type { PromiseOfRoom } from "./promise.ts";

export const CATALOG_READS: readonly PromiseOfRoom[] = [
  {
    promise: "Messages before the first read step do not come again.",
    file: "packages/agents/src/catalog/every-step.ts",
    text: "const seen = new Set(before);",
    mistake: "const seen = new Set<string>(before.slice(0, 0));",
    test: "packages/agents/src/catalog/every-step.test.ts",
  },
  {
    promise: "A session is read again when a missing file of its history appears.",
    file: "packages/agents/src/catalog/dependencies.ts",
    text: "    ...Object.fromEntries(gone.map((id) => [`${MISSING_PREFIX}${agent}:${id}`, IS_GONE])),\n",
    mistake: "",
    test: "packages/agents/src/catalog/dependencies.test.ts",
  },
  {
    promise: "The steps of a later branch are counted after those of the earlier ones.",
    file: "packages/agents/src/catalog/every-step.ts",
    text: "        first += keys.length;\n",
    mistake: "",
    test: "packages/agents/src/catalog/every-step.test.ts",
  },
  {
    promise: "A missing file is one of the same agent.",
    file: "packages/agents/src/catalog/dependencies.ts",
    text: "found.filter((one) => one.agent === agent).flatMap",
    mistake: "found.flatMap",
    test: "packages/agents/src/catalog/dependencies.test.ts",
  },
  {
    promise: "All branches of a session are read in steps.",
    file: "packages/agents/src/catalog/every-step.ts",
    text: "leaves.filter(({ active }) => withIds || active)",
    mistake: "leaves.filter(({ active }) => active)",
    test: "packages/agents/src/catalog/every-step.test.ts",
  },
  {
    promise: "A file that replaced another one is read from its beginning.",
    file: "packages/agents/src/catalog/growth.ts",
    text: "kept.inode === now.inode && kept.sizeBytes",
    mistake: "kept.sizeBytes",
    test: "packages/agents/src/catalog/growth.test.ts",
  },
  {
    promise: "A scan of a file that was written a moment ago is not kept.",
    file: "packages/agents/src/catalog/growth.ts",
    text: "isUnchanged: () => isQuiet && files",
    mistake: "isUnchanged: () => files",
    test: "packages/agents/src/catalog/growth.test.ts",
  },
  {
    promise: "A store that the caller opened stays open.",
    file: "packages/agents/src/catalog/open-session.ts",
    text: "await using _own = options.own === undefined ? own : null;",
    mistake: "await using _own = own;",
    test: "packages/agents/src/catalog/open-session.test.ts",
  },
  {
    promise: "A scan does not continue when a file next to the session changed.",
    file: "packages/agents/src/catalog/growth.ts",
    text: " && areDependenciesUnchanged(beside, besideNow);",
    mistake: ";",
    test: "packages/agents/src/catalog/growth.test.ts",
  },
  {
    promise: "A session read in part says so.",
    file: "packages/agents/src/catalog/open-session.ts",
    text: "partial: transcript.metadata.older !== undefined",
    mistake: "partial: transcript.metadata === undefined",
    test: "packages/agents/src/catalog/open-session.test.ts",
  },
  {
    promise: "The model view is that of the requested branch.",
    file: "packages/agents/src/catalog/open-session.ts",
    text: "await Array.fromAsync(session.history(options))",
    mistake: "await Array.fromAsync(session.history())",
    test: "packages/agents/src/catalog/open-session.test.ts",
  },
  {
    promise: "A change of the store is seen by the next search.",
    file: "packages/agents/src/catalog/texts-cache.ts",
    text: "stampOf(ownFiles(places)) === own && isSame()",
    mistake: "isSame()",
    test: "packages/agents/src/catalog/texts-cache.test.ts",
  },
  {
    promise: "A copy is opened in its own home.",
    file: "packages/agents/src/catalog/open-session.ts",
    text: "const { reader, found, places } = located.native;\n    const { index",
    mistake: "const { reader, found } = located.native;\n    const { index",
    test: "packages/agents/src/catalog/open-session.test.ts",
  },
  {
    promise: "The signal of one search does not end a later one.",
    file: "packages/agents/src/catalog/texts-cache.ts",
    text: "{ signal: _, onProgress: _1, ...options }: TextsOptions",
    mistake: "options: TextsOptions",
    test: "packages/agents/src/catalog/texts-cache.test.ts",
  },
  {
    promise: "Only the newest events of an own session are read for its end.",
    file: "packages/agents/src/catalog/open-session.ts",
    text: "options.newestBytes === undefined ? {} : NEWEST",
    mistake: "{}",
    test: "packages/agents/src/catalog/open-session.test.ts",
  },
];

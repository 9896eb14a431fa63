/** More promises of `packages/server/src/mcp/`: bounds and masks, each with a mistake that breaks it. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files

import type { PromiseOfRoom } from "./promise.ts";

export const MCP_BOUNDS: readonly PromiseOfRoom[] = [
  {
    promise: "The excluded sessions give no experience.",
    file: "packages/server/src/mcp/experience.ts",
    text: "    exclude: await exclude(),\n",
    mistake: "    exclude: [],\n",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "An answer stays within its tokens even if no text fits.",
    file: "packages/server/src/mcp/turns-answer.ts",
    text: "return tokensOf(some) <= options.maxTokens ? some : build(1, LEAST);",
    mistake: "return some;",
    test: "packages/server/src/mcp/turns-answer.test.ts",
  },
  {
    promise: "Hidden sessions give no experience.",
    file: "packages/server/src/mcp/experience.ts",
    text: "isVisible: (session) => isVisible(session, context),",
    mistake: "isVisible: () => true,",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "A session with a strange id is named in the quotes.",
    file: "packages/server/src/mcp/turns-answer.ts",
    text: 'isPlain ? session : "the session"}.`',
    mistake: "session}.`",
    test: "packages/server/src/mcp/turns-answer.test.ts",
  },
  {
    promise: "Experience ends after its time.",
    file: "packages/server/src/mcp/experience.ts",
    text: "    timeMs: MCP_LIMITS.searchMs,\n    folder",
    mistake: "    folder",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "A brief call shows what it is about.",
    file: "packages/server/src/mcp/turn-text.ts",
    text: 'detail === "full" ? part.input : (part.argument ?? "")',
    mistake: "part.input",
    test: "packages/server/src/mcp/turns-answer.test.ts",
  },
  {
    promise: "The numbers of other turns are bounded.",
    file: "packages/server/src/mcp/hits.ts",
    text: "others.slice(0, OTHER_TURNS)",
    mistake: "others",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "A folder that is not from the root has no files.",
    file: "packages/server/src/mcp/file-changes.ts",
    text: "folder === null || !isAbsolute(folder)",
    mistake: "folder === null",
    test: "packages/server/src/mcp/file-changes.test.ts",
  },
  {
    promise: "A hit in a session with a strange id names it in the quotes.",
    file: "packages/server/src/mcp/hits.ts",
    text: 'isPlain ? session : "session as quoted"}, turn ${turn}${others}`',
    mistake: "session}, turn ${turn}${others}`",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "A number of files is checked.",
    file: "packages/server/src/mcp/file-changes.ts",
    text: "files.slice(0, MAX_FILES)",
    mistake: "files",
    test: "packages/server/src/mcp/file-changes.test.ts",
  },
  {
    promise: "A time that is not known is no state.",
    file: "packages/server/src/mcp/file-changes.ts",
    text: "if (Number.isNaN(at) || !isBelow",
    mistake: "if (!isBelow",
    test: "packages/server/src/mcp/file-changes.test.ts",
  },
  {
    promise: "Invisible characters of a quote are visible.",
    file: "packages/server/src/mcp/answer.ts",
    text: 'return fence(visibleText(text), "quoted");',
    mistake: 'return fence(text, "quoted");',
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "A call that names a file twice counts once.",
    file: "packages/server/src/mcp/digest.ts",
    text: "new Set(filesOfCall(call.args).map(mask))",
    mistake: "filesOfCall(call.args).map(mask)",
    test: "packages/server/src/mcp/digest.test.ts",
  },
];

/** More promises of `packages/server/src/mcp/`: questions, searches and repairs, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const ASK_TOOL = { file: "packages/server/src/mcp/ask-tool.ts", test: "test/mcp/ask.test.ts" };
const GREP_TOOL = { file: "packages/server/src/mcp/grep-tool.ts", test: "test/mcp/tools.test.ts" };
const FIX_TOOL = { file: "packages/server/src/mcp/fix-tool.ts", test: "test/mcp/experience.test.ts" };

export const MCP_ANSWERS_MCP: readonly PromiseOfRoom[] = [
  {
    ...ASK_TOOL,
    promise: "The earlier question that is named is not asked again.",
    text: "      return await answerWithin(asked, { asking, waitSeconds, maxTokens, context, signal });\n    }\n",
    mistake:
      '      await asking.ask({ ...asked, content: question ?? "" });\n      return await answerWithin(asked, { asking, waitSeconds, maxTokens, machine, signal });\n    }\n',
  },
  {
    ...ASK_TOOL,
    promise: "If there are several channels, one must be named.",
    text: "channels[0] !== undefined && channels.length === 1) return",
    mistake: "channels[0] !== undefined) return",
  },
  {
    ...ASK_TOOL,
    promise: "A question whose answer takes longer is named, to be asked for again.",
    text: 'status: "waiting", ask: nameOf(asked), from',
    mistake: 'status: "waiting", ask: null, from',
  },
  {
    ...ASK_TOOL,
    promise: "What is left out of a long answer is counted.",
    text: "const left = content.length - chars;",
    mistake: "const left = content.length - chars - 1;",
  },
  {
    ...ASK_TOOL,
    promise: "The same question to another agent is another question.",
    text: "const text = JSON.stringify([process.pid, performance.timeOrigin, wanted]);",
    mistake: "const text = JSON.stringify([process.pid, performance.timeOrigin, wanted.question]);",
  },
  {
    file: "packages/server/src/mcp/server.ts",
    test: "test/mcp/wire.test.ts",
    promise: "The tool `ask` is offered only if a person allowed it.",
    text: "const asks = context.asking === null ? [] : [askTool];",
    mistake: "const asks = [askTool];",
  },
  {
    file: "packages/server/src/mcp/server.ts",
    test: "test/mcp/which-sessions.test.ts",
    promise: "Invisible signs in an error are spelled out.",
    text: "text: visibleText(text) }] };",
    mistake: "text }] };",
  },
  {
    file: "packages/server/src/mcp/search-tool.ts",
    test: "test/mcp/tools.test.ts",
    promise: "A search continues at the offset.",
    text: ".slice(offset, offset + limit)",
    mistake: ".slice(offset, limit)",
  },
  {
    ...GREP_TOOL,
    promise: "Matches of a pattern come from the newest session first.",
    text: "return x < y ? 1 : -1;",
    mistake: "return x < y ? -1 : 1;",
  },
  {
    ...GREP_TOOL,
    promise: "A pattern that begins with a caret matches at the beginning of a line.",
    text: 'ignoreCase ? "imu" : "mu"',
    mistake: 'ignoreCase ? "iu" : "u"',
  },
  {
    file: "packages/server/src/mcp/machine-search.ts",
    test: "test/mcp/which-sessions.test.ts",
    promise: "A search leaves out what a person excluded.",
    text: "    exclude: await exclude(),\n",
    mistake: "    exclude: [],\n",
  },
  {
    file: "packages/server/src/mcp/experience.ts",
    test: "test/mcp/experience.test.ts",
    promise: "The tools fix and how leave out what a person excluded.",
    text: "    exclude: await exclude(),\n",
    mistake: "    exclude: [],\n",
  },
  {
    file: "packages/server/src/mcp/read-tool.ts",
    test: "packages/server/src/mcp/named-sessions.test.ts",
    promise: "The tool read gives as many turns as asked for from a turn on.",
    text: "turn.number < first || kept.length >= count",
    mistake: "turn.number < first || kept.length > count",
  },
  {
    file: "packages/server/src/mcp/digest-tool.ts",
    test: "test/mcp/tools.test.ts",
    promise: "The title of a digest is masked.",
    text: "title: title === null ? null : context.mask(title), folder: cwd, updatedAt",
    mistake: "title, folder: cwd, updatedAt",
  },
  {
    file: "packages/server/src/mcp/digest.ts",
    test: "packages/server/src/mcp/digest.test.ts",
    promise: "A request that was repeated is in a digest once.",
    text: "if (pieces.length < MAX_ITEMS && pieces.every(({ text }) => text !== piece.text)) pieces.push(piece);",
    mistake: "if (pieces.length < MAX_ITEMS) pieces.push(piece);",
  },
  {
    file: "packages/server/src/mcp/digest.ts",
    test: "test/mcp/tools.test.ts",
    promise: "A call without a result is an open end.",
    text: "  if (open.length > 0)\n",
    mistake: "  if (open.length > 1)\n",
  },
  {
    ...FIX_TOOL,
    promise: "A repair shows the attempts that did not help.",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: '${attempts === 0 ? "" : `, after ${attempts} that did not help`}',
    mistake: "",
  },
  {
    ...FIX_TOOL,
    promise: "A secret in what the agent said of a repair is masked.",
    text: "cutMiddle(mask(repair.said), SAID_CHARS)",
    mistake: "cutMiddle(repair.said, SAID_CHARS)",
  },
  {
    ...FIX_TOOL,
    promise: "A file that a repair changed and that no longer exists is reported as gone.",
    text: "path, at, isChanged: true }",
    mistake: "path, at, isChanged: false }",
  },
  {
    file: "packages/server/src/mcp/who-tool.ts",
    test: "test/mcp/who.test.ts",
    promise: "A line that another turn wrote before says so.",
    text: "const before = [...others, ...earlier].flatMap",
    mistake: "const before = [...others].flatMap",
  },
  {
    file: "packages/server/src/mcp/sessions.ts",
    test: "test/mcp/which-sessions.test.ts",
    promise: "Archived sessions are opened by their place.",
    text: 'listCatalog({ archived: "include" }, looking)',
    mistake: "listCatalog({}, looking)",
  },
  {
    file: "packages/server/src/mcp/file-changes.ts",
    test: "packages/server/src/mcp/file-changes.test.ts",
    promise: "A file that changed within a minute of the call is as the session left it.",
    text: 'changedMs > at + TOLERANCE_MS ? "changed" : "same"',
    mistake: 'changedMs > at + TOLERANCE_MS * 60 ? "changed" : "same"',
  },
  {
    promise: "A file that the session only read is not gone.",
    file: "packages/server/src/mcp/digest-tool.ts",
    text: "isChanged: changes > 0 }",
    mistake: "isChanged: true }",
    test: "packages/server/src/mcp/digest-tool.test.ts",
  },
  {
    promise: "If there are many open ends, a digest has the newest.",
    file: "packages/server/src/mcp/digest-tool.ts",
    text: "    .slice(-items || digest.openEnds.length)\n    .slice(0, items)",
    mistake: "    .slice(0, items)",
    test: "packages/server/src/mcp/digest-tool.test.ts",
  },
  {
    promise: "The goal is the first request.",
    file: "packages/server/src/mcp/digest-tool.ts",
    text: "const [goal, ...later] = digest.requests;",
    mistake: "const [goal, ...later] = digest.requests.toReversed();",
    test: "packages/server/src/mcp/digest-tool.test.ts",
  },
  {
    promise: "No line of a request poses as a head.",
    file: "packages/server/src/mcp/digest-tool.ts",
    text: 'text.replace(/\\s*\\n\\s*/gu, "\\n    ")',
    mistake: "text",
    test: "packages/server/src/mcp/digest-tool.test.ts",
  },
  {
    promise: "A digest has at most the tokens that were asked for.",
    file: "packages/server/src/mcp/digest-tool.ts",
    text: "largestWithin(LEVELS.length - 1, maxTokens, (level)",
    mistake: "largestWithin(LEVELS.length - 1, MCP_LIMITS.maxTokens, (level)",
    test: "packages/server/src/mcp/digest-tool.test.ts",
  },
  {
    promise: "A digest says which file changed since.",
    file: "packages/server/src/mcp/digest-tool.ts",
    text: 'since === "changed" ? "changed since" : since',
    mistake: "since",
    test: "packages/server/src/mcp/digest-tool.test.ts",
  },
];

/** More promises of `packages/server/src/mcp/`: questions to other agents, repairs and uses of commands, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const MCP_QUESTIONS: readonly PromiseOfRoom[] = [
  {
    promise: "The same question of one agent is asked once, also when it is called again.",
    file: "packages/server/src/mcp/ask-tool.ts",
    text: "[process.pid, performance.timeOrigin, wanted]",
    mistake: "[process.pid, performance.now(), wanted]",
    test: "test/mcp/ask.test.ts",
  },
  {
    promise: "Secrets in the answer of another agent are masked.",
    file: "packages/server/src/mcp/ask-tool.ts",
    text: "content: context.mask(reply.content) }",
    mistake: "content: reply.content }",
    test: "test/mcp/ask.test.ts",
  },
  {
    promise: "Waiting for an answer reads no channel that is not open for questions.",
    file: "packages/server/src/mcp/ask-tool.ts",
    text: "channel: chosenChannel(channel, asking) };\n}",
    mistake: "channel };\n}",
    test: "test/mcp/ask.test.ts",
  },
  {
    promise: "A handle with an at sign means the same agent.",
    file: "packages/server/src/mcp/ask-tool.ts",
    text: 'return to.replace(/^@/u, "");',
    mistake: "return to;",
    test: "test/mcp/ask.test.ts",
  },
  {
    promise: "An agent that is not there is reported as absent, although another one is there.",
    file: "packages/server/src/mcp/ask-tool.ts",
    text: ".includes(asked.to);",
    mistake: ".length > 0;",
    test: "test/mcp/ask.test.ts",
  },
  {
    promise: "Secrets that a failed command printed are masked.",
    file: "packages/server/src/mcp/how-tool.ts",
    text: "cutMiddle(mask(error), ERROR_CHARS)",
    mistake: "cutMiddle(error, ERROR_CHARS)",
    test: "test/mcp/experience.test.ts",
  },
  {
    promise: "Ways of a command that do not fit are counted.",
    file: "packages/server/src/mcp/how-tool.ts",
    text: "all.length - ways.length",
    mistake: "0",
    test: "test/mcp/experience.test.ts",
  },
  {
    promise: "A repair that was not confirmed does not count as solved.",
    file: "packages/server/src/mcp/fix-tool.ts",
    text: 'all.filter(({ outcome }) => outcome === "solved")',
    mistake: 'all.filter(({ outcome }) => outcome !== "not solved")',
    test: "test/mcp/experience.test.ts",
  },
  {
    promise: "A secret on several lines of a change is masked.",
    file: "packages/server/src/mcp/fix-tool.ts",
    text: '  return mask(lines.join("\\n"))\n    .split("\\n")\n    .map(',
    mistake: "  return lines\n    .map((line) => mask(line))\n    .map(",
    test: "test/mcp/experience.test.ts",
  },
  {
    promise: "A repair shows only the lines that it changed.",
    file: "packages/server/src/mcp/fix-tool.ts",
    text: '.filter(({ sign }) => sign !== " ")',
    mistake: "",
    test: "test/mcp/experience.test.ts",
  },
  {
    promise: "A client learns which tool changes something, so that it asks its person before.",
    file: "packages/server/src/mcp/server.ts",
    text: "readOnlyHint: !changes",
    mistake: "readOnlyHint: true",
    test: "test/mcp/ask.test.ts",
  },
  {
    promise: "Invisible signs in the words of an error are spelled out.",
    file: "packages/server/src/mcp/server.ts",
    text: "text: visibleText(text) }",
    mistake: "text }",
    test: "test/mcp/tools.test.ts",
  },
  {
    promise: "A way that was used elsewhere too says how often it was used here.",
    file: "packages/server/src/mcp/how-tool.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: 'here === times ? "here" : `${here} here`',
    mistake: '"here"',
    test: "test/mcp/experience.test.ts",
  },
  {
    promise: "An answer whose agent was interrupted says so.",
    file: "packages/server/src/mcp/ask-tool.ts",
    text: 'state === "interrupted" ? "interrupted" : "answered"',
    mistake: 'state === "complete" ? "answered" : "answered"',
    test: "test/mcp/ask.test.ts",
  },
];

/**
 * Claude Code and Codex can hide tools until their model searches for them. The tests show what the model reads of
 * Continuo's tools before, and that it can call the tools that it found.
 */

import { expect, test } from "vitest";
import { type ModelServer, startModelServer, text, tool } from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { threadIdIn } from "../codex/app-server.ts";
import { openCodex } from "../codex/driver.ts";
import { runContinuo } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";
import { continuoReady } from "./codex-ready.ts";

const SAID = "What did we say about the lighthouse?";

function sentTo(server: ModelServer): string[] {
  return server.requests.filter(({ kind }) => kind === "answer").map(({ body }) => JSON.stringify(body));
}

test("Claude Code shows its model the instructions, and the model finds search and recall by the tool search and calls them", async () => {
  await using sandbox = await makeSandbox();
  const names = ["mcp__continuo__search", "mcp__continuo__recall"];
  await using server = await startModelServer({
    summary: "Things were said.",
    turns: [
      { user: SAID, answers: [[tool("ToolSearch", { query: `select:${names.join(",")}` })]] },
      {
        // The text that Claude Code adds in the person's name after a search for tools.
        user: "Tool loaded.",
        answers: [
          [tool("mcp__continuo__search", { query: "lighthouse" })],
          [tool("mcp__continuo__recall", {})],
          [text("It was found.")],
        ],
      },
    ],
  });
  const claude = await openClaude(sandbox, server.url, "full");
  await sandbox.write(
    ".claude/settings.json",
    JSON.stringify({
      cleanupPeriodDays: 36_500,
      permissions: { allow: ["mcp__continuo"] },
      // This is the default with Anthropic's own address; with any other address, such as the one of this test, it must
      // be set.
      env: { ENABLE_TOOL_SEARCH: "true" },
    }),
  );
  await runContinuo(["mcp", "install", "claude", "--yes"], sandbox, claude.environment);
  await claude.say([SAID]);
  const [first, found, searched, recalled] = sentTo(server);
  expect(first).not.toContain('"name":"mcp__continuo__search"');
  for (const name of names) expect(found).toContain(`"tool_name":"${name}"`);
  expect(found).toContain("Call `recall` when your own context was compacted");
  // The search finds the person's own question.
  expect(searched).toContain("quoted from old sessions");
  expect(recalled).toContain("nothing cut");
});

test("Codex shows its model the first sentence about Continuo, and the model finds the search tool and calls it", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({
    summary: "Things were said.",
    turns: [
      {
        user: SAID,
        answers: [
          [tool("tool_search", { query: "search old sessions of coding agents", limit: 8 })],
          [tool("search", { query: "lighthouse" })],
          [text("It was found.")],
        ],
      },
    ],
  });
  const codex = await openCodex(sandbox, server.url);
  await runContinuo(["mcp", "install", "codex", "--yes"], sandbox, codex.environment);
  await using app = await codex.appServer();
  const threadId = threadIdIn(await app.request("thread/start", { cwd: sandbox.project }));
  await continuoReady(app);
  await app.turn(threadId, SAID);
  const [first, found, searched] = sentTo(server);
  expect(first).toContain('"type":"tool_search"');
  expect(found).toContain('"type":"tool_search_output"');
  expect(searched).toContain('"namespace":"mcp__continuo"');
  // The search finds the person's own question.
  expect(searched).toContain("quoted from old sessions");
  expect(first).toContain(
    "- mcp__continuo: Continuo remembers every session that coding agents had on this machine",
  );
});

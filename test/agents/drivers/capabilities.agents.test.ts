/** What each agent says that it can do, as a table of README.md. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { AGENT_NAMES, type AgentName, type SessionCapabilities } from "../../../src/model/index.ts";
import { startModelServer } from "../../model-servers/index.ts";
import { PINNED } from "../install.ts";
import { withSection } from "../readme.ts";
import { makeSandbox } from "../sandbox.ts";
import { SUBJECTS } from "./subjects/index.ts";

const README = fileURLToPath(new URL("../../../README.md", import.meta.url));
const SECTION = {
  mark: "<!-- driven: written by npm run test:agents -- capabilities -u -->",
  end: "<!-- end of driven -->",
};

const COLUMNS: Readonly<Record<keyof SessionCapabilities, string>> = {
  canList: "lists",
  canLoad: "loads with its history",
  canResume: "resumes",
  canContinueLast: "continues the last",
  canFork: "forks",
  canClose: "closes",
  canDelete: "deletes",
};

const PROTOCOLS: Readonly<Record<AgentName, string>> = {
  claude: "stream-json",
  codex: "app-server",
  gemini: "ACP",
  pi: "RPC",
  opencode: "ACP",
};

test("README.md tells what every agent can do", async () => {
  const rows: string[] = [];
  for (const agent of AGENT_NAMES) {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer();
    const prepared = await SUBJECTS[agent].prepare(sandbox, server.url);
    const can = await (await prepared.driver()).capabilities({ cwd: prepared.cwd });
    expect(server.requests).toEqual([]);
    const cells = Object.keys(COLUMNS).map((key) => (can[key as keyof SessionCapabilities] ? "yes" : ""));
    rows.push(`| \`${agent}\` ${PINNED[agent].version} | ${PROTOCOLS[agent]} | ${cells.join(" | ")} |`);
  }
  const names = Object.values(COLUMNS);
  const table = [
    `| agent | driven by | ${names.join(" | ")} |`,
    `|---|---|${names.map(() => "---|").join("")}`,
    ...rows,
  ];
  const readme = withSection(readFileSync(README, "utf8"), SECTION, `${table.join("\n")}\n`);
  await expect(readme).toMatchFileSnapshot(README);
});

/** Capabilities that each agent reports, as a table of docs/support.md. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AGENT_NAMES, type AgentName, type SessionCapabilities } from "@continuo/core/model";
import { expect, test } from "vitest";
import { withSection } from "../../../scripts/section.ts";
import { startModelServer } from "../../model-servers/index.ts";
import { PINNED } from "../install.ts";
import { makeSandbox } from "../sandbox.ts";
import { SUBJECTS } from "./subjects/index.ts";

const DOCUMENT = fileURLToPath(new URL("../../../docs/support.md", import.meta.url));
const SECTION = {
  begin: "<!-- driven: written by npm run test:agents -- capabilities -u -->",
  end: "<!-- end of driven -->",
};

const COLUMNS: Readonly<Record<keyof SessionCapabilities, string>> = {
  canList: "lists its sessions",
  canLoad: "loads a session with its history",
  canResume: "resumes",
  canContinueLast: "continues the last session",
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
  copilot: "ACP",
};

test("docs/support.md lists what every agent can do", async () => {
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
  const document = withSection(readFileSync(DOCUMENT, "utf8"), SECTION, `${table.join("\n")}\n`);
  await expect(document).toMatchFileSnapshot(DOCUMENT);
});

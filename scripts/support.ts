/**
 * Writes the support table into README.md from what the readers find in the sessions that the real agents wrote
 * (`test/fixtures`); with `--check`, fails when the table says something else.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSessions, HOME_VARIABLES, openNativeSession } from "../src/agents/index.ts";
import { AGENT_NAMES, type AgentName, type Message } from "../src/model/index.ts";

const ROOT = join(import.meta.dirname, "..");
const README = join(ROOT, "README.md");
const BEGIN = "<!-- support: written by scripts/support.ts -->";
const END = "<!-- end of support -->";

const SHOWN = [
  "thinking",
  "tool calls",
  "images",
  "branches",
  "forks",
  "compaction",
  "sub-agents",
  "archived",
] as const;

type Shown = (typeof SHOWN)[number];

interface Support {
  readonly agent: AgentName;
  readonly versions: ReadonlySet<string>;
  readonly sessions: number;
  readonly shown: ReadonlySet<Shown>;
}

const table = toTable(await Promise.all(AGENT_NAMES.map(supportOf)));
const readme = readFileSync(README, "utf8");
const [before = "", rest = ""] = readme.split(BEGIN);
const fresh = `${before}${BEGIN}\n\n${table}\n${END}${rest.split(END)[1] ?? ""}`;
if (!process.argv.includes("--check")) {
  writeFileSync(README, fresh);
} else if (fresh !== readme) {
  console.error("README.md's support table is out of date: run `node scripts/support.ts`");
  process.exitCode = 1;
}

async function supportOf(agent: AgentName): Promise<Support> {
  const folder = join(ROOT, "test/fixtures", agent);
  const versions = new Set<string>();
  const shown = new Set<Shown>();
  let sessions = 0;
  for (const name of readdirSync(folder)) {
    const version = /Written by .*? (\d+\.\d+\.\d+)/u.exec(
      readFileSync(join(folder, name, "README.md"), "utf8"),
    )?.[1];
    if (version !== undefined) versions.add(version);
    const places = { home: "/nowhere", env: { [HOME_VARIABLES[agent]]: join(folder, name, "home") } };
    for await (const found of findSessions({ places })) {
      if (found.agent !== agent) continue;
      sessions += 1;
      using session = await openNativeSession(found, { places });
      if (session.details.archived) shown.add("archived");
      if (session.leaves.length > 1) shown.add("branches");
      if (session.details.forkedFrom !== null) shown.add("forks");
      if (session.details.subagents.length > 0) shown.add("sub-agents");
      for await (const message of session.history()) for (const what of shownBy(message)) shown.add(what);
    }
  }
  return { agent, versions, sessions, shown };
}

function shownBy(message: Message): Shown[] {
  const shown: Shown[] = message.origin === "summary" ? ["compaction"] : [];
  for (const block of message.content) {
    if (block.type === "thinking") shown.push("thinking");
    if (block.type === "tool_call") shown.push("tool calls");
    if (block.type === "image") shown.push("images");
    if (block.type === "tool_result" && block.content.some((inner) => inner.type === "image"))
      shown.push("images");
  }
  return shown;
}

/** Only what was read in a session that the agent wrote is marked. */
function toTable(rows: readonly Support[]): string {
  const lines = [
    `| agent | seen in | sessions read | ${SHOWN.join(" | ")} | format |`,
    `|---|---|---|${SHOWN.map(() => "---|").join("")}---|`,
    ...rows.map(({ agent, versions, sessions, shown }) => {
      const marks = SHOWN.map((what) => (shown.has(what) ? "yes" : "")).join(" | ");
      return `| \`${agent}\` | ${[...versions].join(", ")} | ${sessions} | ${marks} | [${agent}.md](docs/formats/${agent}.md) |`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

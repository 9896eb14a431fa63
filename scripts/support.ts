/**
 * Writes the first table of docs/support.md from the content that the readers find in sessions of the real agents
 * (`test/fixtures`, and format cases that are a home of the agent); with `--check`, fails if the table differs.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findNativeSessions, HOME_VARIABLES, openNativeSession } from "@continuo/agents";
import { AGENT_NAMES, type AgentName, type Message } from "@continuo/core/model";
import { type Section, withSection } from "./section.ts";

const ROOT = join(import.meta.dirname, "..");
const DOCUMENT = join(ROOT, "docs/support.md");
const SECTION: Section = {
  begin: "<!-- support: written by scripts/support.ts -->",
  end: "<!-- end of support -->",
};

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

type SupportMark = (typeof SHOWN)[number];

interface Support {
  readonly agent: AgentName;
  readonly versions: ReadonlySet<string>;
  readonly sessions: number;
  /** The day on which the agent last wrote to the newest session, `YYYY-MM-DD`. */
  readonly recorded: string;
  readonly shown: ReadonlySet<SupportMark>;
}

const table = toTable(await Promise.all(AGENT_NAMES.map(supportOf)));
const document = readFileSync(DOCUMENT, "utf8");
const fresh = withSection(document, SECTION, table);
if (!process.argv.includes("--check")) {
  writeFileSync(DOCUMENT, fresh);
} else if (fresh !== document) {
  console.error("docs/support.md is out of date: run `node scripts/support.ts`");
  process.exitCode = 1;
}

async function supportOf(agent: AgentName): Promise<Support> {
  const versions = new Set<string>();
  const shown = new Set<SupportMark>();
  let sessions = 0;
  let recorded = "";
  for (const { home, version, isFixture } of homesOf(agent)) {
    versions.add(version);
    const places = { home: "/nowhere", env: { [HOME_VARIABLES[agent]]: home } };
    for await (const found of findNativeSessions({ places })) {
      if (found.agent !== agent) continue;
      sessions += 1;
      using session = await openNativeSession(found, { places });
      const [day = ""] = (session.details.updatedAt ?? "").split("T");
      if (isFixture && day > recorded) recorded = day;
      if (session.details.archived) shown.add("archived");
      if (session.leaves.length > 1) shown.add("branches");
      if (session.details.forkedFrom !== null) shown.add("forks");
      if (session.details.subagents.length > 0) shown.add("sub-agents");
      for await (const message of session.history()) for (const what of shownBy(message)) shown.add(what);
    }
  }
  return { agent, versions, sessions, recorded, shown };
}

/** Homes that the real agent wrote: their README says which version did. */
function homesOf(
  agent: AgentName,
): { readonly home: string; readonly version: string; readonly isFixture: boolean }[] {
  return ["test/fixtures", "test/formats"].flatMap((kind) => {
    const folder = join(ROOT, kind, agent);
    return readdirSync(folder).flatMap((name) => {
      const home = join(folder, name, "home");
      if (!existsSync(home)) return [];
      const readme = readFileSync(join(folder, name, "README.md"), "utf8");
      const version = /(?:Written|Made) by [A-Za-z].*? (\d+\.\d+\.\d+)/u.exec(readme)?.[1];
      return version === undefined ? [] : [{ home, version, isFixture: kind === "test/fixtures" }];
    });
  });
}

function shownBy(message: Message): SupportMark[] {
  const shown: SupportMark[] = message.origin === "summary" ? ["compaction"] : [];
  for (const block of message.content) {
    if (block.type === "thinking") shown.push("thinking");
    if (block.type === "tool_call") shown.push("tool calls");
    if (block.type === "image") shown.push("images");
    if (block.type === "tool_result" && block.content.some((inner) => inner.type === "image"))
      shown.push("images");
  }
  return shown;
}

/** Marks only content that was read in a session of the real agent. */
function toTable(rows: readonly Support[]): string {
  const lines = [
    `| agent | seen in | newest of | sessions read | ${SHOWN.join(" | ")} | format |`,
    `|---|---|---|---|${SHOWN.map(() => "---|").join("")}---|`,
    ...rows.map(({ agent, versions, sessions, recorded, shown }) => {
      const marks = SHOWN.map((what) => (shown.has(what) ? "yes" : "")).join(" | ");
      const seen = `${[...versions].join(", ")} | ${recorded} | ${sessions}`;
      return `| \`${agent}\` | ${seen} | ${marks} | [${agent}.md](formats/${agent}.md) |`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

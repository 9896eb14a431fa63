/** The format cases and the recorded sessions of all agents, in as few homes as possible. */

import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { HOME_VARIABLES, listNativeSessions } from "@continuo/agents";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { createHome, type Home } from "../cli/home.ts";
import { tested } from "../tested-agents.ts";

const TESTS = join(import.meta.dirname, "..");

/** The folder of an agent's sessions in a home without environment variables. */
const FOLDERS = tested(({ folder }) => folder);

interface FormatCase {
  readonly agent: AgentName;
  /** The folder of its test. */
  readonly name: string;
  /** The path of each file in the home of the agent, with the path from which the file is copied. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Returns homes of which one has the unchanged files of each case. Two cases with the same session id are in different
 * homes.
 */
export async function homesOfFormatCases(): Promise<readonly Home[]> {
  const homes: { readonly home: Home; readonly ids: Set<string> }[] = [];
  for (const each of formatCases()) {
    const scratch = createHome();
    place(each, scratch, "");
    const places = { home: scratch.path, env: { [HOME_VARIABLES[each.agent]]: scratch.path } };
    const sessions = await listNativeSessions({ agents: [each.agent], places, archived: "include" });
    if (sessions.length === 0) throw new Error(`${each.name} has no session`);
    const ids = sessions.map(({ sessionId }) => `${each.agent}:${sessionId}`);
    scratch[Symbol.dispose]();
    const free = homes.find((one) => ids.every((id) => !one.ids.has(id)) && hasRoom(each, one.home));
    const { home, ids: taken } = free ?? { home: createHome(), ids: new Set<string>() };
    if (free === undefined) homes.push({ home, ids: taken });
    for (const id of ids) taken.add(id);
    place(each, home, FOLDERS[each.agent]);
  }
  return homes.map(({ home }) => home);
}

function place({ files }: FormatCase, home: Home, folder: string): void {
  for (const [name, path] of files) cpSync(path, join(home.path, folder, name));
}

function hasRoom({ agent, files }: FormatCase, home: Home): boolean {
  return [...files].every(([name, path]) => {
    const taken = join(home.path, FOLDERS[agent], name);
    return !existsSync(taken) || readFileSync(taken).equals(readFileSync(path));
  });
}

function formatCases(): readonly FormatCase[] {
  return AGENT_NAMES.flatMap((agent) =>
    [`fixtures/${agent}`, `formats/${agent}`].flatMap((folder) => [
      ...casesWithHome(agent, join(TESTS, folder)),
      ...casesOfOneFile(agent, join(TESTS, folder, "cases")),
    ]),
  );
}

function casesWithHome(agent: AgentName, folder: string): FormatCase[] {
  return readdirSync(folder)
    .map((name) => join(folder, name, "home"))
    .filter((home) => existsSync(home))
    .map((home) => ({ agent, name: relative(TESTS, dirname(home)), files: filesIn(home) }));
}

/** The cases of Claude Code are not homes: each has the file of a session and the files that belong to it. */
function casesOfOneFile(agent: AgentName, folder: string): FormatCase[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => {
    const files = [...filesIn(join(folder, name))].filter(([file]) => !/^(?:README|expected)/u.test(file));
    const placed = files.map(([file, path]) => [`projects/-home-dev-${name}/${file}`, path] as const);
    return { agent, name: relative(TESTS, join(folder, name)), files: new Map(placed) };
  });
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), path]),
  );
}

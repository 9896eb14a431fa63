/** `session list`: the newest sessions as a table. */

import { resolve } from "node:path";
import {
  type CatalogList,
  examplePlaces,
  foldersLookedInto,
  type ListQuery,
  listCatalog,
  OWN,
  type RowOrder,
  toTag,
} from "@continuo/agents/catalog";
import {
  AGENT_NAMES,
  type ContinuoError,
  exitCodeOf,
  isAgentName,
  present,
  type SessionInfo,
} from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { findNativeSessions, readNativeList } from "@continuo/native";
import { startIndexingOf } from "../../indexing/index.ts";
import { keepRows, warnOfUnfinished } from "../../notices/index.ts";
import {
  createOutput,
  createProgress,
  formatCount,
  parseSince,
  plural,
  type Shell,
  screenOf,
  sentenceLines,
  tildePath,
  writeJsonList,
  writeNote,
} from "../../terminal/index.ts";
import { rowToJson } from "./json.ts";
import { isDamaged } from "./problems.ts";
import { drawSessions, tabSeparated } from "./rows.ts";

export interface ListFlags {
  readonly agent?: readonly string[];
  readonly cwd?: string;
  readonly here?: true;
  readonly exact?: true;
  readonly project?: string;
  readonly branch?: string;
  readonly model?: string;
  readonly since?: string;
  readonly until?: string;
  readonly pinned?: true;
  readonly tag?: readonly string[];
  readonly sort?: RowOrder;
  readonly limit?: number;
  readonly all?: true;
  readonly title?: string;
  readonly hasProblems?: true;
  readonly empty?: true;
  readonly archived?: true;
  readonly json?: true;
}

const DEFAULT_LIMIT = 20;

/** @param agents agents that were named as arguments, with the same effect as the flag */
export async function runList(agents: readonly string[], given: ListFlags, shell: Shell): Promise<number> {
  const flags = withAgents(given, agents);
  const options = await toWanted(flags, shell);
  const list = await listWithProgress(options, shell);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    await writeJsonList(list.sessions, { toJson: rowToJson, output });
  } else if (list.total === 0 && list.failures.length === 0 && list.error === null) {
    await output.write(await describeNone(flags, list, shell));
  } else if (list.total > 0) {
    const isNarrowed = options.agents !== undefined || options.cwd !== undefined;
    const allIds = isNarrowed ? [...list.metIds, ...(await idsOf(flags, shell))] : list.metIds;
    const { isTerminal, hasColours } = screenOf(shell, shell.stdout);
    // A person who reads through a pipe can force colours.
    const isRead = isTerminal || hasColours;
    const notes = footer(list);
    if (isRead) {
      const numbers = isTerminal ? "shown" : undefined;
      await output.write(drawSessions(list.sessions, { shell, allIds, ...present({ numbers }) }));
      if (notes !== "") {
        await output.write(`\n${sentenceLines([{ text: notes }], shell, shell.stdout).join("\n")}`);
      }
      if (isTerminal) keepRows(list.sessions, shell);
    } else {
      // A program that reads the table needs no sentences.
      await output.write(tabSeparated(list.sessions));
      shell.stderr.write(notes);
    }
  }
  if (!flags.json && list.total > 0) await hintAtHidden(options.agents, shell);
  if (flags.agent === undefined && !flags.json) await hintAtOthers(shell);
  const missing = missingOf(list);
  for (const one of missing) reportMissing(one, shell);
  warnOfUnfinished(list.unfinished, shell);
  await startIndexingOf(list.total, shell);
  const [first] = missing;
  return first === undefined ? 0 : exitCodeOf(first.error);
}

/** Sessions that could not be listed; the others were. */
export interface MissingSessions {
  /** A sentence for a person. */
  readonly text: string;
  readonly error: ContinuoError;
}

export function missingOf({
  error: own,
  failures,
}: Pick<CatalogList, "error" | "failures">): readonly MissingSessions[] {
  const missing = [
    ...(own === null ? [] : [{ whose: "Continuo's own sessions", error: own }]),
    ...failures.map(({ agent, error }) => ({ whose: `the sessions of ${agent}`, error })),
  ];
  return missing.map(({ whose, error }) => ({
    text: visibleLine(`${whose} cannot be listed: ${error.message}`),
    error,
  }));
}

export function reportMissing({ text, error }: MissingSessions, shell: Shell): void {
  writeNote([{ text: "continuo:", styles: ["red"] }, { text: ` ${text}` }], shell);
  if (error.hint !== undefined) writeNote([{ text: visibleLine(error.hint), styles: ["dim"] }], shell);
}

/** Gives the hint only to a person, and only after the list was printed, because the search takes a moment. */
async function hintAtHidden(names: readonly string[] | undefined, shell: Shell): Promise<void> {
  if (!screenOf(shell, shell.stdout).isTerminal) return;
  const { hiddenNote } = await import("./hidden-note.ts");
  const note = await hiddenNote(shell, names?.filter(isAgentName));
  if (note !== null) writeNote([{ text: note, styles: ["dim"] }], shell);
  const { dueNote } = await import("../../guard/index.ts");
  const going = await dueNote(shell);
  if (going !== null) writeNote([{ text: going, styles: ["yellow"] }], shell);
}

/** Asking an agent would start its program, which nobody expects of a list, so a note says how to do it. */
async function hintAtOthers(shell: Shell): Promise<void> {
  const { stdout, stderr } = shell;
  if (stdout.isTTY !== true || stderr.isTTY !== true) return;
  const { namesToAsk } = await import("./list-drivers.ts");
  const names = await namesToAsk(shell);
  if (names.length === 0) return;
  const [whose, name] = names.length === 1 ? ["lists its", names[0]] : ["list their", "NAME"];
  const text = `${names.join(", ")} ${whose} sessions when asked: \`continuo session list --agent ${name}\``;
  writeNote([{ text: visibleLine(text), styles: ["dim"] }], shell);
}

/**
 * The sessions that these flags choose. Errors: `usage` for an agent that is neither read nor configured; those of the
 * configuration.
 */
export async function queryOf(flags: ListFlags, shell: Shell): Promise<ListQuery> {
  return await toWanted(withAgents(flags, []), shell);
}

async function toWanted(flags: ListFlags, shell: Shell): Promise<ListQuery> {
  // The configuration is loaded only if somebody names an agent whose files Continuo does not read.
  const others = [...new Set(flags.agent ?? [])].filter((name) => name !== OWN && !isAgentName(name));
  const cwd = flags.here ? shell.cwd : flags.cwd === undefined ? undefined : resolve(shell.cwd, flags.cwd);
  return {
    ...present({ agents: flags.agent, signal: shell.signal }),
    ...(others.length === 0
      ? {}
      : { drivers: await (await import("./list-drivers.ts")).driversNamed(others, shell) }),
    ...present(flags.exact ? { cwd } : flags.here ? { ofProject: cwd } : { below: cwd }),
    ...present({ since: timeOf(flags.since, shell), until: timeOf(flags.until, shell) }),
    // A program that reads JSON would not notice that rows are missing.
    ...present({ limit: flags.limit ?? (flags.all || flags.json ? undefined : DEFAULT_LIMIT) }),
    ...present({ title: flags.title, project: flags.project, branch: flags.branch }),
    ...present({ model: flags.model, sort: flags.sort }),
    ...present({ pinned: flags.pinned, tags: flags.tag?.map(toTag) }),
    ...(flags.hasProblems ? { withProblems: true } : {}),
    ...(flags.empty || flags.json || flags.hasProblems ? {} : { empty: "exclude" }),
    ...(flags.archived || flags.hasProblems ? { archived: "include" } : {}),
  };
}

function timeOf(text: string | undefined, shell: Shell): string | undefined {
  return text === undefined ? undefined : parseSince(text, shell.now);
}

/** Names match in any letter case; names that are only in a configuration must match exactly. */
function withAgents(flags: ListFlags, more: readonly string[]): ListFlags {
  const names = [...(flags.agent ?? []), ...more].map((name) => {
    const lower = name.toLowerCase();
    return lower === OWN || isAgentName(lower) ? lower : name;
  });
  return names.length === 0 ? flags : { ...flags, agent: names };
}

async function listWithProgress(wanted: ListQuery, shell: Shell): Promise<CatalogList> {
  using progress = createProgress(shell);
  return await listCatalog(
    {
      ...wanted,
      onProgress: (looked) => progress.show(() => `looked at ${plural(looked, "session")}`),
    },
    { places: shell },
  );
}

/** Returns the ids of the native sessions of the given agents; the files of other agents are not opened. */
async function idsOf({ agent: names }: ListFlags, shell: Shell): Promise<string[]> {
  const agents = names === undefined ? {} : { agents: AGENT_NAMES.filter((agent) => names.includes(agent)) };
  const ids: string[] = [];
  for await (const found of findNativeSessions({ places: placesOf(shell), ...agents }))
    ids.push(found.sessionId);
  return ids;
}

/** Returns the lines below the table. They end with a line feed; without such lines, the text is empty. */
function footer(list: CatalogList): string {
  const notes: string[] = [];
  const more = list.total - list.sessions.length;
  if (more > 0) notes.push(`${formatCount(more)} more: --all shows them`);
  if (list.emptyLeftOut > 0) notes.push(`${formatCount(list.emptyLeftOut)} empty: --empty shows them`);
  if (list.archivedLeftOut > 0)
    notes.push(`${formatCount(list.archivedLeftOut)} archived: --archived shows them`);
  const damaged = list.sessions.filter(isDamaged).length;
  if (damaged > 0) {
    notes.push(
      `${plural(damaged, "damaged session")} in this list: \`continuo session check\` explains the damage`,
    );
  }
  return notes.map((note) => `${note}\n`).join("");
}

async function describeNone(flags: ListFlags, list: CatalogList, shell: Shell): Promise<string> {
  const { cwd, here, since, until, title, project, branch, model, pinned, tag, hasProblems } = flags;
  const isOfRows = title ?? project ?? branch ?? model ?? pinned ?? tag ?? hasProblems;
  const isFiltered = cwd ?? here ?? since ?? until ?? isOfRows;
  const left = [
    ...(list.archivedLeftOut > 0 ? [`${list.archivedLeftOut} archived: --archived shows them.`] : []),
    ...(list.emptyLeftOut > 0 ? [`${list.emptyLeftOut} empty: --empty shows them.`] : []),
  ];
  if (left.length > 0) return `No sessions to list. ${left.join(" ")}\n`;
  if (isFiltered !== undefined) return "No sessions match. `continuo session list` shows all.\n";
  const looked = (await looksInto(flags, shell)).join("\n");
  if (flags.agent === undefined) {
    return `No sessions found on this machine. Looked in:\n${looked}\n${await describeExamples(shell)}`;
  }
  const none = `No sessions of ${[...new Set(flags.agent)].join(", ")}.`;
  const hint = "`continuo session list` shows all.\n";
  return looked === "" ? `${none} ${hint}` : `${none} Looked in:\n${looked}\n${hint}`;
}

/** Returns a line for each requested agent, with the folders that were searched. */
async function looksInto({ agent: names }: ListFlags, shell: Shell): Promise<readonly string[]> {
  const all = await foldersLookedInto(placesOf(shell));
  return all
    .filter(({ agent, folders }) => folders.length > 0 && names?.includes(agent) !== false)
    .map(({ agent, folders }) => {
      const shown = folders.map((folder) => tildePath(folder, shell.home));
      return `  ${agent.padEnd(8)}  ${shown.join(", ")}`;
    });
}

async function describeExamples(shell: Shell): Promise<string> {
  const places = examplePlaces();
  if (places === null) return "";
  const { sessions, metIds } = await readNativeList({ places });
  const [first] = sessions.filter(isWhole);
  if (first === undefined) return "";
  const table = drawSessions(sessions, { shell, allIds: metIds });
  // A person who typed `npm start` in a fresh clone has no command `continuo` yet.
  const command = shell.env.npm_lifecycle_event === "start" ? "npm start --silent --" : "continuo";
  return `\nExample sessions, made by the real agents:\n\n${table}\nRead one: ${command} session show ${first.sessionId}\n`;
}

function isWhole(session: SessionInfo): boolean {
  return session.problems.length === 0;
}

/** The notices themselves, and the look-up that prints one of them. */

import {
  type ListedSession,
  type LookUpHit,
  type LookUpOptions,
  listCatalog,
  locateRow,
  lookUp,
  rowsByIdPrefix,
} from "@continuo/agents/catalog";
import { AGENT_LABELS, adviceFor, ContinuoError, isContinuoError, type Problem } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import {
  cutEnd,
  relativeTime,
  type SessionWish,
  type Shell,
  tildePath,
  writeNote,
} from "../terminal/index.ts";
import { nameOfRow } from "./row-numbers.ts";

/**
 * Finds the session that a person names, and prints a notice if it is an example or a copy. On a terminal, the person
 * chooses among the sessions that an ambiguous id names. Errors: those of `lookUp` of the catalog; `details.matches`
 * have titles.
 */
export async function locate(
  typed: string,
  shell: Shell,
  examples: NonNullable<LookUpOptions["examples"]> = "with examples",
): Promise<LookUpHit> {
  const name = nameOfRow(typed, shell);
  const onUnfinished = (problems: readonly Problem[]): void => warnOfUnfinished(problems, shell);
  // A session that is changed or continued must be in its agent's folder.
  const copies = examples === "without examples" ? "restore" : "open";
  const options = { places: shell, examples, copies, onUnfinished } as const;
  const located = await lookUp(name, options).catch(async (error: unknown) => {
    if (isContinuoError(error, "not_found")) return await locateByTitle(name, error, options);
    if (!isContinuoError(error, "ambiguous")) throw error;
    const [chosen] = (await shell.chooseSessions?.({ verb: "which", many: false, prefix: name })) ?? [];
    if (chosen !== undefined) return await lookUp(chosen, options);
    throw await withTitles(error, name, shell);
  });
  if (located.kind === "native" && located.native.isExample) {
    shell.stderr.write("No sessions on this machine: this is an example session that ships with Continuo.\n");
  }
  if (located.kind === "native" && located.native.copyOf !== null) {
    const { agent, problems } = located.native.copyOf;
    const mirror = problems.find(({ code }) => code === "mirror");
    const text =
      mirror === undefined
        ? `${AGENT_LABELS[agent]} deleted this session: this is the copy of the guard.`
        : `This session is a mirror: ${mirror.message}.`;
    shell.stderr.write(`${visibleLine(text)}\n`);
  }
  return located;
}

/**
 * Finds the session with this title in any letter case. For a command that changes nothing, it also finds the session
 * whose title has all of these words. Errors: `missing` if there is none; `ambiguous`.
 */
async function locateByTitle(
  name: string,
  missing: ContinuoError,
  { places, examples }: { readonly places: Shell } & Pick<LookUpOptions, "examples">,
): Promise<LookUpHit> {
  // A name with one of these characters is an id with its agent, or a path.
  if (name.trim() === "" || /[:/#\p{Cc}]/u.test(name)) throw missing;
  const { sessions } = await listCatalog({ title: name, archived: "include" }, { places });
  const exact = sessions.filter(({ title }) => title?.toLowerCase() === name.toLowerCase());
  const found = exact.length > 0 || examples === "without examples" ? exact : sessions;
  const [only] = found;
  if (only === undefined) throw missing;
  if (found.length === 1) return await locateRow(only, places);
  throw new ContinuoError(
    "ambiguous",
    `${JSON.stringify(name)} is in the titles of ${found.length} sessions`,
    {
      hint: "Give the id of one, or more of its title.",
      details: { matches: found.slice(0, SHOWN).map((row) => toMatch(row, found)), count: found.length },
    },
  );
}

/**
 * The sessions that a person chooses for a command that names none.
 *
 * Errors: `usage` with the newest ones as `details.matches` if nobody can be asked; `interrupted` if the person chose
 * none; `not_found` if there is none.
 */
export async function chooseInstead(
  wish: Pick<SessionWish, "verb" | "many">,
  shell: Shell,
): Promise<readonly string[]> {
  if (shell.chooseSessions !== undefined) return await shell.chooseSessions({ ...wish, prefix: null });
  const { sessions, total } = await listCatalog({ limit: SHOWN, empty: "exclude" }, { places: shell });
  const text = total === 0 ? "" : "; the newest are";
  throw new ContinuoError("usage", `missing session to ${wish.verb}${text}`, {
    hint: "Name one by its id or the beginning of it, or by `last`.",
    details: total === 0 ? {} : { matches: sessions.map((row) => toMatch(row, sessions)), count: total },
  });
}

/** The number of sessions that a person can read at a glance. */
const SHOWN = 10;

interface Match {
  readonly agent: string;
  readonly sessionId: string;
  readonly location: string;
  readonly title?: string | null;
  readonly cwd?: string | null;
  readonly updatedAt?: string | null;
  /** True if another session has the same agent and id. */
  readonly isTwin?: boolean;
}

function toMatch(row: ListedSession, rows: readonly ListedSession[]): Match {
  const { agent, sessionId, location, title, cwd, updatedAt } = row;
  const isTwin = rows.some((one) => one !== row && one.agent === agent && one.sessionId === sessionId);
  return { agent, sessionId, location, title, cwd, updatedAt, ...(isTwin ? { isTwin } : {}) };
}

/** Returns the same error with facts by which a person can distinguish the sessions. */
async function withTitles(error: ContinuoError, name: string, shell: Shell): Promise<ContinuoError> {
  const rows = await rowsByIdPrefix(name, { places: shell });
  const { matches, count } = error.details as { readonly matches: readonly Match[]; readonly count: number };
  const titled = matches.map((match) => {
    const row = rows.find(({ location }) => location === match.location);
    return row === undefined ? match : toMatch(row, rows);
  });
  const { message, hint } = error;
  return new ContinuoError("ambiguous", message, {
    ...(hint === undefined ? {} : { hint }),
    details: { matches: titled, count },
  });
}

/** Reports edits of killed processes that cannot be settled now. */
export function warnOfUnfinished(problems: readonly Problem[], shell: Shell): void {
  for (const problem of problems) {
    writeNote([{ text: "continuo:", styles: ["red"] }, { text: ` ${visibleLine(problem.message)}` }], shell);
    writeNote([{ text: visibleLine(adviceFor(problem)), styles: ["dim"] }], shell);
  }
}

interface Details {
  readonly [key: string]: unknown;
}

/**
 * The sessions that an error names, one per line: name, title, folder and age, and the place of sessions with the same
 * name; nothing for the details of another error.
 */
export function matchLines(
  { matches, count }: Details,
  shell: Pick<Shell, "home" | "now">,
): readonly string[] {
  if (!Array.isArray(matches)) return [];
  const lines = matches.map((match: Match) => visibleLine(`  ${matchFacts(match, shell).join("  ")}`));
  const more = typeof count === "number" ? count - matches.length : 0;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

function matchFacts(
  { agent, sessionId, location, title, cwd, updatedAt, isTwin }: Match,
  { home, now }: Pick<Shell, "home" | "now">,
): readonly string[] {
  const name = `${agent}:${sessionId}`;
  if (title === undefined) return [name, location];
  return [
    name,
    cutEnd(title ?? "(empty)", MAX_TITLE_COLUMNS),
    ...(cwd === null || cwd === undefined ? [] : [tildePath(cwd, home)]),
    relativeTime(updatedAt ?? null, now),
    ...(isTwin ? [location] : []),
  ];
}

const MAX_TITLE_COLUMNS = 50;

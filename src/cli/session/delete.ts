/** `session delete`: sessions moved to the trash, each reported; what is refused keeps none of the others from it. */

import {
  type Lookup,
  lookUpSession,
  type TrashedSession,
  trashFolder,
  trashNativeSession,
} from "../../agents/index.ts";
import { ContinuoError, exitCodeOf, isContinuoError, type SessionInfo } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { placesOf } from "../places/index.ts";
import {
  canAsk,
  confirm,
  createOutput,
  paintFor,
  type Shell,
  screenOf,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import { drawSessions } from "./rows.ts";
import { trashedToJson } from "./trash-json.ts";

export interface DeleteFlags {
  readonly yes?: true;
  readonly json?: true;
}

/** What became of one of the ids that were given. */
interface Outcome {
  readonly id: string;
  readonly trashed?: TrashedSession;
  readonly error?: ContinuoError;
}

interface Wanted {
  readonly id: string;
  readonly info: SessionInfo;
}

export async function runDelete(ids: readonly string[], flags: DeleteFlags, shell: Shell): Promise<number> {
  const { wanted, lost } = await lookUpAll(ids, shell);
  if (wanted.length > 0 && !flags.yes && canAsk(shell)) {
    const sessions = wanted.map(({ info }) => info);
    shell.stderr.write(drawSessions(sessions, { shell, allIds: sessions.map(({ sessionId }) => sessionId) }));
    const many = wanted.length === 1 ? "this session" : `these ${wanted.length} sessions`;
    if (!(await confirm(`Move ${many} to the trash?`, shell))) {
      throw new ContinuoError("interrupted", "nothing was deleted");
    }
  }
  const outcomes = [...lost, ...(await trashAll(wanted, shell))].sort(
    (a, b) => ids.indexOf(a.id) - ids.indexOf(b.id),
  );
  const output = createOutput(shell.stdout);
  if (flags.json) await output.write(`${toJsonText(outcomes.map(outcomeToJson), 2)}\n`);
  else await output.write(describe(outcomes, shell));
  return exitCodeFor(outcomes);
}

async function lookUpAll(
  ids: readonly string[],
  shell: Shell,
): Promise<{ readonly wanted: readonly Wanted[]; readonly lost: readonly Outcome[] }> {
  const wanted = new Map<string, Wanted>();
  const lost: Outcome[] = [];
  for (const id of new Set(ids)) {
    try {
      const lookup: Lookup = await lookUpSession(id, { places: placesOf(shell), cwd: shell.cwd });
      const info = await lookup.reader.skim(lookup.found, { part: "whole" });
      // Two of the ids may name one session.
      if (!wanted.has(info.location)) wanted.set(info.location, { id, info });
    } catch (error) {
      if (!isContinuoError(error)) throw error;
      lost.push({ id, error });
    }
  }
  return { wanted: [...wanted.values()], lost };
}

/** A session that forks read can go when they went: it is tried again as long as any goes. */
async function trashAll(wanted: readonly Wanted[], shell: Shell): Promise<readonly Outcome[]> {
  const done: Outcome[] = [];
  for (let waiting = wanted; waiting.length > 0; ) {
    const refused: (Wanted & { readonly error: ContinuoError })[] = [];
    for (const one of waiting) {
      const outcome = await trashOne(one, shell);
      if (isContinuoError(outcome.error, "has_forks")) refused.push({ ...one, error: outcome.error });
      else done.push(outcome);
    }
    if (refused.length < waiting.length) waiting = refused;
    else return [...done, ...refused.map(({ id, error }) => ({ id, error }))];
  }
  return done;
}

async function trashOne({ id, info }: Wanted, shell: Shell): Promise<Outcome> {
  try {
    return { id, trashed: await trashNativeSession(info, { places: placesOf(shell) }) };
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return { id, error };
  }
}

function outcomeToJson({ id, trashed, error }: Outcome): Readonly<Record<string, unknown>> {
  const failure =
    error === undefined
      ? null
      : { code: error.code, message: error.message, hint: error.hint ?? null, details: error.details };
  return { id, trashed: trashed === undefined ? null : trashedToJson(trashed), error: failure };
}

function describe(outcomes: readonly Outcome[], shell: Shell): string {
  const lines: string[] = [];
  const paint = paintFor(screenOf(shell, shell.stderr));
  for (const { id, trashed, error } of outcomes) {
    if (trashed !== undefined) {
      const { agent, sessionId, title } = trashed.info;
      lines.push(
        visibleLine(`moved to the trash  ${agent}:${sessionId}${title === null ? "" : `  ${title}`}`),
      );
    }
    if (error === undefined) continue;
    shell.stderr.write(`${paint("continuo:", "red")} ${visibleLine(`${id}: ${error.message}`)}\n`);
    if (error.hint !== undefined) shell.stderr.write(`${paint(visibleLine(error.hint), "dim")}\n`);
  }
  const gone = outcomes.flatMap(({ trashed }) => trashed ?? []);
  if (gone.length > 0) {
    const [only] = gone;
    const id = gone.length === 1 && only !== undefined ? `${only.info.agent}:${only.info.sessionId}` : "ID";
    lines.push(
      "",
      `It lies in ${tildePath(trashFolder(placesOf(shell)), shell.home)} until the trash is emptied.`,
    );
    lines.push(`Restore it: continuo session restore ${visibleLine(id)}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** A refusal counts more than an id that names nothing. */
function exitCodeFor(outcomes: readonly Outcome[]): number {
  const codes = outcomes.flatMap(({ error }) => (error === undefined ? [] : [exitCodeOf(error)]));
  const refused = exitCodeOf(new ContinuoError("session_live", ""));
  return codes.includes(refused) ? refused : (codes[0] ?? 0);
}

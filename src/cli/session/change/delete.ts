/** `session delete`: moves sessions to the trash, and reports each; a refused session does not stop the others. */

import { deleteInRounds, deleteOwn, OWN, type OwnRow, openOwn } from "@continuo/agents/catalog";
import {
  ContinuoError,
  exitCodeOf,
  isContinuoError,
  type SessionInfo,
  shellWord,
} from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { trashNativeSession } from "@continuo/native/editing";
import { type TrashedSession, trashFolder } from "@continuo/native/editing/trash";
import { locate, matchLines } from "../../notices/index.ts";
import {
  canAsk,
  confirm,
  createOutput,
  errorToJson,
  paintFor,
  type Shell,
  screenOf,
  tildePath,
  toJsonText,
} from "../../terminal/index.ts";
import { drawSessions, infoToJson, trashedToJson } from "../list/index.ts";

export interface DeleteFlags {
  readonly yes?: true;
  readonly json?: true;
}

/** The outcome of one of the given ids. */
interface Outcome {
  readonly id: string;
  readonly trashed?: TrashedSession;
  /** An own session, which was deleted permanently. */
  readonly deleted?: OwnRow;
  readonly error?: ContinuoError;
}

interface DeleteWish {
  readonly id: string;
  readonly info: SessionInfo | OwnRow;
}

export async function runDelete(ids: readonly string[], flags: DeleteFlags, shell: Shell): Promise<number> {
  const { wanted, lost } = await lookUpAll(ids, shell);
  if (wanted.length > 0 && !flags.yes) await ask(wanted, shell);
  const outcomes = [...lost, ...(await trashAll(wanted, shell))].sort(
    (a, b) => ids.indexOf(a.id) - ids.indexOf(b.id),
  );
  const output = createOutput(shell.stdout);
  if (flags.json) await output.write(`${toJsonText(outcomes.map(outcomeToJson), 2)}\n`);
  else await output.write(describe(outcomes, shell));
  return exitCodeFor(outcomes);
}

/**
 * Errors: `usage` if nobody can be asked and a session would be deleted permanently, `interrupted` if the person
 * answers no.
 */
async function ask(wanted: readonly DeleteWish[], shell: Shell): Promise<void> {
  const sessions = wanted.map(({ info }) => info);
  const own = sessions.filter(isOwn).length;
  const ofOwn = own === 1 ? "1 session of Continuo's own" : `${own} sessions of Continuo's own`;
  if (!canAsk(shell)) {
    if (own === 0) return;
    throw new ContinuoError(
      "usage",
      `cannot ask for confirmation without a terminal: this deletes ${ofOwn} for good`,
      { hint: "Add --yes to confirm." },
    );
  }
  shell.stderr.write(drawSessions(sessions, { shell, allIds: sessions.map(({ sessionId }) => sessionId) }));
  const native = wanted.length - own;
  const many = native === 1 ? "this session" : `these ${native} sessions`;
  const question =
    own === 0
      ? `Move ${many} to the trash?`
      : native === 0
        ? `Delete ${ofOwn} for good?`
        : `Delete ${ofOwn} for good, and move ${native} to the trash?`;
  if (await confirm(question, shell)) return;
  throw new ContinuoError("interrupted", "nothing was deleted");
}

function isOwn(info: SessionInfo | OwnRow): info is OwnRow {
  return info.agent === OWN;
}

async function lookUpAll(
  ids: readonly string[],
  shell: Shell,
): Promise<{ readonly wanted: readonly DeleteWish[]; readonly lost: readonly Outcome[] }> {
  const wanted = new Map<string, DeleteWish>();
  const lost: Outcome[] = [];
  for (const id of new Set(ids)) {
    try {
      const info = await lookUpInfo(id, shell);
      // Two of the ids may name the same session.
      if (!wanted.has(info.location)) wanted.set(info.location, { id, info });
    } catch (error) {
      if (!isContinuoError(error)) throw error;
      lost.push({ id, error });
    }
  }
  return { wanted: [...wanted.values()], lost };
}

/** An example session cannot be deleted. */
async function lookUpInfo(id: string, shell: Shell): Promise<DeleteWish["info"]> {
  const located = await locate(id, shell, "without examples");
  if (located.kind === "own") return located.row;
  return await located.native.reader.skim(located.native.found, { part: "whole" });
}

async function trashAll(wanted: readonly DeleteWish[], shell: Shell): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>();
  await deleteInRounds(wanted, async (one) => {
    const outcome = await trashOne(one, shell);
    outcomes.set(one.id, outcome);
    return !isContinuoError(outcome.error, "has_forks");
  });
  return [...outcomes.values()];
}

async function trashOne({ id, info }: DeleteWish, shell: Shell): Promise<Outcome> {
  try {
    if (!isOwn(info)) return { id, trashed: await trashNativeSession(info, { places: placesOf(shell) }) };
    await using own = await openOwn(shell);
    if (own !== null) await deleteOwn(info, own);
    return { id, deleted: info };
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return { id, error };
  }
}

function outcomeToJson({ id, trashed, deleted, error }: Outcome): Readonly<Record<string, unknown>> {
  return {
    id,
    trashed: trashed === undefined ? null : trashedToJson(trashed),
    deleted: deleted === undefined ? null : infoToJson(deleted),
    error: error === undefined ? null : errorToJson(error),
  };
}

function describe(outcomes: readonly Outcome[], shell: Shell): string {
  const lines: string[] = [];
  const paint = paintFor(screenOf(shell, shell.stderr));
  for (const { id, trashed, deleted, error } of outcomes) {
    if (trashed !== undefined) {
      const { agent, sessionId, title } = trashed.info;
      lines.push(
        visibleLine(`moved to the trash  ${agent}:${sessionId}${title === null ? "" : `  ${title}`}`),
      );
    }
    if (deleted !== undefined) lines.push(...describeDeleted(deleted));
    if (error === undefined) continue;
    shell.stderr.write(`${paint("continuo:", "red")} ${visibleLine(`${id}: ${error.message}`)}\n`);
    for (const line of matchLines(error.details, shell)) shell.stderr.write(`${line}\n`);
    if (error.hint !== undefined) shell.stderr.write(`${paint(visibleLine(error.hint), "dim")}\n`);
  }
  const gone = outcomes.flatMap(({ trashed }) => trashed ?? []);
  if (gone.length > 0) {
    const [only] = gone;
    const id = gone.length === 1 && only !== undefined ? `${only.info.agent}:${only.info.sessionId}` : "ID";
    lines.push(
      "",
      `It is in ${tildePath(trashFolder(placesOf(shell)), shell.home)} until the trash is emptied.`,
    );
    lines.push(`Restore it: continuo session restore ${visibleLine(shellWord(id))}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function describeDeleted({ agent, sessionId, title, nativeRefs }: OwnRow): string[] {
  const lines = [`deleted  ${agent}:${sessionId}${title === null ? "" : `  ${title}`}`];
  for (const ref of nativeRefs) lines.push(`  its native session stays: ${ref.agent}:${ref.sessionId}`);
  return lines.map(visibleLine);
}

/** The exit code of a refusal, such as that for a live session, comes before the exit code of any other error. */
function exitCodeFor(outcomes: readonly Outcome[]): number {
  const codes = outcomes.flatMap(({ error }) => (error === undefined ? [] : [exitCodeOf(error)]));
  const refused = exitCodeOf("session_live");
  return codes.includes(refused) ? refused : (codes[0] ?? 0);
}

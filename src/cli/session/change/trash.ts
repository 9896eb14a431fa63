/** `session trash`: lists deleted sessions, and deletes them permanently. */

import {
  emptyOwnTrash,
  type OpenOwn,
  openReadable,
  type TrashedOwn,
  trashedOwn,
} from "@continuo/agents/catalog";
import { ContinuoError, exitCodeOf, present, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import {
  emptyTrash,
  listTrashedSessions,
  settleBeforeReading,
  trashProblems,
} from "@continuo/native/editing";
import { byNewestDeletion, type TrashedSession } from "@continuo/native/editing/trash";
import { warnOfUnfinished } from "../../notices/index.ts";
import {
  type Column,
  canAsk,
  confirm,
  createOutput,
  formatSize,
  layOut,
  paintFor,
  plural,
  relativeTime,
  type Shell,
  type Style,
  screenOf,
  tildePath,
  toJsonText,
} from "../../terminal/index.ts";
import {
  EMPTY_TITLE,
  missingOf,
  reportMissing,
  SHORT_ID_COLUMNS,
  shortIds,
  trashedToJson,
} from "../list/index.ts";

export interface TrashFlags {
  readonly empty?: true;
  /** Days. */
  readonly olderThan?: number;
  readonly yes?: true;
  readonly json?: true;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export async function runTrash(flags: TrashFlags, shell: Shell): Promise<number> {
  const places = placesOf(shell);
  warnOfUnfinished(await settleBeforeReading({ places }), shell);
  const problems = trashProblems({ places }).map(({ message }) => visibleLine(message));
  const { store, error } = await openReadable(shell);
  await using own = store;
  const ofOwn = own === null ? [] : await trashedOwn(own);
  const trashed = [...listTrashedSessions({ places }), ...ofOwn]
    .sort(byNewestDeletion)
    .filter((one) => isOld(one, flags, shell));
  const output = createOutput(shell.stdout);
  if (flags.empty && trashed.length > 0) await askToEmpty(trashed, flags, shell);
  const { deleted, stayed } = flags.empty ? await empty(flags, own, shell) : NOTHING_EMPTIED;
  const shown = flags.empty ? deleted : trashed;
  if (flags.json) await output.write(`${toJsonText(shown.map(trashedToJson), 2)}\n`);
  else if (flags.empty) await output.write(`${plural(shown.length, "session")} deleted for good\n`);
  else await output.write(draw(shown, flags, shell));
  for (const { info } of stayed) shell.stderr.write(`continuo: ${whyStayed(info.sessionId)}\n`);
  for (const problem of problems) shell.stderr.write(`continuo: ${problem}\n`);
  for (const one of missingOf({ error, failures: [] })) reportMissing(one, shell);
  return error === null ? 0 : exitCodeOf(error);
}

type TrashedRow = TrashedSession | TrashedOwn;

interface EmptyResult {
  readonly deleted: readonly TrashedRow[];
  readonly stayed: readonly TrashedOwn[];
}

const NOTHING_EMPTIED: EmptyResult = { deleted: [], stayed: [] };

function whyStayed(sessionId: string): string {
  return `continuo:${visibleLine(sessionId)} stays in the trash: another session continues from it, or a run is in progress`;
}

/** Own sessions are first, because the store can refuse: what was deleted until then would not be reported. */
async function empty({ olderThan }: TrashFlags, own: OpenOwn | null, shell: Shell): Promise<EmptyResult> {
  const { now } = shell;
  const before = olderThan === undefined ? undefined : new Date(now.getTime() - olderThan * DAY_MS);
  const ofOwn = own === null ? NOTHING_EMPTIED : await emptyOwnTrash(own, before);
  const natives = emptyTrash(present({ places: placesOf(shell), now, olderThanDays: olderThan }));
  return { deleted: [...natives, ...ofOwn.deleted], stayed: ofOwn.stayed };
}

function isOld({ trashedAt }: TrashedRow, { olderThan }: TrashFlags, { now }: Shell): boolean {
  return olderThan === undefined || Date.parse(trashedAt) < now.getTime() - olderThan * DAY_MS;
}

/** Errors: `usage` if nobody can be asked, `interrupted` if the person answers no. */
async function askToEmpty(trashed: readonly TrashedRow[], flags: TrashFlags, shell: Shell): Promise<void> {
  if (flags.yes) return;
  if (!canAsk(shell)) {
    throw new ContinuoError(
      "usage",
      `cannot ask for confirmation without a terminal: this deletes ${plural(trashed.length, "session")} for good`,
      {
        hint: "Add --yes to confirm.",
      },
    );
  }
  shell.stderr.write(draw(trashed, flags, shell));
  if (await confirm(`Delete ${plural(trashed.length, "session")} for good?`, shell)) return;
  throw new ContinuoError("interrupted", "nothing was deleted");
}

const COLUMNS: readonly (Column & { readonly styles: readonly Style[] })[] = [
  { header: "agent", align: "left", styles: ["cyan"] },
  { header: "id", align: "left", ideal: 36, min: 8, wants: SHORT_ID_COLUMNS, styles: ["dim"] },
  { header: "title", align: "left", ideal: 40, min: 8, wants: 24, styles: [] },
  { header: "project", align: "left", ideal: 16, min: 8, cut: "start", rank: 2, styles: ["blue"] },
  { header: "deleted", align: "right", rank: 3, styles: ["green"] },
  { header: "size", align: "right", rank: 1, styles: ["dim"] },
];

function draw(trashed: readonly TrashedRow[], flags: TrashFlags, shell: Shell): string {
  if (trashed.length === 0) {
    return flags.olderThan === undefined ? "The trash is empty.\n" : "Nothing in the trash is so old.\n";
  }
  const screen = screenOf(shell, shell.stdout);
  const paint = paintFor(screen);
  const ids = trashed.map(({ info }) => info.sessionId);
  const short = shortIds(ids, ids);
  const rows = trashed.map(({ info, trashedAt }) => [
    info.agent,
    visibleLine(short.get(info.sessionId) ?? info.sessionId),
    visibleLine(info.title ?? EMPTY_TITLE),
    info.cwd === null ? "" : visibleLine(tildePath(info.cwd, shell.home)),
    relativeTime(trashedAt, shell.now),
    info.sizeBytes === null ? "" : formatSize(info.sizeBytes),
  ]);
  const table = layOut(COLUMNS, rows, screen.isTerminal ? { columns: screen.columns } : {});
  const lines = table.cells.map((cells, at) =>
    cells
      .map((cell, index) =>
        paint(cell, ...(at === 0 ? (["dim"] as const) : (COLUMNS[table.columns[index] ?? 0]?.styles ?? []))),
      )
      .join("  ")
      .trimEnd(),
  );
  const [only] = trashed;
  const id = trashed.length === 1 && only !== undefined ? `${only.info.agent}:${only.info.sessionId}` : "ID";
  const advice = flags.empty
    ? []
    : ["", `Restore one: continuo session restore ${visibleLine(shellWord(id))}`];
  return [...lines, ...advice].map((line) => `${line}\n`).join("");
}

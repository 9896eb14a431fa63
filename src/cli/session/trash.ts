/** `session trash`: what was deleted, and deleting it for good. */

import { emptyTrash, listTrashedSessions, type TrashedSession } from "../../agents/index.ts";
import { ContinuoError } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { placesOf } from "../places/index.ts";
import {
  type Column,
  canAsk,
  confirm,
  createOutput,
  formatSize,
  layOut,
  paintFor,
  relativeTime,
  type Shell,
  type Style,
  screenOf,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import { shortIds } from "./short-ids.ts";
import { trashedToJson } from "./trash-json.ts";

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
  const trashed = listTrashedSessions({ places }).filter((one) => isOld(one, flags, shell));
  const output = createOutput(shell.stdout);
  if (flags.empty && trashed.length > 0) await askToEmpty(trashed, flags, shell);
  const shown = flags.empty
    ? emptyTrash({
        places,
        now: shell.now,
        ...(flags.olderThan === undefined ? {} : { olderThanDays: flags.olderThan }),
      })
    : trashed;
  if (flags.json) await output.write(`${toJsonText(shown.map(trashedToJson), 2)}\n`);
  else if (flags.empty) await output.write(`${plural(shown.length)} deleted for good\n`);
  else await output.write(draw(shown, flags, shell));
  return 0;
}

function isOld({ trashedAt }: TrashedSession, { olderThan }: TrashFlags, { now }: Shell): boolean {
  return olderThan === undefined || Date.parse(trashedAt) < now.getTime() - olderThan * DAY_MS;
}

/** Errors: `usage` where there is nobody to ask, `interrupted` on a no. */
async function askToEmpty(
  trashed: readonly TrashedSession[],
  flags: TrashFlags,
  shell: Shell,
): Promise<void> {
  if (flags.yes) return;
  if (!canAsk(shell)) {
    throw new ContinuoError("usage", `this deletes ${plural(trashed.length)} for good`, {
      hint: "Say so with --yes.",
    });
  }
  shell.stderr.write(draw(trashed, flags, shell));
  if (await confirm(`Delete ${plural(trashed.length)} for good?`, shell)) return;
  throw new ContinuoError("interrupted", "nothing was deleted");
}

const COLUMNS: readonly (Column & { readonly styles: readonly Style[] })[] = [
  { header: "agent", align: "left", styles: ["cyan"] },
  { header: "id", align: "left", styles: ["dim"] },
  { header: "title", align: "left", ideal: 40, min: 12, styles: [] },
  { header: "project", align: "left", ideal: 16, min: 8, cut: "start", styles: ["blue"] },
  { header: "deleted", align: "right", styles: ["green"] },
  { header: "size", align: "right", styles: ["dim"] },
];

function draw(trashed: readonly TrashedSession[], flags: TrashFlags, shell: Shell): string {
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
    info.title === null ? "" : visibleLine(info.title),
    info.cwd === null ? "" : visibleLine(tildePath(info.cwd, shell.home)),
    relativeTime(trashedAt, shell.now),
    formatSize(info.sizeBytes),
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
  const advice = flags.empty ? [] : ["", "Restore one: continuo session restore ID"];
  return [...lines, ...advice].map((line) => `${line}\n`).join("");
}

function plural(count: number): string {
  return count === 1 ? "1 session" : `${count} sessions`;
}

/** The numbers of the rows of the last list, as names of sessions. */

import { type ListedSession, nameOf } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";
import { keepNumbered, numbered } from "./numbers.ts";

/** Ids are shown with at least eight characters, so up to four digits are never an id. */
const ROW_NUMBER = /^[1-9]\d{0,3}$/u;

export function keepRows(rows: readonly ListedSession[], shell: Shell): void {
  keepNumbered(
    "rows",
    rows.map((row) => ({ session: nameOf(row) })),
    shell,
  );
}

export function isRowNumber(name: string): boolean {
  return ROW_NUMBER.test(name);
}

/**
 * The session of a row of this terminal's last list; the name itself if it is not a number. Errors: `not_found` for a
 * row that the list does not have, because an id that begins with the number would be another session than the person
 * means.
 */
export function nameOfRow(name: string, shell: Shell): string {
  if (!isRowNumber(name)) return name;
  const row = numbered("rows", Number(name), shell);
  if (isJson(row) && typeof row.session === "string") return row.session;
  throw new ContinuoError("not_found", `there is no row ${name} in the last list of this terminal`, {
    hint: "Run `continuo list` to number the rows, or give more of the id.",
  });
}

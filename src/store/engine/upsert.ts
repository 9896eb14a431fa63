/** How SQLite and Postgres insert a row that may be there: the same words. */

import type { Dialect } from "./work.ts";

export const UPSERT: Pick<Dialect, "onConflict" | "proposed" | "returning"> = {
  onConflict: (columns, assignments) =>
    `on conflict (${columns}) do ${assignments === undefined ? "nothing" : `update set ${assignments}`}`,
  proposed: (column) => `excluded.${column}`,
  returning: (columns) => `returning ${columns}`,
};

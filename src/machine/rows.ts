/** All sessions as rows with their keys, made anew when they are asked for after a while. */

import { type ListedSession, type ListQuery, listCatalog } from "../catalog/index.ts";
import { listTrashedSessions } from "../editing/index.ts";
import { type PlacesAt, placesOf } from "../files/index.ts";
import type { MachineSession } from "../wire/machine/index.ts";
import { keysOf } from "./keys.ts";
import { MACHINE_LIMITS } from "./limits.ts";

export interface KeyedRow {
  readonly row: ListedSession;
  readonly shown: MachineSession;
}

export interface Rows {
  /** Newest first. */
  readonly byKey: ReadonlyMap<string, KeyedRow>;
  /** Newest deletion first. */
  readonly trashed: readonly MachineSession[];
  readonly notices: readonly string[];
}

export interface RowSource {
  /** At most a moment old. */
  rows(): Promise<Rows>;
  /** All rows where they were made before, else the newest ones; the others are then on the way. */
  soon(): Promise<{ readonly rows: Rows; readonly isWhole: boolean }>;
  /** Made anew: something was changed. */
  forget(): void;
}

export function createRowSource(places: PlacesAt): RowSource {
  let made: { readonly rows: Promise<Rows>; until: number } | null = null;
  let whole: Rows | null = null;
  const make = (): Promise<Rows> => {
    const began = performance.now();
    const rows = readRows(places);
    const entry = { rows, until: Number.POSITIVE_INFINITY };
    const end = (all: Rows): void => {
      whole = all;
      const now = performance.now();
      entry.until = now + Math.max(MACHINE_LIMITS.listMs, 10 * (now - began));
    };
    rows.then(end, () => {
      if (made === entry) made = null;
    });
    made = entry;
    return rows;
  };
  const rows = async (): Promise<Rows> =>
    await (made === null || performance.now() > made.until ? make() : made.rows);
  return {
    rows,
    async soon() {
      if (whole !== null) return { rows: await rows(), isWhole: true };
      const newest = await readRows(places, { limit: MACHINE_LIMITS.firstSessions, newestBy: "file times" });
      // Its errors are those of whoever asks next.
      rows().catch(() => undefined);
      return { rows: newest, isWhole: false };
    },
    forget: () => {
      made = null;
    },
  };
}

async function readRows(places: PlacesAt, part: Pick<ListQuery, "limit" | "newestBy"> = {}): Promise<Rows> {
  const wanted: ListQuery = { archived: "include", empty: "exclude", ...part };
  const { sessions, error } = await listCatalog(wanted, { places });
  const byKey = new Map<string, KeyedRow>();
  for (const [key, row] of keysOf(sessions)) byKey.set(key, { row, shown: toShown(key, row) });
  const trashed = [...keysOf(listTrashedSessions({ places: placesOf(places) }).map(toTrashedRow))];
  return {
    byKey,
    trashed: trashed.map(([key, { trashId, ...row }]) => ({ ...toShown(key, row), trashId })),
    notices: error === null ? [] : [`Continuo's own sessions are missing: ${error.message}`],
  };
}

type Trashed = ReturnType<typeof listTrashedSessions>[number];

function toTrashedRow({ info, trashId }: Trashed): ListedSession & { readonly trashId: string } {
  return { ...info, trashId, gitBranch: null, createdAt: null, archived: false, live: null, problems: [] };
}

function toShown(key: string, row: ListedSession): MachineSession {
  const { agent, sessionId, title, cwd, gitBranch, createdAt, updatedAt, sizeBytes, live, archived } = row;
  return {
    ...{ key, agent, sessionId, title, cwd, gitBranch, createdAt, updatedAt, sizeBytes, live, archived },
    trashId: null,
    problems: [...new Set(row.problems.map(({ code }) => code))],
    ...{ model: null, turns: null, tokens: null, costUsd: null },
  };
}

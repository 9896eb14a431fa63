/** All sessions as rows with their keys, made anew when they are asked for after a while. */

import { type ListedSession, listCatalog } from "../catalog/index.ts";
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
  /** Made anew: something was changed. */
  forget(): void;
}

export function createRowSource(places: PlacesAt): RowSource {
  let made: { readonly rows: Promise<Rows>; until: number } | null = null;
  const make = (): Promise<Rows> => {
    const began = performance.now();
    const rows = readRows(places);
    const entry = { rows, until: Number.POSITIVE_INFINITY };
    const end = (): void => {
      const now = performance.now();
      entry.until = now + Math.max(MACHINE_LIMITS.listMs, 10 * (now - began));
    };
    rows.then(end, () => {
      if (made === entry) made = null;
    });
    made = entry;
    return rows;
  };
  return {
    rows: async () => await (made === null || performance.now() > made.until ? make() : made.rows),
    forget: () => {
      made = null;
    },
  };
}

async function readRows(places: PlacesAt): Promise<Rows> {
  const { sessions, error } = await listCatalog({ archived: "include", empty: "exclude" }, { places });
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

/** The machine: its parts as one service. */

import { setTimeout as sleep } from "node:timers/promises";
import type { MachineService, MachineSession, SessionsChanged } from "../wire/machine/index.ts";
import { findByText } from "./found.ts";
import { MACHINE_LIMITS } from "./limits.ts";
import { pageOf, toFilter } from "./list.ts";
import type { MachineOptions } from "./options.ts";
import { createRowSource, type RowSource } from "./rows.ts";

export function createMachine(options: MachineOptions): MachineService {
  const source = createRowSource(options.places);
  return {
    async sessions(query) {
      const rows = await source.rows();
      const filter = toFilter(query);
      if (query.deleted === "only") return pageOf(rows.trashed.filter(filter), query, rows.notices);
      const found =
        query.text === undefined
          ? { sessions: [...rows.byKey.values()].map(({ shown }) => shown), notices: [] }
          : await findByText(query.text, rows, options);
      return pageOf(found.sessions.filter(filter), query, [...rows.notices, ...found.notices]);
    },
    changed: (signal) => changesOf(source, signal),
    close: async () => undefined,
  };
}

/** Compares the list with what it was, now and then. */
async function* changesOf(
  source: RowSource,
  signal: AbortSignal,
): AsyncGenerator<SessionsChanged, void, void> {
  let before: ReadonlyMap<string, string> = textsOf((await source.rows()).byKey);
  while (!signal.aborted) {
    await sleep(MACHINE_LIMITS.followMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const { byKey } = await source.rows();
    const now = textsOf(byKey);
    const sessions: MachineSession[] = [];
    for (const [key, text] of now) if (before.get(key) !== text) sessions.push(JSON.parse(text));
    const gone = [...before.keys()].filter((key) => !now.has(key));
    before = now;
    if (sessions.length + gone.length > 0) yield { sessions, gone };
  }
}

function textsOf(rows: ReadonlyMap<string, { readonly shown: MachineSession }>): ReadonlyMap<string, string> {
  return new Map([...rows].map(([key, { shown }]) => [key, JSON.stringify(shown)]));
}

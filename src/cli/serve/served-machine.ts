/** The sessions of this machine for the server: loaded with the first request. */

import { resolve } from "node:path";
import { storeUrlOf } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import type { MachineService } from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import type { OpenedStore } from "@continuo/store";
import { keepIndexed, startIndexing } from "../indexing/index.ts";
import { patternsWork } from "../search/index.ts";
import { exportToWork } from "../session/index.ts";
import { pricesWork, usageWork } from "../stats/index.ts";
import { openForCommand } from "../store/index.ts";
import { parseSince, type Shell } from "../terminal/index.ts";
import { createWindows, NO_WINDOWS } from "./window/index.ts";

export interface ServedMachine {
  /** The served store, if a flag names it: Continuo's own sessions are those of that store. */
  readonly store?: string | undefined;
  /**
   * The machines that can reach the server: only this one, or others too, which must not start a program on this
   * screen.
   */
  readonly reach: "machine" | "network";
}

export async function loadMachine(shell: Shell, { store, reach }: ServedMachine): Promise<MachineService> {
  const { createMachine } = await import("@continuo/server/machine");
  const places = placesFor(shell, store);
  const indexing = keepIndexed(shell);
  const machine = createMachine({
    places,
    openStore: () => openOwnStore(places, shell),
    exclude: () => patternsWork(shell),
    onUnindexed: () => void startIndexing("search", shell),
    toTime: (text) => parseSince(text, new Date()),
    exportTo: (located, wish, write) => exportToWork(located, wish, { write, shell }),
    windows: reach === "machine" ? createWindows(places) : NO_WINDOWS,
    prices: () => pricesWork(shell),
    usage: (since) => usageWork(since, { ...shell, ...places }),
  });
  return {
    ...machine,
    async close() {
      indexing[Symbol.dispose]();
      await machine.close();
    },
  };
}

/** Errors: `unsupported` for a store that no other process can open. */
async function openOwnStore(places: PlacesAt, shell: Shell): Promise<OpenedStore> {
  const store = storeUrlOf(places);
  if (!/^memory:/iu.test(store)) return await openForCommand({ store }, shell);
  throw new ContinuoError("unsupported", "cannot continue a session: the store of this server is in memory", {
    hint: "Start the server with a store that is a file, or run `continuo repl`.",
  });
}

function placesFor({ home, cwd, env }: Shell, store: string | undefined): PlacesAt {
  return { home, cwd: resolve(cwd), env: store === undefined ? env : { ...env, CONTINUO_STORE: store } };
}

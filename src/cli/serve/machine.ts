/** The sessions of this machine for the server: loaded with the first request. */

import { resolve } from "node:path";
import type { PlacesAt } from "../../files/index.ts";
import type { MachineService } from "../../wire/machine/index.ts";
import { patternsWork } from "../search/index.ts";
import { exportToWork } from "../session/index.ts";
import { homeConfiguration } from "../spending/index.ts";
import { parseSince, type Shell } from "../terminal/index.ts";

/** @param store the one that is served, where a flag names it: Continuo's own sessions are those of that store */
export async function loadMachine(shell: Shell, store: string | undefined): Promise<MachineService> {
  const { createMachine } = await import("../../machine/index.ts");
  return createMachine({
    places: placesFor(shell, store),
    exclude: () => patternsWork(shell),
    toTime: (text) => parseSince(text, new Date()),
    exportTo: (located, wish, write) => exportToWork(located, wish, { write, shell }),
    prices: async () => (await homeConfiguration(shell)).prices,
  });
}

function placesFor({ home, cwd, env }: Shell, store: string | undefined): PlacesAt {
  return { home, cwd: resolve(cwd), env: store === undefined ? env : { ...env, CONTINUO_STORE: store } };
}

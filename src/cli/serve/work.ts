/** The work of commands for other folders, loaded when it is called for. */

import { join } from "node:path";
import { packageFolder } from "../../files/index.ts";
import type { MachineService } from "../../wire/machine/index.ts";
import type { Shell } from "../terminal/index.ts";

/** The sessions of this machine, as the server shows them. */
export async function machineWork(shell: Shell): Promise<MachineService> {
  return await (await import("./machine.ts")).loadMachine(shell, undefined);
}

/** Where `npm run prepare` puts the page. */
export function viewerFolder(): string {
  return join(packageFolder(), "dist/web");
}

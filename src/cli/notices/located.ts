/** From what a person types to one session; says so when it is an example. */

import { type LookUpHit, type LookUpOptions, lookUp } from "../../catalog/index.ts";
import type { Shell } from "../terminal/index.ts";

/** Errors: as `lookUp` of the catalog. */
export async function locate(
  name: string,
  shell: Shell,
  examples: NonNullable<LookUpOptions["examples"]> = "with examples",
): Promise<LookUpHit> {
  const located = await lookUp(name, { places: shell, examples });
  if (located.kind === "native" && located.native.isExample) {
    shell.stderr.write("No sessions on this machine: this is an example session that ships with Continuo.\n");
  }
  return located;
}

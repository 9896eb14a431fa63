/** Where Continuo keeps its own files. */

import { join } from "node:path";
import type { Places } from "./port.ts";

/** `$CONTINUO_HOME`, else `~/.continuo`. */
export function continuoHome(places: Places): string {
  return places.env.CONTINUO_HOME || join(places.home, ".continuo");
}

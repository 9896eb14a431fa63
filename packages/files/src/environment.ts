/** The places of this machine's user, for callers who name none. The one file of the library that reads the environment. */

import { homedir } from "node:os";
import type { Places } from "./places.ts";

export function placesOfThisUser(): Places {
  return { home: homedir(), env: process.env };
}

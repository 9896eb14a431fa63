/** What the user's own file configures for all projects. */

import { assertValid, type Configuration, readConfiguration } from "../../config/index.ts";
import type { Shell } from "../terminal/index.ts";

/** What the file in `CONTINUO_HOME` says; the project has no part in it. Errors: `usage` for a file that is wrong. */
export async function homeConfiguration(shell: Shell): Promise<Configuration> {
  const configuration = await readConfiguration({ places: shell, cwd: null });
  assertValid(configuration);
  return configuration;
}

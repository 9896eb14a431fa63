/** The default database of this machine's user. This is the only file of the store that reads the environment. */

import { join } from "node:path";
import { homeOfThisUser } from "@continuo/files";

export function storePathOfThisUser(): string {
  return defaultStorePath(process.env);
}

/** The environment has the credentials and the region of S3. */
export function environmentOfThisUser(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** `continuo.db` in `CONTINUO_HOME`, else in `~/.continuo`. */
export function defaultStorePath(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.CONTINUO_HOME || join(env.HOME || homeOfThisUser(), ".continuo"), "continuo.db");
}

/** `continuo view` as it was built, over the sessions of a home. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** @param use is given the address that lets one browser in */
export async function withViewer<T>(home: string, use: (url: string) => Promise<T>): Promise<T> {
  const argv = [join(ROOT, "bin/continuo.js"), "view", "--no-open", "--json"];
  const env = { HOME: home, CONTINUO_HOME: join(home, ".continuo"), CI: "1", PATH: process.env.PATH ?? "" };
  const child = spawn(process.execPath, argv, { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let said = "";
    while (!said.trimEnd().endsWith("}")) {
      const [chunk] = await once(child.stdout, "data");
      said += String(chunk);
    }
    return await use((JSON.parse(said) as { readonly url: string }).url);
  } finally {
    const gone = child.exitCode === null ? once(child, "exit") : null;
    child.kill("SIGTERM");
    await gone;
  }
}

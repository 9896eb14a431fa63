/** The built `continuo view` on the sessions of a home, and commands in the same home. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

function envOf(home: string): Readonly<Record<string, string>> {
  return { HOME: home, CONTINUO_HOME: join(home, ".continuo"), CI: "1", PATH: process.env.PATH ?? "" };
}

/** Runs a command to its end. */
export function runIn(home: string, args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, "bin/continuo.js"), ...args], {
    env: envOf(home),
    stdio: "ignore",
  });
}

/** @param use receives the address with the code for one browser */
export async function withViewer<T>(home: string, use: (url: string) => Promise<T>): Promise<T> {
  const argv = [join(ROOT, "bin/continuo.js"), "view", "--no-open", "--json"];
  const child = spawn(process.execPath, argv, { env: envOf(home), stdio: ["ignore", "pipe", "inherit"] });
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

/**
 * The time from the typed command to the first list: for the single file by `install.sh` from a server on this machine,
 * and for `npx` of the tarball with an empty cache, with its dependencies from npm.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, measure, printRatios, printTable } from "../measure/index.ts";

const ROOT = join(import.meta.dirname, "../..");
/** In seconds, on two cores. */
const WANTED = { single: 10, npx: 20 } as const;

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "continuo-bench-install-"));
  const release = join(scratch, "release");
  mkdirSync(release);
  const server = spawn(process.execPath, [join(import.meta.dirname, "serve.ts"), release]);
  try {
    const [printed]: Buffer[] = await once(server.stdout, "data");
    const address = String(printed).trim();
    const scripts = join(ROOT, "scripts/installers.ts");
    execFileSync(process.execPath, [scripts, release, address], { stdio: "ignore" });
    const options = ["--silent", "--ignore-scripts", "--pack-destination", release];
    execFileSync("npm", ["pack", ...options], { cwd: ROOT });
    const tarball = join(release, readdirSync(release).find((name) => name.endsWith(".tgz")) ?? "");
    const line = `curl -fsS ${address}/install.sh | sh && "$HOME/.local/bin/continuo" list`;
    const rows = measure(
      [
        inNewHome("install.sh and the first list", ["sh", "-c", line], join(scratch, "single")),
        inNewHome(
          "npx, with nothing in npm's cache",
          ["npx", "--yes", "--package", tarball, "continuo", "list"],
          join(scratch, "npx"),
        ),
      ],
      { rounds },
    );
    printTable("From the line to the first list", rows);
    const [single = Number.NaN, npx = Number.NaN] = rows.map(({ medianMs }) => medianMs / 1_000);
    printRatios([
      { what: "the single file, in seconds", ratio: single, wanted: "below", target: WANTED.single },
      { what: "npx, in seconds", ratio: npx, wanted: "below", target: WANTED.npx },
    ]);
  } finally {
    server.kill();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function inNewHome(name: string, argv: Command["argv"], home: string): Command {
  return {
    name,
    argv,
    // npm still uses the registry that the person configured.
    env: { HOME: home, npm_config_userconfig: join(homedir(), ".npmrc") },
    before: () => {
      rmSync(home, { recursive: true, force: true });
      mkdirSync(home);
    },
  };
}

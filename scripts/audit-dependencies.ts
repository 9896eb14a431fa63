/**
 * `npm run audit:dependencies`: asks the registry for known vulnerabilities of the versions in the lock file, and fails for
 * one that a release must not have. SECURITY.md has the times. Maintainers run it before a release and once a week.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";

interface Audit {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly severity: string; readonly range: string; readonly fixAvailable: unknown }>
  >;
}

const root = join(import.meta.dirname, "..");
const args = ["audit", "--json"];
const { stdout, error } = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 100_000_000 });
const found = error === undefined ? vulnerabilitiesIn(stdout) : null;
if (found === null) {
  process.stderr.write("The registry did not answer, so nothing is known. Try again.\n");
  process.exitCode = 2;
} else {
  for (const [name, { severity, range }] of found)
    process.stdout.write(`${severity.padEnd(9)} ${name} ${range}\n`);
  process.stdout.write(`${found.length} known vulnerabilities\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

type Vulnerabilities = [string, NonNullable<Audit["vulnerabilities"]>[string]][];

/** `null` for an invalid answer, because a missing answer must not look like safety. */
function vulnerabilitiesIn(text: string): Vulnerabilities | null {
  try {
    const { vulnerabilities } = JSON.parse(text) as Audit;
    return vulnerabilities === undefined ? null : Object.entries(vulnerabilities);
  } catch {
    return null;
  }
}

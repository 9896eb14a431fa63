/** The file of rules that holds an agent to a policy: one of ours, the same for everybody who needs it. */

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { continuoHome, type Places } from "../reader/index.ts";
import type { AcpPolicy } from "./policies.ts";

/** What stands behind the command. An agent that cannot be given its rules is not started. */
export function policyArguments({ rules }: AcpPolicy, places: Places): readonly string[] {
  if (rules === undefined) return [];
  const name = createHash("sha256").update(rules.text).digest("hex").slice(0, 16);
  const folder = join(continuoHome(places), "policies");
  const path = join(folder, `${name}.toml`);
  const draft = `${path}.${randomUUID()}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, rules.text, { mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return [rules.flag, path];
}

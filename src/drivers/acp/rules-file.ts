/** The file of rules that holds an agent to a policy: one of ours, the same for everybody who needs it. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { continuoHome, type Places, writeDurably } from "../../files/index.ts";

import type { AcpPolicy } from "./policies.ts";

/** Arguments after the command. An agent that cannot be given its rules is not started. */
export function policyArguments({ rules, args = [] }: AcpPolicy, places: Places): readonly string[] {
  if (rules === undefined) return args;
  const name = createHash("sha256").update(rules.text).digest("hex").slice(0, 16);
  const path = join(continuoHome(places), "policies", `${name}.toml`);
  writeDurably(path, rules.text);
  return [...args, rules.flag, path];
}

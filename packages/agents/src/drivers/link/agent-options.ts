/** Options of an agent, checked before anything is started: a caller in plain JavaScript may give anything. Pure. */

import { assertChoice, assertKnownOptions, ContinuoError } from "@continuo/core/model";
import { PERMISSION_POLICIES } from "./permissions.ts";

/** The values that each of these options may have; for other options only the type is checked. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  permissions: PERMISSION_POLICIES,
  resumeBy: ["load", "resume"],
  keepOpen: ["session", "turn"],
  transport: ["native", "acp"],
  environment: ["pass", "deny"],
};

const TEXTS = ["name", "model", "mode"] as const;
const FUNCTIONS = ["onPermission", "writeReplay", "isTrusted", "onWait"] as const;

/** Errors: `usage`, with the name of the option. */
export function assertAgentOptions(what: string, options: unknown, known: object): void {
  if (typeof options !== "object" || options === null) {
    throw new ContinuoError("usage", "the options of an agent must be an object with cwd", { hint: HINT });
  }
  assertKnownOptions(what, options, known);
  const given = options as Readonly<Record<string, unknown>>;
  if (typeof given.cwd !== "string" || given.cwd === "") {
    throw new ContinuoError("usage", "cwd must be the path of a folder", { hint: HINT });
  }
  for (const [name, choices] of Object.entries(CHOICES)) assertChoice(name, given[name], choices);
  for (const name of TEXTS) {
    const value = given[name];
    if (value === undefined || (typeof value === "string" && value !== "")) continue;
    throw new ContinuoError("usage", `${name} must be a text`);
  }
  for (const name of FUNCTIONS) {
    if (given[name] === undefined || typeof given[name] === "function") continue;
    throw new ContinuoError("usage", `${name} must be a function`);
  }
}

const HINT =
  'Give the folder that the agent works in, such as `openRunAgent("claude", { cwd: process.cwd() })`.';

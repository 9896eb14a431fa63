/** Checks a configuration before its use: throws an error if it cannot be used, and writes the text of warnings. */

import { ContinuoError, shellWord } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { readConfiguration } from "./read.ts";
import type { Configuration, ConfigurationProblem, UntrustedFile } from "./settings.ts";

type ConfigurationChecks = Pick<Configuration, "problems" | "untrusted">;

const HINT = "See docs/configuration.md and examples/continuo.yaml for every key.";

/** Call it before a configuration is used. Errors: `invalid`, with every problem and its position. */
export function assertValid({ problems }: ConfigurationChecks, hint: string = HINT): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  const message = [first, ...others].map(describeProblem).join("\n");
  throw new ContinuoError("invalid", message, {
    hint,
    details: { problems },
  });
}

/**
 * Reads only the file in `CONTINUO_HOME`, because a project must not decide these settings. Errors: `invalid`, with
 * every problem and its position.
 */
export async function readHomeConfiguration(places: PlacesAt): Promise<Configuration> {
  const configuration = await readConfiguration({ places, cwd: null });
  assertValid(configuration);
  return configuration;
}

/**
 * Call it before an agent is started. Errors: `invalid`; `untrusted` if a project's file that is not trusted sets
 * guarded keys (`guardedIn`).
 */
export function assertRunnable(configuration: ConfigurationChecks): void {
  assertValid(configuration);
  const { untrusted } = configuration;
  if (untrusted === null) return;
  throw new ContinuoError(
    "untrusted",
    `${untrusted.file} ${reasonOf(untrusted)}: ${untrusted.keys.join(", ")}`,
    {
      hint: `Read the file, and if you trust it, run ${trustCommand(untrusted)}`,
      details: { ...untrusted },
    },
  );
}

/**
 * Returns a warning about settings that are not used, and the reason, for commands that start no agent.
 * @param file the name of the file in the warning
 */
export function untrustedWarning(untrusted: UntrustedFile, file: string): string {
  const unused = untrusted.keys.join(", ");
  return `${file} ${reasonOf(untrusted)}; not used: ${unused}. If you trust it: ${trustCommand(untrusted)}`;
}

function reasonOf({ state }: UntrustedFile): string {
  return state === "changed" ? "changed since it was trusted" : "names programs to run, and is not trusted";
}

function trustCommand({ folder }: UntrustedFile): string {
  return `continuo trust ${shellWord(folder)}`;
}

function describeProblem({ file, line, key, message, suggestion }: ConfigurationProblem): string {
  const about = key === "" || message.includes("there is no key") ? "" : `${key}: `;
  return `${file}:${line}: ${about}${message}${suggestion === null ? "" : `; did you mean ${suggestion}?`}`;
}

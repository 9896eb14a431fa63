/** Checks that refuse an unusable configuration, as errors and as lines of warning. */

import { ContinuoError, shellWord } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { readConfiguration } from "./read.ts";
import type { Configuration, ConfigurationProblem, UntrustedFile } from "./settings.ts";

type ConfigurationChecks = Pick<Configuration, "problems" | "untrusted">;

/** To be called before a configuration is used. Errors: `invalid`, with every place. */
export function assertValid({ problems }: ConfigurationChecks): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  const message = [first, ...others].map(describeProblem).join("\n");
  throw new ContinuoError("invalid", message, {
    hint: "See docs/configuration.md and examples/continuo.yaml for every key.",
    details: { problems },
  });
}

/** Reads the file in `CONTINUO_HOME` only: a project decides nothing here. Errors: `invalid`, with every place. */
export async function readHomeConfiguration(places: PlacesAt): Promise<Configuration> {
  const configuration = await readConfiguration({ places, cwd: null });
  assertValid(configuration);
  return configuration;
}

/** To be called before an agent is started. Errors: `invalid`; `untrusted` if a project wants to say what is run. */
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

/** Returns the settings that are not used, and why, for commands that run nothing. @param file as it is to be shown */
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

/** What stands in the way of using a configuration, as errors and as lines of warning. */

import { ContinuoError } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { paintFor, type Shell, screenOf, tildePath } from "../terminal/index.ts";
import type { Configuration, ConfigurationProblem, UntrustedFile } from "./settings.ts";

type Checked = Pick<Configuration, "problems" | "untrusted">;

/** Before anything is done by a configuration. Errors: `invalid`, with every place. */
export function assertValid({ problems }: Checked): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  const message = [first, ...others].map(describeProblem).join("\n");
  throw new ContinuoError("invalid", message, {
    hint: "docs/configuration.md and examples/continuo.yaml show every key.",
    details: { problems },
  });
}

/** Before an agent is started. Errors: `invalid`; `untrusted` where a project wants to say what is run. */
export function assertRunnable(configuration: Checked): void {
  assertValid(configuration);
  const { untrusted } = configuration;
  if (untrusted === null) return;
  throw new ContinuoError(
    "untrusted",
    `${untrusted.file} ${reasonOf(untrusted)}: ${untrusted.keys.join(", ")}`,
    {
      hint: `Look at it, and if you trust it: ${trustCommand(untrusted)}`,
      details: { ...untrusted },
    },
  );
}

/** For commands that run nothing: a line on stderr that says what is not used. */
export function warnOfUntrusted({ untrusted }: Checked, shell: Shell): void {
  if (untrusted === null) return;
  const { file, keys } = untrusted;
  const text = `${tildePath(file, shell.home)} ${reasonOf(untrusted)}; not used: ${keys.join(", ")}. If you trust it: ${trustCommand(untrusted)}`;
  const paint = paintFor(screenOf(shell, shell.stderr));
  shell.stderr.write(`${paint(visibleLine(text), "yellow")}\n`);
}

function reasonOf({ state }: UntrustedFile): string {
  return state === "changed"
    ? "changed since it was trusted"
    : "says what programs are run, and is not trusted";
}

function trustCommand({ folder }: UntrustedFile): string {
  const word = /^[\w./:@%+=-]+$/u.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
  return `continuo trust ${word}`;
}

function describeProblem({ file, line, key, message, suggestion }: ConfigurationProblem): string {
  const about = key === "" || message.includes("there is no key") ? "" : `${key}: `;
  return `${file}:${line}: ${about}${message}${suggestion === null ? "" : `; did you mean ${suggestion}?`}`;
}

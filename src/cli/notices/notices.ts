/** The notices themselves, and the look-up that gives one of them. */

import { type LookUpHit, type LookUpOptions, lookUp } from "@continuo/agents/catalog";
import { adviceFor, type Problem } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { paintFor, type Shell, screenOf } from "../terminal/index.ts";

/** From what a person types to one session; a notice says when it is an example. Errors: as `lookUp` of the catalog. */
export async function locate(
  name: string,
  shell: Shell,
  examples: NonNullable<LookUpOptions["examples"]> = "with examples",
): Promise<LookUpHit> {
  const onUnfinished = (problems: readonly Problem[]): void => warnOfUnfinished(problems, shell);
  const located = await lookUp(name, { places: shell, examples, onUnfinished });
  if (located.kind === "native" && located.native.isExample) {
    shell.stderr.write("No sessions on this machine: this is an example session that ships with Continuo.\n");
  }
  return located;
}

/** Reports edits of killed processes that cannot be settled now. */
export function warnOfUnfinished(problems: readonly Problem[], shell: Shell): void {
  const paint = paintFor(screenOf(shell, shell.stderr));
  for (const problem of problems) {
    shell.stderr.write(`${paint("continuo:", "red")} ${visibleLine(problem.message)}\n`);
    shell.stderr.write(`${paint(visibleLine(adviceFor(problem)), "dim")}\n`);
  }
}

interface Details {
  readonly [key: string]: unknown;
}

/** The sessions that an ambiguous id names, one per line; none for the details of another error. */
export function matchLines({ matches, count }: Details): readonly string[] {
  if (!Array.isArray(matches)) return [];
  const lines = matches.map((match: Details) =>
    visibleLine(`  ${match.agent}:${match.sessionId}  ${match.location}`),
  );
  const more = typeof count === "number" ? count - matches.length : 0;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

/** `continuo bug-report`: one page for a report of a mistake, without the contents or titles of any session. */

import { release } from "node:os";
import { visibleLine } from "@continuo/core/transcript";
import { maskSecrets } from "@continuo/core/transcript/secrets";
import { placesOf, readVersion } from "@continuo/files";
import { forbiddenFolders } from "@continuo/native";
import { debugLogPath, readDebugLog } from "../debug/index.ts";
import { createFileOutput, createOutput, formatSize, type Shell, tildePath } from "../terminal/index.ts";
import { findAll } from "./doctor.ts";
import type { Finding } from "./finding.ts";
import { DOCTOR_LIMITS } from "./limits.ts";

export interface BugReportFlags {
  readonly output: string;
  readonly force?: true;
}

export async function runBugReport(flags: BugReportFlags, shell: Shell): Promise<number> {
  const findings = await findAll(shell);
  const log = readDebugLog(shell, DOCTOR_LIMITS.reportedLogChars);
  const page = toPage(findings, log, shell);
  using file = await createFileOutput(
    flags.output,
    { force: flags.force === true, forbidden: await forbiddenFolders(placesOf(shell)) },
    shell,
  );
  await file.write(page);
  const size = await file.commit();
  const logged =
    log === null
      ? "It has no debug log: run the command that fails with --debug first, if you can."
      : `The end of ${tildePath(debugLogPath(shell), shell.home)} is in it.`;
  await createOutput(shell.stdout).write(
    `Wrote ${tildePath(file.path, shell.home)} (${formatSize(size)}). Nothing was sent. ${logged}\nRead it before you send it to anybody.\n`,
  );
  return 0;
}

/** Secrets are masked, and the home folder, which names the user, is written as `~`. */
function toPage(findings: readonly Finding[], log: string | null, { home }: Pick<Shell, "home">): string {
  const clean = (text: string): string =>
    maskSecrets(home === "/" ? text : text.replaceAll(home, "~")).value.replaceAll("```", "'''");
  const { node, v8, sqlite } = process.versions;
  return [
    "# A mistake in Continuo",
    "## What happened\n\n(Write here what you did, what you expected, and what you saw.)",
    `## Versions\n\nContinuo ${readVersion()}, Node ${node}, V8 ${v8}, SQLite ${sqlite}, ${process.platform} ${release()} ${process.arch}`,
    `## Doctor\n\n${findings.map(({ name, state, message }) => clean(visibleLine(`- ${state}: ${name}: ${message}`))).join("\n")}`,
    ...(log === null ? [] : [`## Debug log\n\n\`\`\`jsonl\n${clean(log).trimEnd()}\n\`\`\``]),
  ]
    .join("\n\n")
    .concat("\n");
}

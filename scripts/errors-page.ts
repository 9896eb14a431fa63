/**
 * `docs/errors.md`, and the error codes of each exit code, from the table of codes in
 * `packages/core/src/model/errors.ts` and from what `continuo errors` explains. Pure.
 */

import { type ErrorCode, exitCodeOf, httpStatusOf } from "@continuo/core/model";
import { EXPLANATIONS } from "../src/cli/doctor/explanations.ts";

const ALL = Object.keys(EXPLANATIONS) as (ErrorCode | "internal")[];
const CODES = ALL.filter((code) => code !== "internal");

/** The codes of one exit code, as they stand in a cell of a table. */
export function codesOf(exitCode: number): string {
  const codes = CODES.filter((code) => exitCodeOf(code) === exitCode);
  return codes.map((code) => `\`${code}\``).join(", ");
}

export function toErrorsPage(): string {
  const rows = ALL.map(
    (code) =>
      `| [\`${code}\`](#${code}) | ${EXPLANATIONS[code].meaning} | ${exitCodeOf(code)} | ${httpStatusOf(code)} |`,
  );
  const sections = ALL.map((code) => {
    const { meaning, cause, remedy } = EXPLANATIONS[code];
    return `## ${code}\n\n**Meaning:** ${meaning}.\n\n**Why:** ${cause}\n\n**What to do:** ${withLinks(remedy)}`;
  });
  return `# Errors

Generated from the table of codes by \`node scripts/docs.ts\`; a test fails if the two differ.

Every expected failure has one of these codes, wherever it appears: \`error.code\` of a \`ContinuoError\`,
\`{"error":{"code","message","hint","details","page"}}\` of a command with \`--json\` and of the server, and the frame \`error\` of a
channel. Branch on the code: messages and hints are for people and can change. A mistake in a program (a wrong type, a broken
assertion) is an ordinary exception; commands then end with 1, the server answers 500, and the code in JSON is \`internal\`.

Each code has a section below. \`page\` of an error names it within the folder of the package \`continuo\` or \`@continuo/core\`:
\`docs/errors.md#conflict\`. \`npx continuo errors conflict\` prints the section, and \`continuo errors\` lists the codes; neither
needs a network.

| code | meaning | exit code | HTTP status |
|---|---|---|---|
${rows.join("\n")}

[docs/cli.md](cli.md) describes the exit codes. \`continuo resume\` ends with the exit code of the agent that it started.

${sections.join("\n\n")}
`;
}

/** Turns `docs/NAME.md`, as the package names a page, into a link to the page in the same folder. */
function withLinks(text: string): string {
  return text.replaceAll(/\bdocs\/([\w-]+\.md)/gu, "[$1]($1)");
}

/**
 * Writes `docs/cli.md` from `--help`, and `docs/continuo.schema.json` from the schema of `continuo.yaml`; with
 * `--check`, fails when one of them says something else.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { toJsonSchema } from "../src/cli/config/index.ts";
import { createProgram } from "../src/cli/index.ts";

const DOCS = join(import.meta.dirname, "../docs");

const INTRODUCTION = `# The command line

Made from \`continuo --help\` by \`node scripts/docs.ts\`; a test fails when the two differ.

\`continuo\` alone lists the newest sessions. On a terminal output is coloured, fitted to its width and shown
through \`$PAGER\` (else \`less\`) when it is long; \`NO_COLOR\`, \`FORCE_COLOR\` and \`TERM=dumb\` are honoured. In a file
or a pipe it is plain and whole. \`--json\` is for programs: its keys are a contract, times are ISO 8601 UTC, what is
unknown is \`null\`, and an error is \`{"error":{"code","message","hint","details"}}\` on stderr.

| exit code | means |
|---|---|
| 0 | done |
| 1 | another error, or an id that names several sessions |
| 2 | wrong usage |
| 3 | not found |
| 4 | \`session check\` found damage |
| 5 | refused: the session is open in its agent, forks read it, something else lies where it would go, or a project is not trusted |
| 6 | a hand-over would leave out more than \`--max-loss\` allows |
| 7 | what was done was looked at, and is not so; an agent does not do what it says that it can |
| 8 | the agent is not installed, or failed |
| 130 | interrupted |
`;

const JSON_KEYS = `## What \`--json\` prints

| command | prints |
|---|---|
| \`session list\` | array of \`{agent, sessionId, title, cwd, gitBranch, createdAt, updatedAt, sizeBytes, archived, live, location, problems, nativeRefs}\`; \`agent\` is \`continuo\` for Continuo's own, of which \`sizeBytes\` is \`null\`, and \`nativeRefs\` (\`{agent, sessionId, location, cwd}\`) the native sessions that are the same conversation and no rows of their own |
| \`session info\` | one object: the same keys, then \`messages, toolCalls, branches, records, unknownRecords, models, usage, agentVersions, subagents, forkedFrom\` |
| \`session show\` | \`{agent, sessionId, messages, leaves, problems}\`; whole, whatever \`--tools\` and \`--injected\` say; with \`--all\` or \`--tree\` the messages of every branch, each once |
| \`session check\` | array of \`{agent, sessionId, location, problems}\`, where a problem also has \`severity\` and \`advice\` |
| \`session export --format json\` | what \`session show --json\` prints; \`--format jsonl\`: one message a line |
| \`session delete\` | array, in the order of the ids given: \`{id, trashed, deleted, error}\`, of which one is not \`null\`; \`deleted\` is a row of the list (Continuo's own are gone for good), \`error\` as above |
| \`session restore\`, \`session trash\` | what is or was \`trashed\`, or an array of it: \`{agent, sessionId, title, cwd, updatedAt, sizeBytes, location, trashId, trashedAt}\` |
| \`agents\` | array of \`{agent, label, found, program, command, version, versionFrom, transport, capabilities, missing, install}\`: \`versionFrom\` is \`package\`, \`path\` or \`agent\`; \`capabilities\` (\`canList, canLoad, canResume, canContinueLast, canFork, canClose, canDelete\`) is \`null\` where it was not asked yet |
| \`agents doctor\` | \`{agent, command, version, transport, capabilities, steps: [{step, advertised, outcome, reason}]}\`: \`outcome\` is \`works\`, \`fails\`, \`not offered\` or \`not tried\` |
| \`chat\` | one object a line: the events of the turn, and last \`{type: "result", sessionId, runId, status, text, usage, stopReason, resumption, error}\`; see [chat.md](chat.md) |
| \`trust\` | the file that is trusted now: \`{path, sha256, trustedAt, keys: [{key, value}]}\`; \`--list\`: an array of \`{path, sha256, trustedAt, state}\`, \`state\` one of \`trusted\`, \`changed\`, \`gone\`; \`--remove\`: the one that was |
| \`handoff\` | \`{agent, sessionId, location, resumeCommand, receipt: {kept, rewritten, noted, dropped, byKind, records: [{place, kind, outcome, reason}]}, verification: {by, outcome, messages}}\`; with \`--dry-run\` all but \`agent\` and \`receipt\` are \`null\` |
| \`session fork\` | \`{agent, sessionId, location, title, cwd, forkedFrom, messages, resumeCommand}\` |
| \`session repair\` | \`{agent, sessionId, location, edits: [{type, line, row, reason, before, after}], written, trashId}\`: \`type\` is \`removed\`, \`added\` or \`changed\`; \`row\` is there in databases alone; \`written\` and \`trashId\` are \`null\` where nothing was written, or moved |

The records of a receipt: one for each block of a message, and for each picture or file in a result; one for a message that
says nothing; one for each native record that no message was made of, and for each sub-agent's session. \`place\` is the first
record of the message. \`kept\`: there as it was; \`rewritten\`: there, and differs as \`reason\` says; \`noted\`: not said in the new
session, because the source's agent would not send it any more, makes it anew, or a limit left it out; \`dropped\`: not said, though
it was. What a limit cut in the middle is on a second record, as \`noted\`.

A problem is \`{code, message, line}\`, with \`file\` where it is not in the session's main file.
`;

const made: readonly (readonly [name: string, text: string])[] = [
  ["cli.md", toMarkdown(createProgram(null))],
  ["continuo.schema.json", `${JSON.stringify(toJsonSchema(), null, 2)}\n`],
];
for (const [name, fresh] of made) {
  const file = join(DOCS, name);
  if (!process.argv.includes("--check")) {
    writeFileSync(file, fresh);
  } else if (readFileSync(file, "utf8") !== fresh) {
    console.error(`docs/${name} is out of date: run \`node scripts/docs.ts\``);
    process.exitCode = 1;
  }
}

function toMarkdown(program: Command): string {
  return [INTRODUCTION, ...sections(program, []), JSON_KEYS].join("\n");
}

function sections(command: Command, parents: readonly string[]): string[] {
  const path = [...parents, command.name()];
  let help = "";
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHasColors: () => false,
  });
  command.outputHelp();
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((inner) => inner.name() !== "help");
  const own = `## \`${path.join(" ")}\`\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
  return [own, ...shown.flatMap((inner) => sections(inner, path))];
}

/**
 * Writes `docs/cli.md` from `--help`, `docs/errors.md` from the table of error codes, `docs/continuo.schema.json` from the
 * schema of `continuo.yaml`, the schemas in `protocol/` from the types of the source, and the generated parts of
 * `PROTOCOL.md`, `docs/editors.md`, `docs/server.md`, `docs/lost-and-found.md`, `docs/code-map.md`, the texts of `docs/speed.md`, `ARCHITECTURE.md` and the README of each package; with `--check`, fails if one of them is out of date.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AUDIT_ACTS } from "@continuo/core/model";
import type { Command } from "commander";
import { withTexts } from "../bench/waits/page.ts";
import { toJsonSchema } from "../packages/agents/src/config/json-schema.ts";
import { createProgram } from "../src/cli/index.ts";
import { withCodeMap, withFolders, withRooms } from "./code-map.ts";
import { withEditors } from "./editors-page.ts";
import { codesOf, toErrorsPage } from "./errors-page.ts";
import { withCauses } from "./lost-and-found.ts";
import { ADAPTERS, PACKAGES } from "./packages.ts";
import { protocolFiles } from "./protocol/files.ts";
import { withFrames } from "./protocol/page.ts";
import { withSection } from "./section.ts";

const ROOT = join(import.meta.dirname, "..");

const ACTS = { begin: "<!-- acts: written by scripts/docs.ts -->", end: "<!-- end of acts -->" };

const INTRODUCTION = `# The command line

Generated from \`continuo --help\` by \`node scripts/docs.ts\`; a test fails if the two differ.

Without a command, \`continuo\` lists the newest sessions. On a terminal, output is coloured, fits the width of the
terminal, and opens in \`$PAGER\` (else \`less\`) if it is long; \`NO_COLOR\`, \`FORCE_COLOR\` and \`TERM=dumb\` are respected.
In a file or a pipe, output is plain and complete. \`--json\` is for programs: its keys are a contract, times are
ISO 8601 UTC, unknown values are \`null\`, and an error is \`{"error":{"code","message","hint","details","page"}}\` on stderr.

| exit code | meaning | [error codes](errors.md) |
|---|---|---|
| 0 | done | |
| 1 | another error, or an id that names several sessions | ${codesOf(1)} |
| 2 | wrong usage | ${codesOf(2)} |
| 3 | not found | ${codesOf(3)} |
| 4 | \`session check\` or \`store verify\` found damage, \`doctor sessions\` found a session that its agent's list lacks, \`live replay\` other notes, or stored data is damaged | ${codesOf(4)} |
| 5 | refused: the session is open in its agent or has forks, another file is in its place, a project is not trusted, a server does not allow the request, or a limit is reached | ${codesOf(5)} |
| 6 | a hand-over would leave out more than \`--max-loss\` allows | ${codesOf(6)} |
| 7 | verification failed: the result did not match when read back, or an agent fails at something that it says it supports | ${codesOf(7)} |
| 8 | the agent is not installed, or failed | ${codesOf(8)} |
| 9 | \`search\` ended by \`--timeout\` before every session was searched | |
| 130 | interrupted (\`chat\` after SIGTERM: 143) | ${codesOf(130)} |

Every command that takes a session takes the same names: the id or the beginning of it, in upper or lower case;
\`AGENT:ID\`, or \`continuo:ID\` for one of Continuo's own; the path of the session's file; \`last\` or \`last:AGENT\` for
the newest session in \`continuo list\` (\`./last\` is a file). A session of an agent that Continuo continued is one
session: the beginning of either id names Continuo's. An id that names several sessions lists them (exit code 1).
`;

const JSON_KEYS = `## What \`--json\` prints

| command | prints |
|---|---|
| \`session list\` | array of \`{agent, sessionId, title, cwd, gitBranch, createdAt, updatedAt, sizeBytes, archived, live, location, problems, nativeRefs, pinned, tags, movedTo, incomplete}\`; for Continuo's own sessions, \`agent\` is \`continuo\` and \`sizeBytes\` is \`null\`; \`nativeRefs\` (\`{agent, sessionId, location, cwd}\`) are the native sessions of the same conversation, which have no rows of their own; \`incomplete\` is true for a session that an import has not completed |
| \`session info\` | one object: the same keys except \`pinned, tags, movedTo, incomplete\`, and in addition \`messages, toolCalls, branches, records, unknownRecords, models, usage, cost, nextPrompt, agentVersions, subagents, forkedFrom, files, commands, commits\`; a commit is \`{branch, hash, subject}\` |
| \`session show\` | \`{agent, sessionId, messages, leaves, problems}\`; always complete: \`--tools\` and \`--injected\` have no effect; with \`--all\` or \`--tree\` the messages of every branch, each once; with \`--facts\` \`{agent, sessionId, facts}\`, as \`SessionFacts\` of the server |
| \`session check\` | array of \`{agent, sessionId, location, problems}\`, where a problem also has \`severity\` and \`advice\` |
| \`session export --format json\` | the same as \`session show --json\`; \`--format jsonl\`: one message per line |
| \`session delete\` | array, in the order of the given ids: \`{id, trashed, deleted, error}\`; one of the last three is not \`null\`; \`deleted\` is a row of the list (one of Continuo's own sessions, deleted for good), \`error\` as above |
| \`session restore\`, \`session trash\` | the restored session, or an array of the deleted ones: \`{agent, sessionId, title, cwd, updatedAt, sizeBytes, location, trashId, trashedAt}\` |
| \`agents\` | array of \`{agent, label, found, program, command, version, versionFrom, transport, capabilities, missing, install}\`: \`versionFrom\` is \`package\`, \`path\` or \`agent\`; \`capabilities\` (\`canList, canLoad, canResume, canContinueLast, canFork, canClose, canDelete\`) is \`null\` until the agent was started once |
| \`agents doctor\` | \`{agent, command, version, transport, capabilities, steps: [{step, advertised, outcome, reason}]}\`: \`outcome\` is \`works\`, \`fails\`, \`not offered\` or \`not tried\` |
| \`guard status\` | \`{on, maxBytes, maxAgeDays, rules, within, soon, withoutCopy, copies, sessions}\`; a rule is \`{agent, rule, sessions}\`, a session \`{agent, sessionId, location, endsAt, rule, hasCopy}\`, the first one to go at the front |
| \`guard run\` | \`{on, sessions, stored, unchanged, excluded, failed, removed, withoutRoom}\`; \`guard on\` the settings, this as \`run\`, and \`timer\` |
| \`guard list\` | array of rows as of \`session list\` |
| \`guard restore\` | \`{agent, sessionId, title, location, leftOut}\` |
| \`guard verify\` | \`{sessions, pieces, problems}\` |
| \`doctor sessions\` | array of \`{agent, sessionId, location, title, cwd, updatedAt, cause, detail, means, bringsBack, changes, by, list, intended, evidence}\`, also of sessions that are left out on purpose (\`intended\`); with \`--fix\` those that were chosen, with \`{steps, command, newLocation, trashId, error}\` in addition; see [lost-and-found.md](lost-and-found.md) |
| \`chat\` | one object per line: the events of the turn, and at the end \`{type: "result", sessionId, runId, status, text, usage, stopReason, resumption, error}\`, without \`usage\` and \`stopReason\` where the agent reports none; see [chat.md](chat.md) |
| \`extension\` | \`{chromium, firefox}\`: the folders of its builds |
| \`trust\` | what is trusted now: \`{path, sha256, trustedAt, keys: [{key, value}]}\` of the file, where there is one, and \`folder: {path, trustedAt, allowed: [{agent, files}]}\`; \`--list\`: an array of folders and files, \`{path, sha256?, trustedAt, state}\`, \`state\` one of \`trusted\`, \`changed\`, \`gone\`, or \`refused\` with \`refusedAt\` in place of \`trustedAt\`; \`--remove\`: an array of those that were |
| \`handoff\` | \`{agent, sessionId, location, resumeCommand, receipt: {kept, rewritten, noted, dropped, byKind, records: [{place, kind, outcome, reason}]}, verification: {by, outcome, messages, asides?}, madeDatabase}\`: \`asides\` says how what the agent adds by itself differs; \`madeDatabase\` is the database that an agent which never ran has now, else \`null\`; with \`--dry-run\`, all keys except \`agent\` and \`receipt\` are \`null\` |
| \`search\` | \`{results, total, matched, unsearched, notIndexed, unreadable, indexedInPart}\`; a result is \`{number, session, turn, excerpt, turns, score, link}\`, a turn \`{number, messageId, at}\`; \`link\` is a command that shows the turn |
| \`blame FILE\` | \`{path, lines, origins, formerPaths, sessions, edits, left}\`; a line is \`{line, text, origin, others, earlier}\`, the last three places in \`origins\`; an origin is \`{agent, sessionId, location, title, branch, turn, messageId, at, prompt, formerPath}\` |
| \`blame --commit\` | \`{hash, subject, committedAt, writers, committers, added, unknown, filesLeft, left}\`; a writer is an origin with \`lines\` and \`files\` |
| \`audit\` | array, oldest first: \`{entryId, workspaceId, at, who, from, what, target, details}\`; see [server.md](server.md#the-audit-log) |
| \`approvals list\` | array, oldest first: \`{id, status, sessionId, runId, agent, toolName, toolInput, title, options, metadata, requestedAt, resolvedAt, by, reason, grantedBefore}\`, without the keys that an approval does not have; \`approvals answer\`: one of them; see [the guide](guides/front-door.md#questions-to-people) |
| \`index …\` | \`{path, state, sizeBytes, sessions, indexed, sessionsBytes, unreadable}\` |
| \`session fork\` | \`{agent, sessionId, location, title, cwd, forkedFrom, messages, resumeCommand}\` |
| \`session repair\` | \`{agent, sessionId, location, edits: [{type, line, row, reason, before, after}], droppedResults, remaining, written, trashId}\`: \`droppedResults\` counts the results that are taken out because no call waits for them; \`remaining\` are the problems that are left, as \`session check\` prints them; \`type\` is \`removed\`, \`added\` or \`changed\`; only databases have \`row\`; \`written\` is \`null\` if nothing was written, \`trashId\` if nothing was moved to the trash; with \`--all\`, an array |

A receipt has one record for each block of a message, each image or file in a result, each empty message, each native record
that belongs to no message, and each session of a sub-agent. \`place\` is the first record of the message. The outcomes:

| outcome | meaning |
|---|---|
| \`kept\` | in the new session, unchanged |
| \`rewritten\` | in the new session, changed as \`reason\` says |
| \`noted\` | the target's model does not receive it: thinking stays in the new session, other records are only named in its provenance, or a limit left them out |
| \`dropped\` | not in the new session, although the source's model received it |

A text that a limit cut in the middle has a second record, with the outcome \`noted\`.

A problem is \`{code, message, line}\`, with \`file\` if it is not in the main file of the session.
`;

const protocol = protocolFiles();

const made: readonly (readonly [name: string, text: string])[] = [
  ["docs/cli.md", toMarkdown(createProgram(null))],
  ["docs/errors.md", toErrorsPage()],
  ["docs/continuo.schema.json", `${JSON.stringify(toJsonSchema(), null, 2)}\n`],
  ...Object.entries(protocol),
  [
    "PROTOCOL.md",
    withFrames(readFileSync(join(ROOT, "PROTOCOL.md"), "utf8"), {
      channel: JSON.parse(protocol["protocol/channel.json"] ?? ""),
      examples: JSON.parse(readFileSync(join(ROOT, "protocol/examples.json"), "utf8")),
    }),
  ],
  ["docs/lost-and-found.md", await withCauses(readFileSync(join(ROOT, "docs/lost-and-found.md"), "utf8"))],
  ["docs/editors.md", withEditors(readFileSync(join(ROOT, "docs/editors.md"), "utf8"))],
  ["docs/speed.md", withTexts(readFileSync(join(ROOT, "docs/speed.md"), "utf8"))],
  ["docs/server.md", withActs(readFileSync(join(ROOT, "docs/server.md"), "utf8"))],
  ...[...PACKAGES, ...ADAPTERS].map((name) => {
    const page = `packages/${name}/README.md`;
    return [page, withRooms(readFileSync(join(ROOT, page), "utf8"), name)] as const;
  }),
  ["docs/code-map.md", withFolders(readFileSync(join(ROOT, "docs/code-map.md"), "utf8"))],
  ["ARCHITECTURE.md", withCodeMap(readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8"))],
];
for (const [name, fresh] of made) {
  const file = join(ROOT, name);
  if (!process.argv.includes("--check")) {
    writeFileSync(file, fresh);
  } else if (readFileSync(file, "utf8") !== fresh) {
    process.stderr.write(`${name} is out of date: run \`node scripts/docs.ts\`\n`);
    process.exitCode = 1;
  }
}

function withActs(document: string): string {
  const rows = Object.entries(AUDIT_ACTS).map(([act, meaning]) => `| \`${act}\` | ${meaning} |`);
  const table = ["| act | recorded when |", "|---|---|", ...rows].join("\n");
  return withSection(document, ACTS, table);
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

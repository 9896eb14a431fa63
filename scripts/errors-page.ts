/** `docs/errors.md`, and the error codes of each exit code, from the table of codes in `packages/core/src/model/errors.ts`. Pure. */

import { ERROR_KINDS, type ErrorCode } from "@continuo/core/model";

/** The meaning of each code, for those who meet it. The compiler asks for a line for each new code. */
const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  usage: "the command or the call has wrong or missing arguments",
  invalid: "a value is not allowed, or cannot be stored as it was given",
  too_large: "a value exceeds a limit of size",
  out_of_range: "the log does not reach that sequence (`details.latestSequence`)",
  session_disabled: "the function needs a workspace, and the client connected without `workspaceId`",
  not_found: "the session, run, folder, file or other thing does not exist",
  gone: "the log was deleted; only its forks still read it",
  ambiguous: "an id or its beginning names several sessions (`details.matches`)",
  unreadable: "a file cannot be read",
  unwritable: "a file or folder cannot be written",
  unsupported: "this agent, session, store or platform cannot do that",
  migration_required: "the database has an older schema: run `continuo store migrate`",
  schema_newer: "the database was written by a newer Continuo",
  corrupt: "stored data is not what was written",
  busy: "another writer or a running turn is in the way, or too many conversations are open; try again",
  unavailable: "the store or the server does not answer; it is unknown whether a write was stored",
  degraded: "sessions cannot be stored at the moment; the channel itself works (`details.reason`)",
  session_live: "the session is open in its agent",
  conflict:
    "the state is not the expected one: another writer was faster, an id was used with other content, or an input is not the first one that waits",
  has_forks: "the session has forks, which need its records",
  log_closed: "the log is closed and accepts no more events",
  fenced: "another holder has the lease, claim or producer now (`details.token` or `details.epoch`)",
  lease_held: "another process holds the lease",
  sequence_gap: "a producer left out a number (`details.expected`)",
  invalid_transition: "a run, session or message in this state cannot go to that state",
  run_ended: "the run that waited for this answer has ended, or is being stopped (`details.status`)",
  too_many_runs: "as many runs wait or work as are allowed",
  untrusted: "a project's files could start programs or widen permissions, and nobody ran `continuo trust`",
  unauthorized: "no token, or one that is unknown, expired or revoked",
  forbidden: "the token is known and does not allow this",
  handle_taken: "another participant of the channel holds the handle",
  rate_limited: "more requests than the limits allow (`details.retryAfterMs`)",
  fidelity: "a hand-over would leave out more than `--max-loss` allows",
  verification_failed: "a new or changed session did not match when it was read back; it was not placed",
  agent_missing: "the agent is not installed",
  agent_failed:
    "the agent could not be started, ended early, reported an error, or exceeded its time or its budget",
  folder_missing: "the folder in which the agent works does not exist on the machine that runs it",
  native_unavailable:
    "the session cannot continue natively, and the caller allowed nothing else (`details.steps`)",
  cancelled: "the caller's `signal` was aborted; the error's `cause` is the signal's reason",
  interrupted: "Ctrl-C, or the end of the process that did the work",
};

/** The sentences that tell a person, or the author of a program, what to do. */
const REMEDIES: Readonly<Record<ErrorCode, string>> = {
  usage:
    "The message names the argument or the option. `continuo COMMAND --help` shows those of a command; a misspelt option has the right one in its hint.",
  invalid: "Correct the value that the message names; the same call fails again.",
  too_large:
    "Send less at once, or put large things into blobs and refer to them. The message has the limit; those of the server are in [configuration.md](configuration.md).",
  out_of_range:
    "Read the log from `details.latestSequence`, or begin again from 0: it may have been restored from a backup.",
  session_disabled: "Give `workspaceId` to `connect`.",
  not_found:
    "`continuo session list --all --archived` shows all sessions. In a program, `c.session(id, { create: true })` and `SessionManager.openSession` create a session that is missing.",
  gone: "Nothing brings the log back. Its forks stay readable under their own names.",
  ambiguous: "Give more of the id, `AGENT:ID`, or the path of the file.",
  unreadable:
    "Check the permissions of the file and of its folders; `continuo doctor` lists what it cannot read.",
  unwritable: "Check the permissions and the space of the disk. Nothing was written.",
  unsupported: "The message says what cannot be done, and often with which agent or store it can be.",
  migration_required:
    "`continuo store migrate` after a backup; in a program `openStore(url, { migrate: true })`.",
  schema_newer: "Install the newer version of Continuo, or open another database. Nothing was changed.",
  corrupt: "`continuo store verify` names the first record that differs. Restore it from a backup.",
  busy: "Try again in a moment.",
  unavailable:
    "Try the same call again with the same ids: what was stored already is not stored twice. With `details.permanent` the store is closed.",
  degraded: "Messages of the channel are delivered. Sessions are stored again when the store answers.",
  session_live: "Close the session in its agent first, or fork it: `continuo session fork`.",
  conflict:
    "Read the state again and decide. If an id was used with other content, the first content stays: choose another id.",
  has_forks: "`details.forks` lists them. Delete the forks first, or keep the session.",
  log_closed: "Write to another log, or fork this one.",
  fenced:
    "Stop writing: another process has taken over, and has what you stored. Take the lease again before you go on.",
  lease_held: "Wait until `details.expiresAt`, or ask `details.owner` to release it.",
  sequence_gap: "Send the records from `details.expected` on.",
  invalid_transition: "Read the run, session or message again: it has ended or moved on.",
  run_ended:
    "Nothing waits for the answer, and the call does not run. Send the message again if it is still wanted.",
  too_many_runs:
    "Wait until runs have ended; `maxQueued` and the limits of the server set how many may wait.",
  untrusted:
    "Read the project's `continuo.yaml`, then run `continuo trust` in its folder, or leave those keys out.",
  unauthorized: "`continuo token create` makes a token; send it as `Authorization: Bearer TOKEN`.",
  forbidden:
    "`continuo token list` shows the scopes of each token. In a program, `authorize` of `c.handler` decides.",
  handle_taken:
    "Choose another handle, or close the client that has this one. After a crash it is free some seconds later.",
  rate_limited: "Wait for `details.retryAfterMs`, which is also in the header `Retry-After`.",
  fidelity:
    "`details.lost` counts what would be lost. Raise `--max-loss`, or leave it out and read the receipt.",
  verification_failed:
    "Nothing was placed, and the source is as it was. Report it with the output of `continuo bug-report`.",
  agent_missing:
    "Install the agent, put it on the `PATH`, or set its `command` in continuo.yaml. `continuo agents` shows what was found.",
  agent_failed:
    "The message has the agent's own words. What was answered before the failure is in the session.",
  folder_missing:
    "Create the folder, or choose another one: the `cwd` of the session or of `coding(name, { cwd })`. The message names it for the program; people who use the program read only that it does not exist.",
  native_unavailable: 'Allow another way: `continuation: "auto"`, or `onMissing: "replay"` in a driver.',
  cancelled:
    "Call it again with a signal that is not aborted. What a cancelled call had written before is stored, as its page says; a time limit is `AbortSignal.timeout(ms)`.",
  interrupted:
    'What was acknowledged before is stored. Waking the session, or `recover: "retry"`, goes on from there.',
};

const CODES = Object.keys(MEANINGS) as ErrorCode[];

/** The codes of one exit code, as they stand in a cell of a table. */
export function codesOf(exitCode: number): string {
  const codes = CODES.filter((code) => ERROR_KINDS[code].exitCode === exitCode);
  return codes.map((code) => `\`${code}\``).join(", ");
}

export function toErrorsPage(): string {
  const rows = CODES.map((code) => {
    const { exitCode, httpStatus } = ERROR_KINDS[code];
    return `| [\`${code}\`](#${code}) | ${MEANINGS[code]} | ${exitCode} | ${httpStatus} |`;
  });
  const sections = CODES.map((code) => `## ${code}\n\n${REMEDIES[code]}`);
  return `# Errors

Generated from the table of codes by \`node scripts/docs.ts\`; a test fails if the two differ.

Every expected failure has one of these codes, wherever it appears: \`error.code\` of a \`ContinuoError\`,
\`{"error":{"code","message","hint","details"}}\` of a command with \`--json\` and of the server, and the frame \`error\` of a
channel. Branch on the code: messages and hints are for people and can change. A mistake in a program (a wrong type, a broken
assertion) is an ordinary exception; commands then end with 1, the server answers 500, and the code in JSON is \`internal\`.

Each code has a section below, which says what to do. \`error.page\` of a \`ContinuoError\` names it within the folder of the package:
\`docs/errors.md#conflict\`.

| code | meaning | exit code | HTTP status |
|---|---|---|---|
${rows.join("\n")}

[docs/cli.md](cli.md) describes the exit codes. \`continuo resume\` ends with the exit code of the agent that it started.

${sections.join("\n\n")}
`;
}

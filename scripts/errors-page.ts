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
  native_unavailable:
    "the session cannot continue natively, and the caller allowed nothing else (`details.steps`)",
  interrupted: "Ctrl-C, an aborted signal, or the end of the process that did the work",
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
    return `| \`${code}\` | ${MEANINGS[code]} | ${exitCode} | ${httpStatus} |`;
  });
  return `# Errors

Generated from the table of codes by \`node scripts/docs.ts\`; a test fails if the two differ.

Every expected failure has one of these codes, wherever it appears: \`error.code\` of a \`ContinuoError\`,
\`{"error":{"code","message","hint","details"}}\` of a command with \`--json\` and of the server, and the frame \`error\` of a
channel. Branch on the code: messages and hints are for people and can change. A mistake in a program (a wrong type, a broken
assertion) is an ordinary exception; commands then end with 1, the server answers 500, and the code in JSON is \`internal\`.

| code | meaning | exit code | HTTP status |
|---|---|---|---|
${rows.join("\n")}

[docs/cli.md](cli.md) describes the exit codes. \`continuo resume\` ends with the exit code of the agent that it started.
`;
}

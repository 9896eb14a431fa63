/**
 * Explains each error code: its meaning, why it happens and what to do about it, for those who meet it. `continuo errors
 * CODE` prints it, and `scripts/errors-page.ts` makes `docs/errors.md` of it.
 */

import type { ErrorCode } from "@continuo/core/model";

export interface Explanation {
  /** A part of a sentence, for a table. */
  readonly meaning: string;
  /** The usual causes, as sentences. */
  readonly cause: string;
  /** The sentences that tell a person, or the author of a program, what to do. */
  readonly remedy: string;
}

/** The compiler asks for an entry for each new code. */
export const EXPLANATIONS: Readonly<Record<ErrorCode | "internal", Explanation>> = {
  usage: {
    meaning: "the command or the call has wrong or missing arguments",
    cause:
      "A flag, an option or an argument was misspelt, left out, or given a value of another kind; or two of them exclude each other.",
    remedy:
      "The message names the argument or the option. `continuo COMMAND --help` shows those of a command; a misspelt option has the right one in its hint.",
  },
  invalid: {
    meaning: "a value is not allowed, or cannot be stored as it was given",
    cause:
      "The value breaks a rule of what it is for: a name has characters that are not allowed, JSON has another form, or data do not fit their schema.",
    remedy: "Correct the value that the message names; the same call fails again.",
  },
  too_large: {
    meaning: "a value exceeds a limit of size",
    cause:
      "A message, a file, a request or a list is larger than the limit that keeps memory and logs bounded.",
    remedy:
      "Send less at once, or put large things into blobs and refer to them. The message has the limit; those of the server are in docs/configuration.md.",
  },
  out_of_range: {
    meaning: "the log does not reach that sequence (`details.latestSequence`)",
    cause:
      "The reader has a place from another log, or from a log that was longer before its store was restored from a backup.",
    remedy:
      "Read the log from `details.latestSequence`, or begin again from 0: it may have been restored from a backup.",
  },
  session_disabled: {
    meaning: "the function needs a workspace, and the client connected without `workspaceId`",
    cause: "A client without `workspaceId` takes part in a channel and has no session of its own there.",
    remedy: "Give `workspaceId` to `connect`.",
  },
  not_found: {
    meaning: "the session, run, folder, file or other thing does not exist",
    cause:
      "It was never created, was deleted, has expired, or belongs to another workspace, store, home folder or person: who may not see a thing gets the same answer as if it did not exist.",
    remedy:
      "`continuo session list --all --archived` shows all sessions. In a program, `c.session(id, { create: true })` and `SessionManager.openSession` create a session that is missing.",
  },
  gone: {
    meaning: "the log was deleted; only its forks still read it",
    cause:
      "Somebody deleted the session while forks of it still needed its events, or the time to undo a deletion is over.",
    remedy: "Nothing brings the log back. Its forks stay readable under their own names.",
  },
  ambiguous: {
    meaning: "an id or its beginning names several sessions (`details.matches`)",
    cause: "The beginning of an id was too short, or two agents have sessions with the same id.",
    remedy: "Give more of the id, `AGENT:ID`, or the path of the file.",
  },
  unreadable: {
    meaning: "a file cannot be read",
    cause:
      "The permissions of the file or of a folder above it forbid it, the disk failed, or the file is not what its place says.",
    remedy:
      "Check the permissions of the file and of its folders; `continuo doctor` lists what it cannot read.",
  },
  unwritable: {
    meaning: "a file or folder cannot be written",
    cause:
      "The permissions forbid it, the disk is full or read-only, or a folder stands where a file must be.",
    remedy: "Check the permissions and the space of the disk. Nothing was written.",
  },
  unsupported: {
    meaning: "this agent, session, store or platform cannot do that",
    cause: "Agents, stores and platforms differ in what they offer, and an optional package can be missing.",
    remedy: "The message says what cannot be done, and often with which agent or store it can be.",
  },
  migration_required: {
    meaning: "the database has an older schema: run `continuo store migrate`",
    cause:
      "Continuo was updated, and this version stores more than the one that made the database. Stores are never changed without being asked.",
    remedy: "`continuo store migrate` after a backup; in a program `openStore(url, { migrate: true })`.",
  },
  schema_newer: {
    meaning: "the database was written by a newer Continuo",
    cause: "Another program or machine uses the same database with a newer Continuo.",
    remedy: "Install the newer version of Continuo, or open another database. Nothing was changed.",
  },
  corrupt: {
    meaning: "stored data is not what was written",
    cause:
      "The disk or a copy damaged the data, or another program wrote to the file. Continuo compares hashes when it reads.",
    remedy: "`continuo store verify` names the first record that differs. Restore it from a backup.",
  },
  busy: {
    meaning: "another writer or a running turn is in the way, or too many conversations are open; try again",
    cause:
      "Somebody else writes at the same moment, a turn still runs, or all places for open conversations are taken.",
    remedy: "Try again in a moment.",
  },
  unavailable: {
    meaning: "the store or the server does not answer; it is unknown whether a write was stored",
    cause: "The network, the database or the server is down or too slow, or the store was closed.",
    remedy:
      "Try the same call again with the same ids: what was stored already is not stored twice. With `details.permanent` the store is closed.",
  },
  degraded: {
    meaning: "sessions cannot be stored at the moment; the channel itself works (`details.reason`)",
    cause:
      "The database does not answer at the moment, or an event of the session was changed after it was stored.",
    remedy: "Messages of the channel are delivered. Sessions are stored again when the store answers.",
  },
  session_live: {
    meaning: "the session is open in its agent",
    cause: "The agent's own program has the session open, and two writers would damage its file.",
    remedy: "Close the session in its agent first, or fork it: `continuo session fork`.",
  },
  conflict: {
    meaning:
      "the state is not the expected one: another writer was faster, an id was used with other content, or an input is not the first one that waits",
    cause:
      "Two programs changed the same thing at once, or one of them sends a second, different message under an id that is used already.",
    remedy:
      "Read the state again and decide. If an id was used with other content, the first content stays: choose another id.",
  },
  has_forks: {
    meaning: "the session has forks, which need its records",
    cause: "A fork shares the events of its origin up to the place where it begins.",
    remedy: "`details.forks` lists them. Delete the forks first, or keep the session.",
  },
  log_closed: {
    meaning: "the log is closed and accepts no more events",
    cause: "Somebody ended the session or closed the channel for good.",
    remedy: "Write to another log, or fork this one.",
  },
  fenced: {
    meaning: "another holder has the lease, claim or producer now (`details.token` or `details.epoch`)",
    cause: "This process was paused or cut off for longer than its lease lasts, so another one took over.",
    remedy:
      "Stop writing: another process has taken over, and has what you stored. Take the lease again before you go on.",
  },
  lease_held: {
    meaning: "another process holds the lease",
    cause: "Only one process at a time may hold it, and that process works, or ended less than a lease ago.",
    remedy: "Wait until `details.expiresAt`, or ask `details.owner` to release it.",
  },
  sequence_gap: {
    meaning: "a producer left out a number (`details.expected`)",
    cause: "A record was lost between the producer and the log, or the producer began to count again.",
    remedy: "Send the records from `details.expected` on.",
  },
  invalid_transition: {
    meaning: "a run, session or message in this state cannot go to that state",
    cause: "It ended, or somebody else changed it, between the moment when it was read and this call.",
    remedy: "Read the run, session or message again: it has ended or moved on.",
  },
  run_ended: {
    meaning: "the run that waited for this answer has ended, or is being stopped (`details.status`)",
    cause: "The run was stopped, failed or exceeded its time while the question was open.",
    remedy:
      "Nothing waits for the answer, and the call does not run. Send the message again if it is still wanted.",
  },
  too_many_runs: {
    meaning: "as many runs wait or work as are allowed",
    cause: "Messages arrive faster than they are answered, or no process works on them.",
    remedy: "Wait until runs have ended; `maxQueued` and the limits of the server set how many may wait.",
  },
  untrusted: {
    meaning: "a project's files could start programs or widen permissions, and nobody ran `continuo trust`",
    cause: "The folder was cloned or downloaded, and a project's configuration could run anything as you.",
    remedy:
      "Read the project's `continuo.yaml`, then run `continuo trust` in its folder, or leave those keys out.",
  },
  unauthorized: {
    meaning: "no token, or one that is unknown, expired or revoked",
    cause:
      "The request has no `Authorization` header, the token was mistyped or revoked, or its time is over; with `c.handler`, `authorize` returned `null`.",
    remedy: "`continuo token create` makes a token; send it as `Authorization: Bearer TOKEN`.",
  },
  forbidden: {
    meaning: "the token is known and does not allow this",
    cause:
      "The scopes of the token, or the rights that `authorize` returned, do not include this; or a page comes from an origin that the server does not accept.",
    remedy:
      "`continuo token list` shows the scopes of each token. In a program, `authorize` of `c.handler` decides.",
  },
  handle_taken: {
    meaning: "another participant of the channel holds the handle",
    cause:
      "Another program is connected with it, or one that crashed still holds its lease for some seconds.",
    remedy:
      "Choose another handle, or close the client that has this one. After a crash it is free some seconds later.",
  },
  rate_limited: {
    meaning: "more requests than the limits allow (`details.retryAfterMs`)",
    cause: "The token, the person or the address sent more than its share in the last seconds.",
    remedy: "Wait for `details.retryAfterMs`, which is also in the header `Retry-After`.",
  },
  fidelity: {
    meaning: "a hand-over would leave out more than `--max-loss` allows",
    cause:
      "Each agent can hold other things: the target cannot take some calls, images or thoughts of the source.",
    remedy:
      "`details.lost` counts what would be lost. Raise `--max-loss`, or leave it out and read the receipt.",
  },
  verification_failed: {
    meaning: "a new or changed session did not match when it was read back; it was not placed",
    cause:
      "The agent's own program reads the session otherwise than Continuo wrote it, mostly because a new version of the agent changed its format.",
    remedy:
      "Nothing was placed, and the source is as it was. Report it with the output of `continuo bug-report`.",
  },
  agent_missing: {
    meaning: "the agent is not installed",
    cause: "Its program is not on the `PATH` of this process, which can differ from the one of your shell.",
    remedy:
      "Install the agent, put it on the `PATH`, or set its `command` in continuo.yaml. `continuo agents` shows what was found.",
  },
  agent_failed: {
    meaning:
      "the agent could not be started, ended early, reported an error, or exceeded its time or its budget",
    cause:
      "The agent is not logged in, its provider refuses or does not answer, its program crashed, or a limit of time or cost was reached.",
    remedy: "The message has the agent's own words. What was answered before the failure is in the session.",
  },
  folder_missing: {
    meaning: "the folder in which the agent works does not exist on the machine that runs it",
    cause:
      "The folder was deleted, renamed or not mounted, or the run was taken over by a machine that does not have it.",
    remedy:
      "Create the folder, or choose another one: the `cwd` of the session or of `coding(name, { cwd })`. The message names it for the program; people who use the program read only that it does not exist.",
  },
  native_unavailable: {
    meaning: "the session cannot continue natively, and the caller allowed nothing else (`details.steps`)",
    cause:
      "The agent deleted or never had the session, it is on another machine, or its program cannot resume.",
    remedy: 'Allow another way: `continuation: "auto"`, or `onMissing: "replay"` in a driver.',
  },
  cancelled: {
    meaning: "the caller's `signal` was aborted; the error's `cause` is the signal's reason",
    cause: "The program aborted the `signal` that it gave to the call, or a time limit passed.",
    remedy:
      "Call it again with a signal that is not aborted. What a cancelled call had written before is stored, as its page says; a time limit is `AbortSignal.timeout(ms)`.",
  },
  interrupted: {
    meaning: "Ctrl-C, or the end of the process that did the work",
    cause: "Somebody pressed Ctrl-C, the process was killed, or the machine was stopped.",
    remedy:
      'What was acknowledged before is stored. Waking the session, or `recover: "retry"`, goes on from there.',
  },
  internal: {
    meaning:
      "a mistake in a program, which is not an expected failure; only commands and the server use this code",
    cause: "Continuo, or a function that a program gave to it, threw an ordinary exception.",
    remedy:
      "`CONTINUO_DEBUG=1` shows where it happened; the log of a server has the cause, and `onError` of `openContinuo` gets it. `continuo bug-report` writes what a report needs.",
  },
};

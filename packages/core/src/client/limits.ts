/** Every limit of the client, in one place; those of the protocol are in `wire/`. */

export const LIMITS = {
  /** Events that wait for `events()`; the server keeps the rest. `queuedLength` limits their characters. */
  queuedEvents: 1_000,
  queuedLength: 1_048_576,
  /** Writes that the server has not confirmed. Another write is refused with `busy`. */
  pendingRequests: 10_000,
  /** With `targetedOnly`: the messages whose later changes the reader receives. */
  followedMessages: 1_000,
  /** The number of agents' messages since a person's last one; the message that reaches it is not given to an agent. */
  agentTurns: 20,
  missedMessages: 1_000,
  missedLength: 1_048_576,
  /** The length at which deltas are sent; they are sent earlier after `deltaMs` milliseconds. */
  deltaLength: 4_096,
  deltaMs: 50,
  /** The longest wait before the client reports a received event that does not address its handle. */
  receivedMs: 1_000,
  callMs: 60_000,
  firstRetryMs: 100,
  longestRetryMs: 30_000,
  /** The milliseconds in which the first connection is tried, with pauses of at most `longestFirstRetryMs`. */
  firstConnectionMs: 30_000,
  /** The milliseconds after which the client looks for an obstacle, if the first socket did not open. */
  firstAnswerMs: 1_500,
  longestFirstRetryMs: 2_000,
  /** The longest wait of `close()` for the server to confirm the last writes. */
  closeMs: 5_000,
} as const;

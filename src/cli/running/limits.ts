/** The limits of commands that a running process answers. */

export const RUNNING_LIMITS = {
  /**
   * If a process has not accepted a command after this time, the command does the work itself: a process whose event
   * loop is free accepts at once.
   */
  acceptedMs: 200,
  /** If there is no answer after this time, the command does the work itself, and shows its progress. */
  answeredMs: 1_000,
  /** The greatest size of a request: the command line, the environment and the folders of a command. */
  requestBytes: 1_048_576,
  answerBytes: 67_108_864,
  /** The commands that a process runs at the same time. */
  commands: 4,
  /** The number of processes that a command asks: it asks the next one only if the last one refused. */
  tries: 3,
  /** The system cuts a longer path of a socket. */
  pathBytes: 103,
  /** The number of sockets that a process checks when it starts, and removes if nobody listens there. */
  lookedAt: 64,
} as const;

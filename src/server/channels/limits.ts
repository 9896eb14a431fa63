/** Every limit of the channels' endpoint, in one place; those of the protocol are in `wire/`. */

export const LIMITS = {
  /** Bytes that wait in a socket before its reader is paused; it goes on when none does. */
  waitingBytes: 1_048_576,
  /** Frames of one connection that wait for their turn; then its socket is not read any more. */
  waitingFrames: 64,
  /** Parts of the interval of heartbeats; in each one, a part of the connections has its turn. */
  heartbeatSlices: 30,
  /** How often participants that disappeared are looked for. */
  sweepMs: 500,
  /** Messages that one request reads. */
  messages: 1_000,
  events: 1_000,
  channels: 1_000,
  /** Channels of a list of which it is told what was said last. */
  summaries: 100,
} as const;

/** Every limit of the channels' endpoint, in one place; those of the protocol are in `wire/`. */

export const LIMITS = {
  /** With this many unsent bytes, a reader is paused until all of them are sent. */
  waitingBytes: 1_048_576,
  /** If a connection has this many waiting frames, or bytes of frames, its socket is not read. */
  waitingFrames: 64,
  waitingFrameBytes: 8_388_608,
  /** Whole messages of one connection that are stored with one commit. */
  sendsTogether: 64,
  /**
   * The number of slices into which the interval of heartbeats is divided; each slice serves a part of the connections.
   */
  heartbeatSlices: 30,
  /** Frames of one connection are processed for this time before others have their turn. */
  turnMs: 5,
  /** The shortest pause between two heartbeats of a participant that renew its lease. */
  renewMs: 1_000,
  /** The interval at which the server looks for participants that disappeared. */
  sweepMs: 500,
  /**
   * A lease of another server must stay expired for this time before its holder counts as gone. The time is longer than
   * the interval of heartbeats.
   */
  settleMs: 4_000,
  /** The server remembers for this time which connections ended, and which leases it saw. */
  forgetMs: 60_000,
  /** A process without activity for longer than this did not run. This time does not count as silence of clients. */
  standstillMs: 1_000,
  /** Messages that one request reads. */
  messages: 1_000,
  /** The bytes and events that such a request may hold in memory while it is answered. */
  messagesBytes: 8_388_608,
  events: 1_000,
  channels: 1_000,
  /** Channels that are read in one turn of the event loop. */
  channelsAtOnce: 200,
  /** Channels of a list whose newest messages are read at the same time. */
  summariesAtOnce: 32,
} as const;

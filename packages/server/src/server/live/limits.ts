/** Every limit of the endpoint of continuous sessions. */

export const LIMITS = {
  /** Bytes of a batch of evidence. */
  batchBytes: 8_388_608,
  /** Bytes of a chunk of audio. */
  audioBytes: 10_485_760,
  /** Bytes of a frame that a client sends. */
  frameBytes: 16_384,
  /** The number of unsent bytes in a socket at which the server waits for its reader. */
  waitingBytes: 1_048_576,
  /** The longest of these waits. */
  stalledMs: 30_000,
  pauseMs: 20,
  /** The interval at which a server without continuous sessions checks if other servers have any. */
  lookMs: 2_000,
  heartbeatMs: 3_000,
  silenceMs: 10_000,
  sessions: 1_000,
  /** Questions about one session are limited, because each is a paid call of a model. */
  asksPerSecond: 0.5,
  askBurst: 10,
} as const;

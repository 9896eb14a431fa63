/** Every limit of the journal, in one place. */

export const LIMITS = {
  /** Parts of a message are gathered for this long, or up to this many characters. */
  streamMs: 50,
  streamChars: 4_096,
  /** A message that came in parts is stored as whole messages of at most this many characters. */
  messageChars: 262_144,
  /** Events and characters of one append. */
  batchEvents: 256,
  batchChars: 1_048_576,
  /** A waiting agent continues when fewer characters than this are unwritten. */
  roomChars: 1_048_576,
  /** An agent that does not wait fails when this number of characters is unwritten. */
  unwrittenChars: 67_108_864,
  /** Characters of the name of a model, and of the reason why a turn ended. */
  wordChars: 512,
  /** Events of the log that are searched for the tools that an agent last offered, and the changes of mode among them. */
  offerEvents: 5_000,
  offersRead: 16,
  /** Ids of messages and calls of one run that are remembered. */
  rememberedIds: 10_000,
  /** Messages of one run whose usage is remembered, in case that they grow. */
  rememberedUsages: 64,
} as const;

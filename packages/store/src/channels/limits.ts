/** Every limit of channels on the server's side; those of the protocol are in `wire/`. */

export const LIMITS = {
  /** Events between two snapshots of a channel's state. */
  snapshotEvents: 1_000,
  pageEvents: 1_000,
  /** Events that a replay reads at once. */
  replayPageEvents: 256,
  replayPageBytes: 1_048_576,
  /**
   * A reader of whole messages receives at most this number of newest messages, from this number of newest events, and
   * with this number of bytes.
   */
  collectedMessages: 1_000,
  collectedEvents: 10_000,
  collectedBytes: 1_048_576,
  /** The number of events after which a long fold stores its state, so that nobody folds these events again. */
  progressEvents: 50_000,
  /** Characters of the messages that one window holds; one message may be longer. */
  windowLength: 2_000_000,
  /** Bytes that one window reads at once, and bytes of the messages of a history that one request returns. */
  windowBytes: 8_388_608,
  historyBytes: 16_777_216,
  /** Characters of a message in a list of channels. */
  summaryLength: 200,
  /**
   * The number of events that the first search for the newest anchor or message reads. Each further search reads
   * four times as many.
   */
  stretchEvents: 1_000,
  /** The number of events of a channel in which a list searches the newest message. */
  summaryEvents: 20_000,
  /** The interval at which a newcomer checks if a handle is free, and its longest wait for a sweep that finds out. */
  handlePollMs: 250,
  unknownHolderMs: 10_000,
  /** After the server of a participant was killed, a newcomer waits this long for the participant to come back. */
  killedServerMs: 1_000,
  /**
   * The number of messages to a participant in which its unanswered input is searched, and the size of one page
   * of them.
   */
  unansweredEvents: 20_000,
  unansweredPage: 16,
  /** A device of a person that was not seen for this time gives way to a new one. */
  deviceMs: 2_592_000_000,
  /** The number of disappeared participants that one sweep handles. */
  sweptLeases: 1_000,
  /** The number of runs that an input can have: after the last one was interrupted, the input is given up. */
  attempts: 5,
  /** The number of agents' messages since a person's last one after which an agent waits for a person. */
  agentTurns: 20,
  /** For a reader that connects, agents' messages since a person's last one are counted up to this number. */
  countedTurns: 10_000,
  /** Participants that a roster lists. */
  participants: 10_000,
} as const;

/** Every limit of channels on the server's side; those of the protocol are in `wire/`. */

export const LIMITS = {
  /** Events between two snapshots of a channel's state. */
  snapshotEvents: 1_000,
  /** How far back the message that a reply names is looked for. */
  replyLookbackMessages: 20_000,
  pageEvents: 1_000,
  /** Characters of the messages that one window holds; one message may be longer. */
  windowLength: 2_000_000,
  /** Characters of a message in a list of channels. */
  summaryLength: 200,
  /** Events that are looked through first for the last anchor; then four times as many, and so on. */
  anchorStretchEvents: 1_000,
  /** How often a process looks for participants that came, left or disappeared elsewhere. */
  rosterMs: 1_000,
  /** How often an input is offered again after its run was interrupted. */
  attempts: 5,
  /** Messages of agents since a person's last one, before an agent waits for a person. */
  agentTurns: 20,
  /** Participants that a roster lists. */
  participants: 10_000,
} as const;

/** Every limit and every time of continuous sessions, in one place. */

export const LIMITS = {
  /** UTF-16 units of a key, of a video's id, of a title. */
  keyLength: 4_096,
  nameLength: 512,
  /** Of one batch of evidence. */
  evidencePerBatch: 500,
  textChars: 100_000,
  notesPerOperation: 100,
  embeddingNumbers: 4_096,

  /** No input for so long makes a session idle, and then abandoned. */
  idleMs: 30_000,
  abandonMs: 3_600_000,
  /** How often the clean-up runs, and how many sessions it reads at once. */
  cleanUpMs: 3_600_000,
  /** Sessions whose log rested for so long are looked at: their own events come for a while after the last input. */
  cleanUpLookMs: 1_800_000,
  cleanUpBatch: 100,
  cleanUpLeaseMs: 600_000,

  /** A server that gave no sign of life for so long is replaced; it renews three times as often. */
  serverLeaseMs: 3_000,
  /** How often servers look for others that are gone. */
  takeOverPollMs: 500,
  runLeaseMs: 4_000,
  parallelRuns: 16,

  /** A checkpoint is due after this time, or this many `note_written`, if anything was appended. */
  checkpointMs: 300_000,
  checkpointNotes: 10,
  checkpointRetryMs: 1_000,
  checkpointMaxRetryMs: 60_000,
  /** How long closing waits for the notes of the evidence that is pending. */
  closeFlushMs: 10_000,
  /** How long the key of a session is known without a look at the store. */
  keyMemoryMs: 1_000,
  /** Sessions of which a server keeps the fold without owning them. */
  followers: 1_000,

  /** The window of a batch: after a silence, in a burst or on one topic, and otherwise. */
  quietWindowMs: 2_000,
  burstWindowMs: 6_000,
  windowMs: 4_000,
  quietAfterMs: 10_000,
  burstMessages: 3,
  burstMs: 5_000,
  topicTranscripts: 4,
  topicMentions: 3,
  /** From the oldest pending transcript, remark or note event to its batch. */
  longestWaitMs: 12_000,
  /** Events of one batch; the rest goes into the next one. */
  batchEvents: 200,
  batchBytes: 1_048_576,
  draftsPerBatch: 100,
  newestNotes: 5,
  /** Sessions that ended before, whose notes a writer is given. */
  ancestors: 5,

  tries: 3,
  firstRetryMs: 1_000,
  breakerFailures: 5,
  breakerMs: 30_000,
  /** One call of a note writer. */
  writerMs: 120_000,

  primaryWindowMs: 3_000,
  secondaryWindowMs: 10_000,
  contextTokens: 1_500,
  /** Of each retention in each window. */
  contextEvents: 200,
  /** Fewer critical events than that are sparse evidence. */
  sparseCritical: 3,
  lowConfidence: 0.6,
  /** For drafts that are not sure: how far the writer looks before a person is asked. */
  widestWindowMs: 60_000,
  widestTokens: 4_000,
  widenedDrafts: 5,
  /** A question that nobody answers in this time is closed: its draft is written as unsure. */
  answerMs: 600_000,
  openRequests: 20,

  /** The share of the shorter span from which two notes are at the same place. */
  sameOverlap: 0.5,
  /** How often the agent changes a note. */
  revisionsPerHour: 3,
  revisionMs: 3_600_000,
  /** Notes that the drafts of a batch are compared with, and ids of evidence that a note keeps. */
  comparedNotes: 100,
  /** Notes of a session that are not archived, and how many the fold knows with archived ones: older ones it forgets. */
  notes: 4_000,
  noteEntries: 4_500,
  noteEvidence: 1_000,
  rememberedVectors: 500,
  /** The cosine of models from which two notes say the same. */
  sameCosine: 0.8,

  /** Characters of what an agent answers, and of one note of it. */
  answerChars: 1_000_000,
  noteChars: 10_000,
  /** One call of an endpoint for embeddings or transcripts, and the characters of its answer. */
  endpointMs: 60_000,
  endpointChars: 33_554_432,
  /** One chunk of audio; how long it waits for its transcript at most; segments of one transcript. */
  audioBytes: 10_485_760,
  audioKeptMs: 2_592_000_000,
  segmentsPerAudio: 1_000,
  /** The share of a budget from which a session warns. */
  budgetWarning: 0.8,
  /** Notes and evidence that a question is answered from. */
  askNotes: 20,
  askCandidates: 200,
  askTokens: 4_000,
  questionChars: 4_000,

  /** How long the pictures of frames stay, how often those whose time is over are removed, and when that is told. */
  dayMs: 86_400_000,
  fullDays: 7,
  thumbnailDays: 30,
  purgeMs: 3_600_000,
  purgeWarningPollMs: 600_000,
  /** A day, and one poll more. */
  purgeWarningMs: 87_000_000,
  warningsPerFrame: 100,
  /** How much longer the bytes can be found by those who remove them. */
  pictureGraceMs: 86_400_000,
  /** Bytes that nobody gave a time are not removed. */
  foreignBlobMs: 3_153_600_000_000,

  warningDepth: 50,
  criticalDepth: 100,
  /** Below it, the level is `normal` again. */
  normalDepth: 25,
  pendingFrames: 20,
  telemetryDepth: 50,

  /** What an owner keeps of a session in memory: pieces of evidence that are pending, and what a writer remembers. */
  pendingInMemory: 10_000,
  rememberedChars: 262_144,
  /** The pause before a log that could not be followed is tried again. */
  followRetryMs: 250,
  /** Disagreements that a replay names, and versions of a note that it remembers. */
  shownDisagreements: 100,
  replayedVersions: 10,
  /** How often a server looks whether the replay of the night is due; from this hour (UTC); sessions of the last day. */
  nightlyPollMs: 900_000,
  nightHour: 2,
  nightlySpanMs: 86_400_000,
  /** Events that a restore reads at once. */
  restorePage: 1_000,
  /** Events that are read and not wanted, rather than a further read. */
  readGap: 64,
} as const;

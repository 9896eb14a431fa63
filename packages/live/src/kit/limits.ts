/** Every limit and every time of continuous sessions, in one place. */

export const LIMITS = {
  /** UTF-16 units of a key, of a video's id, of a title. */
  keyLength: 4_096,
  nameLength: 512,
  /** Bounds of one batch of evidence. */
  evidencePerBatch: 500,
  textChars: 100_000,
  notesPerOperation: 100,
  embeddingNumbers: 4_096,
  /** Captions of one piece of evidence, and those of a video that its outline is made of. */
  listedCues: 500,
  outlineCues: 20_000,
  /** Pieces of transcripts that are read to find the part that was watched, and outlines that a server keeps. */
  watchedPieces: 50_000,
  keptOutlines: 50,

  /** After this time without input, a session becomes idle; after the second one, it is abandoned. */
  idleMs: 30_000,
  abandonMs: 3_600_000,
  /** The interval of the clean-up, and the number of sessions that it reads at once. */
  cleanUpMs: 3_600_000,
  /**
   * The clean-up looks at sessions whose log has not changed for this time: their own events follow the last input for
   * a while.
   */
  cleanUpLookMs: 1_800_000,
  cleanUpBatch: 100,
  /** The batches of a stand-in that the note writer is given again, and the longest pause between two tries. */
  owedBatches: 200,
  owedRetryMs: 600_000,
  /** The note writer may write late notes for this long after the end of a session; it tries at this interval. */
  lateMs: 86_400_000,
  latePollMs: 300_000,
  /** For how long a removed session can be brought back, and the interval at which those beyond it are deleted. */
  undoMs: 604_800_000,
  deletionMs: 3_600_000,
  /** The keys that a removal keeps. */
  removedKeysChars: 65_536,
  cleanUpLeaseMs: 600_000,

  /** A server that does not renew its lease for this time is replaced; it renews three times as often. */
  serverLeaseMs: 3_000,
  /** The interval at which servers look for other servers that are gone. */
  takeOverPollMs: 500,
  runLeaseMs: 4_000,
  parallelRuns: 16,

  /** A checkpoint is due after this time, or this many `note_written`, if anything was appended. */
  checkpointMs: 300_000,
  checkpointNotes: 10,
  checkpointRetryMs: 1_000,
  checkpointMaxRetryMs: 60_000,
  /** The failures in a row that are an alert. */
  checkpointAlert: 3,
  /** The time that closing waits for the notes of pending evidence. */
  closeFlushMs: 10_000,
  /** The part of that which is left for the page without a model, and for the checkpoint. */
  closeReserveMs: 1_500,
  /**
   * Silence after which the page is written; the pieces of captions that it is made of; the parts of their evidence that
   * one item cites; the operations of people that a page remembers.
   */
  pagePauseMs: 120_000,
  pagePieces: 30_000,
  pageCitations: 50,
  pageChanges: 200,
  pageItems: 100,
  pageItemChars: 4_000,
  pageItemsOfKind: 40,
  pageTitleChars: 60,
  /** The characters of the words, and the notes, that a model is given for one pass. */
  pageChars: 200_000,
  pageNotes: 200,
  /** The passes of a model over the page of one session; those at one pause; and their share of the budget. */
  pagePasses: 12,
  passesAtOnce: 2,
  pageShare: 0.25,
  /** The time for which a server remembers the session of a key without asking the store. */
  keyMemoryMs: 1_000,
  /** The tabs of one session that are looked at when one of them leaves. */
  tabs: 1_000,
  /** The notes that a continuing session takes over in one append. */
  carriedAtOnce: 200,
  /** For how many sessions a server keeps the fold without owning them. */
  followers: 1_000,

  /** The window of a batch: after a silence, in a burst or on one topic, and in all other cases. */
  quietWindowMs: 2_000,
  burstWindowMs: 6_000,
  windowMs: 4_000,
  quietAfterMs: 10_000,
  burstMessages: 3,
  burstMs: 5_000,
  topicTranscripts: 4,
  topicMentions: 3,
  /** The longest time from the oldest pending transcript, remark or note event to its batch. */
  longestWaitMs: 12_000,
  /** Events of one batch; the rest goes into the next one. */
  batchEvents: 200,
  batchBytes: 1_048_576,
  draftsPerBatch: 100,
  newestNotes: 5,
  /** The number of earlier sessions of the key whose notes a writer receives. */
  ancestors: 5,

  tries: 3,
  firstRetryMs: 1_000,
  breakerFailures: 5,
  breakerMs: 30_000,
  /** The longest call of a note writer. One that took this long is not asked again at once. */
  writerMs: 120_000,
  /** The part of the time of closing after which the extractive writer takes over. */
  closeWriterMs: 7_000,

  primaryWindowMs: 3_000,
  secondaryWindowMs: 10_000,
  contextTokens: 1_500,
  /** The number of events of each retention in each window. */
  contextEvents: 200,
  /** With fewer critical events, the evidence counts as sparse. */
  sparseCritical: 3,
  lowConfidence: 0.6,
  /** The share of the doubt that a second segment takes away; the factor when it disagrees; and the highest confidence. */
  agreement: 0.5,
  disagreement: 0.8,
  mostConfidence: 0.99,
  /** The distance to either side in which the writer looks for unsure drafts, before a person is asked. */
  widestWindowMs: 60_000,
  widestTokens: 4_000,
  widenedDrafts: 5,
  /** A question without an answer closes after this time: its draft is written as unsure. */
  answerMs: 600_000,
  openRequests: 20,

  /** From this share of the shorter span on, two notes are at the same place. */
  sameOverlap: 0.5,
  /** The number of changes of a note that the agent may make in an hour. */
  revisionsPerHour: 3,
  revisionMs: 3_600_000,
  /** With how many notes the drafts of a batch are compared, and how many ids of evidence a note keeps. */
  comparedNotes: 100,
  /** The largest number of notes without archived ones, and with those archived ones that the fold remembers. */
  notes: 4_000,
  noteEntries: 4_500,
  noteEvidence: 1_000,
  rememberedVectors: 500,
  /** Related notes: how many are shown, those that are compared, and the share of the threshold that counts. */
  related: 10,
  relatedCandidates: 200,
  relatedShare: 0.5,
  /** The cosine of models from which two notes count as the same. */
  sameCosine: 0.8,

  /** Characters of an agent's answer, and of one note in it. */
  answerChars: 1_000_000,
  noteChars: 10_000,
  /** Without a model: the content words from which a remark is a note. */
  remarkWords: 3,
  /** Silence after which the open thought ends: by the time of the video, and by the clock. */
  silentMs: 15_000,
  endMs: 30_000,
  speakers: 8,
  /** Characters of a text that are heard at once, and how long that takes until other work may go first. */
  heardChars: 1_000,
  heardMs: 5,
  /** The distance around a piece in which earlier words are read after a seek back, and their tokens. */
  heardAgainMs: 10_000,
  heardAgainTokens: 20_000,
  /** The longest call of an endpoint for embeddings or transcripts, and the characters of its answer. */
  endpointMs: 60_000,
  endpointChars: 33_554_432,
  /** The size of one chunk of audio; the longest wait for its transcript; the segments of one transcript. */
  audioBytes: 10_485_760,
  audioKeptMs: 2_592_000_000,
  segmentsPerAudio: 1_000,
  /** The share of a budget from which a session warns. */
  budgetWarning: 0.8,
  /** The factor by which the windows of batches are longer from then on. */
  budgetStretch: 2,
  /** The number of notes and pieces of evidence that answer a question. */
  askNotes: 20,
  askCandidates: 200,
  askTokens: 4_000,
  questionChars: 4_000,

  /**
   * The time for which pictures of frames stay, the interval at which expired ones are removed, and the time of the
   * warning before that.
   */
  dayMs: 86_400_000,
  fullDays: 7,
  thumbnailDays: 30,
  purgeMs: 3_600_000,
  purgeWarningPollMs: 600_000,
  /** The pictures of one batch that a model is shown, fewer from 80 % of the budget on, and the largest one. */
  picturesPerBatch: 4,
  picturesAtWarning: 1,
  pictureBytes: 524_288,
  /** Without embeddings, frames this far apart are other scenes; with them, those whose cosine is lower. */
  sceneMs: 3_000,
  sameScene: 0.95,
  /** A day, and one poll more. */
  purgeWarningMs: 87_000_000,
  warningsPerFrame: 100,
  /** The additional time for which the clean-up of pictures can find the bytes. */
  pictureGraceMs: 86_400_000,
  /** The expiry for bytes that the clean-up must not remove, because they came without an expiry. */
  foreignBlobMs: 3_153_600_000_000,

  warningDepth: 50,
  criticalDepth: 100,
  /** Below this depth, the level returns to `normal`. */
  normalDepth: 25,
  pendingFrames: 20,
  telemetryDepth: 50,

  /**
   * The bounds of a session in the memory of its owner: the number of pending pieces of evidence, and the size of a writer's
   * memory.
   */
  pendingInMemory: 10_000,
  rememberedChars: 262_144,
  /** The pause before following a log is tried again. */
  followRetryMs: 250,
  /** The number of disagreements that a replay lists, and of versions of a note that it remembers. */
  shownDisagreements: 100,
  /** The damaged events that a session shows, and that one repair puts aside. */
  shownDamages: 100,
  quarantined: 1_000,
  /** The pages of decisions that are read to find the notes that depend on a damaged event. */
  decisionPages: 20,
  replayedVersions: 10,
  /**
   * The interval at which a server checks for the nightly replay; the hour (UTC) from which it is due; the age of the
   * sessions that it replays.
   */
  nightlyPollMs: 900_000,
  nightHour: 2,
  nightlySpanMs: 86_400_000,
  /** The number of events that a restore reads, and hashes in one turn of the event loop. */
  restorePage: 128,
  /** Events of a window of the history, where the request names no number, and at most; and their bytes. */
  windowEvents: 100,
  mostWindowEvents: 500,
  windowBytes: 2_000_000,
  /**
   * The notes before a window: characters and ids of all together, ids of one, and how many are read at once. And the
   * versions of one note.
   */
  notesChars: 1_000_000,
  notesIds: 20_000,
  shownEvidence: 12,
  notesAtOnce: 200,
  shownVersions: 20,
  /** Up to this many unwanted events are read along, instead of beginning another read. */
  readGap: 64,
} as const;

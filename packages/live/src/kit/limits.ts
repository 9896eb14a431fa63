/** Every limit and every time of continuous sessions, in one place. */

export const LIMITS = {
  /** UTF-16 units of a session's key. */
  keyLength: 4_096,
  /** UTF-16 units of the id of a video, of a title, and of other short texts. */
  nameLength: 512,
  /** Pieces of evidence in one request. */
  evidencePerBatch: 500,
  /** UTF-16 units of the text of one piece of evidence. */
  textChars: 100_000,
  /** Notes that one operation can merge, or parts into which it can split one. */
  notesPerOperation: 100,
  embeddingNumbers: 4_096,
  /** Captions of one piece of evidence. */
  listedCues: 500,
  /** Captions of a video from which its outline is made. */
  outlineCues: 20_000,
  /** Transcripts that are read to find the part of a video that was watched. */
  watchedPieces: 50_000,
  /** Outlines that a server remembers. */
  keptOutlines: 50,

  /** Writes wait for each other if more than this number of sessions wrote within `jointLookMs`. */
  jointSessions: 4,
  jointLookMs: 100,
  /** The time for which a write waits for those of other sessions. */
  jointMs: 25,

  /** A session becomes idle after this time without input. */
  idleMs: 30_000,
  /** A session is abandoned after this time without input. */
  abandonMs: 3_600_000,
  /** The interval of the clean-up. */
  cleanUpMs: 3_600_000,
  /**
   * The clean-up examines only sessions whose log has not changed for this time, because a session writes its own
   * events for some time after the last input.
   */
  cleanUpLookMs: 1_800_000,
  /** Sessions that the clean-up lists in one request to the store. */
  cleanUpBatch: 100,
  cleanUpLeaseMs: 600_000,

  /** Batches of a stand-in that the note writer receives again. */
  owedBatches: 200,
  /** Transcripts of speech from before a stop of the video arrive within this time after the stop. */
  lateSpeechMs: 30_000,
  /** The longest pause between two tries to give the note writer the batches of a stand-in. */
  owedRetryMs: 600_000,
  /** The number of turns after which an agent gets a new conversation. */
  keptTurns: 60,
  /** The UTF-16 units of prompts after which an agent gets a new conversation. */
  keptChars: 240_000,
  /** After the end of a session, the note writer may still write the batches of a stand-in for this time. */
  lateMs: 86_400_000,
  /** The interval at which the batches of ended sessions are tried again. */
  latePollMs: 300_000,

  /** A removed session can be brought back within this time. */
  undoMs: 604_800_000,
  /** The interval at which sessions that can no longer be brought back are deleted. */
  deletionMs: 3_600_000,
  /** UTF-16 units of the keys that the record of a removal keeps. */
  removedKeysChars: 65_536,

  /** A server that has not renewed its lease for this time is replaced. Servers renew it after a third of this time. */
  serverLeaseMs: 3_000,
  /** The interval at which servers look for servers that are gone. */
  takeOverPollMs: 500,
  runLeaseMs: 4_000,
  parallelRuns: 16,

  /** A checkpoint is due after this time, if anything was appended. */
  checkpointMs: 300_000,
  /** A checkpoint is due after this number of new notes. */
  checkpointNotes: 10,
  /** The first pause after a checkpoint that failed. */
  checkpointRetryMs: 1_000,
  checkpointMaxRetryMs: 60_000,
  /** After this number of failed checkpoints in a row, the server reports an alert. */
  checkpointAlert: 3,
  /**
   * Snapshots that are tried, from the newest to older ones, to find earlier notes, before the log is read from its
   * beginning.
   */
  triedSnapshots: 3,
  /** The time for which closing waits for the notes of pending evidence. */
  closeFlushMs: 10_000,
  /** The part of `closeFlushMs` that is left for the page without a model, and for the checkpoint. */
  closeReserveMs: 1_500,

  /** The page is written after a silence of this length. */
  pagePauseMs: 120_000,
  /** Transcripts from which a page is made. */
  pagePieces: 30_000,
  /** Pieces of evidence that one item of a page cites. */
  pageCitations: 50,
  /** Items of a page that people can change. */
  pageChanges: 200,
  pageItems: 100,
  pageItemChars: 4_000,
  /** Items of one kind, such as chapters. */
  pageItemsOfKind: 40,
  pageTitleChars: 60,
  /** Characters of speech that a model receives in one pass over a page. */
  pageChars: 200_000,
  /** Notes that a model receives in one pass over a page. */
  pageNotes: 200,
  /** Passes of a model over the page of one session. */
  pagePasses: 12,
  /** Passes of a model at one pause. */
  passesAtOnce: 2,
  /** The share of a session's budget that passes over its page may use. */
  pageShare: 0.25,

  /**
   * While a session receives input, a server asks the store at most once in this time whether it can own the session.
   */
  keyMemoryMs: 1_000,
  /** Tabs of one session that are examined when one of them leaves. */
  tabs: 1_000,
  /** Notes that a continuing session takes over in one append. */
  carriedAtOnce: 200,
  /** Sessions that a server follows. Above this number, it stops following sessions that it does not own. */
  followers: 1_000,
  /**
   * The number of ended sessions among them, because a server that runs for days would otherwise hold all of its
   * sessions.
   */
  endedFollowers: 200,

  /** The window of a batch after a silence. */
  quietWindowMs: 2_000,
  /** The window of a batch in a burst, or while the speech stays with one topic. */
  burstWindowMs: 6_000,
  /** The window of all other batches. */
  windowMs: 4_000,
  /** A silence of this length makes the next window short. */
  quietAfterMs: 10_000,
  /** The shortest text that a draft can continue: a draft can contain a shorter text by chance. */
  continuedChars: 12,
  /** The time before and after the beginning of a batch in which a model is shown the sentence that the batch cuts. */
  sentenceWindowMs: 15_000,
  /** Words after a pause of this length close the window as soon as after a silence. */
  speechPauseMs: 1_200,
  /** If a model writes the notes, a pause closes the window only after something has waited for this time. */
  pauseEndsAfterMs: 5_000,
  /** The time that it takes to say a character. */
  spokenCharMs: 65,
  /** More events than this within `burstMs` are a burst. */
  burstMessages: 3,
  burstMs: 5_000,
  /** The newest transcripts in which a topic is looked for. */
  topicTranscripts: 4,
  /** Transcripts that must mention a word to make it the topic. */
  topicMentions: 3,
  /** The longest time from the oldest pending transcript, remark or note event to its batch. */
  longestWaitMs: 12_000,
  /** Events of one batch; the other ones go into the next batch. */
  batchEvents: 200,
  batchBytes: 1_048_576,
  draftsPerBatch: 100,
  /** The newest notes that a writer receives with a batch. */
  newestNotes: 5,
  /** Earlier sessions of the key whose notes a writer receives. */
  ancestors: 5,

  /** The number of further tries after the first one failed. */
  retries: 3,
  /** The pause before the first further try; each pause after it is twice as long. */
  firstRetryMs: 1_000,
  /** After this number of failures in a row, the next try waits for `breakerMs`. */
  breakerFailures: 5,
  breakerMs: 30_000,
  /** The longest call of a note writer. */
  writerMs: 120_000,
  /** The time within which a note writer must end a call that was aborted. */
  writerLeavesMs: 500,
  /** The time within which a note writer must finish its open note when a person chooses another writer. */
  choiceMs: 5_000,
  /**
   * The hourly cost of a note writer is computed from this number of sessions at most. It is known if those of the
   * writer last at least `pricedMs` together.
   */
  pricedSessions: 50,
  pricedMs: 600_000,
  /** A note writer that failed after a longer call is not asked again immediately. */
  longFailureMs: 30_000,
  /** The part of `closeFlushMs` after which the extractive writer takes over. */
  closeWriterMs: 7_000,

  /** Evidence within this distance in the video is context. */
  primaryWindowMs: 3_000,
  /** The wider distance, which is used if the evidence within the primary distance is sparse or unsure. */
  secondaryWindowMs: 10_000,
  contextTokens: 1_500,
  /** Events of each retention class in each window. */
  contextEvents: 200,
  /** With fewer critical events, the evidence counts as sparse. */
  sparseCritical: 3,
  /** Below this confidence, a draft is unsure. */
  lowConfidence: 0.6,
  /** The share of the doubt that an agreeing second segment with full confidence removes. */
  agreement: 0.5,
  /** The factor of the lower confidence if a second segment disagrees. */
  disagreement: 0.8,
  /** The highest confidence that agreement can give. */
  mostConfidence: 0.99,
  /** The distance in the video in which the writer looks for evidence of unsure drafts, before it asks a person. */
  widestWindowMs: 60_000,
  widestTokens: 4_000,
  /** Unsure drafts of one batch for which the writer looks further. */
  widenedDrafts: 5,
  /** A question that nobody answers is closed after this time, and its draft is written as unsure. */
  answerMs: 600_000,
  /** Questions that are open at the same time. */
  openRequests: 20,

  /** Two notes are at the same place if they share at least this part of the shorter span. */
  sameOverlap: 0.5,
  /** Changes of one note that the agent may make within `revisionMs`. */
  revisionsPerHour: 3,
  revisionMs: 3_600_000,
  /** Notes with which the drafts of a batch are compared. */
  comparedNotes: 100,
  /** Notes of a session, without archived ones. */
  notes: 4_000,
  /** Notes that the fold remembers, with archived ones. */
  noteEntries: 4_500,
  /** Ids of evidence that one note keeps. */
  noteEvidence: 1_000,
  /** Vectors that an embedder remembers. */
  rememberedVectors: 500,
  /** Related notes that are shown. */
  related: 10,
  /** Notes that are compared to find related ones. */
  relatedCandidates: 200,
  /** Notes are related if their similarity is at least this share of the threshold for equal notes. */
  relatedShare: 0.5,
  /**
   * The number of notes whose frames are compared to find the same scene; a scene that more than this share of them
   * shows does not relate notes.
   */
  sceneCandidates: 50,
  commonScene: 0.25,
  /** The score of a scene that two notes share. */
  sceneScore: 0.3,
  /** Two notes count as the same from this cosine of a model's vectors on. */
  sameCosine: 0.8,

  /** Characters of an agent's answer. */
  answerChars: 1_000_000,
  /** Characters of one note in an agent's answer. */
  noteChars: 10_000,
  /** Without a model, a remark is a note if it has at least this number of content words. */
  remarkWords: 3,
  /** An open thought ends after a silence of this length in the video. */
  silentMs: 15_000,
  /** An open thought ends after this time without input. */
  endMs: 30_000,
  /** Speakers of a session whose speech is joined separately. */
  speakers: 8,
  /** Other videos whose open speech the writer without a model keeps, because their tabs joined a session. */
  joinedVideos: 4,
  /** Characters of a text that are read in one step. */
  heardChars: 1_000,
  /** After this time, other work of the server may run. */
  heardMs: 5,
  /** The distance in the video in which earlier words are read after a seek back. */
  heardAgainMs: 10_000,
  heardAgainTokens: 20_000,
  /** The longest call of an endpoint for embeddings or transcripts. */
  endpointMs: 60_000,
  /** Characters of an endpoint's answer. */
  endpointChars: 33_554_432,
  /** The size of one chunk of audio. */
  audioBytes: 10_485_760,
  /** The longest time for which audio is stored. */
  audioKeptMs: 2_592_000_000,
  /** Segments of the transcript of one chunk of audio. */
  segmentsPerAudio: 1_000,
  /** A session warns when it has used this share of its budget. */
  budgetWarning: 0.8,
  /** After the warning, the windows of batches are longer by this factor. */
  budgetStretch: 2,
  /** Notes that answer a question. */
  askNotes: 20,
  /** The newest notes in which an answer is looked for. */
  askCandidates: 200,
  /** Tokens of the evidence that answers a question. */
  askTokens: 4_000,
  questionChars: 4_000,
  /** Words whose first letters, up to this number, are equal count as forms of the same word. */
  sameWordLetters: 4,

  dayMs: 86_400_000,
  /** The days for which the full picture of a frame is stored. */
  fullDays: 7,
  /** The days for which the thumbnail of a frame is stored. */
  thumbnailDays: 30,
  /** The interval at which expired pictures are removed. */
  purgeMs: 3_600_000,
  /** The interval at which people are warned about pictures that will be removed. */
  purgeWarningPollMs: 600_000,
  /** Pictures of one batch that a model receives. */
  picturesPerBatch: 4,
  /** Pictures of one batch that a model receives after the warning of the budget. */
  picturesAtWarning: 1,
  /** The largest picture that a model receives. */
  pictureBytes: 524_288,
  /** Without embeddings, frames this far apart show different scenes. */
  sceneMs: 3_000,
  /** With embeddings, frames whose cosine is lower show different scenes. */
  sameScene: 0.95,
  /** People are warned this long before a picture is removed: a day, and one interval more. */
  purgeWarningMs: 87_000_000,
  /** Warnings in one message to a page. */
  warningsPerFrame: 100,
  /** Pictures that one answer lists as removed soon. */
  shownExpiring: 1_000,
  /** Frames at one time of a video in which a picture is looked for. */
  framesAtOnce: 100,
  /** Bytes of a picture are stored for this time after it expires, so that the clean-up can still find them. */
  pictureGraceMs: 86_400_000,
  /** The age at which bytes without an expiry would be removed: 100 years, because they belong to other services. */
  foreignBlobMs: 3_153_600_000_000,

  /** From this depth on, the level of a session is `warning`. */
  warningDepth: 50,
  /** From this depth on, the level of a session is `critical`. */
  criticalDepth: 100,
  /** Below this depth, the level returns to `normal`. */
  normalDepth: 25,
  /** Frames of a batch; the oldest ones above this number are left out. */
  pendingFrames: 20,
  /** Above this depth, telemetry is not stored. */
  telemetryDepth: 50,

  /** Pending pieces of evidence that the owner of a session keeps in memory. */
  pendingInMemory: 10_000,
  /** Characters of the memory of a note writer. */
  rememberedChars: 262_144,
  /** The pause before a server tries again to follow a log. */
  followRetryMs: 250,
  /** Disagreements that a replay lists. */
  shownDisagreements: 100,
  /** Damaged events that a session shows. */
  shownDamages: 100,
  /** Damaged events that one repair puts aside. */
  quarantined: 1_000,
  /** Pages of decisions that are read to find the notes that depend on a damaged event. */
  decisionPages: 20,
  /** Versions of a note that a replay remembers. */
  replayedVersions: 10,
  /** The interval at which a server checks if the nightly replay is due. */
  nightlyPollMs: 900_000,
  /** The hour (UTC) from which the nightly replay is due. */
  nightHour: 2,
  /** The nightly replay includes sessions that changed within this time. */
  nightlySpanMs: 86_400_000,
  /** Events that a restore reads, and hashes, before other work may run. */
  restorePage: 128,
  /** Events of a window of the history, if the request gives no number. */
  windowEvents: 100,
  /** The most events of a window that a request can ask for. */
  mostWindowEvents: 500,
  windowBytes: 2_000_000,
  /** Characters of all notes before a window. */
  notesChars: 1_000_000,
  /** Ids of evidence of all notes before a window. */
  notesIds: 20_000,
  /** Ids of evidence that one note shows. */
  shownEvidence: 12,
  /** Notes that are read in one step. */
  notesAtOnce: 200,
  /** Versions of one note that are shown. */
  shownVersions: 20,
  /** Up to this number of unwanted events are read and skipped, because that is cheaper than another read. */
  readGap: 64,
} as const;

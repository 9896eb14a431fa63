/** Every limit of the store, in one place. Values above a limit are refused with `too_large` or `invalid`. */

export const LIMITS = {
  /** UTF-16 units of an id or a name. */
  idLength: 512,
  /** UTF-8 bytes of one payload, of a snapshot, or of a field of a session or a run. */
  payloadBytes: 33_554_432,
  eventsPerAppend: 10_000,
  bytesPerAppend: 134_217_728,
  writesPerAppend: 1_000,
  /** UTF-8 bytes of the data that is stored with a cursor. */
  cursorDataBytes: 16_384,
  scopesPerToken: 100,
  /** The number of token ids in one request for a list. */
  tokenIds: 500,
  pageItems: 1_000,
  /**
   * Entries of the audit log: how long they are kept, how many of one kind one author may have, and how many there may
   * be in total.
   */
  auditMs: 31_536_000_000,
  auditOfOne: 5_000,
  auditEntries: 100_000,
  /** UTF-16 units of the JSON of an entry's details. */
  auditDetails: 4_096,
  readEvents: 10_000,
  /** Texts that a read looks for in payloads, and the UTF-16 units of each. */
  searchedTexts: 16,
  searchedTextLength: 4_096,
  /** The default of `maxBytes` of a read. */
  readBytes: 67_108_864,
  /** One page of a tail: the events that are in memory for a slow reader. */
  tailEvents: 256,
  tailBytes: 1_048_576,
  /** The newest events of a log that are kept in memory for all readers at its end. */
  heldEvents: 512,
  /** Rows of a log that were just appended, and UTF-16 units or bytes of their bodies, until its readers take them. */
  announcedRows: 64,
  announcedChars: 65_536,
  /**
   * The work on SQLite in one turn of the event loop. One row counts as 1, which takes about 10 µs including its
   * conversion.
   */
  turnWork: 256,
  /** The number of UTF-8 bytes of payloads that count as much work as one row. */
  bytesPerWork: 4_096,
  /** This number of rows that a filter examines and leaves out counts as much work as one returned row. */
  scannedPerWork: 8,
  /** Blobs up to this size are in their row. */
  inlineBlobBytes: 262_144,
  /** The size of the rows of larger blobs, if they are in the database. */
  blobChunkBytes: 262_144,
  /** If large blobs are in S3, blobs up to this size are in their row; the frames of a video are larger. */
  inlineBesideS3Bytes: 16_384,
  /**
   * The largest body in one request to S3; it is in memory until it is sent. A larger one is sent in parts of this
   * size.
   */
  s3PartBytes: 8_388_608,
  /** The number of parts that S3 allows. */
  s3Parts: 10_000,
  /** Tries of a request to S3, and the pauses between them, which double. */
  s3Tries: 6,
  s3PauseMs: 100,
  maxS3PauseMs: 5_000,
  /** The longest wait for the head of an answer from S3, and for each further piece of its body. */
  s3AnswerMs: 60_000,
  s3PieceMs: 30_000,
  /** The number of tries to read a stored object that S3 does not find yet. */
  s3MissingTries: 3,
  /** Bytes of an answer that is not a blob: an error, or the id of an upload. */
  s3AnswerBytes: 65_536,
  /** Appends that share one commit on SQLite, and events that share one statement on Postgres. */
  groupCommit: 512,
  /** Payloads that share one statement on Postgres; a single append may have more. */
  groupBytes: 1_048_576,
  /** The longest wait of a transaction for another process before it is `busy`. */
  lockWaitMs: 30_000,
  /** The interval at which the engine looks for commits of other processes on SQLite. */
  sqlitePollMs: 20,
  /** The intervals at which a process on Postgres reports its own changes and looks for those of others. */
  notifyMs: 25,
  postgresPollMs: 1_000,
  /** Further tries of a Postgres transaction that lost a race. */
  retries: 50,
  /** Further tries of work that a lost connection to Postgres interrupted, if it certainly stored nothing. */
  lostTries: 5,
  /**
   * The time in which the engine looks if a commit without an answer was stored, and the pause between two
   * looks.
   */
  settleMs: 20_000,
  settlePauseMs: 50,
  /** The longest wait of a tail for a store that does not answer, and the pauses between tries, which double. */
  tailPatienceMs: 20_000,
  tailRetryMs: 25,
  maxTailRetryMs: 500,
} as const;

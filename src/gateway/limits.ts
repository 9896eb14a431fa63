/** The limits of the gateway. */

export interface GatewayLimits {
  /** Sessions of one connection that are open at a time; each can hold a program of an agent. */
  readonly openSessions: number;
  /** Sessions on a page of the list. */
  readonly pageSessions: number;
  /**
   * The newest sessions that are read for the first two pages. They are more than two pages, because some may be
   * archived or belong to one conversation.
   */
  readonly firstSessions: number;
  /** Lists whose further pages can be asked for. */
  readonly lists: number;
  /** Milliseconds after which a list that answered a request is read again, and the pause before such a read. */
  readonly listMs: number;
  readonly readPauseMs: number;
  /** Rows that are renewed at a time; if more have changed, all are read again. */
  readonly renewedRows: number;
  /** Files whose stamps are read before other work goes on. */
  readonly stampsAtOnce: number;
  /** Characters of a title. */
  readonly titleChars: number;
  /** Characters of one text in an update; a longer text comes in several updates. */
  readonly textChars: number;
  /** Characters of a picture, a file, a change or an input in an update; clients refuse messages above 32 MiB. */
  readonly blockChars: number;
  /** Milliseconds for which a turn waits until the end of another program's turn has been shown. */
  readonly stageMs: number;
  /** Milliseconds for which the answer to a load waits until the parts of a running turn have been shown. */
  readonly catchUpMs: number;
  /** Milliseconds between two looks at the files of a native session that an editor has loaded. */
  readonly nativeMs: number;
  /** Milliseconds between two looks for the import of a native session, and the same for a store that is no file. */
  readonly importMs: number;
  readonly storeLookMs: number;
  /** The turns of others that have ended, of which a later event is not shown. */
  readonly endedTurns: number;
  /** The newest runs of a connection whose events are not shown a second time. */
  readonly ownRuns: number;
  /** The newest ids of calls, for which a later call with the same id gets another one. */
  readonly callIds: number;
  /** The newest prompts of Continuo that are recognized in an agent's own file. */
  readonly knownPrompts: number;
  /** The newest runs of other programs that are compared with a prompt in an agent's own file. */
  readonly comparedRuns: number;
  /** Milliseconds until a session that an editor began and never used is removed. */
  readonly unusedMs: number;
  /** Milliseconds in which the agents of a closed connection must end. */
  readonly closeMs: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  openSessions: 64,
  pageSessions: 100,
  firstSessions: 250,
  lists: 16,
  listMs: 30_000,
  readPauseMs: 300,
  renewedRows: 16,
  stampsAtOnce: 1_000,
  titleChars: 200,
  textChars: 256 * 1024,
  blockChars: 8 * 1024 * 1024,
  stageMs: 1_000,
  catchUpMs: 5_000,
  nativeMs: 500,
  importMs: 2_000,
  storeLookMs: 10_000,
  endedTurns: 1_000,
  ownRuns: 1_000,
  callIds: 10_000,
  knownPrompts: 64,
  comparedRuns: 16,
  unusedMs: 7 * 24 * 60 * 60 * 1000,
  closeMs: 10_000,
};

/** The outline of a session: `GET /v1/machine/sessions/KEY/outline?before=TURN&limit=N&branch=LEAF&prints=include`. */

/** Hashes of the visible content of a turn, without ids and times. They show which turns of two histories are equal. */
export interface TurnPrint {
  /** The hash of the person's prompt; empty for a turn that begins without one. */
  readonly asked: string;
  /** The hash of all messages. */
  readonly all: string;
}

export interface OutlineTurn {
  /** 1-based. */
  readonly number: number;
  /** The id of the message that the turn begins with. */
  readonly id: string;
  /** The place of that message in the history. */
  readonly index: number;
  /** The first words of the person's prompt; `null` for a turn that begins without one. */
  readonly title: string | null;
  readonly at: string | null;
  readonly endedAt: string | null;
  readonly messages: number;
  readonly toolCalls: number;
  readonly errors: number;
  readonly models: readonly string[];
  readonly tokens: number;
  readonly costUsd: number | null;
  /** Only with `prints=include`. */
  readonly print?: TurnPrint;
}

/** A place that a reader may want to jump to. */
export interface OutlineMark {
  readonly type: "error" | "commit" | "compaction";
  readonly messageId: string;
  readonly index: number;
  readonly turn: number;
  readonly at: string | null;
  /** One line: the first line of an error, the subject or the hash of a commit, or the trigger of a compaction. */
  readonly text: string;
}

export interface TouchedFile {
  readonly path: string;
  /** The number of calls that name the file, and of those that change it. */
  readonly calls: number;
  readonly changes: number;
  readonly firstTurn: number;
  readonly lastTurn: number;
}

/** The model's view of a history, compared with the whole history. */
export interface ModelPart {
  readonly messages: number;
  /** An estimate from the number of characters. */
  readonly tokens: number;
  /** The same estimate for the whole history. */
  readonly historyTokens: number;
  /** Messages of the history that the model does not receive, and the last turn from which it receives nothing. */
  readonly leftOut: number;
  readonly untilTurn: number | null;
  /** Messages that the model receives in addition to those of the history. */
  readonly added: number;
}

/** The turns in order; the newest ones if no `before` is given. */
export interface Outline {
  readonly turns: readonly OutlineTurn[];
  /** The number of turns of this history. */
  readonly total: number;
  /** The sum of all turns of this history; the session cost more if it has other branches. */
  readonly spent?: { readonly tokens: number; readonly costUsd: number | null };
  /** True if there are turns before the first one. */
  readonly hasOlder: boolean;
  /** The marks of the turns in this answer, at most 2,000. */
  readonly marks: readonly OutlineMark[];
  /** The files of the whole session, those of the newest turns first, at most 500. */
  readonly files: readonly TouchedFile[];
  /** The first message of the history that the model still receives; `null` if it receives all. */
  readonly seenFrom: { readonly messageId: string; readonly index: number } | null;
  /** Only in an answer about the model's view. */
  readonly model?: ModelPart;
}

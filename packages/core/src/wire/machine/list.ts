/** The list: `GET /v1/machine/sessions`, and `GET /v1/machine/sessions/events` for what changes in it. */

import type { SessionRow } from "../../model/index.ts";
import type { SessionMarks } from "./marks.ts";

/** The row of a session of this machine, and what its page shows beside it. */
export interface MachineSession extends SessionRow {
  /** Names the session in paths; opaque, at most 1,000 characters. */
  readonly key: string;
  /** The id for `POST /v1/machine/trash/ID/restore`; only a deleted session has one. */
  readonly trashId: string | null;
  readonly marks: SessionMarks;
  /** `null` for a conversation of its own. */
  readonly place: RowPlace | null;
  /** Codes of the problems that are known without a full read. */
  readonly problems: readonly string[];
  /** The newest one. `null` until the session was read once; so are the next three, which count every branch. */
  readonly model: string | null;
  readonly turns: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** Read with those; `null` until then. */
  readonly facts: RowFacts | null;
  /** Only in an answer to a query with `text`. */
  readonly match?: TextMatch;
}

/** A session that is a part of a channel, or of a continuous session: `#/channels/NAME` and `#/live/NAME` show that. */
export interface RowPlace {
  readonly of: "channel" | "live";
  readonly name: string;
}

/** Tell apart rows with the same title. */
export interface RowFacts {
  /** The beginning of the agent's last text, on one line. */
  readonly lastWords: string | null;
  /** The names of changed files, that of the last change first, at most 3; `changedFiles` counts all. */
  readonly fileNames: readonly string[];
  readonly changedFiles: number;
  /** Ends of branches: 1 for a session without branches. */
  readonly branches: number;
  readonly isFork: boolean;
}

/** The turn that matches best. */
export interface TextMatch {
  readonly messageId: string;
  readonly turn: number;
  /** Turns of the session that match. */
  readonly turns: number;
  /** Pieces of the text in order; empty where there is nothing to show. */
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
}

/** The newest start first, titles from A to Z, the most bytes first. */
export const LIST_SORTS = ["created", "title", "largest"] as const;
export type ListSort = (typeof LIST_SORTS)[number];

/** Conversations of their own, those in channels, those of continuous sessions. */
export const LIST_PARTS = ["conversations", "channels", "live"] as const;
export type ListPart = (typeof LIST_PARTS)[number];

/** The query of the list, each key at most once but `agent` and `tag`. Every filter narrows. */
export interface ListQuery {
  /** Repeatable. */
  readonly agent?: readonly string[];
  /** Part of the folder's path, in upper or lower case. */
  readonly project?: string;
  /** ISO 8601: sessions that were active at or after this time; before it. */
  readonly since?: string;
  readonly until?: string;
  /** Repeatable: sessions that have each of these tags. */
  readonly tag?: readonly string[];
  readonly pinned?: "only";
  /** Only this part of the list. */
  readonly part?: ListPart;
  /** Words of the title, in upper or lower case. */
  readonly title?: string;
  /** Words of the whole text, as `continuo search` takes them. The best match comes first. */
  readonly text?: string;
  readonly archived?: "include" | "exclude" | "only";
  /** `only`: the sessions in the trash. */
  readonly deleted?: "exclude" | "only";
  /** Instead of pinned ones and then the newest change, or the best match, first. `largest` knows only sizes of files. */
  readonly sort?: ListSort;
  /** 1 to 500; 100 by default. */
  readonly limit?: number;
  /** The first answer may have only the newest sessions, while the search for the others continues. */
  readonly partial?: "allow";
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** Pinned ones and then the newest first; by rank where `text` is asked for. */
export interface SessionsPage {
  /** Only the newest sessions, likely in this order, and no count but theirs: ask again without `partial`. */
  readonly partial?: true;
  readonly sessions: readonly MachineSession[];
  /** Sessions that match, on all pages. */
  readonly total: number;
  readonly nextCursor: string | null;
  /** Folders of all sessions that match, by number of sessions, at most 200; only on the first page. */
  readonly projects: readonly { readonly cwd: string; readonly sessions: number }[];
  /** The same for agents, also those that `agent` leaves out; only on the first page. */
  readonly agents: readonly { readonly agent: string; readonly sessions: number }[];
  /** Tags of all sessions that match, the same way; only on the first page. */
  readonly tags: readonly { readonly tag: string; readonly sessions: number }[];
  /**
   * Sessions whose text was not searched in the time that an answer may take; 0 without `text`. While it is greater, more
   * sessions may match: the same query searches more of them.
   */
  readonly unsearched: number;
  /** Sessions that match the text less than those that filters and order look at; left out if there is none. */
  readonly unlisted?: number;
  /** Only for a page that was opened to read: it can change nothing. */
  readonly readOnly?: string;
  /** Sentences about sessions that could not be read, or were not searched. */
  readonly notices: readonly string[];
}

/** Event `changed` of the list: rows that are new or differ, and keys that are gone. */
export interface SessionsChanged {
  readonly sessions: readonly MachineSession[];
  readonly gone: readonly string[];
}

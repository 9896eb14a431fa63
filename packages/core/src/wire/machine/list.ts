/** The types of `GET /v1/machine/sessions`, the list, and of `GET /v1/machine/sessions/events`, its changes. */

import type { SessionRow } from "../../model/index.ts";
import type { SessionMarks } from "./marks.ts";

/** The row of a session of this machine, and further facts that the viewer shows with it. */
export interface MachineSession extends SessionRow {
  /** Names the session in paths; opaque, at most 1,000 characters. */
  readonly key: string;
  /** The id for `POST /v1/machine/trash/ID/restore`; only a deleted session has one. */
  readonly trashId: string | null;
  readonly marks: SessionMarks;
  /** `null` for an independent conversation. */
  readonly place: RowPlace | null;
  /** The key of the session that this one was forked from; `null` if that is not known without a full read. */
  readonly forkedFrom: string | null;
  /** Codes of the problems that are known without a full read. */
  readonly problems: readonly string[];
  /**
   * The model that was used last. This field and the next three are `null` until the session was read once; they
   * include every branch.
   */
  readonly model: string | null;
  readonly turns: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** `null` until the session was read once. */
  readonly facts: RowFacts | null;
  /** Only in an answer to a query with `text`. */
  readonly match?: TextMatch;
}

/** The channel or continuous session that a session is a part of; `#/channels/NAME` and `#/live/NAME` show it. */
export interface RowPlace {
  readonly of: "channel" | "live";
  readonly name: string;
}

/** Facts that distinguish rows with the same title. */
export interface RowFacts {
  /** The beginning of the agent's last text, on one line. */
  readonly lastWords: string | null;
  /** The names of changed files, the last changed one first, at most 3; `changedFiles` counts all. */
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
  /** Pieces of the text in order; empty if there is nothing to show. */
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
}

/** `created`: the newest start first; `title`: from A to Z; `largest`: the most bytes first. */
export const LIST_SORTS = ["created", "title", "largest"] as const;
export type ListSort = (typeof LIST_SORTS)[number];

/** Independent conversations, those in channels, and those of continuous sessions. */
export const LIST_PARTS = ["conversations", "channels", "live"] as const;
export type ListPart = (typeof LIST_PARTS)[number];

/** The query of the list, each key at most once, except `agent` and `tag`. A session must match every filter. */
export interface ListQuery {
  /** Repeatable. */
  readonly agent?: readonly string[];
  /** A part of the folder's path; case is ignored. */
  readonly project?: string;
  /** ISO 8601. Only sessions that were active at or after `since`, and before `until`. */
  readonly since?: string;
  readonly until?: string;
  /** Repeatable: sessions that have each of these tags. */
  readonly tag?: readonly string[];
  readonly pinned?: "only";
  /** Only sessions in this part of the list. */
  readonly part?: ListPart;
  /** Words of the title; case is ignored. */
  readonly title?: string;
  /** Words of the whole text, as for `continuo search`. The best match comes first. */
  readonly text?: string;
  readonly archived?: "include" | "exclude" | "only";
  /** `only`: the sessions in the trash. */
  readonly deleted?: "exclude" | "only";
  /**
   * Replaces the default order: pinned sessions first, then the newest change or the best match. `largest` compares
   * only the sizes of files.
   */
  readonly sort?: ListSort;
  /** 1 to 500; 100 by default. */
  readonly limit?: number;
  /** The first answer may have only the newest sessions, while the search for the others continues. */
  readonly partial?: "allow";
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** Pinned sessions first, then the newest; by rank if the query has `text`. */
export interface SessionsPage {
  /**
   * The answer has only the newest sessions, probably in this order, and counts only them: ask again without `partial`.
   */
  readonly partial?: true;
  readonly sessions: readonly MachineSession[];
  /** Sessions that match, on all pages. */
  readonly total: number;
  readonly nextCursor: string | null;
  /** Folders of all sessions that match, by number of sessions, at most 200; only on the first page. */
  readonly projects: readonly { readonly cwd: string; readonly sessions: number }[];
  /** The agents in the same way, with those that the filter `agent` leaves out; only on the first page. */
  readonly agents: readonly { readonly agent: string; readonly sessions: number }[];
  /** Tags of all sessions that match, by number of sessions, at most 200; only on the first page. */
  readonly tags: readonly { readonly tag: string; readonly sessions: number }[];
  /**
   * The number of sessions whose text was not searched in the time that an answer may take; 0 without `text`. If it is
   * greater than 0, more sessions may match: repeat the query to search more of them.
   */
  readonly unsearched: number;
  /**
   * The number of sessions that match the text, but not well enough to be filtered and sorted; left out if there is
   * none.
   */
  readonly unlisted?: number;
  /** Set only for a page that was opened to read, and that cannot change anything. */
  readonly readOnly?: string;
  /** Sentences about sessions that could not be read, or were not searched. */
  readonly notices: readonly string[];
}

/** Event `changed` of the list: new and changed rows, and the keys of removed ones. */
export interface SessionsChanged {
  readonly sessions: readonly MachineSession[];
  readonly gone: readonly string[];
}

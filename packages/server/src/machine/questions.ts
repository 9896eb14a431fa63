/**
 * The questions about the histories of a session, by name. Arguments and answers are plain data, so that they can cross
 * to another thread.
 */

import { type ListedSession, locateRow, type Prices } from "@continuo/agents/catalog";
import {
  changedFiles,
  changesOfFile,
  factsOf,
  type OutlineQuery,
  outlineOf,
  toHead,
  windowOf,
} from "@continuo/agents/pages";
import { present, type SessionFacts, type SubagentInfo } from "@continuo/core/model";
import type {
  ChangesAnswer,
  FileChanges,
  HistoryName,
  HistoryQuery,
  HistoryView,
  HistoryWindow,
  ImageBytes,
  Outline,
  SessionBranches,
  SessionHead,
  SessionSearchResult,
  TextRest,
} from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import { type FindQuery, findInSession } from "./find.ts";
import { branchesOf, type Histories, type HistoryRequest, type UseHistory } from "./history/index.ts";
import { type GrowthPosition, type HistoryChanges, historyChangesOf } from "./history-changes.ts";
import { modelPartOf, seenFrom } from "./model-start.ts";
import { type ContentName, imageIn, textIn } from "./parts.ts";
import type { KeyedSession } from "./session-lookup.ts";

/** The session, and which of its histories to use. */
export interface SessionArguments {
  readonly key: string;
  readonly row: ListedSession;
  readonly view: HistoryView;
  readonly branch?: string;
  readonly places: PlacesAt;
  readonly prices: Prices;
}

/** The arguments and the answer of each question. */
export interface Questions {
  readonly subagents: { readonly args: null; readonly answer: readonly SubagentInfo[] };
  readonly head: {
    readonly args: { readonly named: KeyedSession; readonly prices: Prices };
    readonly answer: SessionHead;
  };
  readonly branches: { readonly args: null; readonly answer: SessionBranches };
  readonly window: { readonly args: HistoryQuery; readonly answer: HistoryWindow };
  readonly text: { readonly args: ContentName & { readonly from: number }; readonly answer: TextRest };
  readonly image: { readonly args: ContentName; readonly answer: ImageBytes };
  readonly news: {
    readonly args: { readonly name: HistoryName; readonly seen: GrowthPosition | null };
    readonly answer: HistoryChanges;
  };
  readonly outline: { readonly args: HistoryName & OutlineQuery; readonly answer: Outline };
  readonly facts: { readonly args: null; readonly answer: SessionFacts };
  readonly find: { readonly args: FindQuery; readonly answer: SessionSearchResult };
  readonly changes: { readonly args: null; readonly answer: ChangesAnswer };
  readonly fileChanges: {
    readonly args: { readonly path: string; readonly after?: number };
    readonly answer: FileChanges;
  };
}

export type Question = keyof Questions;
export type ArgsOf<Q extends Question> = Questions[Q]["args"];
export type AnswerOf<Q extends Question> = Questions[Q]["answer"];

/** The session for a question that needs several of its histories. */
interface Session {
  readonly asked: HistoryRequest;
  readonly signal: AbortSignal;
}

const ANSWERS: {
  readonly [Q in Question]: (read: UseHistory, args: ArgsOf<Q>, session: Session) => Promise<AnswerOf<Q>>;
} = {
  subagents: (read) => read(({ details }) => details.subagents),
  head: (read, { named, prices }) =>
    read((whole) => toHead({ ...named, location: named.row.location }, whole, prices)),
  branches: (_read, _args, { asked, signal }) => branchesOf(asked, signal),
  window: (read, query) => read(({ kept }) => windowOf(kept, query, query)),
  text: (read, part) => read(({ kept }) => textIn(kept, part)),
  image: (read, part) => read(({ kept }) => imageIn(kept, part)),
  news: (read, { name, seen }) => read((whole) => historyChangesOf(whole, name, seen)),
  async outline(read, query) {
    if (query.view === "model") {
      const model = await modelPartOf(read);
      return { ...(await read(({ kept }) => outlineOf(kept, query, null))), model };
    }
    const seen = await seenFrom(read);
    return await read(({ kept }) => outlineOf(kept, query, seen));
  },
  facts: (read) => read(({ kept, details }) => factsOf(kept, details.cwd)),
  find: (read, query) => findInSession(read, query),
  changes: (read) => read(({ kept }) => changedFiles(kept)),
  fileChanges: (read, { path, after }) => read(({ kept }) => changesOfFile(kept, path, after)),
};

/** Errors: those of reading the session, and of the question. */
export async function answer<Q extends Question>(
  histories: Histories,
  {
    question,
    session,
    args,
  }: { readonly question: Q; readonly session: SessionArguments; readonly args: ArgsOf<Q> },
  signal: AbortSignal,
): Promise<AnswerOf<Q>> {
  const read: UseHistory = (use, view = session.view) =>
    histories.withWhole(toAsked({ ...session, view }), signal, use);
  return await ANSWERS[question](read, args, { asked: toAsked(session), signal });
}

export function toAsked({ row, ...session }: SessionArguments): HistoryRequest {
  return {
    ...present(session),
    locate: async () => await locateRow(row, session.places),
  };
}

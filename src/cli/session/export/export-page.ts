/** `--format html`: the viewer's page with one session inside, and the sessions of its sub-agents. */

import type { CatalogSession, Prices } from "@continuo/agents/catalog";
import {
  type CachedHistory,
  type HeadNames,
  keepHistory,
  keyOf,
  type PageHistory,
  type PageRequest,
  type PageSession,
  pageOf,
  readPageTemplate,
  seenFromOf,
  subagentKey,
  toMachineSession,
} from "@continuo/agents/pages";
import { ContinuoError, type Message, present } from "@continuo/core/model";
import { pricesWork } from "../../stats/index.ts";
import type { Shell } from "../../terminal/index.ts";
import {
  describeHidden,
  type HiddenCounts,
  headingOf,
  inView,
  nothingHidden,
  type View,
} from "../show/index.ts";
import type { ExportFlags } from "./flags.ts";
import type { Subagents } from "./subagents.ts";

export interface PageSource {
  readonly session: CatalogSession;
  readonly subagents: Subagents;
  /** The ids of the messages that the model still receives; `null` if it receives all, or if this is not known. */
  seenIds(): Promise<readonly string[] | null>;
  /** The secrets that were masked so far, as a sentence; `null` if none are masked. */
  masked(): string | null;
}

/** The page contains nested sub-agents down to this depth; deeper ones are left out. */
const MAX_DEPTH = 4;

/** The histories that are read for one page. They are released together. */
interface PageHistories {
  readonly view: View;
  readonly hidden: HiddenCounts;
  readonly prices: Prices;
  readonly kept: DisposableStack;
}

/**
 * Yields the pieces of the page. The first piece is yielded after everything was read.
 *
 * Errors: `usage`, `out_of_range`, `too_large`; `not_found` if the viewer is not built.
 */
export async function* htmlOf(
  source: PageSource,
  view: View,
  flags: Pick<ExportFlags, "all" | "turns">,
  shell: Shell,
): AsyncGenerator<string, void, void> {
  const turns = flags.turns === undefined ? undefined : parseTurns(flags.turns);
  const template = readPageTemplate();
  using kept = new DisposableStack();
  const prices = await pricesWork(shell);
  const reading: PageHistories = { view, hidden: nothingHidden(), prices, kept };
  const { session } = source;
  const key = keyOf(session.details);
  const read = await readSession(session, namesOf(session, key), reading);
  const branches = flags.all === true ? await readBranches(session, reading) : [];
  const ids = isCompacted(read.kept) ? await source.seenIds() : null;
  const first: PageSession = {
    ...read,
    branches,
    seenFrom: ids === null ? null : seenFromOf(read.kept, ids),
  };
  // The model does not receive the messages of its sub-agents, and without calls nothing links to them.
  const isNested = view.isOfModel !== true && view.tools !== "none";
  const nested = isNested ? await readSubagents(first, source.subagents, { reading, depth: 1 }) : [];
  yield* pageOf({
    template,
    prices,
    sessions: [first, ...nested],
    savedAt: shell.now.toISOString(),
    notes: notesOf(source, view, reading.hidden),
    ...present({ turns }),
  });
}

/** The notes leave out the problems of the session, because the page shows them in its details. */
function notesOf({ session, masked }: PageSource, view: View, hidden: HiddenCounts): readonly string[] {
  const { notes } = headingOf({ ...session, problems: [] }, view);
  return [masked(), ...notes, ...describeHidden(hidden)].filter((note) => note !== null);
}

type ReadPart = Omit<PageSession, "branches" | "seenFrom">;

async function readSession(
  session: CatalogSession,
  names: HeadNames,
  reading: PageHistories,
): Promise<ReadPart> {
  const { details, leaves, problems } = session;
  return { ...names, details, leaves, problems, kept: await read(session.history(), reading) };
}

async function read(messages: AsyncIterable<Message>, { view, hidden, prices, kept }: PageHistories) {
  return kept.use(await keepHistory(shownOf(messages, view, hidden), prices));
}

/** The page can fold messages that were inserted for the model, so it always has them. */
async function* shownOf(
  messages: AsyncIterable<Message>,
  view: View,
  hidden: HiddenCounts,
): AsyncGenerator<Message, void, void> {
  for await (const message of messages) {
    const shown = view.tools === "none" ? inView(message, { ...view, injected: "show" }, hidden) : message;
    if (shown !== null) yield shown;
  }
}

async function readBranches(
  { leaves, history }: CatalogSession,
  reading: PageHistories,
): Promise<PageHistory[]> {
  const branches: PageHistory[] = [];
  for (const leaf of leaves.filter(({ active }) => !active)) {
    branches.push({ leaf, kept: await read(history({ leaf: leaf.id }), reading) });
  }
  return branches;
}

interface NestedPage {
  readonly reading: PageHistories;
  readonly depth: number;
}

async function readSubagents(
  { key, details, shown }: PageSession,
  subagents: Subagents,
  { reading, depth }: NestedPage,
): Promise<PageSession[]> {
  const found: PageSession[] = [];
  if (depth > MAX_DEPTH) return found;
  for (const info of details.subagents) {
    using session = await subagents.open(info);
    if (session === null) continue;
    const { id, description, type } = subagents.tell(info);
    const ownKey = subagentKey(key, id);
    const title = description ?? type ?? session.details.title;
    const row = { ...session.details, sessionId: id, title };
    const names = {
      key: ownKey,
      shown: { ...toMachineSession(ownKey, row), agent: shown.agent },
      location: row.location,
      parentKey: key,
    };
    const read = await readSession(session, names, reading);
    const one = { ...read, details: { ...read.details, title }, branches: [], seenFrom: null };
    found.push(one, ...(await readSubagents(one, subagents, { reading, depth: depth + 1 })));
  }
  return found;
}

function namesOf({ details }: CatalogSession, key: string): HeadNames {
  return { key, shown: toMachineSession(key, details), location: details.location, parentKey: null };
}

function isCompacted({ turns }: CachedHistory): boolean {
  return turns.some(({ marks }) => marks.some(({ type }) => type === "compaction"));
}

/** Parses `12`, `12-40` or `12-`. Errors: `usage`. */
function parseTurns(text: string): NonNullable<PageRequest["turns"]> {
  const [, first, dash, last = ""] = /^([1-9]\d{0,8})(?:(-)([1-9]\d{0,8})?)?$/u.exec(text) ?? [];
  const from = Number(first);
  if (first !== undefined && dash === undefined) return { from, to: from };
  if (first !== undefined && last === "") return { from };
  if (first !== undefined && Number(last) >= from) return { from, to: Number(last) };
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not a range of turns`, {
    hint: "Write 12, 12-40, or 12- for all from turn 12 on.",
  });
}

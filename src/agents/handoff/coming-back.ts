/**
 * A conversation that comes back to the agent that it came from: its own records are taken as they are, and only
 * what was said since is converted.
 */

import { type AgentName, ContinuoError, type Message } from "../../model/index.ts";
import type { KeptRecord, Makers, NativeWriter, NewSession } from "../adapter/index.ts";
import { makersOfNow } from "../adapter/index.ts";
import type { Lookup } from "../lookup/index.ts";
import { readerOf, writerOf } from "../lookup/index.ts";
import type { Json, OpenedSession, Places } from "../reader/index.ts";
import { type Origin, originOf, readCopy, readProvenance } from "./provenance.ts";
import { type HandOffSource, markOf, readSource, saidBy } from "./source.ts";
import { openScratch, stageRecords } from "./stage.ts";

export interface ComingBack {
  readonly from: Origin;
  readonly records: readonly KeptRecord[];
  /** How many messages of the source, from the first one on, are those of the records. */
  readonly messages: number;
  /** What the records say, in the new session. */
  readonly history: readonly Message[];
}

export interface ReturnOptions {
  readonly to: AgentName;
  readonly cwd: string;
  readonly places: Places;
  readonly signal: AbortSignal | undefined;
}

/**
 * `null` where the source did not come from that agent, where it was changed or cut, where the records are
 * nowhere any more, or where the agent's format has no way to write them once more.
 */
export async function findReturn(source: HandOffSource, options: ReturnOptions): Promise<ComingBack | null> {
  const origin = await originIn(source, options);
  if (origin === null) return null;
  const { from, records, messages } = origin;
  const history = await readOnce(records, options);
  // The same messages, or it is no return.
  if (history === null || from.said === null) return null;
  const mark = saidBy(await readerOf(options.to), history);
  return mark.sha256 === from.said.sha256 ? { from, records, messages, history } : null;
}

type FoundOrigin = Omit<ComingBack, "history">;

async function originIn(source: HandOffSource, options: ReturnOptions): Promise<FoundOrigin | null> {
  const { to, places, signal } = options;
  if (source.agent === to) {
    if (source.said() === null) return null;
    return { from: originOf(source), records: source.entries, messages: source.messages.length };
  }
  const provenance = await readProvenance(source, places, signal);
  if (provenance === null || provenance.from.agent !== to || source.said() === null) return null;
  const { from, said, copy } = provenance;
  const before = source.messages.slice(0, said.messages);
  if (from.said === null || markOf(before).sha256 !== said.sha256) return null;
  const records = (await ownRecords(from, places, signal)) ?? (await copied(copy, places, signal));
  return records === null ? null : { from, records, messages: said.messages };
}

/** Of the session itself, if it is still there, and nothing was said in it since. */
async function ownRecords(
  { agent, sessionId, location, sha256 }: Origin,
  places: Places,
  signal: AbortSignal | undefined,
): Promise<readonly KeptRecord[] | null> {
  const reader = await readerOf(agent);
  const found = await reader.recognise(location, places).catch(nothingReadable);
  if (found?.sessionId !== sessionId) return null;
  const lookup: Lookup = { reader, found };
  const source = await readSource(lookup, places, signal === undefined ? {} : { signal }).catch(
    nothingReadable,
  );
  return source?.sha256() === sha256 ? source.entries : null;
}

async function copied(
  copy: string | null,
  places: Places,
  signal: AbortSignal | undefined,
): Promise<readonly KeptRecord[] | null> {
  return copy === null ? null : await readCopy(copy, places, signal).catch(nothingReadable);
}

function nothingReadable(error: unknown): null {
  if (error instanceof ContinuoError && ["not_found", "unreadable", "gone"].includes(error.code)) return null;
  throw error;
}

/** Errors: `unsupported` never: what cannot be continued is `null`. */
async function readOnce(
  records: readonly KeptRecord[],
  { to, cwd }: ReturnOptions,
): Promise<readonly Message[] | null> {
  const writer = await writerOf(to);
  const makers = makersOfNow();
  const sessionId = writer.newSessionId(makers);
  const session = { sessionId, cwd, title: null, gitBranch: null, createdMs: makers.now() };
  try {
    return (await withTip({ writer, records, session, makers }))?.history ?? null;
  } catch (error) {
    if (error instanceof ContinuoError && error.code === "unsupported") return null;
    throw error;
  }
}

export interface Return {
  readonly writer: NativeWriter<unknown>;
  readonly records: readonly KeptRecord[];
  readonly session: NewSession;
  readonly makers: Makers;
}

interface WithTip {
  readonly records: readonly Json[];
  readonly tip: unknown;
  readonly history: readonly Message[];
}

/** The records of the new session, and its end, as the agent's own reader and writer see it in a scratch folder. */
export async function withTip({ writer, records, session, makers }: Return): Promise<WithTip | null> {
  const back = writer.bringBack(records, session, makers);
  if (back === null) return null;
  using scratch = openScratch();
  const home = { home: scratch.path, env: {} };
  const file = await stageRecords({ writer, session, records: back, home });
  const reader = await readerOf(writer.agent);
  const found = await reader.recognise(file, home);
  if (found === null) return null;
  using opened = await reader.open(found, home, {});
  const history = await Array.fromAsync(opened.history());
  return { records: back, history, tip: await tipOf(writer, opened, history) };
}

async function tipOf(
  writer: NativeWriter<unknown>,
  opened: OpenedSession,
  history: readonly Message[],
): Promise<unknown> {
  const lastAnswer = history.findLast((message) => message.role === "assistant") ?? null;
  const lastPrompt = history.findLast((message) => message.role === "user") ?? null;
  return await writer.openTip({ opened, lastAnswer, lastPrompt }, undefined);
}

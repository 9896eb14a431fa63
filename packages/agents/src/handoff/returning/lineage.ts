/**
 * Follows a conversation back through its earlier sessions to a session of a given agent, and finds the session from
 * which each message comes. Each step is recognised by hashes, or by the content of the messages; claims of a file are
 * not trusted.
 */

import { type AgentName, ContinuoError, type Message } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { formatOf, type Lookup } from "@continuo/native";
import type { KeptRecord } from "@continuo/native/writing";
import { placeText, selectMessages } from "../converting/index.ts";
import {
  type HandOffSource,
  hashOf,
  lastNote,
  markOf,
  type Origin,
  type Provenance,
  readCopy,
  readProvenance,
  readSource,
} from "../source/index.ts";
import { retrace } from "./retrace.ts";
import { readScratchCopy } from "./scratch-copy.ts";

/** A session of the line, up to the point to which it was read. */
export interface LineageStep {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  readonly entries: () => AsyncIterable<KeptRecord> | Iterable<KeptRecord>;
  /** The note about the origin of the session, as in `RecordFacts`. */
  readonly note: unknown;
  /** All messages that can be handed over. */
  readonly messages: readonly Message[];
}

/** A message in the form of the session in which it was said first, as far as that is known. */
export interface TracedMessage {
  readonly message: Message;
  readonly of: LineageStep;
}

export interface Lineage {
  readonly from: LineageStep;
  /** In the order of the conversation. */
  readonly traced: readonly TracedMessage[];
}

export interface LineageOptions {
  readonly to: AgentName;
  readonly places: Places;
  readonly signal: AbortSignal | undefined;
  /** Holds the sessions that are open. */
  readonly opened: DisposableStack;
}

/** The number of steps is limited because each step reads a session. */
const MAX_STEPS = 32;

function nameOf({ agent, sessionId }: LineageStep): string {
  return `${agent}:${sessionId}`;
}

/**
 * Returns `null` if the line ends before a session of that agent, if needed records no longer exist, if the line leads
 * back to itself, or if it has too many steps.
 */
export async function traceBack(source: HandOffSource, options: LineageOptions): Promise<Lineage | null> {
  let held: LineageStep = source;
  let traced: readonly TracedMessage[] = ofSession(source.messages, source);
  const seen = new Set([nameOf(source)]);
  for (let step = 0; step < MAX_STEPS; step++) {
    if (held.agent === options.to) return { from: held, traced };
    const provenance = await readProvenance(held, options.places, options.signal);
    const before = provenance === null ? null : await readHeld(provenance, options);
    if (provenance === null || before === null || seen.has(nameOf(before))) return null;
    seen.add(nameOf(before));
    const older = stepBack(traced, { held, before, provenance });
    // If no message comes from the earlier session, it adds nothing to the later ones.
    if (!older.some(({ of }) => of === before)) return null;
    [held, traced] = [before, older];
  }
  return null;
}

interface LineagePair {
  readonly held: LineageStep;
  readonly before: LineageStep;
  readonly provenance: Provenance;
}

function stepBack(traced: readonly TracedMessage[], step: LineagePair): readonly TracedMessage[] {
  const { held, before } = step;
  const at = traced.flatMap(({ of }, index) => (of === held ? [index] : []));
  const own = at.flatMap((index) => traced[index]?.message ?? []);
  const count = knownAtOnce(own, step);
  const [first, last] = [at[0], at[count - 1]];
  if (count > 0 && first !== undefined && last === first + count - 1) {
    return [...traced.slice(0, first), ...ofSession(before.messages, before), ...traced.slice(last + 1)];
  }
  const found = retrace(own, before.messages, held.agent);
  const stands = new Map(at.map((index, nth) => [index, found[nth] ?? null]));
  return traced.flatMap((one, index): readonly TracedMessage[] => {
    const originals = stands.get(index) ?? null;
    return originals === null ? [one] : ofSession(originals, before);
  });
}

function ofSession(messages: readonly Message[], of: LineageStep): TracedMessage[] {
  return messages.map((message) => ({ message, of }));
}

/**
 * Returns the number of messages that the hand-over wrote, if they are still the first ones of the session and the
 * earlier session has not changed either, by their hashes; otherwise 0.
 */
function knownAtOnce(own: readonly Message[], { before, provenance: { from, said } }: LineagePair): number {
  if (from.said === null || markOf(own.slice(0, said.messages)).sha256 !== said.sha256) return 0;
  return markOf(before.messages).sha256 === from.said.sha256 ? said.messages : 0;
}

/** Returns the session itself, if it still has exactly the same records; else the copy of its records. */
async function readHeld({ from, copy }: Provenance, options: LineageOptions): Promise<LineageStep | null> {
  const { agent, sessionId, location } = from;
  const own = await ownRecords(from, options);
  if (own !== null) return own;
  if (copy === null) return null;
  const { places, signal } = options;
  const entries = await readCopy(copy, places, signal).catch(nothingReadable);
  if (entries === null || hashOf(entries) !== from.sha256) return null;
  const { history } = await readScratchCopy({ agent, records: entries, adds: 0, cwd: places.home });
  if (history === null) return null;
  const { messages } = selectMessages(history, (await formatOf(agent)).modelView(history));
  const note = lastNote(entries.map(({ value }) => value));
  return { agent, sessionId, location, entries: () => entries, note, messages };
}

async function ownRecords(
  { agent, sessionId, location, sha256 }: Origin,
  { places, signal, opened }: LineageOptions,
): Promise<LineageStep | null> {
  const reader = await formatOf(agent);
  const found = await reader.recognise(location, places).catch(nothingReadable);
  if (found?.sessionId !== sessionId) return null;
  const lookup: Lookup = { reader, found };
  const options = signal === undefined ? {} : { signal };
  const source = await readSource(lookup, places, options).catch(nothingReadable);
  if (source !== null) opened.use(source);
  return source?.sha256 === sha256 ? source : null;
}

function nothingReadable(error: unknown): null {
  if (error instanceof ContinuoError && ["not_found", "unreadable", "gone"].includes(error.code)) return null;
  throw error;
}

/** Records of other sessions than the source are listed with their file. */
export function placeIn(source: HandOffSource, { of, message }: TracedMessage): string {
  const [place] = message.metadata.records ?? [];
  if (of === source || place === undefined) return placeText(message.metadata.records);
  return placeText([{ ...place, file: place.file ?? of.location }]);
}

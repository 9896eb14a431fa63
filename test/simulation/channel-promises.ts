/** The promises of a channel, checked after a simulation, whatever happened in it. */

import type { Store, StoredEvent } from "@continuo/core/model";
import { authorOf, isInputFor, recordOf } from "@continuo/core/wire";
import { deletions, inChanges, inDeletedWords } from "./channel-changes.ts";
import {
  CHANNEL,
  type ChannelRecords,
  LOG,
  type MemberReading,
  type WrittenMessage,
} from "./channel-members.ts";

const PARTS: ReadonlySet<string> = new Set(["message_streamed", "message_updated"]);
const ENDS: ReadonlySet<string> = new Set(["message_completed", "message_interrupted"]);

export async function channelFaults(
  base: Store,
  records: ChannelRecords,
  events: readonly StoredEvent[],
): Promise<readonly string[]> {
  const sessions = (await base.listSessions({ limit: 100 })).items.map(({ sessionId }) => sessionId);
  const broken = await Promise.all(
    [LOG, ...sessions].map(async (log) => ((await base.verify(log)).ok ? [] : [`${log} does not verify`])),
  );
  return [
    ...broken.flat(),
    ...inMessages(events, records),
    ...inWriters(events),
    ...inAnswers(events),
    ...records.readings.flatMap((reading) => inReading(events, reading)),
    ...inChanges(events, records.changes),
    ...records.readings.flatMap((reading) => inDeletedWords(events, reading)),
    ...(await inCursors(base, records, events)),
  ];
}

/** Returns the faults: no message may be lost or doubled, and each must have the words of its writer. */
function inMessages(
  events: readonly StoredEvent[],
  { acknowledged, written }: ChannelRecords,
): readonly string[] {
  const faults: string[] = [];
  const sent = Map.groupBy(
    events.filter(({ type }) => type === "message_sent"),
    ({ id }) => id,
  );
  for (const [id, all] of sent) if (all.length > 1) faults.push(`${id} was stored ${all.length} times`);
  const words = Map.groupBy(
    events.filter(({ type, data }) => type === "message_sent" && recordOf(data).state !== "open"),
    ({ data }) => String(recordOf(data).content),
  );
  for (const [text, all] of words)
    if (all.length > 1) faults.push(`"${text}" was stored ${all.length} times`);
  const ends = Map.groupBy(
    events.filter(({ type }) => ENDS.has(type)),
    ({ data }) => String(recordOf(data).messageId),
  );
  for (const [id, text] of acknowledged) {
    if (!sent.has(id)) faults.push(`${id} was confirmed, and is lost`);
    const isParted = recordOf(sent.get(id)?.[0]?.data).state === "open";
    if (text === null || !isParted) continue;
    if (!ends.get(id)?.some(({ type }) => type === "message_completed"))
      faults.push(`the end of ${id} was confirmed, and is lost`);
  }
  for (const [id, all] of ends) if (all.length > 1) faults.push(`${id} ended ${all.length} times`);
  for (const { id, type, data } of events) {
    const { messageId, content } = recordOf(data);
    const of = written.get(String(messageId ?? id));
    if (of === undefined) continue;
    if (type === "message_completed" && content !== of.text)
      faults.push(`${messageId} is "${content}", not "${of.text}"`);
    if (type === "message_interrupted" && !isCutOff(String(content), of))
      faults.push(`${messageId} was cut off as "${content}" of "${of.text}"`);
  }
  return [...faults, ...inParts(events)];
}

/**
 * Returns true if the content is a correct beginning of the message: it has every confirmed part in order, and any of
 * the others. Attempts of an answer have the same words, so a stored text can come from any of them.
 */
export function isCutOff(content: string, { first, parts }: WrittenMessage): boolean {
  let rests = new Set(content.startsWith(first) ? [content.slice(first.length)] : []);
  for (const { delta, isStored } of parts) {
    const withPart = [...rests]
      .filter((rest) => rest.startsWith(delta))
      .map((rest) => rest.slice(delta.length));
    rests = new Set(isStored ? withPart : [...withPart, ...rests]);
  }
  return rests.has("");
}

/**
 * Returns the faults: the parts of a message must come before its end, and an interrupted message must have exactly the
 * text of its parts.
 */
function inParts(events: readonly StoredEvent[]): readonly string[] {
  const texts = new Map<string, string>();
  const faults: string[] = [];
  for (const { id, type, data } of events) {
    const { messageId, delta, content, state } = recordOf(data);
    const key = String(messageId);
    if (type === "message_sent" && state === "open") texts.set(id, String(content));
    else if (type === "message_streamed") {
      if (!texts.has(key)) faults.push(`${key} has a part after its end`);
      else texts.set(key, `${texts.get(key)}${delta}`);
    } else if (ENDS.has(type)) {
      if (type === "message_interrupted" && texts.get(key) !== content)
        faults.push(`${key} is cut off as "${content}", its parts say "${texts.get(key)}"`);
      texts.delete(key);
    }
  }
  return faults;
}

/** The messages in progress. */
export function openMessages(events: readonly StoredEvent[]): readonly string[] {
  const open = new Set<string>();
  for (const { id, type, data } of events) {
    if (type === "message_sent" && recordOf(data).state === "open") open.add(id);
    if (ENDS.has(type)) open.delete(String(recordOf(data).messageId));
  }
  return [...open];
}

/** Returns the faults: an agent must write nothing after another process received its handle. */
function inWriters(events: readonly StoredEvent[]): readonly string[] {
  const faults: string[] = [];
  const former = new Set<string>();
  let writer: string | undefined;
  const writers = new Map<string, string>();
  for (const event of events) {
    if (authorOf(event) !== "bot") continue;
    const { state, writer: own, messageId } = recordOf(event.data);
    if (event.type === "message_sent" && state === "open") writers.set(event.id, String(own));
    const by = writers.get(event.type === "message_sent" ? event.id : String(messageId));
    if (by === undefined || by === writer) continue;
    if (former.has(by)) faults.push(`${by} wrote ${event.sequence} after it lost the handle`);
    if (writer !== undefined) former.add(writer);
    writer = by;
  }
  return faults;
}

function answersOf(events: readonly StoredEvent[], bot: string): ReadonlyMap<number, readonly number[]> {
  const prefix = `answer:run:${CHANNEL}:${bot}:`;
  const answers = new Map<number, number[]>();
  for (const { type, data, sequence } of events) {
    const messageId = String(recordOf(data).messageId);
    if (type !== "message_completed" || !messageId.startsWith(prefix)) continue;
    const input = Number(messageId.slice(prefix.length).split(":")[0]);
    answers.set(input, [...(answers.get(input) ?? []), sequence]);
  }
  return answers;
}

export function unanswered(events: readonly StoredEvent[], bot: string): readonly number[] {
  const answers = answersOf(events, bot);
  const deleted = deletions(events);
  const givenUp = new Set(events.filter(({ type }) => type === "error_raised").map(({ id }) => id));
  return events
    .filter((event) => isInputFor(event, bot) && !deleted.has(messageIdOf(event)))
    .map(({ sequence }) => sequence)
    .filter((sequence) => !answers.has(sequence) && !givenUp.has(`given-up:${bot}:${sequence}`));
}

function messageIdOf({ id, data }: StoredEvent): string {
  return String(recordOf(data).messageId ?? id);
}

/** Returns the faults: no input may be answered twice, and inputs must be answered in their order. */
function inAnswers(events: readonly StoredEvent[]): readonly string[] {
  const answers = [...answersOf(events, "bot")];
  const faults = answers.flatMap(([input, all]) =>
    all.length > 1 ? [`the input ${input} was answered ${all.length} times`] : [],
  );
  const inputs = answers.map(([input]) => input);
  if (inputs.some((input, n) => n > 0 && input < (inputs[n - 1] ?? 0)))
    faults.push(`inputs were answered in the order ${inputs.join(" ")}`);
  return faults;
}

/** Returns the faults: a reader must receive events once, in order, with all events that its replay mode promises. */
function inReading(
  events: readonly StoredEvent[],
  { handle, mode, checkpoint, welcome, given }: MemberReading,
): readonly string[] {
  const faults: string[] = [];
  const live = given.filter(({ type }) => type !== "missed");
  const at = live.findIndex(({ sequence }, n) => n > 0 && sequence <= (live[n - 1]?.sequence ?? 0));
  if (at > 0) faults.push(`${handle} was given ${live[at]?.sequence} after ${live[at - 1]?.sequence}`);
  const { after, latestSequence, degraded } = welcome;
  if (degraded === null && after < checkpoint)
    faults.push(`${handle} had processed ${checkpoint}, and begins after ${after}`);
  const early = given.find(({ sequence }) => sequence <= after);
  if (early !== undefined) faults.push(`${handle} began after ${after}, and was given ${early.sequence}`);
  const last = live.at(-1)?.sequence ?? 0;
  const seen = new Set(live.map(({ sequence }) => sequence));
  const missed = new Set(given.filter(({ type }) => type === "missed").map(({ sequence }) => sequence));
  const deleted = deletions(events);
  for (const event of events) {
    const { sequence, type } = event;
    // A replay leaves out the words of messages that were deleted before it.
    if (sequence <= latestSequence && deleted.has(messageIdOf(event))) continue;
    if (sequence <= after || !isShown(type) || isPart(event)) continue;
    const isOfReplay = sequence <= latestSequence;
    const isOwn = authorOf(event) === handle;
    const isDue =
      !isOfReplay || mode === "stream" || (type !== "message_interrupted" && isInputFor(event, handle));
    const name = `${sequence} (${type} ${recordOf(event.data).messageId})`;
    if (isDue && sequence <= last && !seen.has(sequence))
      faults.push(`${handle} was not given ${name} with ${mode}`);
    if (!isDue && seen.has(sequence)) faults.push(`${handle} was given ${name} with ${mode}`);
    if (isDue || isOwn || mode !== "collect" || type === "message_interrupted") continue;
    if (!missed.has(sequence)) faults.push(`${handle} missed ${name}, and was not told`);
  }
  return faults.slice(0, 3);
}

function isPart({ type, data }: StoredEvent): boolean {
  return PARTS.has(type) || (type === "message_sent" && recordOf(data).state === "open");
}

function isShown(type: string): boolean {
  return type === "message_sent" || ENDS.has(type);
}

/** Returns the faults: a confirmed checkpoint must stay, and nothing may count as processed that was not received. */
async function inCursors(
  base: Store,
  { checkpoints }: ChannelRecords,
  events: readonly StoredEvent[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const latest = events.at(-1)?.sequence ?? 0;
  for (const handle of ["ann", "bob", "bot"]) {
    const processed = (await base.getCursor({ logId: LOG, name: `processed/${handle}` }))?.sequence ?? 0;
    if (processed < (checkpoints.get(handle) ?? 0))
      faults.push(`${handle} had processed ${checkpoints.get(handle)}, and is at ${processed}`);
    if (processed > latest) faults.push(`${handle} has processed ${processed} of ${latest}`);
    const inputs = events.filter((event) => event.sequence <= processed && isInputFor(event, handle));
    const missing =
      handle === "bot" ? inputs.filter(({ sequence }) => unanswered(events, handle).includes(sequence)) : [];
    for (const { sequence } of missing)
      faults.push(`bot has processed ${processed}, and never answered ${sequence}`);
  }
  return faults;
}

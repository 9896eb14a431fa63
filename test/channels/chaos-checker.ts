/**
 * The checker of a channel that many clients and agents used on servers that were killed. It compares the
 * events of every reader, and the acknowledgements of every writer, with the log.
 */

import type { StoredEvent } from "@continuo/core/model";
import { isInputFor, recordOf } from "@continuo/core/wire";

export interface ReceivedEvent {
  readonly sequence: number;
  /** Returns the text of a whole message, or `null` for any other event. */
  readonly text: string | null;
}

export interface Reader {
  readonly handle: string;
  readonly given: readonly ReceivedEvent[];
}

export interface History {
  readonly channel: string;
  /** The log at the end. */
  readonly events: readonly StoredEvent[];
  readonly readers: readonly Reader[];
  /** Ids that the server confirmed. */
  readonly acknowledged: Iterable<string>;
  /** Handles of agents: each gives one whole answer to each input. */
  readonly bots: readonly string[];
}

/**
 * Returns the violations, as sentences. Every reader has every event of the log once and in order, except for the parts
 * of messages that had ended when it came back; every acknowledged message is in the log once; every input has one
 * whole answer.
 */
export function violationsOf(history: History): readonly string[] {
  return [
    ...inLog(history),
    ...history.readers.flatMap((one) => inReader(one, history)),
    ...inAnswers(history),
  ];
}

/** Counts the inputs that have a whole answer. */
export function answerCount(history: Pick<History, "events" | "channel">): number {
  return answersIn(history).size;
}

function inLog({ events, acknowledged }: History): readonly string[] {
  const ids = new Set<string>();
  const said = new Set<string>();
  const wrong: string[] = [];
  for (const event of events) {
    const { id, type, actor, data } = event;
    if (ids.has(id)) wrong.push(`${id} is in the log twice.`);
    ids.add(id);
    if (type !== "message_sent" || recordOf(data).state === "open") continue;
    // Writers never send the same text twice.
    const words = `${actor.id}: ${recordOf(data).content}`;
    if (said.has(words)) wrong.push(`"${words}" was stored twice.`);
    said.add(words);
  }
  const lost = [...acknowledged].filter((id) => !ids.has(id));
  return [...wrong, ...lost.map((id) => `${id} was acknowledged and is lost.`)];
}

function inReader({ handle, given }: Reader, { events }: History): readonly string[] {
  const wrong: string[] = [];
  const at = given.findIndex(({ sequence }, n) => n > 0 && sequence <= (given[n - 1]?.sequence ?? 0));
  if (at !== -1) wrong.push(`${handle} was given ${given[at]?.sequence} after ${given[at - 1]?.sequence}.`);
  const texts = new Map(given.map(({ sequence, text }) => [sequence, text]));
  const missing = events.filter((event) => !isPart(event) && !texts.has(event.sequence));
  if (missing.length > 0) {
    wrong.push(`${handle} was not given ${missing.length} events; the first is ${missing[0]?.sequence}.`);
  }
  for (const { sequence, type, data } of events) {
    const text = texts.get(sequence);
    if (type !== "message_sent" || typeof text !== "string" || text === recordOf(data).content) continue;
    wrong.push(`${handle} was given other words as ${sequence}.`);
  }
  return wrong;
}

function inAnswers(history: History): readonly string[] {
  const { events, channel, bots } = history;
  const answered = answersIn(history);
  return bots.flatMap((bot) =>
    events
      .filter((event) => isInputFor(event, bot))
      .flatMap(({ sequence }) => {
        const count = answered.get(`${bot}:${sequence}`) ?? 0;
        if (count === 1) return [];
        const story = storyOf(events, `answer:run:${channel}:${bot}:${sequence}:`);
        return [`${bot} gave ${count} whole answers to the input ${sequence}: ${story}.`];
      }),
  );
}

/** The end of a message holds its whole text, so a replay may leave out the parts. */
function isPart({ type, data }: StoredEvent): boolean {
  if (type === "message_sent") return recordOf(data).state === "open";
  return type === "message_streamed" || type === "message_updated";
}

/** Returns the outcomes of messages with this prefix of ids. */
function storyOf(events: readonly StoredEvent[], prefix: string): string {
  return events
    .flatMap(({ id, sequence, type, data }) => {
      const messageId = String(recordOf(data).messageId ?? id);
      return messageId.startsWith(prefix) ? [`${sequence} ${type} ${messageId.slice(prefix.length)}`] : [];
    })
    .join(", ");
}

/** Counts the whole answers of each input, by handle and sequence. */
function answersIn({ events, channel }: Pick<History, "events" | "channel">): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const prefix = `answer:run:${channel}:`;
  for (const { type, data } of events) {
    const messageId = String(recordOf(data).messageId);
    if (type !== "message_completed" || !messageId.startsWith(prefix)) continue;
    const input = messageId.slice(prefix.length).replace(/:\d+$/u, "");
    counts.set(input, (counts.get(input) ?? 0) + 1);
  }
  return counts;
}

/**
 * Prepares the return of a conversation to an agent through which it came. That agent's own records are used unchanged,
 * and only later messages are converted, each from the session in which it was said. If the records are not enough,
 * because a part was handed over, cut or summarized, the agent's own messages are used, with all their native fields.
 */

import type { Message } from "@continuo/core/model";
import { formatOf } from "@continuo/native";
import type { KeptRecord } from "@continuo/native/writing";
import { type HandOffSource, markOf, saidBy } from "../source/index.ts";
import { type LineageOptions, type LineageStep, placeIn, type TracedMessage, traceBack } from "./lineage.ts";
import { readScratchCopy } from "./scratch-copy.ts";

export interface ReturnStart {
  readonly records: readonly KeptRecord[];
  /** The messages of the records, in the new session. */
  readonly history: readonly Message[];
}

export interface SessionReturn {
  readonly from: Pick<LineageStep, "agent" | "sessionId" | "messages">;
  /** The beginning of the new session; `null` if all messages are newly written. */
  readonly begun: ReturnStart | null;
  /** The messages of the records. */
  readonly kept: readonly Message[];
  /** The messages that come after the records. */
  readonly messages: readonly Message[];
  /** The messages of `kept` and `messages` that the agent itself wrote. */
  readonly own: ReadonlySet<Message>;
  /** Returns the place of a message, for the receipt. */
  readonly placeOf: (message: Message) => string;
}

export interface ReturnOptions extends LineageOptions {
  readonly cwd: string;
}

/**
 * `null` if the source did not come from that agent, if the records no longer exist, or if none of the agent's messages
 * is unchanged.
 */
export async function findReturn(
  source: HandOffSource,
  options: ReturnOptions,
): Promise<SessionReturn | null> {
  const lineage = await traceBack(source, options);
  if (lineage === null) return null;
  const { from, traced } = lineage;
  const isWhole =
    (from !== source || source.said() !== null) &&
    from.messages.every((message, at) => traced[at]?.message === message);
  const begun = isWhole ? await beginWith(from, traced.length - from.messages.length, options) : null;
  const messages = traced.map(({ message }) => message);
  const count = begun === null ? 0 : from.messages.length;
  return {
    from,
    begun,
    kept: messages.slice(0, count),
    messages: messages.slice(count),
    own: new Set(traced.flatMap(({ message, of }) => (of === from ? [message] : []))),
    placeOf: placesIn(source, traced),
  };
}

/** `null` if the records do not have the same messages. */
async function beginWith(
  from: LineageStep,
  adds: number,
  { to, cwd }: ReturnOptions,
): Promise<ReturnStart | null> {
  const { records, history } = await readScratchCopy({
    agent: to,
    cwd,
    adds,
    records: await Array.fromAsync(from.entries()),
  });
  if (history === null) return null;
  const mark = saidBy(history, (await formatOf(to)).modelView(history));
  return mark.sha256 === markOf(from.messages).sha256 ? { records, history } : null;
}

function placesIn(source: HandOffSource, traced: readonly TracedMessage[]): (message: Message) => string {
  const places = new Map(traced.map((one) => [one.message, placeIn(source, one)]));
  return (message) => places.get(message) ?? "";
}

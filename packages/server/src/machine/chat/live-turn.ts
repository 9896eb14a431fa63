/** The running turn as events for a page: new or changed messages, and additions to texts. */

import { HISTORY_LIMITS, toShownMessage } from "@continuo/agents/pages";
import type { Message, Store } from "@continuo/core/model";
import { type Transcript, TranscriptBuilder } from "@continuo/core/transcript";
import type { ChatEvent, WindowMessage } from "@continuo/core/wire/machine";

export interface LiveTurn {
  /** The sequence up to which it has all events of the log; events of the next run are not part of it. */
  readonly upTo: number;
  /**
   * The changes since the last call.
   *
   * @param seen no event up to this sequence begins another run; that of the turn's first event by default
   */
  news(seen?: number): Promise<readonly ChatEvent[]>;
}

/** @param after events of the log up to this sequence do not belong to the turn, which begins with the next event */
export async function openLiveTurn(
  store: Store,
  sessionId: string,
  { after, key }: { readonly after: number; readonly key: string },
): Promise<LiveTurn> {
  let transcript: Transcript | null = null;
  let told: readonly Message[] = [];
  let nextRun = Number.POSITIVE_INFINITY;
  const turn = {
    upTo: after,
    async news(seen = after + 1) {
      transcript =
        transcript === null
          ? await TranscriptBuilder.fromStore(store, sessionId, { after })
          : await TranscriptBuilder.updateFromStore(store, transcript);
      if (transcript.lastSequence > seen && nextRun === Number.POSITIVE_INFINITY) {
        const later = { after: seen, types: ["run_started"], limit: 1 };
        nextRun = (await store.read(sessionId, later)).events[0]?.sequence ?? nextRun;
      }
      turn.upTo = Math.max(turn.upTo, Math.min(transcript.lastSequence, nextRun - 1));
      const messages = transcript.messages.filter((message) => sequenceOf(message) < nextRun);
      const events = chatEventsOf(told, messages, key);
      told = messages;
      return events;
    },
  };
  return turn;
}

/** A page receives only the newest messages of a long turn; the history has the others. */
const MOST = 200;

/** A message object never changes: a new object replaces it. */
function chatEventsOf(
  before: readonly Message[],
  now: readonly Message[],
  key: string,
): readonly ChatEvent[] {
  const events: ChatEvent[] = [];
  let batch: WindowMessage[] = [];
  let chars = 0;
  const flush = (): void => {
    if (batch.length > 0) events.push({ type: "messages", messages: batch });
    batch = [];
    chars = 0;
  };
  for (let at = Math.max(0, before.length === 0 ? now.length - MOST : 0); at < now.length; at++) {
    const [old, message] = [before[at], now[at]];
    if (message === undefined || message === old) continue;
    const token = old === undefined ? null : tokenOf(old, message);
    if (token !== null) {
      flush();
      events.push(token);
      continue;
    }
    const shown = toLiveMessage(message, key);
    batch.push(shown);
    chars += JSON.stringify(shown).length;
    if (chars > HISTORY_LIMITS.windowChars) flush();
  }
  flush();
  return events;
}

/** The addition to the message's last text; `null` if anything else changed, or if a window cannot show the text. */
function tokenOf(old: Message, now: Message): ChatEvent | null {
  const block = now.content.length - 1;
  const [before, after] = [old.content[block], now.content[block]];
  const isSame = old.content.length === now.content.length && now.metadata.partial === true;
  if (!isSame || before === undefined || after === undefined) return null;
  if ((before.type !== "text" && before.type !== "thinking") || before.type !== after.type) return null;
  if (!("text" in after) || !after.text.startsWith(before.text)) return null;
  if (after.text.length > HISTORY_LIMITS.textChars) return null;
  if (old.content.slice(0, -1).some((one, at) => one !== now.content[at])) return null;
  const from = before.text.length;
  return { type: "token", sequence: sequenceOf(now), block, from, text: after.text.slice(from) };
}

/** The id differs from the one in the history, because an earlier turn there can have the same id. */
function toLiveMessage(message: Message, key: string): WindowMessage {
  const { message: shown, cuts } = toShownMessage(message, { key });
  const id = `live:${sequenceOf(message)}`;
  const isOpen = message.metadata.partial === true;
  const metadata = { ...shown.metadata, ...(isOpen ? { partial: true } : {}) };
  return { message: { ...shown, id, metadata }, index: null, turnId: id, turn: null, costUsd: null, cuts };
}

function sequenceOf({ metadata }: Message): number {
  return typeof metadata.sequence === "number" ? metadata.sequence : 0;
}

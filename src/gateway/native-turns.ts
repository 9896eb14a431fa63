/** Shows an editor what other programs write into a native session that it has loaded. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import {
  createShownMessages,
  follow,
  noteShown,
  openCatalogSession,
  type ShownMessages,
} from "@continuo/agents/catalog";
import type { Message } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { GATEWAY_LIMITS } from "./limits.ts";
import type { FoundForEditor } from "./look-up.ts";
import { type ReplayOptions, replayOf } from "./replay.ts";

/** The part of a session that the editor was sent. */
export interface NotedReplay extends Pick<ReplayOptions, "ids" | "showsCompactions"> {
  readonly hit: FoundForEditor["hit"];
  readonly shown: ShownMessages;
  /** The calls that have no result yet. */
  readonly open: Map<string, string>;
}

export function noteReplay(parts: Pick<NotedReplay, "hit" | "ids" | "showsCompactions">): NotedReplay {
  return { ...parts, shown: createShownMessages(), open: new Map() };
}

/** The same messages, which are noted as they pass. */
export async function* noting(
  { shown }: NotedReplay,
  messages: AsyncIterable<Message>,
): AsyncGenerator<Message, void, void> {
  for await (const message of messages) {
    noteShown(shown, message);
    yield message;
  }
}

/** Notes the messages that the session has now, as if they had been shown. Errors: those of opening the session. */
export async function noteWritten(replay: NotedReplay, places: PlacesAt): Promise<void> {
  using opened = await openCatalogSession(replay.hit, places);
  const updates = replayOf(noting(replay, opened.history()), { ...replay, isLive: true });
  // The calls among them are noted too, because their results can come later.
  for await (const _ of updates);
}

export interface NativeTurnsOptions {
  readonly places: PlacesAt;
  readonly show: (update: SessionUpdate) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Ends when the signal aborts. Errors: `not_found` when the session is gone. */
export async function followNativeTurns(
  { hit, shown, ...replay }: NotedReplay,
  { places, show, signal }: NativeTurnsOptions,
): Promise<void> {
  const messages = followed(follow(hit, places, { from: shown, pollMs: GATEWAY_LIMITS.nativeMs, signal }));
  // A call without a result may get it with the next messages.
  for await (const update of replayOf(messages, { ...replay, isLive: true })) {
    if (signal.aborted) return;
    await show(update);
  }
}

async function* followed(items: ReturnType<typeof follow>): AsyncGenerator<Message, void, void> {
  for await (const { message } of items) yield message;
}

/**
 * Shows an editor what other programs write into the native session of its open session: an agent's session that it has
 * loaded, or the one in which a session of Continuo's continues. Turns of Continuo are shown as they happen, so what
 * their agent writes about them is left out here.
 */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import {
  createShownMessages,
  follow,
  type LookUpHit,
  locateNative,
  noteShown,
  openCatalogSession,
  type ShownMessages,
} from "@continuo/agents/catalog";
import { isAgentName, type Message, messageOf, type NativeRef } from "@continuo/core/model";
import { messageKind } from "@continuo/core/transcript";
import type { PlacesAt } from "@continuo/files";
import type { CallIds } from "./call-ids.ts";
import { GATEWAY_LIMITS } from "./limits.ts";
import { type ReplayOptions, replayOf } from "./replay.ts";

/** The part of a session that the editor was sent. */
export interface NotedReplay extends Pick<ReplayOptions, "ids" | "showsCompactions"> {
  readonly hit: LookUpHit;
  readonly shown: ShownMessages;
  /** The calls that have no result yet. */
  readonly open: Map<string, string>;
  /** The newest message of a person. */
  prompt: Message | null;
}

export function noteReplay(parts: Pick<NotedReplay, "hit" | "ids" | "showsCompactions">): NotedReplay {
  return { ...parts, shown: createShownMessages(), open: new Map(), prompt: null };
}

/** Passes the messages on, and notes each of them. */
export async function* noting(
  replay: NotedReplay,
  messages: AsyncIterable<Message>,
): AsyncGenerator<Message, void, void> {
  for await (const message of messages) {
    noteShown(replay.shown, message);
    if (messageKind(message) === "person") replay.prompt = message;
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
  readonly ids: () => CallIds;
  readonly showsCompactions: boolean;
  readonly show: (update: SessionUpdate) => Promise<void>;
  /** Waits until no turn is shown. Call the result to let the next one begin. */
  readonly enter: () => Promise<() => void>;
  /** True for a prompt of a program of Continuo. */
  readonly isSent: (message: Message) => Promise<boolean>;
  readonly note: (text: string) => void;
}

interface FollowedFiles {
  /** `AGENT:ID`. */
  readonly key: string;
  readonly stop: AbortController;
}

/** Follows the files of one native session at a time. */
export class NativeTurns {
  readonly #options: NativeTurnsOptions;
  #followed: FollowedFiles | null = null;

  constructor(options: NativeTurnsOptions) {
    this.#options = options;
  }

  get isFollowing(): boolean {
    return this.#followed !== null;
  }

  /** Shows everything that comes after what was shown. */
  follow(replay: NotedReplay): void {
    if (replay.hit.kind !== "native") return;
    void this.#follow(keyOf(replay.hit.native.found), () => Promise.resolve(replay));
  }

  /**
   * Shows everything that comes after what the session has now, unless it is followed already. Resolves when it is
   * read.
   */
  async followIn(ref: NativeRef | null): Promise<void> {
    if (ref === null || !isAgentName(ref.agent)) return this.end();
    const { places, ids, showsCompactions } = this.#options;
    await this.#follow(keyOf(ref), async () => {
      const hit = await locateNative(ref, places);
      if (hit === null) return null;
      const replay = noteReplay({ hit, ids: ids(), showsCompactions });
      await noteWritten(replay, places);
      return replay;
    });
  }

  end(): void {
    this.#followed?.stop.abort();
    this.#followed = null;
  }

  /** Resolves when it follows. Never rejects. */
  async #follow(key: string, begin: () => Promise<NotedReplay | null>): Promise<void> {
    if (this.#followed?.key === key) return;
    this.end();
    const followed = { key, stop: new AbortController() };
    this.#followed = followed;
    const { signal } = followed.stop;
    const failed = (error: unknown): void => {
      if (this.#followed === followed) this.#followed = null;
      if (!signal.aborted) this.#options.note(`turns of others are not shown: ${messageOf(error)}`);
    };
    try {
      const replay = await begin();
      if (signal.aborted) return;
      // The files may be there after a later turn.
      if (replay === null) this.end();
      else this.#show(replay, signal).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  async #show({ hit, shown, prompt, ...replay }: NotedReplay, signal: AbortSignal): Promise<void> {
    const { places, show, enter, isSent } = this.#options;
    let leave: (() => void) | null = null;
    const entered = async (): Promise<void> => {
      leave ??= await enter();
    };
    const left = (): void => {
      leave?.();
      leave = null;
    };
    // The agent of a turn that is shown writes to these files, so nothing is read before the end of the turn.
    const ready = async (): Promise<void> => (await enter())();
    const items = follow(hit, places, { from: shown, pollMs: GATEWAY_LIMITS.nativeMs, ready, signal });
    let isOwn = prompt !== null && (await isSent(prompt));
    const ofOthers = async function* (): AsyncGenerator<Message, void, void> {
      for await (const { message, update } of items) {
        if (messageKind(message) === "person" && update === "new") isOwn = await isSent(message);
        if (!isOwn) yield message;
        left();
      }
    };
    try {
      // A call without a result may get it with the next messages.
      for await (const update of replayOf(ofOthers(), { ...replay, isLive: true })) {
        await entered();
        if (signal.aborted) return;
        await show(update);
      }
    } finally {
      left();
    }
  }
}

function keyOf({ agent, sessionId }: Pick<NativeRef, "agent" | "sessionId">): string {
  return `${agent}:${sessionId}`;
}

/** One channel: its loaded part, its participants, and the connection that receives new events. */

import {
  type AgenticClient,
  type ChannelWatch,
  type ClientEvent,
  connect,
  type Participant,
  watch,
} from "@continuo/core/client";
import { type Channel, EMPTY_CHANNEL, foldEvent, foldWindow } from "@continuo/core/client/channel";
import { createIds, isContinuoError } from "@continuo/core/model";
import { type ChannelHead, type ChannelMessage, isName, type MessagesWindow } from "@continuo/core/wire";
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { passSecret } from "../state/pass.ts";
import { proveServer } from "../state/prove-server.ts";
import { ask, sayError } from "../state/server.ts";
import { channelPath } from "./paths.ts";
import { type Row, toRows } from "./rows.ts";
import { keepName, keptName } from "./your-name.ts";

/** The delay after which the server learns that the reader reached the end. */
const COMMIT_MS = 1_000;
/** Messages in a window. */
const WINDOW = 60;

function messagePath(messageId: string): string {
  return `/messages/${encodeURIComponent(messageId)}`;
}

export class ChannelState {
  readonly name: string;
  readonly head: Signal<ChannelHead | null> = signal(null);
  readonly roster: Signal<readonly Participant[]> = signal([]);
  readonly connection: Signal<"connecting" | "open" | "lost"> = signal("connecting");
  /** The reason why nothing can be shown, or why the last action failed. */
  readonly failure: Signal<string | null> = signal(null);
  readonly loading: Signal<boolean> = signal(true);
  /** Threads that the reader opened or closed, by the id of their first message. */
  readonly folds: Signal<ReadonlyMap<string, boolean>> = signal(new Map());
  /** The sequence up to which the reader had seen everything. */
  readonly seen: Signal<number | null> = signal(null);
  /** The place to which the list scrolls next; `null` when it has arrived there. */
  readonly goal: Signal<{ readonly to: "end" } | { readonly to: "message"; readonly id: string } | null> =
    signal(null);
  /** The name under which this reader writes; `null` before one is chosen. */
  readonly handle: Signal<string | null> = signal(null);
  /** `elsewhere`: an agent is in the channel under this name. */
  readonly presence: Signal<"none" | "here" | "elsewhere"> = signal("none");
  /** The reason why the server cannot remember what was read. */
  readonly degraded: Signal<string | null> = signal(null);
  readonly replyTo: Signal<ChannelMessage | null> = signal(null);
  readonly isSending: Signal<boolean> = signal(false);
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly #channel: Signal<Channel> = signal(EMPTY_CHANNEL);
  readonly #messages: ReadonlySignal<readonly ChannelMessage[]>;
  readonly #over = new AbortController();
  readonly #newId = createIds({
    now: () => Date.now(),
    random: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
  #again = new AbortController();
  #joined: AgenticClient | null = null;
  /** The newest sequence up to which every event was received. */
  #position = 0;
  #committing: ReturnType<typeof setTimeout> | undefined;
  /** A message that was sent and not confirmed. If it is sent again, it has the same id, so that it is stored once. */
  #unsent: { readonly id: string; readonly content: string; readonly replyTo: string | undefined } | null =
    null;
  #isReadingOlder = false;
  /** Events that arrive while the end is loaded again. */
  #meanwhile: ClientEvent[] | null = null;

  constructor(name: string) {
    this.name = name;
    this.#messages = computed(() => this.#channel.value.messages);
    const notices = computed(() => this.#channel.value.notices);
    this.rows = computed(() =>
      toRows(this.#messages.value, notices.value, { folds: this.folds.value, seen: this.seen.value }),
    );
  }

  get hasOlder(): boolean {
    return this.#channel.value.hasOlder;
  }

  get hasNewer(): boolean {
    return this.#channel.value.hasNewer;
  }

  /** The text of an unfinished message. A token of the answer changes only this signal. */
  openText(messageId: string): string {
    return this.#channel.value.open.get(messageId)?.text ?? "";
  }

  message(messageId: string): ChannelMessage | undefined {
    return this.#messages.value.find((one) => one.messageId === messageId);
  }

  async open(): Promise<void> {
    try {
      const { signal: stop } = this.#over;
      const head = await ask<ChannelHead>(channelPath(this.name), { signal: stop });
      const window = await this.#read("");
      const handle = head.handle ?? (await keptName());
      batch(() => {
        this.head.value = head;
        this.handle.value = handle;
        this.roster.value = head.roster;
        this.#show(foldWindow(this.#channel.value, window, "instead"));
        this.loading.value = false;
        this.goal.value = { to: "end" };
      });
      await this.#follow(window.sequence);
    } catch (error) {
      if (this.#over.signal.aborted) return;
      this.failure.value = sayError(error);
      this.loading.value = false;
    }
  }

  close(): void {
    clearTimeout(this.#committing);
    this.#over.abort();
  }

  get canWrite(): boolean {
    return this.head.value?.access.includes("write") === true;
  }

  /** Joins and writes under this name from now on. */
  setName(name: string): void {
    if (name === this.handle.value || !isName(name)) return;
    keepName(name);
    this.handle.value = name;
    this.seen.value = null;
    this.#again.abort();
  }

  /** Resolves to true if the message is stored. */
  async send(content: string): Promise<boolean> {
    const handle = this.handle.value;
    if (handle === null || this.isSending.value) return false;
    const replyTo = this.replyTo.value?.messageId;
    const isSame = this.#unsent?.content === content && this.#unsent.replyTo === replyTo;
    const message = isSame && this.#unsent !== null ? this.#unsent : { id: this.#newId(), content, replyTo };
    this.#unsent = message;
    this.isSending.value = true;
    const isSent = await this.#guarded(async () => {
      await ask(channelPath(this.name, "/messages"), { body: { handle, ...message } });
    });
    this.isSending.value = false;
    if (!isSent) return false;
    this.#unsent = null;
    this.replyTo.value = null;
    if (replyTo === undefined) await this.showNewest();
    return true;
  }

  /** A reader without a name can change nothing. */
  get canReact(): boolean {
    return this.canWrite && this.handle.value !== null;
  }

  isOwn({ handle }: ChannelMessage): boolean {
    return handle !== null && handle === this.handle.value;
  }

  hasReacted({ reactions = [] }: ChannelMessage, reaction: string): boolean {
    const { value: handle } = this.handle;
    return (
      handle !== null && reactions.some((one) => one.reaction === reaction && one.handles.includes(handle))
    );
  }

  /** Resolves to true if the new text is stored; the page shows the text when its event arrives. */
  edit({ messageId }: ChannelMessage, content: string): Promise<boolean> {
    return this.#change(messagePath(messageId), { method: "PUT", body: { content } });
  }

  remove({ messageId }: ChannelMessage): Promise<boolean> {
    return this.#change(messagePath(messageId), { method: "DELETE" });
  }

  /** Adds the reader's reaction, or takes it back. */
  react(message: ChannelMessage, reaction: string): Promise<boolean> {
    const path = `${messagePath(message.messageId)}/reactions/${encodeURIComponent(reaction)}`;
    return this.#change(path, { method: this.hasReacted(message, reaction) ? "DELETE" : "PUT" });
  }

  async #change(
    path: string,
    { method, body }: { readonly method: "PUT" | "DELETE"; readonly body?: object },
  ): Promise<boolean> {
    const { value: handle } = this.handle;
    if (handle === null) return false;
    const query = body === undefined ? `?handle=${encodeURIComponent(handle)}` : "";
    return await this.#guarded(async () => {
      const asking = body === undefined ? { method } : { method, body: { handle, ...body } };
      await ask(channelPath(this.name, `${path}${query}`), asking);
    });
  }

  /** Called when the reader sees the end: everything before it has been read. */
  sawEnd(): void {
    if (this.#joined === null || document.visibilityState !== "visible") return;
    this.#committing ??= setTimeout(() => {
      this.#committing = undefined;
      // If it fails, the next commit includes the position.
      this.#joined?.commitCheckpoint(this.#position).catch(() => undefined);
    }, COMMIT_MS);
  }

  async loadOlder(): Promise<void> {
    const first = this.#messages.value[0];
    if (this.#isReadingOlder || first === undefined || !this.hasOlder) return;
    this.#isReadingOlder = true;
    await this.#guarded(async () => {
      const window = await this.#read(`&before=${first.sequence}`);
      this.#show(foldWindow(this.#channel.value, window, "older"));
    });
    this.#isReadingOlder = false;
  }

  /** Shows the end of the channel, and loads it if necessary. */
  async showNewest(): Promise<void> {
    if (this.hasNewer) {
      await this.#guarded(async () => {
        this.#meanwhile = [];
        const window = foldWindow(this.#channel.value, await this.#read(""), "instead");
        this.#show(this.#meanwhile.reduce(foldEvent, window));
      });
      this.#meanwhile = null;
    }
    this.goal.value = { to: "end" };
  }

  fold(root: string, isOpen: boolean): void {
    this.folds.value = new Map(this.folds.value).set(root, isOpen);
  }

  /** Goes to a message, and opens its thread. */
  showMessage(messageId: string, root: string): void {
    batch(() => {
      this.fold(root, true);
      this.goal.value = { to: "message", id: messageId };
    });
  }

  /** Opens one connection after another; each continues where the last one ended. */
  async #follow(from: number): Promise<void> {
    const over = this.#over.signal;
    this.#position = from;
    while (!over.aborted) {
      this.#again = new AbortController();
      const stop = AbortSignal.any([over, this.#again.signal]);
      try {
        const client = await this.#connect(stop);
        try {
          this.roster.value = client.roster();
          for await (const event of client.events({ parts: true, signal: stop })) {
            this.#take(event, client);
            if (event.type === "presence" && this.#isNameFree()) this.#again.abort();
          }
        } finally {
          this.#joined = null;
          await client.close();
        }
      } catch (error) {
        if (!stop.aborted) throw error;
      }
    }
  }

  /**
   * Connects under the reader's name if it may write and the name is free; otherwise as a reader that the roster does
   * not show.
   */
  async #connect(stop: AbortSignal): Promise<ChannelWatch> {
    const options = {
      serverUrl: location.origin,
      token: passSecret(),
      channel: this.name,
      after: this.#start(),
      signal: stop,
      onWarning: () => undefined,
      onConnection: (connection: "open" | "lost") => {
        this.connection.value = connection;
        if (connection === "open") void proveServer();
      },
    };
    const handle = this.handle.value;
    const workspaceId = this.head.value?.workspaceId;
    this.presence.value = "none";
    this.degraded.value = null;
    if (handle === null || !this.canWrite) return await watch(options);
    try {
      const client = await connect({ ...options, handle, workspaceId, replayMode: "stream" });
      this.#joined = client;
      this.presence.value = "here";
      this.degraded.value = client.degraded ?? null;
      this.seen.value ??= client.checkpoint ?? null;
      return client;
    } catch (error) {
      if (!isContinuoError(error, "handle_taken")) throw error;
      this.presence.value = "elsewhere";
      return await watch(options);
    }
  }

  /** True if the agent under this reader's name has left, so that this page can have the name. */
  #isNameFree(): boolean {
    const isThere = this.roster.value.some(({ handle }) => handle === this.handle.value);
    return this.presence.value === "elsewhere" && !isThere;
  }

  /** The sequence before the first unfinished message, so that the connection receives it. */
  #start(): number {
    const open = this.#messages.value.find(({ state }) => state === "open");
    return Math.min(this.#position, (open?.sequence ?? Number.POSITIVE_INFINITY) - 1);
  }

  #take(event: ClientEvent, client: Pick<ChannelWatch, "roster">): void {
    this.#position = Math.max(this.#position, event.sequence ?? 0);
    if (event.type === "presence") this.roster.value = client.roster();
    else {
      this.#meanwhile?.push(event);
      this.#show(foldEvent(this.#channel.value, event));
    }
  }

  #read(query: string): Promise<MessagesWindow> {
    const path = channelPath(this.name, `/messages?limit=${WINDOW}${query}`);
    return ask<MessagesWindow>(path, { signal: this.#over.signal });
  }

  #show(channel: Channel): void {
    this.#channel.value = channel;
  }

  async #guarded(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.failure.value = null;
      return true;
    } catch (error) {
      if (!this.#over.signal.aborted) this.failure.value = sayError(error);
      return false;
    }
  }
}

/** A bare client of the agent host: requests, actions in their order, and the states that they make. */

import { WebSocket } from "ws";
import { reduceChat } from "../../packages/server/src/ahp/chat-reducer.ts";
import type {
  ActionEnvelope,
  ChatAction,
  ChatState,
  SessionAction,
  SessionState,
  Snapshot,
} from "../../packages/server/src/ahp/protocol.ts";
import { reduceSession } from "../../packages/server/src/ahp/session-reducer.ts";

interface Told {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

type Recovered = readonly (readonly [channel: string, kind: string])[];

class AhpTestError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class AhpClient {
  readonly #url: string;
  readonly #token: string;
  readonly clientId: string;
  #socket: WebSocket | null = null;
  readonly #waiting = new Map<number, Waiting>();
  readonly #looks = new Set<() => void>();
  #ids = 0;
  #clientSeq = 0;
  lastSeen = 0;
  readonly told: Told[] = [];
  readonly envelopes: ActionEnvelope[] = [];
  readonly states: Map<string, { state: SessionState | ChatState; seq: number }> = new Map();
  readonly faults: string[] = [];

  /** @param url of a server, or `unix:PATH` for the socket of a viewer, which wants no token */
  constructor(url: string, token: string, clientId: string) {
    const isSocket = url.startsWith("unix:");
    this.#url = isSocket ? `ws+${url}:/` : `${url.replace(/^http/u, "ws")}/v1/ahp`;
    this.#token = token;
    this.clientId = clientId;
  }

  /** Rejects where the server refuses the socket. */
  connect(): Promise<void> {
    const socket = new WebSocket(this.#url, { headers: { authorization: `Bearer ${this.#token}` } });
    this.#socket = socket;
    socket.on("message", (data) => {
      if (socket === this.#socket) this.#receive(JSON.parse(String(data)));
    });
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve());
      socket.once("error", reject);
      socket.on("error", () => undefined);
    });
  }

  /** Breaks the connection without a closing frame. */
  cut(): void {
    this.#socket?.terminate();
    this.#socket = null;
    for (const { reject } of this.#waiting.values()) reject(new Error("the connection was cut"));
    this.#waiting.clear();
  }

  [Symbol.dispose](): void {
    this.cut();
  }

  async open(
    protocolVersions: readonly string[] = ["0.9.0", "0.7.0"],
  ): Promise<{ readonly snapshots: readonly Snapshot[]; readonly protocolVersion: string }> {
    await this.connect();
    const result = await this.ask<{
      serverSeq: number;
      snapshots: readonly Snapshot[];
      protocolVersion: string;
    }>("initialize", {
      channel: "ahp-root://",
      protocolVersions,
      clientId: this.clientId,
      clientInfo: { name: `test ${this.clientId}` },
      initialSubscriptions: ["ahp-root://"],
    });
    this.lastSeen = result.serverSeq;
    return result;
  }

  async reconnect(): Promise<"replay" | "snapshot"> {
    await this.connect();
    interface Missed {
      readonly type: "replay" | "snapshot";
      readonly actions: readonly ActionEnvelope[];
      readonly snapshots: readonly Snapshot[];
    }
    const params = {
      channel: "ahp-root://",
      clientId: this.clientId,
      lastSeenServerSeq: this.lastSeen,
      subscriptions: ["ahp-root://", ...this.states.keys()],
    };
    const result = await this.ask<Missed>("reconnect", params, ({ type, actions, snapshots }) => {
      if (type === "replay") for (const envelope of actions) this.#apply(envelope);
      else for (const one of snapshots) this.#keep(one);
    });
    return result.type;
  }

  /** Reconnects with a cursor for each channel. Returns how each channel was recovered, by its name. */
  async recover(more: readonly { channel: string; lastSeenServerSeq: number }[] = []): Promise<Recovered> {
    await this.connect();
    interface Recovery {
      readonly kind: "replay" | "snapshot" | "missing";
      readonly channel: string;
      readonly actions?: readonly ActionEnvelope[];
      readonly snapshot?: Snapshot;
    }
    const own = [...this.states].map(([channel, { seq }]) => ({ channel, lastSeenServerSeq: seq }));
    const subscriptions = [...own, ...more];
    const params = { channel: "ahp-root://", clientId: this.clientId, subscriptions };
    const { channels } = await this.ask<{ channels: readonly Recovery[] }>("reconnect", params, (result) => {
      this.lastSeen = Math.min(...own.map(({ lastSeenServerSeq }) => lastSeenServerSeq));
      const actions = result.channels.flatMap((one) => one.actions ?? []);
      for (const one of actions.toSorted((a, b) => a.serverSeq - b.serverSeq)) this.#apply(one);
      for (const { snapshot } of result.channels) if (snapshot !== undefined) this.#keep(snapshot);
    });
    return channels.map(({ channel, kind }) => [channel, kind] as const);
  }

  /** @param take called with the result before the next message is handled */
  ask<T>(method: string, params: object, take?: (result: T) => void): Promise<T> {
    this.#ids += 1;
    const id = this.#ids;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {
        resolve: (result: T) => {
          take?.(result);
          resolve(result);
        },
        reject,
      } as Waiting);
      this.#socket?.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  async subscribe(channel: string, view?: { readonly turns: number }): Promise<Snapshot> {
    const { snapshot } = await this.ask<{ snapshot: Snapshot }>(
      "subscribe",
      view === undefined ? { channel } : { channel, view },
      ({ snapshot: one }) => this.#keep(one),
    );
    return snapshot;
  }

  /** Subscribes to the session and its chat. Returns the channel of the chat. */
  async look(session: string): Promise<string> {
    await this.subscribe(session);
    const chat = this.session(session).defaultChat ?? "";
    await this.subscribe(chat);
    return chat;
  }

  dispatch(channel: string, action: object): number {
    this.#clientSeq += 1;
    const params = { channel, clientSeq: this.#clientSeq, action };
    this.#socket?.send(JSON.stringify({ jsonrpc: "2.0", method: "dispatchAction", params }));
    return this.#clientSeq;
  }

  say(chat: string, text: string, turnId: string): number {
    const message = { text, origin: { kind: "user" } };
    const startedAt = new Date().toISOString();
    return this.dispatch(chat, { type: "chat/turnStarted", turnId, startedAt, message });
  }

  chat(channel: string): ChatState {
    return this.states.get(channel)?.state as ChatState;
  }

  session(channel: string): SessionState {
    return this.states.get(channel)?.state as SessionState;
  }

  /** Resolves when the condition is true; it is checked after each message. Rejects after 20 s. */
  until(isSo: () => boolean, what: string = String(isSo)): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#looks.delete(look);
        reject(new Error(`not within 20 s: ${what}\n${JSON.stringify(this.envelopes.slice(-8))}`));
      }, 20_000);
      const look = (): void => {
        if (!isSo()) return;
        this.#looks.delete(look);
        clearTimeout(timer);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  /** Resolves with the echo of an action of this client. */
  async echo(clientSeq: number): Promise<ActionEnvelope> {
    const find = (): ActionEnvelope | undefined =>
      this.envelopes.find(
        ({ origin }) => origin?.clientId === this.clientId && origin.clientSeq === clientSeq,
      );
    await this.until(() => find() !== undefined, `an echo of ${clientSeq}`);
    return find() as ActionEnvelope;
  }

  #keep({ resource, state, fromSeq }: Snapshot): void {
    if (resource === "ahp-root://") return;
    this.states.set(resource, { state: state as SessionState | ChatState, seq: fromSeq });
    this.lastSeen = Math.max(this.lastSeen, fromSeq);
  }

  #receive(message: {
    id?: number;
    result?: never;
    error?: { code: number; message: string };
    method?: string;
    params?: Readonly<Record<string, unknown>>;
  }): void {
    const { id, result, error, method, params = {} } = message;
    if (method === undefined) {
      const waiting = this.#waiting.get(id ?? -1);
      this.#waiting.delete(id ?? -1);
      if (error === undefined) waiting?.resolve(result as never);
      else if (waiting === undefined) this.told.push({ method: "error", params: { ...error } });
      else waiting.reject(new AhpTestError(error));
    } else if (method === "action") this.#apply(params as unknown as ActionEnvelope);
    else this.told.push({ method, params });
    // The checks run after the code that waits for the answer.
    setImmediate(() => {
      for (const look of this.#looks) look();
    });
  }

  #apply(envelope: ActionEnvelope): void {
    const { channel, action, serverSeq, rejectionReason } = envelope;
    if (this.envelopes.some((one) => one.serverSeq === serverSeq))
      this.faults.push(`${serverSeq} came twice`);
    if (serverSeq <= this.lastSeen && (this.states.get(channel)?.seq ?? 0) < serverSeq)
      this.faults.push(`${serverSeq} came after ${this.lastSeen}`);
    this.envelopes.push(envelope);
    this.lastSeen = Math.max(this.lastSeen, serverSeq);
    const known = this.states.get(channel);
    if (known === undefined || rejectionReason !== undefined || serverSeq <= known.seq) return;
    known.seq = serverSeq;
    known.state = action.type.startsWith("chat/")
      ? reduceChat(known.state as ChatState, action as ChatAction)
      : reduceSession(known.state as SessionState, action as SessionAction);
  }
}

/** The text of the agent in the turn. */
export function textOfParts({ responseParts }: Pick<ChatState["turns"][number], "responseParts">): string {
  return responseParts.map((part) => (part.kind === "markdown" ? part.content : "")).join("");
}

/** The prompts of persons, in their order. Notices of an interrupted run are turns without an author. */
export function promptsIn({ turns, activeTurn }: ChatState): readonly string[] {
  return [...turns, ...(activeTurn === undefined ? [] : [activeTurn])].flatMap(({ message }) =>
    message.origin.kind === "user" ? [message.text] : [],
  );
}

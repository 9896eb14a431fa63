/** A proxy between VS Code and the socket of an agent host, which breaks connections and folds what comes through them. */

import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { WebSocket, WebSocketServer } from "ws";
import { reduceChat } from "../../packages/server/src/ahp/chat-reducer.ts";
import type {
  ActionEnvelope,
  ChatAction,
  ChatState,
  Snapshot,
} from "../../packages/server/src/ahp/protocol.ts";
import { scratchFolder } from "../scratch-folder.ts";

/** The state that the messages of one window make. */
export interface WindowState {
  chat: ChatState | null;
  seq: number;
  reconnects: number;
}

export interface HostProxy extends AsyncDisposable {
  readonly socket: string;
  /** The windows, by the ids of their clients. */
  readonly windows: ReadonlyMap<string, WindowState>;
  /** Windows whose connection was answered. */
  readonly connected: number;
  /** Breaks every connection without a goodbye. */
  cut(): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: {
    readonly snapshot?: Snapshot;
    readonly snapshots?: readonly Snapshot[];
    readonly actions?: readonly ActionEnvelope[];
  };
}

/** @param chat the channel that is folded */
export async function startProxy(target: string, chat: string): Promise<HostProxy> {
  const windows = new Map<string, WindowState>();
  const pairs = new Map<WebSocket, WebSocket>();
  const answered = new Set<WebSocket>();
  const path = join(scratchFolder("proxy"), "host");
  const listening = await listen(path, target, (window, host) => {
    pairs.set(window, host);
    const asked = new Map<number, string>();
    let state: WindowState | null = null;
    window.on("message", (data) => {
      const text = String(data);
      const { id, method, params } = JSON.parse(text) as Message;
      if (method === "initialize" || method === "reconnect") {
        state = stateOf(windows, String(params?.clientId));
        if (method === "reconnect") state.reconnects += 1;
      }
      if (id !== undefined && method !== undefined) asked.set(id, method);
      host.send(text);
    });
    host.on("message", (data) => {
      const text = String(data);
      const message = JSON.parse(text) as Message;
      if (state !== null) fold(state, message, chat);
      const method = asked.get(message.id ?? -1);
      if (method === "initialize" || method === "reconnect") answered.add(window);
      window.send(text);
    });
    const end = (): void => {
      pairs.delete(window);
      answered.delete(window);
      window.terminate();
      host.terminate();
    };
    for (const one of [window, host]) one.on("close", end).on("error", end);
  });
  const cut = (): void => {
    for (const window of pairs.keys()) window.terminate();
  };
  return {
    socket: path,
    windows,
    get connected() {
      return answered.size;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => listening.close(resolve));
    },
  };
}

function stateOf(windows: Map<string, WindowState>, clientId: string): WindowState {
  const known = windows.get(clientId) ?? { chat: null, seq: 0, reconnects: 0 };
  windows.set(clientId, known);
  return known;
}

function fold(state: WindowState, { method, params, result }: Message, chat: string): void {
  const told = method === "action" ? [params as unknown as ActionEnvelope] : (result?.actions ?? []);
  for (const { channel, action, serverSeq, rejectionReason } of told) {
    if (channel !== chat || state.chat === null || rejectionReason !== undefined || serverSeq <= state.seq)
      continue;
    state.chat = reduceChat(state.chat, action as ChatAction);
    state.seq = serverSeq;
  }
  for (const one of [
    ...(result?.snapshots ?? []),
    ...(result?.snapshot === undefined ? [] : [result.snapshot]),
  ])
    if (one.resource === chat) {
      state.chat = one.state as ChatState;
      state.seq = one.fromSeq;
    }
}

/**
 * A window is accepted only after the host has accepted the connection, and refused if the host refuses it, as without a
 * proxy: VS Code tries again after a refusal, but waits for ever if a new connection is accepted and closed at once.
 */
async function listen(
  path: string,
  target: string,
  onPair: (window: WebSocket, host: WebSocket) => void,
): Promise<Server> {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer();
  server.on("upgrade", (request, socket, head) => {
    const host = new WebSocket(`ws+unix:${target}:/`);
    host.once("error", () => socket.destroy());
    host.once("open", () => sockets.handleUpgrade(request, socket, head, (window) => onPair(window, host)));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

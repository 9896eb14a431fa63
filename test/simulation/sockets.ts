/**
 * A network of WebSockets: frames of one connection arrive in their order; connections are cut, and some only become
 * silent. The server's end has the parts of `ws` that our connections use; the client's end is that of a browser.
 */

import { EventEmitter } from "node:events";
import type { WelcomeFrame } from "@continuo/core/wire";
import type { SimulatedProcess, World } from "./world.ts";

/** The server's end of a connection. */
export interface ServerEnd {
  readonly socket: EventEmitter;
  readonly stream: EventEmitter;
}

export interface Listener {
  readonly process: SimulatedProcess;
  readonly accept: (channel: string, end: ServerEnd) => void;
}

interface Wire {
  state: "open" | "silent" | "over";
  readonly client: SimulatedProcess;
  readonly server: SimulatedProcess;
}

export class SocketNetwork {
  readonly #world: World;
  readonly #listeners: Listener[] = [];
  readonly #wires = new Set<{ readonly wire: Wire; readonly end: () => void }>();

  constructor(world: World) {
    this.#world = world;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Cuts a connection, or makes it silent, so that neither side notices. */
  disturb(): void {
    const wires = [...this.#wires].filter(({ wire }) => wire.state === "open");
    if (wires.length === 0) return;
    const { wire, end } = this.#world.random.pick(wires);
    const isSilent = this.#world.random.chance(0.4);
    this.#world.note(
      `${this.#world.elapsedMs} the connection of ${wire.client.name} ${isSilent ? "falls silent" : "is cut"}`,
    );
    if (isSilent) wire.state = "silent";
    else end();
  }

  /** The class that a client finds as `WebSocket`. */
  webSocketOf(client: SimulatedProcess, onWelcome: (welcome: WelcomeFrame) => void): unknown {
    const open = (url: string, end: ClientEnd): void => this.#open(client, url, end);
    return class extends ClientEnd {
      constructor(url: string) {
        super();
        this.onWelcome = onWelcome;
        open(url, this);
      }
    };
  }

  #open(client: SimulatedProcess, url: string, clientEnd: ClientEnd): void {
    const world = this.#world;
    const alive = this.#listeners.filter(({ process }) => process.state === "alive");
    if (alive.length === 0) {
      world.send({ owner: client, label: "is refused", deliver: () => clientEnd.closed(1006) });
      return;
    }
    const { process: server, accept } = world.random.pick(alive);
    const wire: Wire = { state: "open", client, server };
    const up = {};
    const down = {};
    const send = (owner: SimulatedProcess, label: string, deliver: () => void): void => {
      const lane = owner === server ? up : down;
      world.send({
        owner,
        label,
        lane,
        deliver: () => {
          if (wire.state === "open") deliver();
        },
      });
    };
    const serverSide = new ServerSocket((label, deliver) => send(client, label, deliver), clientEnd);
    /** Ends the connection. On a silent connection, only the side that gives up knows that it has ended. */
    const over = (code: number, side: "client" | "server" | "both" = "both"): void => {
      const both = side === "both" || wire.state !== "silent";
      if (both) {
        wire.state = "over";
        this.#wires.delete(entry);
      }
      if (both || side === "client")
        world.send({ owner: client, label: "loses its socket", deliver: () => clientEnd.closed(code) });
      if (both || side === "server")
        world.send({ owner: server, label: "loses a socket", deliver: () => serverSide.closed(code) });
    };
    const entry = { wire, end: () => over(1006) };
    this.#wires.add(entry);
    for (const process of [client, server]) process.onKill.push(() => over(1006));
    serverSide.ended = (code) => {
      // Frames that were sent earlier arrive first.
      if (code === undefined || wire.state !== "open") over(1006, "server");
      else send(client, "is told to close", () => over(code));
    };
    clientEnd.connected({
      send: (text) => send(server, "hears", () => serverSide.heard(text)),
      close: (code) => {
        if (wire.state !== "open") over(code, "client");
        else send(server, "hears an end", () => over(code));
      },
    });
    send(server, "accepts", () => {
      accept(decodeURIComponent(/channels\/([^/]+)\/ws/u.exec(url)?.[1] ?? ""), {
        socket: serverSide,
        stream: serverSide.stream,
      });
      send(client, "is connected", () => clientEnd.opened());
    });
  }
}

interface Transport {
  readonly send: (text: string) => void;
  readonly close: (code: number) => void;
}

class ClientEnd extends EventTarget {
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { readonly data: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  onclose: ((event: { readonly code: number }) => void) | null = null;
  onWelcome: ((welcome: WelcomeFrame) => void) | null = null;
  #transport: Transport | undefined;

  connected(transport: Transport): void {
    this.#transport = transport;
  }

  opened(): void {
    if (this.readyState !== 0) return;
    this.readyState = 1;
    this.onopen?.();
    this.dispatchEvent(new Event("open"));
  }

  heard(data: string): void {
    if (this.readyState !== 1) return;
    if (data.startsWith('{"type":"hello"')) this.onWelcome?.(JSON.parse(data) as WelcomeFrame);
    this.onmessage?.({ data });
  }

  send(text: string): void {
    if (this.readyState === 1) this.#transport?.send(text);
  }

  close(code = 1000): void {
    if (this.readyState >= 2) return;
    this.readyState = 2;
    this.#transport?.close(code);
  }

  closed(code: number): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code });
    this.dispatchEvent(new Event("close"));
  }
}

/** The parts of the class of `ws` that our connections use. */
class ServerSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;
  /** Ends the connection; without a code, at once. */
  ended: (code?: number) => void = () => undefined;
  readonly stream: EventEmitter;
  readonly #held: string[] = [];
  readonly #down: (label: string, deliver: () => void) => void;
  readonly #client: ClientEnd;

  constructor(down: (label: string, deliver: () => void) => void, client: ClientEnd) {
    super();
    this.#down = down;
    this.#client = client;
    const write = (bytes: Buffer): boolean => {
      this.send(textIn(bytes));
      return true;
    };
    this.stream = Object.assign(new EventEmitter(), { write, writableLength: 0 });
  }

  heard(text: string): void {
    if (this.readyState !== 1) return;
    if (this.isPaused) this.#held.push(text);
    else this.emit("message", Buffer.from(text), false);
  }

  send(text: string): void {
    if (this.readyState === 1) this.#down("is told", () => this.#client.heard(text));
  }

  pong(): void {
    // The simulation sends no pings.
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    while (!this.isPaused && this.#held.length > 0) this.heard(this.#held.shift() ?? "");
  }

  close(code = 1005): void {
    if (this.readyState !== 1) return;
    this.readyState = 2;
    this.ended(code);
  }

  terminate(): void {
    if (this.readyState === 3) return;
    this.readyState = 2;
    this.ended();
  }

  closed(code: number): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.emit("close", code);
  }
}

/** The text of one frame that is not masked. */
function textIn(bytes: Buffer): string {
  const length = bytes[1] ?? 0;
  return bytes.toString("utf8", length < 126 ? 2 : length === 126 ? 4 : 10);
}

/**
 * Strangers: connections that have shown no token yet. There is a limit for each network, and one for all networks
 * together.
 */

import type { Socket } from "node:net";
import { LIMITS } from "../context/index.ts";
import { networkOf, plainAddress } from "./addresses.ts";
import type { TrustedProxies } from "./proxies.ts";

interface Stranger {
  readonly network: string;
  readonly sinceMs: number;
}

export interface StrangerLimits {
  readonly strangers: number;
  readonly strangersOfNetwork: number;
  /** A connection younger than this is not closed for a newer one. */
  readonly strangerGraceMs: number;
}

export class Strangers {
  readonly #all = new Map<Socket, Stranger>();
  readonly #byNetwork = new Map<string, Set<Socket>>();
  readonly #proxies: TrustedProxies;
  readonly #limits: StrangerLimits;
  readonly #onCrowd: (address: string) => void;

  /**
   * @param onCrowd is called with the address of each new connection that has no room, so that an older connection or
   * the new one is closed
   */
  constructor(
    proxies: TrustedProxies,
    limits: StrangerLimits = LIMITS,
    onCrowd: (address: string) => void = () => undefined,
  ) {
    this.#proxies = proxies;
    this.#limits = limits;
    this.#onCrowd = onCrowd;
  }

  get count(): number {
    return this.#all.size;
  }

  /**
   * Accepts a new connection. If there is no room, closes the oldest connection; if even this one is younger than
   * `strangerGraceMs`, closes the new connection.
   */
  meet(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? "");
    const network = networkOf(address);
    const ofNetwork = this.#byNetwork.get(network) ?? new Set();
    const { strangers, strangersOfNetwork } = this.#limits;
    // All clients behind a trusted proxy have its address, so the limit for a network does not apply to them.
    const isNetworkFull = !this.#proxies.has(address) && ofNetwork.size >= strangersOfNetwork;
    if (isNetworkFull || this.#all.size >= strangers) this.#onCrowd(address);
    if (isNetworkFull && !this.#closeOldest(ofNetwork)) {
      socket.destroy();
      return;
    }
    if (this.#all.size >= strangers && !this.#closeOldest(this.#all.keys())) {
      socket.destroy();
      return;
    }
    this.#all.set(socket, { network, sinceMs: performance.now() });
    ofNetwork.add(socket);
    this.#byNetwork.set(network, ofNetwork);
    socket.once("close", () => this.know(socket));
  }

  /** Stops counting a connection, because a token was accepted on it, or because it was closed. */
  know(socket: Socket): void {
    const stranger = this.#all.get(socket);
    if (stranger === undefined) return;
    this.#all.delete(socket);
    const ofNetwork = this.#byNetwork.get(stranger.network);
    ofNetwork?.delete(socket);
    if (ofNetwork?.size === 0) this.#byNetwork.delete(stranger.network);
  }

  /** Returns true if there is room now. */
  #closeOldest(sockets: Iterable<Socket>): boolean {
    const [oldest] = sockets;
    const stranger = oldest === undefined ? undefined : this.#all.get(oldest);
    if (oldest === undefined || stranger === undefined) return false;
    if (performance.now() - stranger.sinceMs < this.#limits.strangerGraceMs) return false;
    oldest.destroy();
    this.know(oldest);
    return true;
  }
}

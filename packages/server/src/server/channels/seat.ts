/**
 * The handle of a connection of this server: its lease is renewed while the connection is alive, and nobody on this
 * server takes it in the meantime.
 */

import { ContinuoError, isContinuoError, type Store } from "@continuo/core/model";
import { CHANNEL_LIMITS } from "@continuo/core/wire";
import {
  awaitReturn,
  type Card,
  type ConnectionRef,
  type Fence,
  leaveChannel,
  renewHandle,
  rivalOf,
} from "@continuo/store/channels";
import { LIMITS } from "./limits.ts";

export interface SeatOptions {
  readonly store: Store;
  readonly place: ConnectionRef;
  /** The `connect()` that has the handle. */
  readonly card: Card;
  readonly fence: Fence;
  /** Returns true if the other side sent something recently. */
  readonly isAlive: () => boolean;
  /** The time since the other side sent something. */
  readonly silentMs: () => number;
  /** Called once when somebody else has the lease. */
  readonly onLost: (lost: SeatLoss) => void;
}

export interface SeatLoss {
  readonly cause: unknown;
  /** Another participant has the handle; otherwise this one may return. */
  readonly isTaken: boolean;
}

/** The use that a connection makes of its handle. */
export interface SeatUse extends Pick<SeatOptions, "isAlive" | "silentMs" | "onLost"> {
  /** Called as soon as the handle is taken, because the next steps may take longer than the lease. */
  readonly onTaken: (seat: Seat) => void;
}

export class Seat {
  readonly #options: SeatOptions;
  #renewing: Promise<void> | null = null;
  #renewedAt: number = performance.now();
  #isLost = false;

  constructor(options: SeatOptions) {
    this.#options = options;
  }

  get store(): Store {
    return this.#options.store;
  }

  get fence(): Fence {
    return this.#options.fence;
  }

  get card(): Card {
    return this.#options.card;
  }

  get isAlive(): boolean {
    return !this.#isLost && this.#options.isAlive();
  }

  /** The time after which a connection counts as lost, if a heartbeat is already missing. */
  get leftMs(): number | undefined {
    const silentMs = this.#options.silentMs();
    return silentMs < LIMITS.settleMs ? undefined : Math.max(0, CHANNEL_LIMITS.silenceMs - silentMs);
  }

  /** Never rejects: if the store does not answer now, it may answer before the lease expires. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  /** Call it when a write or a renewal was refused as `fenced`. */
  async lose(cause: unknown): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    // While the store does not answer, it is not known who has the handle.
    const isTaken = await this.#hasRival().catch(() => false);
    this.#options.onLost({ cause, isTaken });
  }

  /**
   * Call it when the connection was lost: the participant has a moment to return. Errors: `fenced` if somebody else
   * has taken the handle.
   */
  async awaitReturn(): Promise<void> {
    await this.#renewing;
    await awaitReturn(this.store, this.fence);
  }

  async leave(): Promise<void> {
    await this.#renewing;
    await leaveChannel(this.store, this.fence);
  }

  async #renew(): Promise<void> {
    const askedAt = performance.now();
    try {
      await renewHandle(this.store, this.fence);
      // In the meantime, an agent may have taken the handle of a person, or a person that of an agent.
      const wasOver = askedAt - this.#renewedAt > CHANNEL_LIMITS.silenceMs;
      this.#renewedAt = askedAt;
      if (wasOver && (await this.#hasRival()))
        await this.lose(new ContinuoError("fenced", "the lease was over"));
    } catch (error) {
      if (isContinuoError(error, "fenced")) await this.lose(error);
    }
  }

  async #hasRival(): Promise<boolean> {
    const { store, place, card } = this.#options;
    return (await rivalOf(store, place, card))?.state === "held";
  }
}

/** Knows who is present on this server: connections by channel, their roster, and participants that disappeared. */

import { randomUUID } from "node:crypto";
import { isContinuoError, type ListedLease, type Store } from "@continuo/core/model";
import type { Participant } from "@continuo/core/wire";
import { ChannelStates, type ConnectionRef, readRoster, sweepChannels } from "@continuo/store/channels";
import { LIMITS } from "./limits.ts";
import type { ListeningClock } from "./listening-clock.ts";
import { Seats } from "./seats.ts";

/** The hub calls these methods of a connection. */
export interface HubConnection {
  presence(change: "joined" | "left", participant: Participant): void;
  /** Another connection of the handle changed its session. */
  sessionChanged(handle: string): void;
}

interface Room {
  readonly store: Store;
  readonly channel: string;
  readonly present: Set<HubConnection>;
  roster: ReadonlyMap<string, Participant>;
  looking: Promise<void> | null;
}

export class Hub {
  readonly states: ChannelStates = new ChannelStates();
  readonly #rooms = new Map<string, Room>();
  /** Workspaces whose channels this server has served. */
  readonly #stores = new Map<string, Store>();
  readonly #owner: string = `server-${randomUUID()}`;
  readonly #report: (line: string) => void;
  readonly #timers: readonly NodeJS.Timeout[];
  #sweeping: Promise<void> | null = null;
  readonly seats: Seats;

  constructor(report: (line: string) => void, clock: ListeningClock) {
    this.#report = report;
    this.seats = new Seats(clock);
    this.#timers = [
      setInterval(() => void this.sweep(), LIMITS.sweepMs).unref(),
      setInterval(() => this.#lookEverywhere(), ROSTER_MS).unref(),
    ];
  }

  serves(store: Store): void {
    if (!this.#stores.has(store.workspaceId)) this.#stores.set(store.workspaceId, store);
  }

  enter(store: Store, channel: string, present: HubConnection): void {
    const key = keyOf(store, channel);
    const room = this.#rooms.get(key) ?? {
      store,
      channel,
      present: new Set(),
      roster: new Map(),
      looking: null,
    };
    this.#rooms.set(key, room);
    room.present.add(present);
  }

  leave(store: Store, channel: string, present: HubConnection): void {
    const room = this.#rooms.get(keyOf(store, channel));
    room?.present.delete(present);
    if (room?.present.size === 0) this.#rooms.delete(keyOf(store, channel));
  }

  tellSession(store: Store, { channel, handle }: ConnectionRef, from: HubConnection): void {
    for (const present of this.#rooms.get(keyOf(store, channel))?.present ?? []) {
      if (present !== from) present.sessionChanged(handle);
    }
  }

  /** Reads the leases now, and sends the changes to every connection of the channel. */
  async roster(store: Store, channel: string): Promise<readonly Participant[]> {
    const room = this.#rooms.get(keyOf(store, channel));
    if (room === undefined) return readRoster(store, channel);
    await this.#look(room);
    return [...room.roster.values()];
  }

  /** Interrupts the messages of participants that disappeared; one sweep at a time. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = null;
    });
    return this.#sweeping;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#sweeping;
    await Promise.allSettled([...this.#rooms.values()].map((room) => room.looking));
  }

  async #sweepAll(): Promise<void> {
    for (const store of this.#stores.values()) {
      try {
        const isGone = (lease: ListedLease): Promise<boolean> => this.seats.isGone(store, lease);
        await sweepChannels(store, { owner: this.#owner, isGone });
      } catch (error) {
        // The store may be unavailable for a while: the next sweep tries again.
        if (!isContinuoError(error))
          this.#report(`sweep failed: ${error instanceof Error ? error.stack : error}`);
      }
    }
    this.seats.forget();
  }

  #lookEverywhere(): void {
    for (const room of this.#rooms.values()) {
      // If the store is unavailable, the next tick asks it again.
      this.#look(room).catch(() => undefined);
    }
  }

  /** A call during a read waits for a second read, which begins after the first. */
  async #look(room: Room): Promise<void> {
    await room.looking?.catch(() => undefined);
    room.looking ??= lookAt(room).finally(() => {
      room.looking = null;
    });
    await room.looking;
  }
}

const ROSTER_MS = 1_000;

function keyOf({ workspaceId }: Store, name: string): string {
  return `${workspaceId}:${name}`;
}

async function lookAt(room: Room): Promise<void> {
  const now = new Map(
    (await readRoster(room.store, room.channel)).map((participant) => [participant.handle, participant]),
  );
  const before = room.roster;
  room.roster = now;
  for (const participant of before.values()) {
    if (!now.has(participant.handle)) tellAll(room, "left", participant);
  }
  for (const participant of now.values()) {
    if (!before.has(participant.handle)) tellAll(room, "joined", participant);
  }
}

function tellAll({ present }: Room, change: "joined" | "left", participant: Participant): void {
  for (const one of present) one.presence(change, participant);
}

/**
 * The members of a simulated channel: servers that share a database, people with several devices, and agents that
 * answer.
 */

import type { AgenticClient, ClientEvent, ReplayMode } from "@continuo/core/client";
import type { Store } from "@continuo/core/model";
import { channelLogId, type HelloFrame, recordOf, type WelcomeFrame } from "@continuo/core/wire";
import { type ChangeRecord, changeMessage } from "./channel-changes.ts";
import { type Faults, storeOver } from "./network.ts";
import type { Exports, Programs } from "./programs.ts";
import type { SocketNetwork } from "./sockets.ts";
import { surround } from "./surroundings.ts";
import type { Machine, SimulatedProcess, World } from "./world.ts";

export const CHANNEL = "team";
export const LOG: string = channelLogId(CHANNEL);
const WORKSPACE = "simulated";
/** The interval at which a server checks its connections; it sends a heartbeat at every third check. */
const LOOK_MS = 900;
const LOOKS_PER_BEAT = 3;

/** One `connect()`, and the events that it received, in order. */
export interface MemberReading {
  readonly handle: string;
  readonly mode: ReplayMode;
  /** The checkpoint that was confirmed before the member connected. */
  readonly checkpoint: number;
  /** The first welcome: where its replay begins and ends. */
  readonly welcome: Pick<WelcomeFrame, "after" | "latestSequence" | "degraded">;
  /**
   * The received events. The type `missed` is a complete message of another member that was sent while the member was
   * away.
   */
  readonly given: { readonly sequence: number; readonly type: string; readonly text: string | null }[];
  state: "connected" | "reading" | "left";
}

export interface WrittenMessage {
  readonly first: string;
  /** The text with all parts so far, whether they were stored or refused. */
  text: string;
  isWhole: boolean;
  readonly parts: { readonly delta: string; isStored: boolean }[];
}

/** The confirmations that members received. */
export interface ChannelRecords {
  /** The text of each confirmed message, by id; `null` while it is written in parts. */
  readonly acknowledged: Map<string, string | null>;
  /** Each message that was written in parts, by its id. */
  readonly written: Map<string, WrittenMessage>;
  readonly readings: MemberReading[];
  /** The edits, deletions and reactions that members requested. */
  readonly changes: ChangeRecord[];
  /** The checkpoints that were confirmed, by handle. */
  readonly checkpoints: Map<string, number>;
  readonly faults: string[];
  lives: number;
}

export interface Site {
  readonly world: World;
  readonly programs: Programs;
  readonly network: SocketNetwork;
  readonly base: Store;
  readonly records: ChannelRecords;
}

/** Starts a server like that of `continuo serve`, without HTTP: its connections, its hub, its sweeps. */
export function beginServer(site: Site, name: string, machine: Machine, faults: Faults): SimulatedProcess {
  const { world, programs, network, base, records } = site;
  const process = world.begin(name, machine);
  const { connection, hub: hubs, admit, clock: clocks, model } = programs.server(surround(world, process));
  const store = storeOver(base, { world, process, model, faults });
  const report = (line: string): void =>
    void records.faults.push(`${name}: ${line.split("\n").slice(0, 3).join(" ")}`);
  const clock = clocks.createListeningClock();
  const hub = new hubs.Hub(report, clock);
  const connections = new Set<InstanceType<Exports["server"]["connection"]["Connection"]>>();
  const context = {
    store: () => store,
    require: () => undefined,
    quotas: { log: (_: unknown, { create }: { readonly create: () => unknown }) => create() },
    limits: { historyItems: 100 },
  };
  const grant = { workspaceId: WORKSPACE, handle: "*", tokenId: null, page: null, scopes: [] };
  let looks = 0;
  const look = (): void => {
    clock.now();
    looks++;
    for (const [at, one] of [...connections].entries()) if ((looks + at) % LOOKS_PER_BEAT === 0) one.beat();
  };
  world.setTimer(process, look, LOOK_MS, "repeated");
  network.listen({
    process,
    accept: (channel, { socket, stream }) => {
      const made = new connection.Connection({
        socket,
        stream,
        hub,
        clock,
        draining: new AbortController().signal,
        slowReaders: { stalledMs: 10_000, goodbyeMs: 1_000 },
        report,
        onRefused: () => undefined,
        count: () => undefined,
        admit: (hello: HelloFrame, { signal, seating }: Arrival) => {
          const place = { [Symbol.dispose]: () => undefined };
          const arrival = { context, hub, channel, grant, place, signal, seating };
          return admit.admit(hello, arrival as unknown as Parameters<typeof admit.admit>[1]);
        },
      } as unknown as ConstructorParameters<typeof connection.Connection>[0]);
      connections.add(made);
      void made.closed.then(() => connections.delete(made));
    },
  });
  return process;
}

type Arrival = Pick<Parameters<Exports["server"]["admit"]["admit"]>[1], "signal" | "seating">;

export interface MemberOptions {
  readonly handle: string;
  readonly type: "person" | "agent";
  readonly device?: string;
  /** The other members to whom it sometimes writes. */
  readonly others: readonly string[];
  /** True if the member writes no messages; an agent still answers. */
  readonly isQuiet?: boolean;
}

/** Starts a process that joins, writes, reads, and leaves or is killed. */
export function beginMember(
  site: Site,
  name: string,
  machine: Machine,
  options: MemberOptions,
): SimulatedProcess {
  const { world, programs, network } = site;
  const process = world.begin(name, machine);
  let member: Member | undefined;
  const WebSocket = network.webSocketOf(process, (welcome) => member?.welcomed(welcome));
  member = new Member(site, process, programs.client(surround(world, process, { WebSocket })), options);
  void member.live();
  return process;
}

class Member {
  readonly #site: Site;
  readonly #process: SimulatedProcess;
  readonly #program: Exports["client"];
  readonly #options: MemberOptions;
  welcome: WelcomeFrame | undefined;

  /** Only the first welcome of a `connect()` begins a replay. */
  welcomed(welcome: WelcomeFrame): void {
    this.welcome ??= welcome;
  }

  constructor(site: Site, process: SimulatedProcess, program: Exports["client"], options: MemberOptions) {
    this.#site = site;
    this.#process = process;
    this.#program = program;
    this.#options = options;
  }

  /** Connects and leaves repeatedly until the process is killed. */
  async live(): Promise<void> {
    const { random } = this.#site.world;
    for (;;) {
      try {
        await this.#visit();
      } catch (error) {
        this.#refusal(error);
      }
      await this.#pause(random.below(3_000));
    }
  }

  #refusal(error: unknown): void {
    if (this.#program.model.isContinuoError(error)) return;
    this.#site.records.faults.push(`${this.#process.name}: ${String(error)}`);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#site.world.setTimer(this.#process, resolve, ms, "once"));
  }

  async #visit(): Promise<void> {
    const { world, records } = this.#site;
    const { random } = world;
    const { handle, type, device, isQuiet } = this.#options;
    const isAgent = type === "agent";
    const mode = isAgent ? "collect" : random.pick(["stream", "collect", "skip"] as const);
    const checkpoint = records.checkpoints.get(handle) ?? 0;
    this.welcome = undefined;
    const client = await this.#program.client.connect({
      serverUrl: "http://any",
      channel: CHANNEL,
      handle,
      type,
      ...(device === undefined ? {} : { device }),
      workspaceId: WORKSPACE,
      replayMode: mode,
      firstConnectionMs: 20_000,
      onWarning: () => undefined,
    });
    const { welcome = { after: 0, latestSequence: 0, degraded: null } } = this;
    const reading: MemberReading = { handle, mode, checkpoint, welcome, given: [], state: "connected" };
    records.readings.push(reading);
    for (const { sequence, content } of client.missedMessages)
      reading.given.push({ sequence, type: "missed", text: content });
    const life = `${handle}#${++records.lives}`;
    const read = this.#read(client, reading);
    const visits = isQuiet === true || random.chance(0.4) ? Number.POSITIVE_INFINITY : 3 + random.below(12);
    let isOver = false;
    const over = read
      .catch((error: unknown) => this.#refusal(error))
      .then(() => {
        isOver = true;
      });
    for (let n = 0; n < visits && !isOver; n++) {
      await this.#pause(200 + random.below(4_000));
      if (isQuiet === true) continue;
      await this.#speak(client, `${life}.${n}`).catch((error: unknown) => this.#refusal(error));
      if (random.chance(0.3))
        await this.#change(client, `${life}.${n}`).catch((error: unknown) => this.#refusal(error));
    }
    reading.state = "left";
    await client.close();
    await over;
  }

  async #read(client: AgenticClient, reading: MemberReading): Promise<void> {
    const { records, world } = this.#site;
    const { random } = world;
    const { handle, type } = this.#options;
    reading.state = "reading";
    for await (const event of client.events({ parts: type === "person" && random.chance(0.5) })) {
      if (event.sequence === undefined) continue;
      reading.given.push({ sequence: event.sequence, type: event.type, text: textOf(event) });
      if (type === "agent") {
        if (isInput(event)) await this.#answer(client, event);
        continue;
      }
      if (!random.chance(0.1) || client.degraded !== undefined) continue;
      const { sequence } = event;
      void client.commitCheckpoint(sequence).then(
        () => records.checkpoints.set(handle, Math.max(records.checkpoints.get(handle) ?? 0, sequence)),
        (error: unknown) => this.#refusal(error),
      );
    }
  }

  #change(client: AgenticClient, id: string): Promise<void> {
    const { world, records } = this.#site;
    const { acknowledged, changes } = records;
    const { handle } = this.#options;
    return changeMessage(client, {
      random: world.random,
      handle,
      id,
      messages: [...acknowledged.keys()],
      changes,
    });
  }

  /** Sends a complete message, or one in parts, which may stay unfinished. */
  async #speak(client: AgenticClient, id: string): Promise<void> {
    const { world, records } = this.#site;
    const { random } = world;
    const to = random.chance(0.5) ? `@${random.pick(this.#options.others)} ` : "";
    if (random.chance(0.5)) {
      const text = `${to}${id} whole`;
      records.written.set(id, { first: text, text, isWhole: true, parts: [] });
      await client.send(text, { messageId: id });
      records.acknowledged.set(id, text);
      return;
    }
    const first = `${to}${id}`;
    const written: WrittenMessage = { first, text: first, isWhole: false, parts: [] };
    records.written.set(id, written);
    await client.send(written.text, { messageId: id, state: "open" });
    records.acknowledged.set(id, null);
    for (let part = random.below(4); part > 0; part--) {
      const delta = ` part ${part}`;
      written.text += delta;
      const sent = { delta, isStored: false };
      written.parts.push(sent);
      const update = client.update(id, delta).then(
        () => {
          sent.isStored = true;
        },
        (error: unknown) => this.#endedMeanwhile(id, error),
      );
      if (random.chance(0.5)) await update;
      else update.catch((error: unknown) => this.#refusal(error));
      await this.#pause(random.below(1_500));
    }
    if (random.chance(0.2)) return;
    written.isWhole = true;
    await client.complete(id).catch((error: unknown) => this.#endedMeanwhile(id, error));
    records.acknowledged.set(id, written.text);
  }

  /** Throws the error; reports a fault if another connection of the writer could not continue the message. */
  async #endedMeanwhile(id: string, error: unknown): Promise<never> {
    const { base, records } = this.#site;
    if (this.#program.model.isContinuoError(error, "conflict")) {
      const ends = await base.read(LOG, {
        types: ["message_completed", "message_interrupted"],
        limit: 1_000,
      });
      if (!ends.events.some(({ data }) => recordOf(data).messageId === id))
        records.faults.push(`${id} is in progress, and its writer was refused: ${error.message}`);
    }
    throw error;
  }

  /** Claims the input, answers in parts, and ends the run. Refused steps are repeated. */
  async #answer(client: AgenticClient, event: Input): Promise<void> {
    const { records } = this.#site;
    for (let tries = 0; tries < 40; tries++) {
      try {
        const claim = await client.claimInput(event.sequence, { agent: "scripted", maxTurns: 1_000 });
        if (claim.state === "done") return;
        const text = `to ${event.messageId}`;
        const part = { delta: text, isStored: false };
        // An earlier attempt may have been stored although its answer was lost, so its parts count too.
        const parts = [...(records.written.get(claim.answerId)?.parts ?? []), part];
        records.written.set(claim.answerId, { first: "", text, isWhole: true, parts });
        await client.openMessage({ messageId: claim.answerId, replyTo: claim.messageId });
        const refused = (error: unknown): Promise<never> => this.#endedMeanwhile(claim.answerId, error);
        await client.update(claim.answerId, text).catch(refused);
        part.isStored = true;
        await client.complete(claim.answerId).catch(refused);
        records.acknowledged.set(claim.answerId, text);
        await client.endRun(claim.runId, { status: "completed", answer: text });
        return;
      } catch (error) {
        const { isContinuoError } = this.#program.model;
        const mayPass = ["conflict", "unavailable", "busy", "degraded"].some((code) =>
          isContinuoError(error, code as "conflict"),
        );
        if (!mayPass) throw error;
        await this.#pause(200);
      }
    }
  }
}

type Input = Extract<ClientEvent, { readonly type: "message" | "complete" }> & { readonly sequence: number };

function isInput(event: ClientEvent): event is Input {
  if (!event.addressed || event.sequence === undefined) return false;
  return event.type === "complete" || (event.type === "message" && event.state === "complete");
}

function textOf(event: ClientEvent): string | null {
  if (event.type === "complete") return event.content;
  return event.type === "message" && event.state === "complete" ? event.content : null;
}

/**
 * Everything that may happen to servers and participants, at the same time: kills, standstills, clocks that jump,
 * connections that are cut, half-closed, delayed and swallowed, newcomers to a channel of a million messages, and
 * hostile neighbours. Afterwards, the events that every participant received are compared with the log.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { NewEvent, Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { freePorts } from "../../free-ports.ts";
import { createRandom, type Random } from "../../store/harness/random.ts";
import { CHANNEL, eventsOf, LOG, untilAnswered } from "../chaos.ts";
import { answerCount, type History, type ReceivedEvent, violationsOf } from "../chaos-checker.ts";
import { type CuttingProxy, cuttingProxy } from "../cutting-proxy.ts";
import type { NeighboursPlan } from "./neighbours.ts";
import type { NewcomerReport, NewcomersPlan } from "./newcomers.ts";
import {
  type ParticipantPlan,
  type ParticipantReport,
  type ParticipantsPlan,
  readerOf,
} from "./participants.ts";
import type { ProbeReport } from "./prober.ts";
import { percentile, type Report, reportOf } from "./report.ts";
import { Seat } from "./seats.ts";

export interface HourOptions {
  readonly storeUrl: string;
  readonly servers: number;
  readonly minutes: number;
  readonly seed: number;
  /** Messages of the long channel. */
  readonly longMessages: number;
  /** The command's module. */
  readonly command: string;
  readonly folder: string;
  readonly report: (line: string) => void;
}

const LONG_CHANNEL = "long";
const PROCESSES = 3;
const PEOPLE = 21;
const BOTS = 6;
const BETWEEN_MS = 1_500;
/** The time in which participants must have written and read everything, once nothing disturbs them. */
const SETTLE_MS = 180_000;

export async function chaosHour(options: HourOptions): Promise<Report> {
  await using store = await openStore(options.storeUrl, { migrate: true });
  options.report(`fills a channel with ${options.longMessages.toLocaleString("en")} messages`);
  await fillLongChannel(store, options.longMessages);
  const run = new ChaosHour(store, options);
  try {
    return await run.conduct();
  } finally {
    await run.close();
  }
}

/** Fills the channel without a server, like an import: a server would leave a snapshot. */
async function fillLongChannel(store: Store, count: number): Promise<void> {
  const logId = `channels/${LONG_CHANNEL}`;
  await store.createLog({ logId });
  for (let at = 1; at <= count; at += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - at + 1) }, (_, n): NewEvent => {
      const messageId = `m${at + n}`;
      const actor = { kind: "person", id: n % 2 === 0 ? "ann" : "ben" } as const;
      const data = { messageId, content: `message ${at + n} of a long channel` };
      return { id: messageId, type: "message_sent", actor, data };
    });
    await store.append(logId, events);
  }
}

class ChaosHour {
  readonly #store: Store;
  readonly #options: HourOptions;
  readonly #random: Random;
  readonly #children: ChildProcess[] = [];
  readonly #seats: Seat[] = [];
  readonly #proxies: CuttingProxy[] = [];
  readonly #given = new Map<string, ReceivedEvent[]>();
  readonly #texts = new Map<string, string>();
  readonly #acknowledged = new Set<string>();
  readonly #sendMs: number[] = [];
  readonly #ended: string[] = [];
  readonly #failed: string[] = [];
  readonly #newcomers: NewcomerReport[] = [];
  readonly #attacks = new Map<string, number>();
  readonly #probes: ProbeReport[] = [];
  readonly #disturbances = new Map<string, number>();
  readonly #loads: number[] = [];
  #written = 0;
  #end = 0;

  constructor(store: Store, options: HourOptions) {
    this.#store = store;
    this.#options = options;
    this.#random = createRandom(options.seed);
  }

  async conduct(): Promise<Report> {
    const { servers, minutes, report } = this.#options;
    await this.#startServers(servers);
    const bots = Array.from({ length: BOTS }, (_, n) => `bot-${n}`);
    const participants = await this.#plans(bots);
    for (const { handle, device } of participants) this.#given.set(readerOf({ handle, device } as never), []);
    const programs = Array.from({ length: PROCESSES }, (_, n) => this.#participants(participants, bots, n));
    await this.#startOthers();
    report(`disturbs ${participants.length} participants of ${servers} servers for ${minutes} minutes`);
    this.#end = Date.now() + minutes * 60_000;
    const begin = Date.now();
    await Promise.all([this.#disturb(programs), this.#tellProgress(begin)]);
    report("calm: waits until everything is written, answered and read");
    const latest = await this.#settle(programs, bots);
    const events = (await eventsOf(this.#store)).filter(({ sequence }) => sequence <= latest);
    const readers = [...this.#given].map(([handle, given]) => ({ handle, given }));
    const history: History = {
      channel: CHANNEL,
      events,
      readers,
      acknowledged: this.#acknowledged,
      bots,
    };
    return reportOf({
      options: this.#options,
      violations: violationsOf(history),
      ended: this.#ended,
      failed: [...this.#failed, ...this.#seats.flatMap(({ ownEnds }) => ownEnds)],
      messages: this.#acknowledged.size,
      answers: answerCount(history),
      deliveries: readers.reduce((sum, { given }) => sum + given.length, 0),
      participants: participants.length,
      sendMs: this.#sendMs,
      newcomers: this.#newcomers,
      attacks: this.#attacks,
      disturbances: this.#disturbances.set("connections cut", this.#cuts()),
      probes: this.#probes.filter(({ at, ms, url }) => this.#isFair(url, at, ms)),
      excludedProbes: this.#probes.filter(({ at, ms, url }) => !this.#isFair(url, at, ms)).length,
      loads: this.#loads,
      peakMiB: this.#seats.map(({ peakKiB }) => Math.round(peakKiB / 1_024)),
    });
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    for (const seat of this.#seats) seat.close();
    for (const proxy of this.#proxies) await proxy[Symbol.asyncDispose]();
  }

  async #startServers(count: number): Promise<void> {
    const { storeUrl, folder, command, report } = this.#options;
    for (const [n, port] of (await freePorts(count)).entries()) {
      const seatFolder = join(folder, `server-${n}`);
      mkdirSync(seatFolder, { recursive: true });
      const seat = new Seat(port, { storeUrl, folder: seatFolder, command, report });
      this.#seats.push(seat);
      await seat.start();
      this.#proxies.push(await cuttingProxy(seat.url));
    }
  }

  /** Every third person has two devices. */
  async #plans(bots: readonly string[]): Promise<readonly ParticipantPlan[]> {
    const plans: ParticipantPlan[] = [];
    const add = async (
      handle: string,
      type: "person" | "agent",
      devices: readonly (string | null)[],
    ): Promise<void> => {
      const scopes = [`channel:${CHANNEL}:read,write`];
      const { secret: token } = await this.#store.createToken({ scopes, handle });
      for (const device of devices) {
        const serverUrl = this.#proxies[plans.length % this.#proxies.length]?.url ?? "";
        plans.push({ handle, type, serverUrl, token, ...(device === null ? {} : { device }) });
      }
    };
    for (let n = 0; n < PEOPLE; n++)
      await add(`person-${n}`, "person", n % 3 === 0 ? ["phone", "laptop"] : [null]);
    for (const bot of bots) await add(bot, "agent", [null]);
    return plans;
  }

  #participants(all: readonly ParticipantPlan[], bots: readonly string[], n: number): ChildProcess {
    const participants = all.filter((_, at) => at % PROCESSES === n);
    const seed = this.#options.seed + n;
    const plan: ParticipantsPlan = { channel: CHANNEL, participants, bots, seed, betweenMs: BETWEEN_MS };
    return this.#program("participants.ts", [JSON.stringify(plan)], (line) =>
      this.#take(JSON.parse(line) as ParticipantReport),
    );
  }

  #take(news: ParticipantReport): void {
    if (news.news === "given") {
      this.#given.get(news.reader)?.push({ sequence: news.sequence, text: this.#kept(news.text) });
    } else if (news.news === "acknowledged") {
      this.#acknowledged.add(news.id);
      this.#sendMs.push(news.ms);
    } else if (news.news === "written") this.#written++;
    else if (news.news === "refused") this.#count(`writes refused for now: ${news.why}`);
    else if (news.news !== "joined") {
      const line = `${news.reader}: ${news.why}`;
      (news.news === "ended" ? this.#ended : this.#failed).push(line);
      this.#options.report(`${news.news}: ${line}`);
    }
  }

  /** A text that several readers have is kept in memory only once. */
  #kept(text: string | null): string | null {
    if (text === null) return null;
    const kept = this.#texts.get(text) ?? text;
    this.#texts.set(kept, kept);
    return kept;
  }

  async #startOthers(): Promise<void> {
    const { seed, longMessages: messages, report } = this.#options;
    const { secret: token } = await this.#store.createToken({
      scopes: [`channel:${LONG_CHANNEL}:read,write`],
      anyHandle: true,
    });
    const visitor = await this.#store.createToken({
      scopes: ["channel:visitors:read,write", `channel:${LONG_CHANNEL}:read`],
    });
    const servers = this.#seats.map(({ url }) => url);
    const newcomers: NewcomersPlan = {
      channel: LONG_CHANNEL,
      messages,
      serverUrls: this.#proxies.map(({ url }) => url),
      token,
      seed,
    };
    this.#program("newcomers.ts", [JSON.stringify(newcomers)], (line) => {
      const news = JSON.parse(line) as NewcomerReport;
      this.#newcomers.push(news);
      if (news.failure !== undefined) report(`newcomer (${news.mode}): ${news.failure}`);
    });
    const neighbours: NeighboursPlan = {
      serverUrls: servers,
      token: visitor.secret,
      longChannel: LONG_CHANNEL,
      seed,
    };
    this.#program("neighbours.ts", [JSON.stringify(neighbours)], (line) => {
      const { attack } = JSON.parse(line) as { readonly attack: string };
      this.#attacks.set(attack, (this.#attacks.get(attack) ?? 0) + 1);
    });
    this.#program("prober.ts", servers, (line) => {
      const probe = JSON.parse(line) as ProbeReport;
      this.#probes.push(probe);
    });
  }

  #program(name: string, args: readonly string[], onLine: (line: string) => void): ChildProcess {
    const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.once("exit", (code, signal) => {
      if (code !== 0 && signal !== "SIGKILL") this.#failed.push(`${name} ended: ${code ?? signal}`);
    });
    createInterface({ input: child.stdout }).on("line", onLine);
    this.#children.push(child);
    return child;
  }

  async #disturb(programs: readonly ChildProcess[]): Promise<void> {
    const running = new Set<Promise<void>>();
    while (Date.now() < this.#end) {
      await pause(1_000 + this.#random.below(4_000));
      const done = this.#disturbOnce(programs);
      running.add(done);
      void done.finally(() => running.delete(done));
    }
    await Promise.all(running);
    for (const seat of this.#seats) seat.setClock("+0");
    for (const proxy of this.#proxies) proxy.delay(0);
  }

  async #disturbOnce(programs: readonly ChildProcess[]): Promise<void> {
    const random = this.#random;
    const n = random.below(this.#seats.length);
    const [seat, proxy] = [this.#seats[n], this.#proxies[n]];
    if (seat === undefined || proxy === undefined) return;
    const what = random.below(100);
    if (what < 25) proxy.cutAll();
    else if (what < 40) {
      const side = random.pick(["client", "server"] as const);
      if (proxy.halfCloseOne(side, random.below(1_000))) this.#count("connections half-closed");
    } else if (what < 50) {
      const ms = random.pick([0, 0, 50, 200]);
      if (ms > 0) this.#count("delays");
      proxy.delay(ms);
    } else if (what < 62) {
      this.#count("black holes");
      proxy.swallow(1_000 + random.below(20_000));
    } else if (what < 74) {
      this.#count("jumps of a clock");
      seat.setClock(random.pick(["+1h", "+25h", "-2h", "+10s", "-10s", "+0"]));
    } else if (what < 82) {
      if (seat.isBusy) return;
      this.#count("standstills of a server");
      await seat.standStill(1_000 + random.below(19_000));
    } else if (what < 90) {
      if (seat.isBusy) return;
      this.#count("servers killed");
      await seat.replace();
    } else if (what < 95) {
      const program = random.pick(programs);
      this.#count("standstills of a third of the participants");
      program.kill("SIGSTOP");
      await pause(1_000 + random.below(29_000));
      program.kill("SIGCONT");
    }
  }

  #count(what: string): void {
    this.#disturbances.set(what, (this.#disturbances.get(what) ?? 0) + 1);
  }

  async #tellProgress(begin: number): Promise<void> {
    for (let next = Date.now() + 60_000; Date.now() < this.#end; await pause(1_000)) {
      this.#loads.push(loadavg()[0] ?? 0);
      if (Date.now() < next) continue;
      next += 60_000;
      const minute = Math.round((Date.now() - begin) / 60_000);
      const fair = this.#probes.filter(({ at, ms, url }) => this.#isFair(url, at, ms)).map(({ ms }) => ms);
      const peak = Math.max(...this.#seats.map(({ peakKiB }) => peakKiB)) / 1_024;
      this.#options.report(
        `minute ${minute}: ${this.#acknowledged.size} messages, ${this.#ended.length} ended, ` +
          `${this.#newcomers.length} newcomers, healthz p99 ${Math.round(percentile(fair, 99))} ms, ` +
          `peak ${Math.round(peak)} MiB, load ${this.#loads.at(-1)?.toFixed(1)}`,
      );
    }
  }

  /** The newest event at the moment when everything was written and answered. */
  async #settle(programs: readonly ChildProcess[], bots: readonly string[]): Promise<number> {
    const tell = (line: string): void => {
      for (const { stdin } of programs) stdin?.write(`${line}\n`);
    };
    tell("stop");
    const deadline = Date.now() + SETTLE_MS;
    while (this.#written < programs.length && Date.now() < deadline) await pause(200);
    if (this.#written < programs.length) this.#failed.push("participants did not finish writing");
    await untilAnswered(this.#store, bots);
    const latest = await this.#store.latestSequence(LOG);
    const isBehind = (given: readonly ReceivedEvent[]): boolean => (given.at(-1)?.sequence ?? 0) < latest;
    while ([...this.#given.values()].some(isBehind) && Date.now() < deadline + 60_000) await pause(200);
    tell("close");
    await pause(2_000);
    return latest;
  }

  #isFair(url: string, at: number, ms: number): boolean {
    return this.#seats.every((seat) => seat.url !== url || !seat.wasAbsent(at, ms));
  }

  #cuts(): number {
    return this.#proxies.reduce((sum, { cuts }) => sum + cuts, 0);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

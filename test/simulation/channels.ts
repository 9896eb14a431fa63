/** A channel on two servers, with people and agents that come, leave, are killed and lose connections. */

import type { Store, StoredEvent } from "@continuo/core/model";
import {
  beginMember,
  beginServer,
  type ChannelRecords,
  LOG,
  type MemberOptions,
  type Site,
} from "./channel-members.ts";
import { channelFaults, openMessages, unanswered } from "./channel-promises.ts";
import { CALM } from "./network.ts";
import { during } from "./runs.ts";
import {
  createMachine,
  disturb,
  type Outcome,
  openDatabase,
  runUntil,
  type SimulationOptions,
  usualFaults,
  type Weather,
} from "./scenario.ts";
import { SocketNetwork } from "./sockets.ts";
import { type Machine, type SimulatedProcess, World } from "./world.ts";

const STEPS = 500;
/** After the disturbances, everything must end within this time. */
const CALM_MS = 240_000;
const MAX_STEPS = 60_000;

const WEATHER: Weather = {
  kill: 0.001,
  freeze: 0.002,
  freezeMs: 20_000,
  away: 0.0007,
  awayMs: 8_000,
  clock: 0.001,
};

const MEMBERS: readonly MemberOptions[] = [
  { handle: "ann", type: "person", device: "desk", others: ["bob", "bot"] },
  { handle: "ann", type: "person", device: "phone", others: ["bob", "bot"] },
  { handle: "bob", type: "person", others: ["ann", "bot"] },
  { handle: "bot", type: "agent", others: ["ann"], isQuiet: true },
];

export async function simulateChannels(seed: number, options: SimulationOptions): Promise<Outcome> {
  const { programs, generations, until = Number.POSITIVE_INFINITY } = options;
  const world = new World(seed);
  const { store: base, machine } = await openDatabase(world, programs);
  const [first, second] = [createMachine("first"), createMachine("second")] as [Machine, Machine];
  const records: ChannelRecords = {
    acknowledged: new Map(),
    written: new Map(),
    readings: [],
    changes: [],
    checkpoints: new Map(),
    faults: [],
    lives: 0,
  };
  const network = new SocketNetwork(world);
  const site: Site = { world, programs, network, base, records };
  const { random } = world;
  let disturbed = 0;
  for (let generation = 0; generation < generations && disturbed < until; generation++) {
    const faults = usualFaults();
    const servers = [first, second].map((on, n) => beginServer(site, `server${generation}.${n}`, on, faults));
    const processes: SimulatedProcess[] = [];
    const born = new Map<SimulatedProcess, MemberOptions>();
    const bear = (member: MemberOptions): void => {
      const { handle, device = "" } = member;
      const name = `${handle}${device}${generation}.${processes.length}`;
      const process = beginMember(site, name, random.pick([first, second]), member);
      processes.push(process);
      born.set(process, member);
    };
    for (const member of MEMBERS) bear(member);
    for (let left = STEPS / 2 + random.below(STEPS); left > 0 && disturbed < until; left--) {
      if (!(await world.step())) break;
      disturbed++;
      disturb({ world, faults, processes, machines: [machine, first, second] }, WEATHER);
      if (random.chance(0.004)) network.disturb();
      if (random.chance(0.001)) world.kill(random.pick(servers));
      if (random.chance(0.001)) world.freeze(random.pick(servers), random.below(30_000));
      // A killed agent is started again; sometimes a second process starts for the same handle by mistake.
      for (const [process, member] of [...born]) {
        const isDead = process.state === "dead" && random.chance(0.02);
        if (isDead) born.delete(process);
        if (isDead || (member.type === "agent" && random.chance(0.0005))) bear(member);
      }
      if (servers.every(({ state }) => state === "dead"))
        servers.push(beginServer(site, `server${generation}.${servers.length}`, first, faults));
    }
    for (const process of processes) world.kill(process);
    for (const process of servers) if (random.chance(0.5)) world.kill(process);
    for (const process of servers) world.kill(process);
  }
  await finish(site, first);
  const events = await during(world, eventsIn(base));
  const found = await during(world, channelFaults(base, records, events));
  for (const { id, type, sequence, data } of events)
    world.note(`${sequence} ${type} ${id} ${JSON.stringify(data)}`);
  return { seed, hash: world.hash, faults: [...records.faults, ...found], trace: world.trace, disturbed };
}

/** After the disturbances, an agent answers the waiting inputs, and one reader reads everything. */
async function finish(site: Site, machine: Machine): Promise<void> {
  const { world, base, records } = site;
  const server = beginServer(site, "server", machine, CALM);
  const members = [
    beginMember(site, "bot.end", machine, { handle: "bot", type: "agent", others: [], isQuiet: true }),
    beginMember(site, "bob.end", machine, { handle: "bob", type: "person", others: [], isQuiet: true }),
  ];
  const from = records.readings.length;
  const until = world.now + CALM_MS;
  let checkedAt = world.now;
  let left: readonly string[] = ["nobody looked"];
  const isDone = (): boolean => world.now > until || left.length === 0;
  while (!isDone()) {
    if (!(await runUntil(world, () => world.now >= checkedAt, MAX_STEPS))) break;
    left = await during(world, leftIn(base, records, from));
    checkedAt = world.now + 5_000;
  }
  records.faults.push(...left);
  for (const process of [...members, server]) world.kill(process);
}

/** Returns the messages, inputs and readers that have not ended. */
async function leftIn(base: Store, records: ChannelRecords, from: number): Promise<readonly string[]> {
  const events = await eventsIn(base);
  const latest = events.at(-1)?.sequence ?? 0;
  const readers = ["bot", "bob"].filter((handle) => {
    // A reader that was refused connects again.
    const reading = records.readings.slice(from).findLast((one) => one.handle === handle);
    return (
      reading === undefined ||
      (handle === "bob" &&
        Math.max(reading.welcome.latestSequence, ...reading.given.map(({ sequence }) => sequence)) < latest)
    );
  });
  return [
    ...openMessages(events).map((id) => `the message ${id} never ends`),
    ...unanswered(events, "bot").map((sequence) => `the input ${sequence} is never answered`),
    ...readers.map((handle) => `${handle} never comes to the end`),
  ];
}

async function eventsIn(base: Store): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await base.read(LOG, { after });
    events.push(...page.events);
    after = page.nextAfter;
  }
  return events;
}

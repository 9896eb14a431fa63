/**
 * Programs of a mirror are killed at random: everything that was acknowledged can be read and continued on the other
 * machine.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ask, sessionFile } from "./grow.ts";
import { type Machines, makeMachines } from "./machines.ts";
import { follow, type MirrorCommand, rowsOn, stopped } from "./mirror.ts";
import { type ServeProcess, serveThere } from "./serving.ts";

const KILLS = 100;
/** After each of these kills, the test does everything that a person on the other machine would do. */
const LOOKED_INTO = 10;

interface Way extends AsyncDisposable {
  follow(): MirrorCommand;
  /** Kills the program on the other machine, which starts again when it is needed. */
  killThere(): Promise<void>;
}

async function bySsh(machines: Machines): Promise<Way> {
  return {
    follow: () => follow(machines),
    async killThere() {
      try {
        process.kill(Number(readFileSync(join(machines.root, "far.pid"), "utf8")), "SIGKILL");
      } catch {
        // The file does not exist yet, or no longer exists.
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function byServer(machines: Machines): Promise<Way> {
  let server: ServeProcess = await serveThere(machines);
  const { url } = server;
  const token = await server.token("machine:write");
  return {
    follow: () => follow(machines, url, { CONTINUO_TOKEN: token }),
    async killThere() {
      await stopped(server.child, "SIGKILL");
      server = await serveThere(machines, new URL(url).host);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Returns the file of the mirror, which stays the same. */
async function mirrorOn(machines: Machines, way: Way): Promise<string> {
  const following = way.follow();
  await following.until(({ waitingBytes, mirroredBytes }) => waitingBytes === 0 && mirroredBytes > 0);
  await stopped(following.child, "SIGTERM");
  const [mirror] = await rowsOn(machines, "there");
  return mirror?.location ?? "";
}

test.each([
  ["ssh", bySsh],
  ["a server", byServer],
] as const)(
  "by %s, everything that was acknowledged before any of 100 kills is on the other machine, and can be continued there",
  async (_, open) => {
    const machines = makeMachines(scratchFolder("mirror-killed"));
    await using way = await open(machines);
    const mirror = await mirrorOn(machines, way);
    let asked = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const following = way.follow();
      const untilMs = performance.now() + 250 + Math.random() * 650;
      while (performance.now() < untilMs) {
        ask(machines, `Question ${asked} ${"of the timer ".repeat(1 + (asked % 400))}`);
        asked += 1;
        await sleep(20);
      }
      if (kill % 4 === 3) {
        await way.killThere();
        await sleep(Math.random() * 200);
      }
      await stopped(following.child, "SIGKILL");
      const acknowledged = following.states.at(-1)?.mirroredBytes ?? 0;
      const [here, there] = [readFileSync(sessionFile(machines)), readFileSync(mirror)];
      expect(there.length).toBeGreaterThanOrEqual(acknowledged);
      expect(there.equals(here.subarray(0, there.length))).toBe(true);
      if (kill % (KILLS / LOOKED_INTO) !== 0) continue;
      const [row] = await rowsOn(machines, "there");
      // A kill in the middle of a write leaves the beginning of a line, which was not acknowledged.
      const codes = row?.problems.map(({ code }) => code).filter((code) => code !== "torn_line");
      expect([row?.location, codes]).toEqual([mirror, ["mirror"]]);
    }
    const following = way.follow();
    ask(machines, "The last question");
    await following.until(({ waitingBytes, mirroredBytes }) => waitingBytes === 0 && mirroredBytes > 0);
    await following.until((state) => state.mirroredBytes === readFileSync(sessionFile(machines)).length);
    await stopped(following.child, "SIGKILL");
    const id = (await rowsOn(machines, "there"))[0]?.sessionId ?? "";
    const taken = await machines.on("there", ["move", id, "--take-over", "--into", "timer", "--json"]);
    expect([taken.code, taken.stderr]).toEqual([0, ""]);
    const { sessionId, location } = JSON.parse(taken.stdout) as {
      readonly sessionId: string;
      readonly location: string;
    };
    expect(existsSync(location)).toBe(true);
    const text = readFileSync(location, "utf8");
    for (let one = 0; one < asked; one += 1) expect(text).toContain(`"Question ${one} `);
    expect(text).toContain("The last question");
    expect((await machines.on("there", ["resume", sessionId, "--print"])).code).toBe(0);
  },
  600_000,
);

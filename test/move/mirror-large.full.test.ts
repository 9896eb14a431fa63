/**
 * A session of 100 MB is mirrored over a real ssh whose connection is cut: it continues where it ended, with bounded
 * memory.
 */

import { appendFileSync, readFileSync, statSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ask, sessionFile } from "./grow.ts";
import { type Machines, makeMachines } from "./machines.ts";
import { follow, rowsOn, stopped } from "./mirror.ts";
import { type SshServer, startSshServer } from "./sshd.ts";

const SIZE = 100 * 1024 * 1024;
const ANSWER = "the timer rings ".repeat(2_000);

let machines: Machines;
let server: SshServer;

beforeEach(async () => {
  machines = makeMachines(scratchFolder("mirror-large"));
  server = await startSshServer(machines);
  return async () => await server[Symbol.asyncDispose]();
});

function growTo(sizeBytes: number): void {
  const path = sessionFile(machines);
  ask(machines, ANSWER);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const last = `${lines.at(-1)}\n`;
  const uuid = (JSON.parse(last) as { readonly uuid: string }).uuid;
  for (let size = statSync(path).size; size < sizeBytes; size += last.length)
    appendFileSync(path, last.replace(uuid, crypto.randomUUID()));
}

test("a session of 100 MB is mirrored although the connection is cut, and each machine keeps one batch in memory", async () => {
  growTo(SIZE);
  const size = statSync(sessionFile(machines)).size;
  const following = follow(machines, server.address);
  await following.until(({ mirroredBytes }) => mirroredBytes > SIZE / 4);
  server.cut();
  await following.until(({ connected }) => !connected);
  const again = following.states.length;
  await following.until((state) => state.connected && state.mirroredBytes === size);
  // The transfer did not start again from the beginning.
  const first = following.states
    .slice(again)
    .find(({ connected, mirroredBytes }) => connected && mirroredBytes > 0);
  expect(first?.mirroredBytes).toBeGreaterThan(SIZE / 4);
  ask(machines, "And make it ring");
  await following.until(({ mirroredBytes }) => mirroredBytes === statSync(sessionFile(machines)).size);
  const peak = Number(
    /VmHWM:\s+(\d+) kB/u.exec(readFileSync(`/proc/${following.child.pid}/status`, "utf8"))?.[1],
  );
  expect(peak * 1024).toBeLessThan(250 * 1024 * 1024);
  expect(await stopped(following.child, "SIGKILL")).toBeNull();
  const [mirror] = await rowsOn(machines, "there");
  expect(readFileSync(mirror?.location ?? "").equals(readFileSync(sessionFile(machines)))).toBe(true);
}, 300_000);

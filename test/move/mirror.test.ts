/** `continuo move --follow`: a session grows on one machine, and is read and taken over on the other. */

import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ask, sessionFile } from "./grow.ts";
import { type Machines, makeMachines } from "./machines.ts";
import { follow, rowsOn, stopped } from "./mirror.ts";

let machines: Machines;

beforeEach(() => {
  machines = makeMachines(scratchFolder("mirror"));
});

const sizeHere = (): number => statSync(sessionFile(machines)).size;

test("an incomplete line is not sent until it is complete, and a rewritten file replaces its mirror", async () => {
  const following = follow(machines);
  const { mirroredBytes } = await following.until((state) => state.mirroredBytes === sizeHere());
  const path = sessionFile(machines);
  const before = readFileSync(path);
  ask(machines, "And make it ring");
  const whole = sizeHere();
  truncateSync(path, whole - 10);
  await following.until(({ waitingBytes }) => waitingBytes > 0);
  expect(following.states.at(-1)?.mirroredBytes).toBe(mirroredBytes);
  expect(following.states.at(-1)?.waitingSince).not.toBeNull();
  const [, second = ""] = before.toString().split("\n");
  writeFileSync(path, `${before.toString().replace(`${second}\n`, "")}`);
  await following.until((state) => state.waitingBytes === 0 && state.mirroredBytes === sizeHere());
  expect(await stopped(following.child, "SIGINT")).toBe(0);
  const [mirror] = await rowsOn(machines, "there");
  expect(readFileSync(mirror?.location ?? "")).toEqual(readFileSync(path));
});

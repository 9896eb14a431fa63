/** A mirror on another machine: the session is continued there, and a connection that fails is opened again or reported. */

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

test("a session of the agent is read on the other machine, continued there after this one failed, and marked here", async () => {
  const following = follow(machines);
  await following.until(({ mirroredBytes }) => mirroredBytes === sizeHere());
  ask(machines, "And make it ring");
  await following.until(
    ({ mirroredBytes, waitingBytes }) => mirroredBytes === sizeHere() && waitingBytes === 0,
  );
  await stopped(following.child, "SIGKILL");
  const [mirror] = await rowsOn(machines, "there");
  expect(mirror).toMatchObject({ agent: "claude", problems: [{ code: "mirror" }] });
  expect(readFileSync(mirror?.location ?? "")).toEqual(readFileSync(sessionFile(machines)));
  const id = mirror?.sessionId ?? "";
  expect((await machines.on("there", ["list"])).stdout).toContain("mirror: it belongs to");
  expect((await machines.on("there", ["show", id])).stdout).toContain("And make it ring");
  const refused = await machines.on("there", ["resume", id, "--print"]);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("--take-over")]);

  const taken = await machines.on("there", ["move", id, "--take-over", "--into", "timer", "--json"]);
  expect([taken.code, taken.stderr]).toEqual([0, ""]);
  const made = JSON.parse(taken.stdout) as { readonly sessionId: string; readonly cwd: string };
  expect(made.cwd).toBe(machines.there.folder);
  expect(await rowsOn(machines, "there")).toMatchObject([{ sessionId: made.sessionId, problems: [] }]);
  expect((await machines.on("there", ["show", made.sessionId])).stdout).toContain("And make it ring");
  expect((await machines.on("there", ["resume", made.sessionId, "--print"])).code).toBe(0);
  const again = await machines.on("there", ["move", id, "--take-over"]);
  expect([again.code, again.stderr]).toEqual([5, expect.stringContaining(made.sessionId)]);

  // This machine comes back, continues to write, and gets a report of the take-over.
  ask(machines, "Too late");
  const later = await machines.move("--follow", "--to", "ssh://laptop");
  expect([later.code, later.stdout]).toEqual([0, expect.stringContaining("was taken over on")]);
  expect(await rowsOn(machines, "here")).toMatchObject([
    { movedTo: { machine: "ssh://laptop", sessionId: made.sessionId } },
  ]);
  expect((await machines.on("there", ["show", made.sessionId])).stdout).not.toContain("Too late");
});

test("a cut connection is opened again, and continues where it ended", async () => {
  const following = follow(machines);
  await following.until((state) => state.mirroredBytes === sizeHere());
  process.kill(Number(readFileSync(join(machines.root, "far.pid"), "utf8")), "SIGKILL");
  ask(machines, "And make it ring");
  await following.until(({ connected, waitingBytes }) => !connected && waitingBytes > 0);
  await following.until((state) => state.connected && state.mirroredBytes === sizeHere());
  expect(await stopped(following.child, "SIGTERM")).toBe(0);
});

test("the error of ssh is shown for a machine that cannot be reached", async () => {
  writeFileSync(join(machines.bin, "ssh"), "#!/bin/sh\nread line\necho no route to host >&2\nexit 255\n");
  const away = await machines.move("--follow", "--to", "ssh://laptop");
  expect([away.code, away.stderr]).toEqual([expect.any(Number), expect.stringContaining("no route to host")]);
});

/** `continuo move --to ssh://`: the command on one machine, and the command that ssh starts on the other. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { openChannel, receiveMove } from "@continuo/agents/handoff/moving";
import { ContinuoError } from "@continuo/core/model";
import { beforeEach, expect, test } from "vitest";
import { createHome, writeSessions } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { makeMachines } from "./machines.ts";
import { expectMoved } from "./moved.ts";

let root: string;

beforeEach(() => {
  root = scratchFolder("two-machines");
});

test("a session and its work tree are moved to the other machine, and the session is marked here", async () => {
  await expectMoved(makeMachines(root, { agent: "pi" }));
});

test("without a folder the other machine uses the one with the same name below its home", async () => {
  mkdirSync(join(root, "work/timer"), { recursive: true });
  const [near, far] = [new PassThrough(), new PassThrough()];
  const broken = (why: string): ContinuoError => new ContinuoError("unavailable", why);
  const places = { home: root, env: {} };
  const receiving = receiveMove({ places, channel: openChannel(near, far, broken), broken });
  const offer = { move: 1, into: null, folder: "/far/ann/work/timer", home: "/far/ann", commits: null };
  near.write(`${JSON.stringify(offer)}\n`);
  const answer = await openChannel(far, near, broken).readLine();
  expect(answer).toMatchObject({ ready: 1, folder: join(root, "work/timer"), known: [] });
  near.end();
  await expect(receiving).rejects.toMatchObject({ code: "unavailable" });
});

test("the folder must be named if the other machine does not have it", async () => {
  const machines = makeMachines(root);
  const [near, far] = [new PassThrough(), new PassThrough()];
  const broken = (why: string): ContinuoError => new ContinuoError("unavailable", why);
  const places = { home: join(machines.root, "there"), env: {} };
  const receiving = receiveMove({ places, channel: openChannel(near, far, broken), broken });
  near.write(`${JSON.stringify({ move: 1, into: null, folder: "/far/x", home: "/far", commits: null })}\n`);
  await expect(receiving).rejects.toMatchObject({
    code: "usage",
    hint: expect.stringContaining("ssh://HOST/DIR"),
  });
  expect(await openChannel(far, near, broken).readLine()).toMatchObject({ error: { code: "usage" } });
});

test.each([
  "ssh://-oProxyCommand=x/",
  "ssh://a b/",
  "ssh:",
  "ssh://host:port/",
  "ssh://-u@host/",
  "ssh://u@-host/",
])("%j is no address of a machine", async (address) => {
  using home = createHome();
  writeSessions(home);
  const { code, stderr } = await runHere(home, ["move", "last", "--to", address]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("is not an address of a machine")]);
});

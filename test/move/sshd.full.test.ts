/** `continuo move` over a real ssh server: two homes, two clones, and a connection that is cut. */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { changeTree, ended, MOVED_AGENTS, makeMachines, REMOTE, shownIn } from "./machines.ts";
import { startSshServer } from "./sshd.ts";

test.each(MOVED_AGENTS)("a session of %s moves over ssh, with its work tree", async (agent) => {
  const machines = makeMachines(scratchFolder("sshd"), { agent });
  const { here, there, root } = machines;
  changeTree(here);
  await using server = await startSshServer(machines);
  const { code, stdout, stderr } = await machines.move("--to", `${server.address}/~/timer`, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  const { placed, machine } = JSON.parse(stdout);
  expect([machine, placed.cwd]).toEqual([server.address, server.homePath(there.folder)]);
  expect(shownIn(there)).toEqual(shownIn(here));
  expect(
    existsSync(
      placed.location.replace(/#.*$/u, "").replace(server.homePath(join(root, "there")), join(root, "there")),
    ),
  ).toBe(true);
});

test("after a cut connection, the same command continues the transfer where it ended", async () => {
  const machines = makeMachines(scratchFolder("sshd"));
  const { here, there, root } = machines;
  changeTree(here);
  const noise = Array.from({ length: 250_000 }, (_, at) => createHash("sha256").update(String(at)).digest());
  here.write("noise.bin", Buffer.concat(noise));
  await using server = await startSshServer(machines);
  const args = ["move", "last", "--remote-command", REMOTE, "--to", `${server.address}/~/timer`];
  const first = ended(machines.start(args));
  const moves = join(root, "there/.continuo/moves");
  const received = (): number =>
    (existsSync(moves) ? readdirSync(moves) : []).reduce(
      (sum, name) => sum + statSync(join(moves, name)).size,
      0,
    );
  while (received() < 1_000_000) await sleep(5);
  server.cut();
  const { code, stderr } = await first;
  expect([code, stderr]).toEqual([1, expect.stringContaining("Run the same command again")]);
  const had = received();
  expect(had).toBeGreaterThan(0);
  expect(shownIn(there)).not.toEqual(shownIn(here));
  expect(existsSync(join(root, "there/.claude"))).toBe(false);
  const again = await machines.on("here", args);
  expect(again.code).toBe(0);
  expect(shownIn(there)).toEqual(shownIn(here));
  expect(readdirSync(moves).filter((name) => name.endsWith(".part"))).toEqual([]);
});

/** Moves to another machine that are repeated, cut off or refused: each starts the command several times. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { changeTree, makeMachines, REMOTE, shownIn } from "./machines.ts";
import { expectContinued, sessionsOn, waitingParts } from "./moved.ts";
import { gitIn } from "./tree-shapes.ts";

let root: string;

beforeEach(() => {
  root = scratchFolder("two-machines");
});

test("the list marks a moved session, resume refuses it, and the mark can be removed", async () => {
  const machines = makeMachines(root);
  await machines.move("--to", "ssh://ann@laptop:2222/~/timer");
  expect((await machines.on("here", ["list"])).stdout).toContain("moved to ssh://ann@laptop:2222");
  const refused = await machines.on("here", ["resume", "last", "--print"]);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("--take-back")]);
  const [{ sessionId } = { sessionId: "" }] = await sessionsOn(machines, "here");
  const asked = await machines.on("here", ["chat", "--resume", `claude:${sessionId}`, "Go on"]);
  expect([asked.code, asked.stderr]).toEqual([
    5,
    expect.stringContaining("was moved to ssh://ann@laptop:2222"),
  ]);
  const taken = await machines.on("here", ["move", "last", "--take-back"]);
  expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining("continues here")]);
  expect((await machines.on("here", ["resume", "last", "--print"])).code).toBe(0);
  expect((await machines.on("here", ["move", "last", "--take-back"])).code).toBe(5);
});

test("a new folder on the other machine becomes a clone", async () => {
  const machines = makeMachines(root);
  changeTree(machines.here);
  expect((await machines.move("--to", `ssh://laptop${join(root, "there/new")}`)).code).toBe(0);
  expect(shownIn(gitIn(join(root, "there/new")))).toEqual(shownIn(machines.here));
  const [session] = await sessionsOn(machines, "there");
  expect(session?.cwd).toBe(join(root, "there/new"));
});

describe("a connection that is cut", () => {
  test("leaves both machines whole, and the same command continues it", async () => {
    await expectContinued(makeMachines(root), 900);
  });

  test("is continued after the received bytes; damaged ones are deleted and sent again", async () => {
    const machines = makeMachines(root);
    const noise = Array.from({ length: 1_500 }, (_, at) => createHash("sha256").update(String(at)).digest());
    machines.here.write("noise.bin", Buffer.concat(noise));
    const args = ["move", "last", "--remote-command", REMOTE, "--to", "ssh://laptop/~/timer"];
    expect((await machines.on("here", args, { CUT: "20000" })).code).toBe(1);
    const [part = ""] = waitingParts(machines);
    const path = join(root, "there/.continuo/moves", part);
    const bytes = readFileSync(path);
    expect(bytes.length).toBeGreaterThan(10_000);
    writeFileSync(path, bytes.fill(0, 0, 100));
    const damaged = await machines.on("here", args);
    expect([damaged.code, damaged.stderr]).toEqual([
      4,
      expect.stringContaining("is not the one that was sent"),
    ]);
    expect(waitingParts(machines)).toEqual([]);
    expect((await machines.on("here", args)).code).toBe(0);
  });

  test("before the confirmation leaves only one session there, however often it is moved", async () => {
    const machines = makeMachines(root);
    changeTree(machines.here);
    const first = await machines.move("--to", "ssh://laptop/~/timer", "--json");
    await machines.on("here", ["move", "last", "--take-back"]);
    const second = await machines.move("--to", "ssh://laptop/~/timer", "--json");
    expect(JSON.parse(second.stdout).placed).toEqual(JSON.parse(first.stdout).placed);
    expect(await sessionsOn(machines, "there")).toHaveLength(1);
  });
});

test("the same session can be moved to another folder too, but to another machine only after its mark was removed", async () => {
  const machines = makeMachines(root);
  changeTree(machines.here);
  expect((await machines.move("--to", "ssh://laptop/~/timer")).code).toBe(0);
  const again = await machines.move("--to", "ssh://laptop/~/new", "--json");
  expect(JSON.parse(again.stdout).placed).toMatchObject({ cwd: join(root, "there/new") });
  const refused = await machines.move("--to", "ssh://desktop/~/timer");
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("was moved to ssh://laptop")]);
  await machines.on("here", ["move", "last", "--take-back"]);
  expect((await machines.move("--to", "ssh://desktop/~/timer")).code).toBe(0);
});

test("a session that was deleted on the other machine is placed again", async () => {
  const machines = makeMachines(root);
  await machines.move("--to", "ssh://laptop/~/timer");
  rmSync(join(root, "there/.claude"), { recursive: true });
  await machines.on("here", ["move", "last", "--take-back"]);
  expect((await machines.move("--to", "ssh://laptop/~/timer")).code).toBe(0);
  expect(await sessionsOn(machines, "there")).toHaveLength(1);
});

test("a session that another process writes is refused, and nothing is sent", async () => {
  const machines = makeMachines(root);
  const [session] = await sessionsOn(machines, "here");
  const file = join(
    root,
    "here/.claude/projects",
    ...readdirSync(join(root, "here/.claude/projects")).slice(0, 1),
  );
  const path = join(file, `${session?.sessionId}.jsonl`);
  const script = `const fd = require("fs").openSync(${JSON.stringify(path)}, "a"); console.log(fd); setInterval(() => 0, 1000)`;
  const writer = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    await new Promise((done) => writer.stdout.once("data", done));
    const { code, stderr } = await machines.move("--to", "ssh://laptop/~/timer");
    expect([code, stderr]).toEqual([5, expect.stringContaining("is open in claude")]);
  } finally {
    writer.kill();
  }
  expect(existsSync(join(root, "there/.continuo"))).toBe(false);
});

test("errors of the other machine contain its name and its hint", async () => {
  const machines = makeMachines(root);
  changeTree(machines.here);
  machines.there.write("README.md", "# Mine\n");
  const refused = await machines.move("--to", "ssh://laptop/~/timer");
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("ssh://laptop: the clone ")]);
  expect(refused.stderr).toContain("Commit or stash them there first");
  const args = ["move", "last", "--to", "ssh://laptop/~/timer", "--remote-command", "no-such-continuo"];
  const missing = await machines.on("here", args);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("--remote-command")]);
  writeFileSync(join(machines.bin, "ssh"), "#!/bin/sh\necho Welcome to laptop; cat >/dev/null\n");
  const other = await machines.move("--to", "ssh://laptop/~/timer");
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('"Welcome to laptop"')]);
});

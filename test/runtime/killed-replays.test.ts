/** Replays whose process is killed while an agent answers, and the sessions that replays keep. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { listAll, type Session } from "@continuo/core/model";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { expect, test } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const KEPT = ["leave", "keep"] as const;

async function killedReplay(url: string, kept: (typeof KEPT)[number]): Promise<void> {
  const program = await bundledProgram("test/runtime/processes/replayer.ts");
  const child = spawn(process.execPath, [program, url, "s", kept], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  expect(String(await once(child.stdout, "data"))).toBe("hangs\n");
  child.kill("SIGKILL");
  await exited;
}

const sessionsOf = async ({ store }: Continuo): Promise<readonly Session[]> =>
  (await store.listSessions({ metadata: { replayOf: "s" } })).items.toReversed();

test.each(KEPT)(
  "a replay that is killed is not tried again by a worker, with the sessions that it should %s",
  {
    timeout: 60_000,
  },
  async (kept) => {
    const url = `sqlite:${join(scratchFolder("killed-replays"), "store.db")}`;
    await using c = await openContinuo(url, { agents: [new EchoAgent()], recover: "retry", pollMs: 20 });
    for (const text of ["one", "two"])
      await c.session("s", { create: true, title: "Garden" }).send(text).result();
    await killedReplay(url, kept);
    // A worker of a program that opens the store looks for what dead processes left.
    await using next = await openContinuo(url, { agents: [new EchoAgent()], recover: "retry", pollMs: 20 });
    const left = async (): Promise<unknown> =>
      (await next.store.listRuns({ status: ["pending", "running"] })).items.length;
    await expect.poll(left, { timeout: 20_000 }).toBe(0);
    const logs = await Array.fromAsync(
      listAll((place) => next.store.listLogs(place)),
      ({ logId }) => logId,
    );
    const forks = await sessionsOf(next);
    expect(new Set(logs)).toEqual(new Set(["s", ...forks.map(({ sessionId }) => sessionId)]));
    const runs = await Promise.all(forks.map(({ sessionId }) => next.store.listRuns({ sessionId })));
    const ends = runs.map(({ items }) => items.map(({ status }) => status));
    expect(ends).toEqual(kept === "keep" ? [["completed"], ["interrupted"]] : []);
    expect(await next.deadLetters.list()).toEqual([]);
  },
);

test("the sessions that replays keep name the session, its runs and the places of their inputs", async () => {
  await using c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  await c.store.createSession({ sessionId: "s" });
  await c.store.append("s", [
    { type: "message_sent", data: { content: "Where is it?" } },
    { type: "message_received", data: { content: "In Bern." } },
  ]);
  const { runId } = await c.session("s").send("And now?").result();
  const { events } = await c.store.read("s", { runId, types: ["run_created"] });
  const wanted = [
    { replayOf: "s", replayAt: 2 },
    { replayOf: "s", replayAt: events[0]?.sequence, replayedRun: runId },
  ];
  for (const times of [1, 2]) {
    await c.replay("s", { agent: new ScriptedAgent({ name: "candidate" }), keep: true });
    const metadata = (await sessionsOf(c)).map((session) => session.metadata);
    expect(metadata).toMatchObject(Array.from({ length: times }, () => wanted).flat());
  }
});

/** A mirror of a session of each agent is listed, found by its text, read and continued on the other machine. */

import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { grow } from "./grow.ts";
import { MOVED_AGENTS, makeMachines } from "./machines.ts";
import { follow, rowsOn, stopped } from "./mirror.ts";

const WORDS = "and let the hourglass chime";

test.each(MOVED_AGENTS)(
  "a session of %s is found, read and continued on the other machine",
  async (agent) => {
    const machines = makeMachines(scratchFolder("mirror-agents"), { agent });
    const following = follow(machines);
    await following.until(({ waitingBytes, workTree }) => waitingBytes === 0 && workTree?.readAt != null);
    const before = following.states.length;
    grow(machines, agent, WORDS);
    await following.until((state) => following.states.indexOf(state) >= before && state.waitingBytes === 0);
    await stopped(following.child, "SIGKILL");

    const there = async (...args: readonly string[]): Promise<string> => {
      const run = await machines.on("there", args);
      const told = run.stderr.replace(/^This session is a mirror: it belongs to .*\n/u, "");
      expect([args, run.code, told]).toEqual([args, 0, ""]);
      return run.stdout;
    };
    const mirror = (await rowsOn(machines, "there")).find(({ problems }) =>
      problems.some(({ code }) => code === "mirror"),
    );
    expect(mirror).toMatchObject({ agent, cwd: machines.here.folder });
    const name = `${agent}:${mirror?.sessionId}`;
    expect(await there("show", name)).toContain(WORDS);
    expect(await there("search", "hourglass", "--json")).toContain(mirror?.sessionId);

    const taken = await there("move", name, "--take-over", "--into", "timer", "--json");
    const made = JSON.parse(taken) as { readonly sessionId: string; readonly cwd: string };
    expect(made.cwd).toBe(machines.there.folder);
    expect(await there("show", `${agent}:${made.sessionId}`)).toContain(WORDS);
    const found = await there("search", "hourglass", "--json");
    expect([found.includes(made.sessionId), found.includes(mirror?.sessionId ?? "")]).toEqual([true, false]);
    expect((await rowsOn(machines, "there")).filter(({ cwd }) => cwd === made.cwd)).toHaveLength(1);
  },
  60_000,
);

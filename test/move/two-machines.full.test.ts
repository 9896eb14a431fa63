/**
 * The moves of agents and the cuts of the connection that the quick size leaves out: each starts the command six times.
 */

import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { MOVED_AGENTS, makeMachines } from "./machines.ts";
import { expectContinued, expectMoved, sessionsOn } from "./moved.ts";

let root: string;

beforeEach(() => {
  root = scratchFolder("two-machines-all");
});

test.each(MOVED_AGENTS.filter((agent) => agent !== "pi"))(
  "a session of %s and its work tree are moved to the other machine, and the session is marked here",
  async (agent) => {
    const machines = makeMachines(root, { agent });
    expect((await sessionsOn(machines, "here")).map((row) => row.agent)).toContain(agent);
    await expectMoved(machines);
  },
);

test.each([0, 40, 3_000, 20_000])(
  "a connection that is cut after %i bytes leaves both machines whole, and the same command continues it",
  async (cut) => await expectContinued(makeMachines(root), cut),
);

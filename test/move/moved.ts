/** A moved session is on one machine and marked on the other, and a cut connection loses no data. */

import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { changeTree, type Machines, REMOTE, shownIn } from "./machines.ts";

export interface ListedSession {
  readonly agent: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly movedTo: { readonly machine: string; readonly sessionId: string } | null;
}

export async function sessionsOn(machines: Machines, machine: "here" | "there"): Promise<ListedSession[]> {
  return JSON.parse((await machines.on(machine, ["list", "--json"])).stdout) as ListedSession[];
}

/** Returns the incomplete files of moves on the other machine. */
export function waitingParts(machines: Machines): readonly string[] {
  const folder = join(machines.root, "there/.continuo/moves");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".part")) : [];
}

export async function expectMoved(machines: Machines): Promise<void> {
  const { here, there } = machines;
  const agent = (await sessionsOn(machines, "here"))[0]?.agent;
  changeTree(here);
  const before = shownIn(here);
  const { code, stdout, stderr } = await machines.move("--to", "ssh://laptop/~/timer");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("moved to ssh://laptop");
  expect(stdout).toContain(`there: work tree ${there.folder}, with the same changes`);
  expect([shownIn(here), shownIn(there)]).toEqual([before, before]);
  const arrived = (await sessionsOn(machines, "there")).filter(({ cwd }) => cwd === there.folder);
  expect(arrived).toMatchObject([{ agent, movedTo: null }]);
  const [left] = await sessionsOn(machines, "here");
  expect(left?.movedTo).toMatchObject({ machine: "ssh://laptop", sessionId: arrived[0]?.sessionId });
  expect(waitingParts(machines)).toEqual([]);
}

/**
 * Moves a session over a connection that ends, and then runs the same command again. @param cut bytes that arrive
 * before the end
 */
export async function expectContinued(machines: Machines, cut: number): Promise<void> {
  const { here, there } = machines;
  changeTree(here);
  const noise = Array.from({ length: 1_500 }, (_, at) => createHash("sha256").update(String(at)).digest());
  here.write("noise.bin", Buffer.concat(noise));
  const before = shownIn(here);
  const clean = shownIn(there);
  const args = ["move", "last", "--remote-command", REMOTE, "--to", "ssh://laptop/~/timer"];
  const cutOff = await machines.on("here", args, { CUT: String(cut) });
  expect([cutOff.code, cutOff.stderr]).toEqual([1, expect.stringContaining("Run the same command again")]);
  expect([shownIn(here), shownIn(there)]).toEqual([before, clean]);
  expect(await sessionsOn(machines, "there")).toEqual([]);
  expect((await sessionsOn(machines, "here"))[0]?.movedTo).toBe(null);
  expect((await machines.move("--to", "ssh://laptop/~/timer")).code).toBe(0);
  expect(shownIn(there)).toEqual(before);
  expect(await sessionsOn(machines, "there")).toHaveLength(1);
  expect(waitingParts(machines)).toEqual([]);
}

/** A program is killed in the moment of a grant: the next question says whether the call may have run. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { chunk, DONE, type ScriptStep } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const ask: ScriptStep = {
  ask: {
    toolCall: { toolCallId: "t1", title: "make", kind: "execute", rawInput: { command: "make" } },
    options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  },
};
const heard: ScriptStep = { touch: "heard" };

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface Told {
  readonly type: "asked" | "storing" | "ended";
  readonly approvalId?: string;
  readonly grantedBefore?: string;
}

/** Everything that the program prints, until it is killed at `until` or has ended. */
async function run(folder: string, mode: "hold" | "go", until: (told: Told | null) => boolean) {
  const program = await bundledProgram("test/sessions/processes/asking.ts");
  const url = `sqlite:${join(folder, "store.db")}`;
  const args = [program, url, mode, folder, process.execPath, SCRIPTED_AGENT, join(folder, "script.json")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const told: Told[] = [];
  const kill = (): void => {
    if (until(told.at(-1) ?? null)) child.kill("SIGKILL");
  };
  const looking = setInterval(kill, 20);
  createInterface(child.stdout).on("line", (line) => {
    told.push(JSON.parse(line));
    kill();
  });
  await new Promise((resolve) => child.once("close", resolve));
  clearInterval(looking);
  return told;
}

const never = (): boolean => false;

test("killed before the grant is stored, the agent has not heard it, and the next question says nothing of an earlier call", async () => {
  const folder = scratchFolder("stored-decisions");
  const script = { prompts: { "*": [ask, heard, chunk("It is made."), DONE] } };
  writeFileSync(join(folder, "script.json"), JSON.stringify(script));
  const first = await run(folder, "hold", (told) => told?.type === "storing");
  expect(first.map(({ type }) => type)).toEqual(["asked", "storing"]);
  expect(existsSync(join(folder, "heard"))).toBe(false);
  const next = await run(folder, "go", never);
  expect(next.map(({ type }) => type)).toEqual(["asked", "ended"]);
  expect(next[0]?.grantedBefore).toBeUndefined();
});

test("killed after the agent heard the grant, the next question names it, because the call may have run", async () => {
  const folder = scratchFolder("stored-decisions");
  const file = join(folder, "script.json");
  writeFileSync(file, JSON.stringify({ prompts: { "*": [ask, heard, { silence: true }] } }));
  const first = await run(folder, "go", () => existsSync(join(folder, "heard")));
  expect(first.map(({ type }) => type)).toEqual(["asked"]);
  writeFileSync(file, JSON.stringify({ prompts: { "*": [ask, DONE] } }));
  const next = await run(folder, "go", never);
  expect(next).toMatchObject([{ type: "asked", grantedBefore: first[0]?.approvalId }, { type: "ended" }]);
});

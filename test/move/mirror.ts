/** A session that its agent writes on this machine, and its mirror as a person on the other machine sees it. */

import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type Machines, REMOTE } from "./machines.ts";

export interface State {
  readonly connected: boolean;
  readonly mirroredBytes: number;
  readonly waitingBytes: number;
  readonly waitingSince: string | null;
  readonly workTree: { readonly readAt: string | null; readonly problem: string | null } | null;
}

export interface MirrorCommand {
  readonly child: ChildProcess;
  /** Everything that the command printed, in order. */
  readonly states: State[];
  until(isReached: (state: State) => boolean): Promise<State>;
}

export function follow(
  machines: Machines,
  to = "ssh://laptop",
  env: Readonly<Record<string, string>> = {},
): MirrorCommand {
  const args = ["move", "last", "--follow", "--json", "--remote-command", REMOTE, "--to", to];
  const child = machines.start(args, env);
  const states: State[] = [];
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => states.push(JSON.parse(line) as State));
  return {
    child,
    states,
    async until(isReached) {
      for (let tries = 0; tries < 1_200; tries += 1) {
        const reached = states.find(isReached);
        if (reached !== undefined) return reached;
        if (child.exitCode !== null) throw new Error(`the command ended: ${said}`);
        await sleep(25);
      }
      throw new Error(`not reached: ${JSON.stringify(states.at(-1))} ${said}`);
    },
  };
}

export async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const closed = new Promise<number | null>((done) => child.once("close", done));
  child.kill(signal);
  return child.exitCode ?? (await closed);
}

export interface MirrorRow {
  readonly agent: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly location: string;
  readonly movedTo: { readonly machine: string; readonly sessionId: string } | null;
  readonly problems: readonly { readonly code: string }[];
}

export async function rowsOn(machines: Machines, machine: "here" | "there"): Promise<readonly MirrorRow[]> {
  return JSON.parse((await machines.on(machine, ["list", "--json"])).stdout) as readonly MirrorRow[];
}

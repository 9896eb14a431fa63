/** `move --follow`: what a session's agent writes, sent to another machine until Ctrl-C, with the lag. */

import { type LocatedSession, markMoved } from "@continuo/agents/catalog";
import { type FollowState, followSession, type RemoteTakeOver } from "@continuo/agents/handoff/mirroring";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { createOutput, createProgress, formatSize, type Shell, toJsonText } from "../terminal/index.ts";
import type { FollowPlace, MoveFlags } from "./flags.ts";
import { refuseMovedElsewhere } from "./move-check.ts";

export async function runFollow(
  { found, places }: LocatedSession,
  { machine, connect }: FollowPlace,
  flags: MoveFlags,
  shell: Shell,
): Promise<number> {
  refuseMovedElsewhere(found, machine, shell);
  const ending = new AbortController();
  const end = (): void => ending.abort();
  using _interrupts = shell.holdInterrupts(end);
  using _termination = shell.holdTermination(end);
  shell.signal?.addEventListener("abort", end, { once: true });
  const name = `${found.agent}:${found.sessionId}`;
  const output = createOutput(shell.stdout);
  const say = async (text: string): Promise<void> => await output.write(`${visibleLine(text)}\n`);
  using progress = createProgress(shell);
  let [told, wasReached] = ["", false];
  let last: FollowState | null = null;
  const taken = await followSession(found, {
    places,
    host: machine,
    connect,
    workTree: flags.workTree ? "with" : "without",
    signal: ending.signal,
    onState(state) {
      last = state;
      if (flags.json) {
        const text = toJsonText(toJson(state));
        if (text !== told) void output.write(`${text}\n`);
        told = text;
        return;
      }
      const isReached = state.disconnected === null;
      if (isReached !== wasReached) {
        progress.clear();
        void say(isReached ? `${name} is mirrored to ${machine}, ${treeText(state)}` : lostText(state));
      }
      wasReached = isReached;
      progress.show(stateText(state));
    },
  });
  progress.clear();
  if (taken === null) {
    if (!flags.json && last !== null) await say(`${name}: ${stateText(last)}`);
    return 0;
  }
  await markTaken(found, taken, { machine, shell });
  if (!flags.json) await say(`${name} was taken over on ${taken.host}, and is marked here as moved`);
  return 0;
}

/** Marks the session as moved; otherwise, two machines would continue one conversation in different ways. */
async function markTaken(
  found: LocatedSession["found"],
  { session, at }: RemoteTakeOver,
  { machine, shell }: { readonly machine: string; readonly shell: Shell },
): Promise<void> {
  if (session === null) return;
  await markMoved(found, { machine, ...session, at }, { places: placesOf(shell) });
}

function toJson(state: FollowState): object {
  const { disconnected, mirroredBytes, waitingBytes, waitingSince, workTree } = state;
  return {
    connected: disconnected === null,
    mirroredBytes,
    waitingBytes,
    waitingSince: waitingSince?.toISOString() ?? null,
    workTree:
      workTree === null
        ? null
        : { readAt: workTree.readAt?.toISOString() ?? null, problem: workTree.problem?.code ?? null },
  };
}

/** Printed at the beginning, so that nobody finds out too late that changes are missing. */
function treeText({ workTree }: FollowState): string {
  const tree = workTree === null ? "without a work tree" : "with its work tree as it is after each turn";
  return `${tree}; Ctrl-C ends it`;
}

function treeState({ workTree }: FollowState): string {
  if (workTree === null) return "";
  const { readAt, problem } = workTree;
  const newest = readAt === null ? "no work tree yet" : `work tree of ${readAt.toISOString().slice(0, 19)}Z`;
  return `; ${newest}${problem === null ? "" : ` (${problem.message})`}`;
}

function stateText(state: FollowState): string {
  const { mirroredBytes, waitingBytes, waitingSince } = state;
  const there = `${formatSize(mirroredBytes)} mirrored`;
  if (waitingSince === null) return `${there}, up to date${treeState(state)}`;
  const seconds = Math.round((Date.now() - waitingSince.getTime()) / 1000);
  return `${there}, ${formatSize(waitingBytes)} behind for ${seconds} s${treeState(state)}`;
}

function lostText(state: FollowState): string {
  return `${state.disconnected?.message ?? ""}; ${stateText(state)}; trying again`;
}

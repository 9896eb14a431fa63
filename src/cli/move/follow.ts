/** `move --follow`: what a session's agent writes, sent to another machine until Ctrl-C, with the lag. */

import { type LocatedSession, markMoved } from "@continuo/agents/catalog";
import { followSession, type MirrorState, type TakenOverThere } from "@continuo/agents/handoff/mirroring";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { createOutput, createProgress, formatSize, type Shell, toJsonText } from "../terminal/index.ts";
import type { FollowPlace, MoveFlags } from "./flags.ts";
import { refuseMovedElsewhere } from "./moved-elsewhere.ts";

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
  let last: MirrorState | null = null;
  const taken = await followSession(found, {
    places,
    host: machine,
    connect,
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
        void say(isReached ? `${name} is mirrored to ${machine}; Ctrl-C ends it` : lostText(state));
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

/** Two machines would continue one conversation in two ways. */
async function markTaken(
  found: LocatedSession["found"],
  { session, at }: TakenOverThere,
  { machine, shell }: { readonly machine: string; readonly shell: Shell },
): Promise<void> {
  if (session === null) return;
  await markMoved(found, { machine, ...session, at }, { places: placesOf(shell) });
}

function toJson({ disconnected, mirroredBytes, waitingBytes, waitingSince }: MirrorState): object {
  return {
    connected: disconnected === null,
    mirroredBytes,
    waitingBytes,
    waitingSince: waitingSince?.toISOString() ?? null,
  };
}

function stateText({ mirroredBytes, waitingBytes, waitingSince }: MirrorState): string {
  const there = `${formatSize(mirroredBytes)} mirrored`;
  if (waitingSince === null) return `${there}, up to date`;
  const seconds = Math.round((Date.now() - waitingSince.getTime()) / 1000);
  return `${there}, ${formatSize(waitingBytes)} behind for ${seconds} s`;
}

function lostText(state: MirrorState): string {
  return `${state.disconnected?.message ?? ""}; ${stateText(state)}; trying again`;
}

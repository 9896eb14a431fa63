/**
 * The work of the machine that has the session: it sends what the agent writes, and connects again after a lost
 * connection, until the signal aborts.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { ContinuoError, isContinuoError, present } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { lookUpSession, type SessionRef } from "@continuo/native";
import type { MoveConnection } from "../moving/index.ts";
import { openRepository } from "../work-tree/index.ts";
import { LOOK_MS, MAX_RETRY_MS, RETRY_MS } from "./limits.ts";
import type { RemoteTakeOver } from "./lines.ts";
import { MirrorSender, type MirrorState, toHello } from "./sender.ts";
import { type MirrorSource, openSource } from "./source.ts";
import { type MirroredTreeState, TreeWatch } from "./tree-watch.ts";

export interface FollowOptions {
  readonly places: Places;
  /** The name of the other machine, for errors. */
  readonly host: string;
  readonly connect: () => MoveConnection;
  /** `without`: only the session is mirrored. */
  readonly workTree?: "with" | "without";
  /** Called after each look at the files and after each batch that was sent, even if the state has not changed. */
  readonly onState?: (state: FollowState) => void;
  /** Ends the mirroring; the mirror stays. */
  readonly signal: AbortSignal;
}

export interface FollowState extends MirrorState {
  /** `null` for a session without a work tree, or if the work tree is not mirrored. */
  readonly workTree: MirroredTreeState | null;
}

/**
 * Resolves to `null` after the signal, and to the take-over when the other machine has taken the session over. Errors:
 * those of a lookup and of the other machine; `unsupported` for the name of a file; `unavailable` if the first
 * connection fails.
 */
export async function followSession(ref: SessionRef, options: FollowOptions): Promise<RemoteTakeOver | null> {
  const { places, signal } = options;
  const lookup = await lookUpSession(ref, present({ places, signal }));
  const { cwd } = await lookup.reader.skim(lookup.found, { part: "ends" });
  using source = await openSource(lookup, places, signal);
  const hello = toHello(lookup.found, { cwd, places });
  const repository =
    cwd === null || options.workTree === "without" ? null : await openRepository(cwd, { places, signal });
  using tree = repository === null ? null : new TreeWatch(repository, { places, signal });
  const following: FollowContext = { hello, sender: new MirrorSender(), source, tree, wasConnected: false };
  for (let retryMs = RETRY_MS; !signal.aborted; ) {
    try {
      return await connected(following, options);
    } catch (error) {
      if (signal.aborted) break;
      const isPassing = isContinuoError(error, "unavailable") || isContinuoError(error, "busy");
      if (!isPassing || !following.wasConnected) throw error;
      if (following.sender.takeProgress()) retryMs = RETRY_MS;
      await pause(retryMs, error, following, options);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  }
  return null;
}

interface FollowContext {
  readonly hello: ReturnType<typeof toHello>;
  readonly sender: MirrorSender;
  readonly source: MirrorSource;
  readonly tree: TreeWatch | null;
  wasConnected: boolean;
}

async function connected(following: FollowContext, options: FollowOptions): Promise<RemoteTakeOver | null> {
  const { sender, hello, source, tree } = following;
  const { connect, host, onState, signal } = options;
  await using connection = connect();
  // The other machine may wait for an answer on a dead connection.
  const hangUp = (): void => void connection[Symbol.asyncDispose]();
  signal.addEventListener("abort", hangUp, { once: true });
  try {
    const there = await sender.connect(connection, { host, hello });
    following.wasConnected = true;
    if (there !== null) return whenPlaced(there, host);
    while (!signal.aborted) {
      const told = (): void => onState?.(stateOf(following, null));
      const taken =
        (await sender.send(await source.current(), told)) ?? (await tree?.advance(sender)) ?? null;
      if (taken !== null) return whenPlaced(taken, host);
      told();
      if (tree?.isSending === true) continue;
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
    return null;
  } finally {
    signal.removeEventListener("abort", hangUp);
  }
}

function stateOf({ sender, tree }: FollowContext, disconnected: ContinuoError | null): FollowState {
  return { ...sender.state(disconnected), workTree: tree?.state ?? null };
}

/** Errors: `busy` while the session is placed there, which may still fail. */
function whenPlaced(there: RemoteTakeOver, host: string): RemoteTakeOver {
  if (there.session !== null) return there;
  throw new ContinuoError("busy", `${host} is taking the session over`, { hint: "Wait until it has." });
}

/** Bytes that the agent writes in the meantime are counted, so that the lag is known. */
async function pause(
  ms: number,
  error: ContinuoError,
  following: FollowContext,
  options: FollowOptions,
): Promise<void> {
  const untilMs = performance.now() + ms;
  do {
    following.sender.measure(await following.source.current());
    options.onState?.(stateOf(following, error));
    await sleep(Math.min(LOOK_MS, ms), undefined, { signal: options.signal }).catch(() => undefined);
  } while (performance.now() < untilMs && !options.signal.aborted);
}

/** `connect()` and `watch()` make a ready client from the options of the caller. */

import {
  assertKnownOptions,
  ContinuoError,
  type KnownOptions,
  present,
  toCancelled,
} from "../model/index.ts";
import {
  assertName,
  CHANNEL_LIMITS,
  capabilitiesOf,
  type Participant,
  PERSON,
  type ReplayMode,
} from "../wire/index.ts";
import { AgenticClient } from "./client.ts";
import type { ClientOptions, EventsOptions } from "./client-options.ts";
import type { ClientEvent } from "./events.ts";
import { LIMITS } from "./limits.ts";
import { assertServerUrl, socketAddress } from "./requests/index.ts";

export interface ConnectOptions {
  /** `http:` or `https:`, as `continuo serve` prints it. */
  readonly serverUrl: string;
  /**
   * Sent in the first frame, never in a URL. Not needed if the server requires no token. A function is called before
   * each connection. If the server refuses its token, also while connected because the token has expired or was
   * revoked, the function is called again, and what was not confirmed is sent again. The client ends with the refusal
   * if the function returns the same token or if the server refuses the next one too.
   *
   * A function that fails is called again, as long as a server that does not answer would be. It ends the client if its
   * error has `retryable: false` or is a `ContinuoError` such as `unauthorized` or `forbidden`: the client's error is
   * then `unauthorized`, with that error as its `cause`.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Opens the WebSocket; by default the one of the browser or of Node. */
  readonly openSocket?: ((url: string, protocol: string) => WebSocket) | undefined;
  readonly channel: string;
  readonly handle: string;
  /** The name that people see; the handle by default. */
  readonly name?: string | undefined;
  /** `person`, `agent`, or a word of the application. `person` if none is given. */
  readonly type?: string | undefined;
  /**
   * A name for the device of a person who may use several in one channel; the position of `events()` is then stored for
   * each device. The checkpoint is common to all devices of the person.
   */
  readonly device?: string | undefined;
  /** Requests a session for the participant in this workspace, which must be that of the token. */
  readonly workspaceId?: string | undefined;
  /** `true` if none is given. With `false` a lost connection ends `events()` with `unavailable`. */
  readonly reconnect?: boolean | undefined;
  /**
   * With `reconnect`: how long the first connection is tried while no server answers, or while the handle belongs to a
   * participant that may be gone, such as a process that was killed. 30,000 if none is given.
   */
  readonly firstConnectionMs?: number | undefined;
  readonly replayMode?: ReplayMode | undefined;
  /**
   * The replay begins after this sequence of the channel's log: 0 for all of it, or the `sequence` of the last event
   * that you have. If none is given, it begins after the last event that this handle processed. It applies only to the
   * first connection: later ones continue where the last one ended.
   */
  readonly after?: number | undefined;
  readonly capabilities?: readonly string[] | undefined;
  /** Receives each warning; `console.warn` by default. */
  readonly onWarning?: ((line: string) => void) | undefined;
  /** Called once for each reason why the first connection must wait: `unavailable`, `handle_taken`, … */
  readonly onWaiting?: ((reason: ContinuoError) => void) | undefined;
  /** Called with `open` when a replay is over, and once with `lost` when the connection is lost. */
  readonly onConnection?: ((connection: "open" | "lost") => void) | undefined;
  /** Ends the wait for the connection; a client that is connected ends by `close()`. */
  readonly signal?: AbortSignal | undefined;
}

const COMMON = {
  serverUrl: true,
  openSocket: true,
  token: true,
  channel: true,
  reconnect: true,
  firstConnectionMs: true,
  after: true,
  onWarning: true,
  onWaiting: true,
  onConnection: true,
  signal: true,
} as const;
const WATCH_OPTIONS: KnownOptions<WatchOptions> = COMMON;
export const CONNECT_OPTIONS: KnownOptions<ConnectOptions> = {
  ...COMMON,
  handle: true,
  name: true,
  type: true,
  device: true,
  workspaceId: true,
  replayMode: true,
  capabilities: true,
};

/**
 * Resolves when the replay is over; with the replay mode `stream` as soon as 1,000 events of it wait for `events()`,
 * and `roster()` is then known when `events()` has reached its end. Errors: `usage` for an unknown option,
 * `handle_taken` if the holder is connected, `forbidden` (another workspace or handle than the token's, or a page that
 * the server does not accept), `unauthorized`, `invalid`, `unsupported` if a proxy passes no WebSockets, `cancelled`;
 * if there is no connection in time, `unavailable` or the last error of the server, such as `degraded`.
 */
export async function connect(options: ConnectOptions): Promise<AgenticClient> {
  assertKnownOptions("connect", options, CONNECT_OPTIONS);
  return await connectAfter(options.after ?? "processed", options);
}

export async function connectAfter(
  after: ClientOptions["after"],
  options: ConnectOptions,
): Promise<AgenticClient> {
  const { handle, device, workspaceId, capabilities = [] } = options;
  const { name = handle, type = PERSON } = options;
  if (device !== undefined) assertName("device", device);
  if (workspaceId !== undefined) assertName("workspaceId", workspaceId);
  assertName("handle", handle);
  if (name.length > CHANNEL_LIMITS.displayNameLength || type.length > CHANNEL_LIMITS.typeLength) {
    throw new ContinuoError("invalid", "the name or the type is too long", {
      details: { nameLength: CHANNEL_LIMITS.displayNameLength, typeLength: CHANNEL_LIMITS.typeLength },
    });
  }
  const isAlone = type === PERSON && workspaceId === undefined;
  const create = isAlone ? undefined : (await import("./participation.ts")).createParticipation;
  const client = new AgenticClient(
    {
      ...connectionOf(options),
      after,
      replayMode: replayModeOf(options.replayMode ?? "collect"),
      hello: present({
        handle,
        name,
        participantType: type,
        capabilities: capabilitiesOf(capabilities),
        device,
        workspaceId,
      }),
    },
    create,
  );
  return await readyOf(client, options.signal);
}

/** Errors: `cancelled`. */
async function readyOf(client: AgenticClient, signal: AbortSignal | undefined): Promise<AgenticClient> {
  const abort = (): void => void client.close();
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    await client.ready();
    return client;
  } catch (error) {
    throw signal?.aborted === true ? toCancelled(signal) : error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

export interface WatchOptions
  extends Pick<
    ConnectOptions,
    | "serverUrl"
    | "openSocket"
    | "token"
    | "channel"
    | "reconnect"
    | "firstConnectionMs"
    | "onWarning"
    | "onWaiting"
    | "onConnection"
    | "signal"
  > {
  /** The start of the replay: after a sequence, at the last anchor, or at the end of the log. 0 if none is given. */
  readonly after?: number | "anchor" | "latest";
}

export interface ChannelWatch {
  events(options?: EventsOptions): AsyncIterableIterator<ClientEvent>;
  /** The participants who are connected now. */
  roster(): readonly Participant[];
  close(): Promise<void>;
}

/** Reads a channel without taking part: without a handle or a session, and unseen by others. Errors: as `connect`. */
export async function watch(options: WatchOptions): Promise<ChannelWatch> {
  assertKnownOptions("watch", options, WATCH_OPTIONS);
  const { after = 0 } = options;
  const client = new AgenticClient({
    ...connectionOf(options),
    after,
    replayMode: "stream",
    hello: {},
  });
  return await readyOf(client, options.signal);
}

/** The options that a participant and a watch have in common. Errors: `invalid`. */
function connectionOf(
  options: Omit<WatchOptions, "after">,
): Omit<ClientOptions, "after" | "replayMode" | "hello"> {
  return {
    ...options,
    url: socketUrl(options.serverUrl, options.channel),
    reconnect: options.reconnect ?? true,
    firstConnectionMs: options.firstConnectionMs ?? LIMITS.firstConnectionMs,
    warn: options.onWarning ?? warnOnConsole,
  };
}

function replayModeOf(mode: ReplayMode): ReplayMode {
  if (mode === "collect" || mode === "stream" || mode === "skip") return mode;
  throw new ContinuoError("invalid", `there is no replay mode ${JSON.stringify(mode)}`, {
    hint: "Use collect, stream or skip.",
  });
}

/** Errors: `invalid`. */
function socketUrl(serverUrl: string, channel: string): string {
  assertServerUrl(serverUrl);
  assertName("channel", channel);
  return `${socketAddress(serverUrl)}/v1/channels/${encodeURIComponent(channel)}/ws`;
}

function warnOnConsole(line: string): void {
  // biome-ignore lint/suspicious/noConsole: a page, or the program of a caller, has no other place for a warning
  console.warn(`continuo: ${line}`);
}

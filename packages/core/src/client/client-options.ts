/** The options of a client and of its methods, with lists of their names, so that unknown options are refused. */

import { ContinuoError, isContinuoError, type KnownOptions } from "../model/index.ts";
import { type Attachment, FINAL_CODES, type HelloFrame, type ReplayMode } from "../wire/index.ts";

/** Opens a connection to the address of a channel. */
export type OpenSocket = (url: string, protocol: string) => WebSocket;

export interface ClientOptions {
  readonly url: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly channel: string;
  readonly hello: Omit<HelloFrame, "type" | "protocol" | "after" | "instance" | "token">;
  /** A function is called before each connection, also after a refusal of the last token. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** The place where the first connection begins. A function is called before each try, with the token of that try. */
  readonly after: HelloFrame["after"] | ((token: string | undefined) => Promise<number>);
  readonly reconnect: boolean;
  /** If `reconnect` is set, the first connection is tried again for this time. */
  readonly firstConnectionMs: number;
  readonly replayMode: ReplayMode;
  /**
   * Called with one line, for example if the session could not be opened, if the first connection takes more than one
   * try, or if an answer failed.
   */
  readonly warn: (line: string) => void;
  /** Called once for each reason why the first connection takes more than one try. */
  readonly onWaiting?: ((reason: ContinuoError) => void) | undefined;
  readonly onConnection?: ((connection: "open" | "lost") => void) | undefined;
}

/** Errors: `session_disabled`, always. */
export function noSession(): never {
  throw new ContinuoError("session_disabled", "this client has no session");
}

export interface SendOptions {
  readonly replyTo?: string;
  readonly to?: readonly string[];
  readonly attachments?: readonly Attachment[];
  /**
   * The id of the message. The same message is stored once under it, however often it is sent, also after a crash; with
   * another text it is a `conflict`. An id is chosen if none is given.
   */
  readonly id?: string;
  /** The former name of `id`. */
  readonly messageId?: string;
  /** `open`: more of the message comes with `update`; an empty text is open even without it. See `openMessage`. */
  readonly state?: "open";
}

export interface EventsOptions {
  /**
   * True if a message in progress comes in parts: `message` with the state `open`, `update`, `complete`. Otherwise it
   * comes as one `message` when it is complete or was interrupted.
   */
  readonly parts?: boolean;
  /** Only events that address this handle (`addressed`), and later events about the same messages and calls. */
  readonly targetedOnly?: boolean;
  /**
   * With `targetedOnly`, for an agent: the limit of messages that agents write after a person's last message, so that
   * agents do not answer each other without end. The message that reaches the limit is left out. The default is 20.
   */
  readonly maxTurns?: number;
  /** Ends the iteration; a later iteration continues from there. */
  readonly signal?: AbortSignal;
}

export const SEND_OPTIONS: KnownOptions<SendOptions> = {
  replyTo: true,
  to: true,
  attachments: true,
  id: true,
  messageId: true,
  state: true,
};
export const EVENTS_OPTIONS: KnownOptions<EventsOptions> = {
  parts: true,
  targetedOnly: true,
  maxTurns: true,
  signal: true,
};

export async function startOf(
  after: ClientOptions["after"],
  token: string | undefined,
): Promise<HelloFrame["after"]> {
  return typeof after === "function" ? await after(token) : after;
}

/** Errors: `unavailable` if the function fails with that; otherwise `unauthorized`, with the failure as its cause. */
export async function tokenFor({ token }: Pick<ClientOptions, "token">): Promise<string | undefined> {
  if (typeof token !== "function") return token;
  try {
    return await token();
  } catch (cause) {
    if (isContinuoError(cause, "unavailable")) throw cause;
    throw new ContinuoError("unauthorized", "the connection got no token", {
      cause,
      hint: "Check the function that is given as `token`.",
    });
  }
}

/** The failure of a function says that it will never give a token: by its code, or by its property `retryable`. */
export function isFinalFailure(failure: unknown): boolean {
  const { retryable } = Object(failure) as { readonly retryable?: unknown };
  return retryable === false || (isContinuoError(failure) && FINAL_CODES.includes(failure.code));
}

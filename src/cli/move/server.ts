/** A connection to a server of Continuo, which keeps a mirror for its machine. */

import type { IncomingMessage } from "node:http";
import { type MoveConnection, openChannelOver } from "@continuo/agents/handoff/moving";
import { ContinuoError, isContinuoError, present } from "@continuo/core/model";
import { errorFromWire } from "@continuo/core/wire";
import { MIRROR_PATH } from "@continuo/core/wire/machine";
import { createWebSocketStream, WebSocket } from "ws";
import { accessOf, type ServerAccess } from "../channel/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { FollowPlace, MoveFlags } from "./flags.ts";

/** `null` for another kind of place. Errors: those of `accessOf`. */
export async function serverPlace(to: string, flags: MoveFlags, shell: Shell): Promise<FollowPlace | null> {
  if (!/^https?:/iu.test(to)) return null;
  const access = await accessOf(present({ server: to, tokenFile: flags.tokenFile }), shell);
  return { machine: access.serverUrl, connect: () => openServer(access) };
}

function openServer({ serverUrl, token }: ServerAccess): MoveConnection {
  const socket = new WebSocket(`${serverUrl.replace(/^http/iu, "ws")}${MIRROR_PATH}`, {
    headers: present({ authorization: token === undefined ? undefined : `Bearer ${token}` }),
    perMessageDeflate: false,
    followRedirects: false,
  });
  const beats = watchPulse(socket);
  const stream = createWebSocketStream(socket);
  stream.on("error", () => undefined);
  let [ending, failure]: [ContinuoError | null, Error | null] = [null, null];
  socket.on("error", (error) => {
    failure ??= error;
  });
  socket.on("unexpected-response", (_request, response: IncomingMessage) => {
    void refusal(response).then((error) => {
      ending = error;
      socket.terminate();
    });
  });
  const broken = (why: string, cause: unknown = failure): ContinuoError => {
    if (ending !== null || isContinuoError(cause)) return ending ?? (cause as ContinuoError);
    return unreached(serverUrl, cause instanceof Error ? cause.message : why, cause);
  };
  const closed = new Promise<void>((done) => {
    socket.once("close", (_code, reason) => {
      if (reason.length > 0) ending ??= unreached(serverUrl, reason.toString("utf8"), failure);
      done();
    });
  });
  // A write that waits for a connection is not notified if the connection fails.
  const opened = new Promise<void>((done, refuse) => {
    socket.once("open", done).once("close", () => refuse(broken("it was closed")));
  });
  opened.catch(() => undefined);
  // The reason for an end is known when the socket is closed.
  const incoming = async function* (): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* stream as AsyncIterable<Buffer>;
    } finally {
      await closed;
    }
  };
  const send = async (bytes: Uint8Array): Promise<void> => {
    await opened;
    await new Promise<void>((done, refuse) => {
      stream.write(bytes, (error) => (error ? refuse(error) : done()));
    });
  };
  return {
    channel: openChannelOver(incoming(), send, broken),
    broken,
    async [Symbol.asyncDispose]() {
      socket.close();
      const timer = setTimeout(() => socket.terminate(), END_MS);
      await closed;
      clearTimeout(timer);
      clearInterval(beats);
    },
  };
}

const END_MS = 5_000;
const BEAT_MS = 20_000;

/** A connection that ended without a message is noticed within a minute. */
function watchPulse(socket: WebSocket): NodeJS.Timeout {
  let isAlive = true;
  socket.on("pong", () => {
    isAlive = true;
  });
  return setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, BEAT_MS).unref();
}

/** The longest message of a server that is read. Of a longer one, only the status is used. */
const MAX_REFUSAL_CHARS = 64 * 1024;

async function refusal(response: IncomingMessage): Promise<ContinuoError> {
  const timer = setTimeout(() => response.destroy(), END_MS);
  let text = "";
  try {
    for await (const part of response.setEncoding("utf8")) {
      text += String(part);
      if (text.length > MAX_REFUSAL_CHARS) break;
    }
  } catch {
    // The connection broke.
  } finally {
    clearTimeout(timer);
  }
  return errorFromWire(parsed(text), response.statusCode ?? 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function unreached(serverUrl: string, why: string, cause: unknown): ContinuoError {
  return new ContinuoError("unavailable", `the connection to ${serverUrl} ended: ${why}`, {
    hint: "Start `continuo serve` there, and run the same command again; this machine keeps the session.",
    cause,
  });
}

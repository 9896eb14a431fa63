/**
 * The server of a program, which is loaded with its first request. No module that a program can import by a name of the
 * package is loaded on demand: a bundler puts such a module into the file of the program, and a program with a
 * top-level await would wait for itself.
 */

import { createServer as createHttpServer } from "node:http";
import { duplexPair } from "node:stream";
import { present } from "@continuo/core/model";
import { WebSocket as Socket } from "ws";
import { type Authenticate, type ContinuoServer, createServer, MOUNTED } from "../server/index.ts";
import { writerForReaders } from "./note-writers.ts";
import type { Continuo, FetchHandler, HandlerOptions } from "./types.ts";

export function openServer(
  continuo: Continuo,
  { origins, limits, live }: HandlerOptions,
  authenticate: Authenticate,
  report: (error: unknown) => void,
): ContinuoServer {
  const { store } = continuo;
  const noteWriters = live?.noteWriters?.map((writer) => writerForReaders(writer, continuo, report));
  return createServer(
    {
      store: () => store,
      authenticate,
      sessions: () => continuo,
      report: (line, error) => report(error ?? line),
      live: {
        workspaceIds: live === undefined ? [] : [store.workspaceId],
        ...live,
        ...present({ noteWriters }),
      },
      ...(origins === undefined ? {} : { origins }),
      ...(limits === undefined ? {} : { limits }),
    },
    MOUNTED,
  );
}

/** Opens WebSockets of this process to a handler, without a port. */
export function socketsTo({ upgrade }: FetchHandler): (url: string, protocol: string) => WebSocket {
  const http = createHttpServer().on("upgrade", upgrade);
  return (url, protocol) => {
    const [near, far] = duplexPair();
    http.emit("connection", far);
    const socket = new Socket(url, [protocol], { createConnection: () => near, perMessageDeflate: false });
    return socket as unknown as WebSocket;
  };
}

/**
 * The server of a program, which is loaded with its first request. No module that a program can import by a name of the
 * package is loaded on demand: a bundler puts such a module into the file of the program, and a program with a
 * top-level await would wait for itself.
 */

import { type Authenticate, type ContinuoServer, createServer, MOUNTED } from "../server/index.ts";
import type { Continuo, HandlerOptions } from "./types.ts";

export function openServer(
  continuo: Continuo,
  { origins, limits, live }: HandlerOptions,
  authenticate: Authenticate,
  report: (error: unknown) => void,
): ContinuoServer {
  const { store } = continuo;
  return createServer(
    {
      store: () => store,
      authenticate,
      sessions: () => continuo,
      report: (line, error) => report(error ?? line),
      live: { workspaceIds: live === undefined ? [] : [store.workspaceId], ...live },
      ...(origins === undefined ? {} : { origins }),
      ...(limits === undefined ? {} : { limits }),
    },
    MOUNTED,
  );
}

/** One engine, many workspaces: the same connections, with rules that run in another workspace. */

import type { Engine } from "./engine.ts";

/** Closing it closes nothing: the engine below is closed by whoever opened it. */
export function engineOfWorkspace(engine: Engine, workspaceId: string): Engine {
  const scope = { ...engine.scope, workspaceId };
  return {
    ...engine,
    scope,
    read: (rule, signal) => engine.read(() => rule(scope), signal),
    write: (rule, signal) => engine.write((tx) => rule({ ...tx, workspaceId }), signal),
    close: () => Promise.resolve(),
  };
}

/**
 * The sessions of the machine below `/v1/machine/`, for pages and programs, at `/mcp` for agents, and at `/v1/ahp` for
 * editors.
 *
 * Promises: a request needs a token with `machine:read`, and a change needs one with `machine:write`, except that
 * `machine:answer` is enough for an answer that counts only once; every parameter is checked before the machine is
 * asked; revoking a token closes its sockets, and a client that reads nothing is disconnected; a server without a
 * machine, or without tools, has no such paths.
 * Does not know: where sessions are stored.
 */

import { ContinuoError, once } from "@continuo/core/model";
import type { MachinePermission } from "@continuo/core/wire";
import { MACHINE_ROOT, type MachineService } from "@continuo/core/wire/machine";
import type { CreateMount, Grant, ServerContext } from "../context/index.ts";
import { actionRoutes } from "./action-routes.ts";
import { createAhpEndpoint, type MachineProvider } from "./ahp-socket.ts";
import { chatRoutes } from "./chat-routes.ts";
import { inboxRoutes } from "./inbox-routes.ts";
import { listRoutes } from "./list-routes.ts";
import { createMirrorEndpoint } from "./mirror-socket.ts";
import { preferenceRoutes } from "./preference-routes.ts";
import type { MachineAccess } from "./request-input.ts";
import { sessionRoutes } from "./session-routes.ts";

export { mcp } from "./mcp.ts";

export const machine: CreateMount = (context) => {
  const loaded = once<MachineService>(async () => {
    if (context.machine === undefined) throw noSuchPath();
    return await context.machine();
  });
  const serviceFor: MachineProvider = async (grant, access) => {
    requireMachine(grant, access, context);
    return await loaded.get();
  };
  const asked: MachineAccess = (c, access) => serviceFor(c.var.grant, access);
  // Editors and pages share the open conversations.
  const ahp = createAhpEndpoint(context, serviceFor);
  const mirrors = createMirrorEndpoint(context, serviceFor);
  return {
    upgrade: (...request) => mirrors.upgrade(...request) || ahp.upgrade(...request),
    routes: (app) => {
      listRoutes(app, context, asked);
      preferenceRoutes(app, context, asked);
      sessionRoutes(app, context, asked);
      actionRoutes(app, context, asked);
      chatRoutes(app, context, asked);
      inboxRoutes(app, context, asked);
      app.all(`${MACHINE_ROOT}/*`, (c) => {
        requireMachine(c.var.grant, "read", context);
        throw noSuchPath();
      });
    },
    close: async () => {
      await mirrors.close();
      await ahp.close();
      await (await loaded.begun())?.close();
    },
  };
};

/** Continuo's own sessions are in one workspace, which every command uses. Errors: `not_found`, `forbidden`. */
function requireMachine(grant: Grant, access: MachinePermission, context: ServerContext): void {
  if (context.machine === undefined) throw noSuchPath();
  context.require(grant, { kind: "machine", access });
  if (grant.workspaceId === "default") return;
  throw new ContinuoError(
    "forbidden",
    "the token belongs to another workspace than the sessions of this machine",
    {
      hint: "Use a token of the workspace `default`.",
    },
  );
}

function noSuchPath(): ContinuoError {
  return new ContinuoError("not_found", "there is no resource at this path");
}

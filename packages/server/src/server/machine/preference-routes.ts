/** The choices of the person who owns the machine, for the viewer. */

import { ContinuoError, present } from "@continuo/core/model";
import { isName } from "@continuo/core/wire";
import { MACHINE_ROOT, THEMES } from "@continuo/core/wire/machine";
import type { Hono } from "hono";
import { z } from "zod";
import type { KeptPreferences, ServerContext, ServerEnv } from "../context/index.ts";
import { bodyOf, type MachineAccess, parseQuery } from "./request-input.ts";

const PREFERENCES = z.strictObject({
  theme: z.enum(THEMES).optional(),
  channelName: z.string().refine(isName, "is not a name").optional(),
});

/** On a server that keeps no preferences, the path does not exist. */
export function preferenceRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess): void {
  app.get(`${MACHINE_ROOT}/preferences`, async (c) => {
    await asked(c, "read");
    parseQuery(c, z.strictObject({}));
    return Response.json(kept(context).read());
  });
  app.post(`${MACHINE_ROOT}/preferences`, async (c) => {
    await asked(c, "write");
    return Response.json(kept(context).change(present(await bodyOf(c, PREFERENCES))));
  });
}

/** Errors: `not_found`. */
function kept({ preferences }: ServerContext): KeptPreferences {
  if (preferences !== undefined) return preferences;
  throw new ContinuoError("not_found", "this server keeps no preferences", {
    hint: "Keep them in the browser.",
  });
}

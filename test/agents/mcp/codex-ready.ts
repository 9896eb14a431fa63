/** The moment from which Codex offers Continuo's tools to its model. */

import type { AppServer } from "../codex/app-server.ts";

/** A request that is sent before the server has started offers no tool. */
export async function continuoReady(app: AppServer): Promise<void> {
  await app.notified("mcpServer/startupStatus/updated", (params) =>
    /continuo.*ready/su.test(JSON.stringify(params)),
  );
}

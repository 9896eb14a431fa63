/** When Codex offers Continuo's tools to its model. */

import type { AppServer } from "../codex/app-server.ts";

/** A model that is asked before the server has started is told of no tool. */
export async function continuoReady(app: AppServer): Promise<void> {
  await app.notified("mcpServer/startupStatus/updated", (params) =>
    /continuo.*ready/su.test(JSON.stringify(params)),
  );
}

/** Waits until Codex offers Continuo's tools to its model. */

import type { AppServer } from "../codex/app-server.ts";

/** Waits for the start of Continuo's MCP server: a request that Codex sends earlier offers none of its tools. */
export async function continuoReady(app: AppServer): Promise<void> {
  await app.notified("mcpServer/startupStatus/updated", (params) =>
    /continuo.*ready/su.test(JSON.stringify(params)),
  );
}

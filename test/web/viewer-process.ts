/**
 * `node viewer-process.ts HOME PAGES PORT`: a server of the viewer as a separate process, for tests that kill it. Its
 * tokens are in a database, so that a page stays signed in when the server is started again on the same port. It ends
 * with its standard input.
 */

import { join } from "node:path";
import { createAuthenticate, createServer, listen } from "@continuo/server";
import { openStore } from "@continuo/store";
import { loadMachine } from "../../src/cli/serve/served-machine.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";

const [home = "", pageFolder = "", port = "0"] = process.argv.slice(2);
const store = await openStore(`sqlite:${join(home, "tokens.db")}`);
const shell = { home, cwd: home, env: { ...process.env }, stderr: process.stderr } as unknown as Shell;
const server = createServer({
  store: (workspaceId) => store.forWorkspace(workspaceId),
  authenticate: createAuthenticate(store),
  machine: () => loadMachine(shell, { reach: "machine" }),
  pageFolder,
});
const { url } = await listen(server, { host: "127.0.0.1", port: Number(port), process: "own" });
const { secret } = await store.createToken({
  scopes: ["machine:read,write", "metrics"],
  label: "test",
  issuedFrom: "loopback",
});
const response = await fetch(`${url}/v1/pages/code`, {
  method: "POST",
  headers: { authorization: `Bearer ${secret}` },
});
const { code } = (await response.json()) as { readonly code: string };
process.stdout.write(`${JSON.stringify({ url, code })}\n`);
process.stdin.on("end", () => process.exit()).resume();

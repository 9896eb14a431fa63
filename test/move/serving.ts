/** `continuo serve` on the other machine. */

import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Machines } from "./machines.ts";
import { stopped } from "./mirror.ts";

export interface ServeProcess extends AsyncDisposable {
  readonly url: string;
  /** The file with the token for the other commands of that machine. */
  readonly tokenFile: string;
  readonly child: ChildProcess;
  /** Makes a token with these scopes on that machine. */
  token(...scopes: readonly string[]): Promise<string>;
  get(path: string): Promise<unknown>;
}

/** @param listen an address with a port; any free port by default */
export async function serveThere(machines: Machines, listen = "127.0.0.1:0"): Promise<ServeProcess> {
  const child = machines.startOn("there", ["serve", "--json", "--listen", listen]);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  if (child.stdout === null) throw new Error("the server has no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) throw new Error(`the server ended: ${said}`);
  const { url, tokenFile } = JSON.parse(first.value) as Pick<ServeProcess, "url" | "tokenFile">;
  const token: ServeProcess["token"] = async (...scopes) => {
    const args = ["token", "create", "--json", ...scopes.flatMap((scope) => ["--scope", scope])];
    const { stdout, stderr } = await machines.on("there", args);
    if (stdout === "") throw new Error(stderr);
    return (JSON.parse(stdout) as { readonly secret: string }).secret;
  };
  const reading = await token("machine:read");
  return {
    url,
    tokenFile,
    child,
    token,
    get: async (path) =>
      await (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${reading}` } })).json(),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) await stopped(child, "SIGTERM");
    },
  };
}

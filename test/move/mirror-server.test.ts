/**
 * `continuo move --follow --to http://…`: a mirror on the machine of a server, which its pages show and which can be
 * taken over there.
 */

import { statSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { sessionFile } from "./grow.ts";
import { type Machines, makeMachines } from "./machines.ts";
import { follow, rowsOn } from "./mirror.ts";
import { type ServeProcess, serveThere } from "./serving.ts";

let machines: Machines;
let server: ServeProcess;

beforeEach(async () => {
  machines = makeMachines(scratchFolder("mirror-server"));
  server = await serveThere(machines);
});
afterEach(async () => await server[Symbol.asyncDispose]());

const sizeHere = (): number => statSync(sessionFile(machines)).size;

test("only a token for writing can mirror a session, and its revocation ends the mirror", async () => {
  const refused = follow(machines, server.url, { CONTINUO_TOKEN: await server.token("machine:read") });
  await expect(refused.until(() => false)).rejects.toThrow("the token does not allow this");
  expect(await rowsOn(machines, "there")).toEqual([]);
  const unknown = follow(machines, server.url, { CONTINUO_TOKEN: "unknown" });
  await expect(unknown.until(() => false)).rejects.toThrow("the command ended");
  const secret = await server.token("machine:write");
  const following = follow(machines, server.url, { CONTINUO_TOKEN: secret });
  await following.until(({ mirroredBytes }) => mirroredBytes === sizeHere());
  const { stdout } = await machines.on("there", ["token", "list", "--json"]);
  const tokens = JSON.parse(stdout) as readonly {
    readonly tokenId: string;
    readonly scopes: readonly string[];
  }[];
  const writing = tokens.find(({ scopes }) => scopes.join() === "machine:write");
  await machines.on("there", ["token", "revoke", writing?.tokenId ?? ""]);
  await expect(following.until(() => false)).rejects.toThrow("the command ended");
});

test("a move to a server without --follow is refused with a hint", async () => {
  const refused = await machines.move("--to", server.url);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--follow")]);
});

/** A mirror on the machine of a server survives both machines' failures, and bad servers end the command. */

import { readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ask, sessionFile } from "./grow.ts";
import { type Machines, makeMachines } from "./machines.ts";
import { follow, rowsOn, stopped } from "./mirror.ts";
import { type ServeProcess, serveThere } from "./serving.ts";

let machines: Machines;
let server: ServeProcess;

beforeEach(async () => {
  machines = makeMachines(scratchFolder("mirror-server"));
  server = await serveThere(machines);
});
afterEach(async () => await server[Symbol.asyncDispose]());

const sizeHere = (): number => statSync(sessionFile(machines)).size;

interface Page {
  readonly sessions: readonly { readonly key: string; readonly title: string }[];
}

test("a session is mirrored to a server, shown there by a page, and continued after this machine failed", async () => {
  const following = follow(machines, server.url, { CONTINUO_TOKEN: await server.token("machine:write") });
  await following.until(({ mirroredBytes }) => mirroredBytes === sizeHere());
  ask(machines, "And make it ring");
  await following.until((state) => state.mirroredBytes === sizeHere() && state.waitingBytes === 0);
  await stopped(following.child, "SIGKILL");
  const { sessions } = (await server.get("/v1/machine/sessions")) as Page;
  expect(sessions).toMatchObject([{ agent: "claude", live: false }]);
  const key = encodeURIComponent(sessions[0]?.key ?? "");
  expect(JSON.stringify(await server.get(`/v1/machine/sessions/${key}/history`))).toContain(
    "And make it ring",
  );
  const [mirror] = await rowsOn(machines, "there");
  expect(readFileSync(mirror?.location ?? "")).toEqual(readFileSync(sessionFile(machines)));
  const audit = await machines.on("there", ["audit", "--json"]);
  expect(audit.stdout).toContain("session_mirrored");

  const id = mirror?.sessionId ?? "";
  const taken = await machines.on("there", ["move", id, "--take-over", "--into", "timer", "--json"]);
  expect([taken.code, taken.stderr]).toEqual([0, ""]);
  const made = JSON.parse(taken.stdout) as { readonly sessionId: string };
  const later = await machines.move("--follow", "--to", server.url, "--token-file", server.tokenFile);
  expect([later.code, later.stdout]).toEqual([0, expect.stringContaining("was taken over on")]);
  expect(await rowsOn(machines, "here")).toMatchObject([
    { movedTo: { machine: server.url, sessionId: made.sessionId } },
  ]);
});

test("a mirror continues after a restart of the server", async () => {
  const following = follow(machines, server.url, { CONTINUO_TOKEN: await server.token("machine:write") });
  await following.until(({ mirroredBytes }) => mirroredBytes === sizeHere());
  await stopped(server.child, "SIGKILL");
  ask(machines, "And make it ring");
  await following.until(({ connected, waitingBytes }) => !connected && waitingBytes > 0);
  server = await serveThere(machines, new URL(server.url).host);
  await following.until((state) => state.connected && state.mirroredBytes === sizeHere());
  expect(await stopped(following.child, "SIGTERM")).toBe(0);
});

/** A server that is not Continuo's; `go` is its reaction to a request. */
async function refusedBy(go: (socket: Socket) => void): Promise<string> {
  const hostile = createServer((socket) => {
    socket.on("error", () => undefined).once("data", () => go(socket));
  });
  await new Promise<void>((done) => hostile.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
  const args = ["move", "last", "--follow", "--to", url];
  const { code, stderr } = await machines.on("here", args, { CONTINUO_TOKEN: "t" });
  hostile.close();
  expect(code).not.toBe(0);
  return stderr;
}

const HEAD = "HTTP/1.1 403 Forbidden\r\ncontent-length: 999999999\r\n\r\n{";

test("the command ends after a refusal without an end, and after one that is cut off", async () => {
  const endless = (socket: Socket): void => {
    socket.write(HEAD, () => void setInterval(() => socket.write("x".repeat(65_536)), 5).unref());
  };
  const cut = (socket: Socket): void => {
    socket.write(HEAD, () => void setTimeout(() => socket.resetAndDestroy(), 300));
  };
  expect(await refusedBy(endless)).toContain("403");
  expect(await refusedBy(cut)).toMatch(/403|the connection to .* ended/u);
});

test("a connection that ends before an answer is reported once in the error", async () => {
  const stderr = await refusedBy((socket) => socket.resetAndDestroy());
  expect(stderr.match(/the connection to/gu)).toHaveLength(1);
});

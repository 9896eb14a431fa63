import type { Authenticate, Credentials } from "@continuo/server";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { editorAccess } from "./editor-access.ts";

const PEER = { address: "127.0.0.1", proxied: false } as never;
const others: Authenticate = async ({ secret }) => Promise.reject(new Error(`asked for ${secret}`));

/** Opens a socket whose server returns the header that it received. */
async function secretOf(access: ReturnType<typeof editorAccess>): Promise<string> {
  const { createServer } = await import("node:http");
  const { connect } = await import("node:net");
  const server = createServer((request, response) => response.end(request.headers.authorization));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const home = scratchFolder("c-access");
  const places = { home, env: { CONTINUO_HOME: home } };
  await using socket = await access.open({ url: `http://127.0.0.1:${port}`, reach: "machine" }, places);
  const near = connect(socket.path ?? "");
  near.write("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  let heard = "";
  for await (const part of near.setEncoding("utf8")) heard += part;
  server.close();
  return /Bearer (\S+)/u.exec(heard)?.[1] ?? "";
}

test("a connection through the socket may use the sessions of this machine, and nothing else", async () => {
  const access = editorAccess("w1", others);
  const secret = await secretOf(access);
  const grant = await access.authenticate({ secret, sentAs: "header" }, PEER);
  expect(grant).toEqual({
    tokenId: null,
    workspaceId: "w1",
    handle: null,
    page: null,
    scopes: [expect.objectContaining({ kind: "machine" })],
    peer: PEER,
  });
});

test("other secrets, those of another start, and one that a page sends are checked as everywhere", async () => {
  const access = editorAccess("w1", others);
  const secret = await secretOf(access);
  const another = await secretOf(editorAccess("w1", others));
  expect(another).not.toBe(secret);
  const refused: readonly Credentials[] = [
    { secret: another, sentAs: "header" },
    { secret: `${secret}x`, sentAs: "header" },
    { secret: "", sentAs: "header" },
    { sentAs: "header" },
    { secret, sentAs: "cookie" },
    { secret, sentAs: "frame" },
  ];
  for (const credentials of refused)
    await expect(access.authenticate(credentials, PEER)).rejects.toThrow(`asked for ${credentials.secret}`);
});

test("a server that the network can reach has no socket for editors", async () => {
  const home = scratchFolder("c-access");
  const access = editorAccess("w1", others);
  const places = { home, env: { CONTINUO_HOME: home } };
  await using socket = await access.open({ url: "http://127.0.0.1:1", reach: "network" }, places);
  expect(socket.path).toBe(null);
});

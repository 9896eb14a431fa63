/** Files that the server sends: the server chooses their names and types, whatever a sender or a session says. */

import type { Store } from "@continuo/core/model";
import type { ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";
import { recordingMachine } from "./harness/recording-store.ts";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

let store: Store;
let server: ServerHandle;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store);
  await store.createLog({ logId: "channels/files" });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

/** Returns the server's answers when it stores the bytes, and when it returns them. */
async function sentAndGot(
  bytes: Uint8Array<ArrayBuffer> | string,
  type?: string,
): Promise<readonly unknown[]> {
  const put = await fetch(`${server.url}/v1/blobs`, {
    method: "POST",
    headers: type === undefined ? {} : { "content-type": type },
    body: Buffer.from(bytes as Uint8Array<ArrayBuffer>),
  });
  const { hash, mediaType } = (await put.json()) as { readonly hash: string; readonly mediaType: string };
  const path = `${server.url}/v1/stream/channels/files`;
  const posted = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type: "message_sent", data: { content: "a file" }, blobs: [hash] }),
  });
  expect(posted.status).toBe(204);
  const sequence = (await store.read("channels/files")).events.at(-1)?.sequence;
  const got = await fetch(`${server.url}/v1/blobs/${hash}?stream=channels/files&sequence=${sequence}`);
  expect(new Uint8Array(await got.arrayBuffer())).toEqual(new Uint8Array(Buffer.from(bytes as Uint8Array)));
  const name = got.headers.get("content-disposition");
  expect(got.headers.get("content-type")).toBe(mediaType);
  // It was read with a token, so no cache may give it to others.
  expect(got.headers.get("cache-control")).toMatch(/^private, /u);
  return [mediaType, name?.replace(hash.slice(0, 16), "HASH")];
}

test("an attachment has the type that its sender names only if its bytes agree, and a name that the server chose", async () => {
  const octets = ["application/octet-stream", 'attachment; filename="continuo-HASH.bin"'];
  expect(await sentAndGot(PNG, "image/png")).toEqual([
    "image/png",
    'attachment; filename="continuo-HASH.png"',
  ]);
  expect(await sentAndGot("MZ, a program", "image/png")).toEqual(octets);
  expect(await sentAndGot("%PDF-1.7", "image/gif")).toEqual(octets);
  expect(await sentAndGot("of no type")).toEqual(octets);
  expect(await sentAndGot("alert(1)", "text/javascript")).toEqual([
    "text/javascript",
    'attachment; filename="continuo-HASH.txt"',
  ]);
  // The bytes come in many chunks, and all of them are kept.
  const long = new Uint8Array(300_000).fill(7);
  long.set(PNG);
  expect((await sentAndGot(long, "image/png"))[0]).toBe("image/png");
});

test.each([
  ['a"; filename="evil.sh', "a___filename__evil.sh"],
  ["a\r\nset-cookie: x=1\r\n\r\n<script>.md", "a__set-cookie__x_1_____script_.md"],
  ["../../.ssh/authorized_keys", "__.._.ssh_authorized_keys"],
  [".bashrc", "_bashrc"],
  ["-rf", "_rf"],
  ["a\0b\u202Egpj.exe\u{1F600}", "a_b_gpj.exe_"],
  ["x".repeat(1_000), "x".repeat(200)],
])(
  "the file name of an export is a plain name for a session with the title %j",
  async (fileName, expected) => {
    const other = await openServer(store, { machine: async () => recordingMachine([], fileName) });
    const { headers } = await fetch(`${other.url}/v1/machine/sessions/x/export?format=md`);
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${expected}"`);
    expect(headers.get("set-cookie")).toBeNull();
    await other.close();
  },
);

test("a machine that could not be loaded is loaded again at the next request, and the server closes in between", async () => {
  let loads = 0;
  const machine = async (): Promise<ReturnType<typeof recordingMachine>> => {
    loads += 1;
    if (loads === 1 || loads === 3) throw new Error("too many open files");
    return recordingMachine([], "notes");
  };
  const statusOf = async ({ url }: ServerHandle): Promise<number> =>
    (await fetch(`${url}/v1/machine/sessions/x/export?format=md`)).status;
  const first = await openServer(store, { machine });
  expect([await statusOf(first), await statusOf(first)]).toEqual([500, 200]);
  await first.close();
  const second = await openServer(store, { machine });
  expect(await statusOf(second)).toBe(500);
  await second.close();
});

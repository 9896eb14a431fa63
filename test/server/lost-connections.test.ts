/**
 * A server that loses all connections to Postgres while clients read: no client is disconnected, and nothing is
 * missing.
 */

import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openChannelServer, take, words } from "../channels/open-channel.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { postgresProxy } from "../store/harness/postgres-proxy.ts";

const WORDS = ["one", "two", "three", "four"];

test("readers of channels, streams and sessions receive everything although the database disappears four times", async () => {
  const direct = await newPostgresDatabase();
  await using elsewhere = await openStore(direct, { migrate: true });
  await using proxy = await postgresProxy(direct);
  await using store = await openStore(proxy.url);
  await using server = await openChannelServer(store);
  const reader = await server.join("reader");
  const writer = await server.join("writer");
  const heard = take(reader, WORDS.length, ({ type }) => type === "message");

  const stream = `${server.url}/v1/stream/notes`;
  const json = { "content-type": "application/json" };
  await fetch(stream, { method: "PUT", headers: json });
  const sse = await fetch(`${stream}?offset=-1&live=sse`);
  const chunks = sse.body?.pipeThrough(new TextDecoderStream()).getReader();
  let streamed = "";
  const reading = (async () => {
    for (let chunk = await chunks?.read(); chunk?.done === false; chunk = await chunks?.read()) {
      streamed += chunk.value;
      if (streamed.includes(WORDS.at(-1) ?? "")) return;
    }
  })();

  // A stream that has not read its log yet ends, and its client reconnects.
  await expect.poll(() => streamed).toContain("upToDate");
  await store.createSession({ sessionId: "watched" });
  const events = store.tail("watched", { types: ["custom"] })[Symbol.asyncIterator]();
  for (const word of WORDS) {
    proxy.off();
    await elsewhere.append("streams/notes", [{ type: "bytes", data: Buffer.from(JSON.stringify(word)) }]);
    await elsewhere.append("watched", [{ type: "custom", data: { name: word } }]);
    await new Promise((resolve) => setTimeout(resolve, 700));
    proxy.on();
    await writer.send(word);
  }
  expect((await heard).map(words)).toEqual(WORDS.map((word) => `writer: ${word}`));
  await reading;
  for (const word of WORDS) expect(streamed).toContain(word);
  for (const word of WORDS) expect((await events.next()).value).toMatchObject({ data: { name: word } });
  await events.return?.();
  await chunks?.cancel();
});

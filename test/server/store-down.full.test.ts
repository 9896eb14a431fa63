/** A Postgres that is killed while a server and its clients use it, and is started again. */

import { connect } from "@continuo/core/client";
import { isContinuoError } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openChannelServer, take } from "../channels/open-channel.ts";
import { startPostgres } from "../store/harness/postgres-server.ts";

test("while the store is down, reads are answered with the code degraded and the reason, and writes fail with a code; afterwards everything works again", async () => {
  const postgres = await startPostgres();
  try {
    await using store = await openStore(postgres.url, { migrate: true });
    await using channel = await openChannelServer(store);
    const path = `${channel.url}/v1/channels/team/messages`;
    const writer = await channel.join("writer");
    const reader = await channel.join("reader");
    await writer.send("before");

    await postgres.kill();
    await expect.poll(async () => (await fetch(path)).status).toBe(503);
    for (const read of [
      path,
      `${channel.url}/v1/stream/channels/team?offset=-1`,
      `${channel.url}/v1/channels`,
    ]) {
      const response = await fetch(read);
      expect([response.status, await response.json()], read).toEqual([
        503,
        {
          error: {
            code: "degraded",
            message: expect.stringContaining("the store cannot be read: "),
            hint: expect.any(String),
            details: expect.objectContaining({ reason: expect.any(String) }),
            page: "docs/errors.md#degraded",
          },
        },
      ]);
    }
    const post = await fetch(path, { method: "POST", body: JSON.stringify({ handle: "ann", content: "x" }) });
    expect([post.status, await post.json()]).toMatchObject([503, { error: { code: "unavailable" } }]);
    expect((await fetch(`${channel.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${channel.url}/healthz`)).status).toBe(200);
    // Nobody can join, and a client that tries receives the reason.
    const joining = connect({
      serverUrl: channel.url,
      channel: "team",
      handle: "late",
      firstConnectionMs: 0,
    });
    await expect(joining).rejects.toSatisfy((error) => isContinuoError(error, "degraded"));
    // This message is stored later, because its client sends it again, or sending it fails with a code.
    const meanwhile = writer.send("meanwhile").then(
      () => "stored" as const,
      (error: unknown) => (isContinuoError(error) ? error.code : "no code"),
    );
    const patient = connect({
      serverUrl: channel.url,
      channel: "team",
      handle: "patient",
      onWarning: () => undefined,
    });

    await postgres.start();
    expect(["stored", "unavailable", "degraded"]).toContain(await meanwhile);
    const afterwards = async (): Promise<string> => {
      try {
        await writer.send("after");
        return "stored";
      } catch (error) {
        return isContinuoError(error) ? error.code : "no code";
      }
    };
    await expect.poll(afterwards).toBe("stored");
    const { events } = await store.read("channels/team", { types: ["message_sent"] });
    const words = events.map(({ data }) => (data as { readonly content: string }).content);
    expect([words[0], words.at(-1)]).toEqual(["before", "after"]);
    expect(words.filter((word) => word === "meanwhile").length <= 1).toBe(true);
    if ((await meanwhile) === "stored") expect(words).toContain("meanwhile");
    const seen = await take(reader, words.length, ({ type }) => type === "message");
    expect(seen.map((event) => ("content" in event ? event.content : ""))).toEqual(words);
    await (await patient).close();
  } finally {
    await postgres.stop();
  }
}, 120_000);

import pg from "pg";
import { expect, test } from "vitest";
import { startPostgres } from "./postgres-server.ts";

async function folderAt(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query("show data_directory")).rows[0].data_directory;
  } finally {
    await client.end();
  }
}

test("a server whose port another test took in the meantime starts on another port", {
  timeout: 300_000,
}, async () => {
  const one = await startPostgres();
  try {
    const two = await startPostgres({ port: Number(new URL(one.url).port) });
    try {
      expect(two.url).not.toBe(one.url);
      expect(await folderAt(two.url)).not.toBe(await folderAt(one.url));
      await two.kill();
      await two.start();
      expect(await folderAt(two.url)).not.toBe(await folderAt(one.url));
    } finally {
      await two.stop();
    }
  } finally {
    await one.stop();
  }
});

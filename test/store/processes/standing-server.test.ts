/** A process that stands still in the middle of a transaction on Postgres blocks the others for only a few seconds. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { newPostgresDatabase } from "../../sizes/shared-programs.ts";

test("others can write to a log that a stopped process has locked, and its own write follows later", async () => {
  const url = await newPostgresDatabase();
  await using store = await openStore(url, { migrate: true });
  await store.createLog({ logId: "shared" });
  const child = spawn(process.execPath, [join(import.meta.dirname, "standing-server.ts"), url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("standing");
  // The process is continued only after this event is stored.
  expect((await store.append("shared", [{ type: "x", data: 1 }]))[0]?.sequence).toBe(1);
  child.kill("SIGCONT");
  expect((await lines.next()).value).toBe("1");
  await once(child, "exit");
  // The transaction ran again from its beginning.
  expect((await store.getLog("shared"))?.metadata).toEqual({ stops: 2 });
});

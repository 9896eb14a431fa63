/** If some pages of a database are damaged, the error reports this instead of missing permissions. */

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { opencodeFormat } from "@continuo/native/opencode";
import { expect, test } from "vitest";
import { answer, findIn, placesOf, SESSION, text, user, useScratch } from "./sessions.ts";

const scratch = useScratch();

test("a session on damaged pages of a database has the problem damaged_database", async () => {
  const words = "A long text that fills pages. ".repeat(400);
  const path = scratch.databaseOf({
    messages: [user("msg_1", "Name it."), answer("msg_2", [text(words)]), answer("msg_3", [text(words)])],
  });
  const pages = readFileSync(path);
  // The beginnings of the pages with the text are overwritten, as by a bad disk.
  const file = openSync(path, "r+");
  for (let at = 4096; at < pages.length; at += 4096) {
    const isText = pages.subarray(at, at + 4096).includes("fills pages");
    if (isText) writeSync(file, Buffer.alloc(64, 0xff), 0, 64, at);
  }
  closeSync(file);
  const [found] = await findIn(path);
  if (found === undefined) throw new Error("the session is found");
  expect(found.sessionId).toBe(SESSION);
  using session = await opencodeFormat.open(found, placesOf(path), {});
  const codes = new Set(session.problems.map(({ code }) => code));
  expect(codes.has("damaged_database")).toBe(true);
  expect(codes.has("unreadable")).toBe(false);
});

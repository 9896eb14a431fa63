/**
 * The real opencode deletes a session at the person's request, and the guard restores it: opencode lists it, and
 * continues it.
 */

import type { Places } from "@continuo/files";
import { findNativeSessions } from "@continuo/native";
import { restoreGuardedSession } from "@continuo/native/editing";
import { onlyCopies, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { expect, test } from "vitest";
import { asObjects, asText, startModelServer, text } from "../../model-servers/index.ts";
import { openOpencode } from "../opencode/driver.ts";
import { makeSandbox } from "../sandbox.ts";

const ASKED = "Why does the retry loop never end?";
const AFTER = "And what ends it?";

test("opencode: a deleted session is restored with its rows, is listed, and continues", async () => {
  await using sandbox = await makeSandbox();
  await using model = await startModelServer({
    summary: "",
    turns: [
      { user: ASKED, answers: [[text("Because its backoff is reset.")]] },
      { user: AFTER, answers: [[text("A limit of attempts.")]] },
    ],
  }).then((server) => ({ ...server, [Symbol.asyncDispose]: () => server.close() }));
  const opencode = await openOpencode(sandbox, model.url);
  const places: Places = { home: sandbox.root, env: { XDG_DATA_HOME: opencode.dataHome } };
  const first = await opencode.serve();
  const [id, other] = [await first.create(), await first.create()];
  await first.say(id, ASKED);
  await first.say(other, ASKED);
  // The guard runs while opencode is running.
  expect(await runGuard({ places })).toMatchObject({ stored: 2, failed: [] });
  await first.request("DELETE", `/session/${id}`);
  await first.kill();
  const there = await Array.fromAsync(findNativeSessions({ places }));
  expect(there.map(({ sessionId }) => sessionId)).toEqual([other]);
  expect(onlyCopies({ places, metIds: new Set([other]) }).map(({ sessionId }) => sessionId)).toEqual([id]);
  await restoreGuardedSession(id, { places });
  const { stdout } = await opencode.command(["session", "list", "--format", "json"]);
  expect(
    asObjects(JSON.parse(stdout))
      .map((row) => asText(row.id))
      .toSorted(),
  ).toEqual([id, other].toSorted());
  await using second = await opencode.serve();
  expect(JSON.stringify(await second.messages(id))).toContain("Because its backoff is reset.");
  await second.say(id, AFTER);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("Because its backoff is reset.");
  expect((await verifyGuard(places)).problems).toEqual([]);
});

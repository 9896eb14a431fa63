import { expect, test } from "vitest";
import { createChanges, withChanges } from "./changes.ts";

async function* nothing(): AsyncGenerator<never> {
  await new Promise(() => undefined);
}

test("a change between two checks is not missed, and each change wakes every waiting caller", async () => {
  const changes = createChanges();
  const seen = changes.version;
  changes.tell();
  await changes.after(seen);
  const waiting = [changes.after(changes.version), changes.after(changes.version)];
  changes.tell();
  await Promise.all(waiting);
  expect(changes.version).toBe(seen + 2);
});

test("a change that happens while its reader works is delivered at once, and not after the pause", async () => {
  const changes = createChanges();
  const items = withChanges(nothing(), changes, 3_600_000);
  const first = items.next();
  changes.tell();
  expect((await first).value).toBe("changed");
  changes.tell();
  expect((await items.next()).value).toBe("changed");
});

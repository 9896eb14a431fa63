/** The choice of the tests that most likely find a mistake in a file. */

import { expect, test } from "vitest";
import { createNearest } from "./reach.ts";

const nearest = createNearest();

test("the test that imports a file is its nearest one", () => {
  const [first] = nearest("packages/server/src/server/streams/headers.ts");
  expect(first).toBe("packages/server/src/server/streams/headers.test.ts");
});

test.each([
  ["packages/server/src/server/streams/batches.ts", "test/server/slow-reader.test.ts"],
  ["packages/server/src/machine/chat/chat.ts", "test/machine/chat.test.ts"],
  ["packages/agents/src/catalog/unlisted-sessions.ts", "test/lost/other-ways.test.ts"],
])("of the hundreds of tests that reach %s, %s is among the nearest", (file, near) => {
  expect(nearest(file).length).toBeGreaterThan(100);
  expect(nearest(file).slice(0, 8)).toContain(near);
});

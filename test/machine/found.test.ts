/** A page finds sessions by text while the search still runs. */

import { beforeEach, expect, test } from "vitest";
import { createRowSource } from "../../packages/server/src/machine/rows.ts";
import { createTextSearches } from "../../packages/server/src/machine/text-searches.ts";
import { CLAUDE_ID, createHome, type Home, writeSessions } from "../cli/home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

test("a page that asks while the search runs gets the number of unsearched sessions, and then all results", async () => {
  const places = { home: home.path, cwd: home.path, env: {} };
  const { promise: patterns, resolve } = Promise.withResolvers<readonly string[]>();
  const options = {
    places,
    exclude: () => patterns,
    onUnindexed: () => undefined,
    toTime: (text: string) => text,
  };
  const searches = createTextSearches(options, 10);
  const rows = await createRowSource(places).rows();
  expect(await searches.find("build", rows)).toMatchObject({ sessions: [], unsearched: rows.byKey.size });
  resolve([]);
  let found = await searches.find("build", rows);
  while (found.unsearched > 0) found = await searches.find("build", rows);
  expect(found).toMatchObject({ sessions: [{ sessionId: CLAUDE_ID }], notices: [] });
  await expect(searches.find("role:", rows)).rejects.toMatchObject({ code: "usage" });
  await expect(searches.find("agnet:claude", rows)).rejects.toMatchObject({
    code: "usage",
    hint: expect.stringContaining("Did you mean agent:claude?"),
  });
  searches.close();
});

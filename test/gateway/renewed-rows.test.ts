/** A renewed row equals the row of a new list, for the sessions that each agent's own program wrote. */

import { listCatalog, renewRows } from "@continuo/agents/catalog";
import { isEmptySession } from "@continuo/native";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

test.each(FORMAT_CASES)("the renewed rows of %s/%s are those of a new list", async (agent, name) => {
  const home = scratchFolder(`renew-${agent}-${name}`);
  const { places } = await copyHome(home, [agent, name]);
  const at = { ...places, cwd: home, env: { ...places.env, CONTINUO_HOME: `${home}/.continuo` } };
  const list = await listCatalog({ empty: "include", archived: "include" }, { places: at });
  const rows = list.sessions.filter((row) => !isEmptySession(row) && row.title !== "[picture]");
  expect(rows.length).toBeGreaterThan(0);
  const old = list.sessions.map((row) =>
    rows.includes(row) ? { ...row, title: "old", updatedAt: null } : row,
  );
  const before = { ...list, sessions: old };
  const renewed = await renewRows(
    before,
    old.filter(({ title }) => title === "old"),
    at,
  );
  expect(renewed).toEqual(list);
});

/** A hand-over never adds a call: every case of every agent is cut after each of its lines and handed over. */

import { listNativeSessions } from "@continuo/agents";
import { beforeEach, test } from "vitest";
import { FORMAT_CASES } from "../fixture-home.ts";
import { cutsOf, expectNoCallAdded } from "./calls.ts";
import { type Home, openHome } from "./homes.ts";

let home: Home;

beforeEach(() => {
  home = openHome();
});

test.each(FORMAT_CASES)("no cut of %s/%s adds a call", async (agent, name) => {
  home.use(agent, name);
  for (const { location } of await listNativeSessions({
    agents: [agent],
    places: home.places,
    archived: "include",
  })) {
    // Rows of a database and compressed lines cannot be cut in this way.
    const cuts = location.endsWith(".jsonl") ? cutsOf(location) : [0];
    for (const _count of cuts) await expectNoCallAdded(agent, location, home.places);
  }
});

/**
 * Every session that an agent wrote passes its own round trip: to the same agent, to another one and back, and from a
 * bundle.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packSession, unpackBundle } from "@continuo/agents/handoff/bundle";
import type { Message } from "@continuo/core/model";
import { openOutputFile } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { type Home, openHome } from "./homes.ts";
import { byStandIn, type StandIn } from "./stand-in-programs.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

let home: Home;

beforeEach(() => {
  home = openHome();
});

const ALL = (["claude", "pi"] as const).flatMap((agent) =>
  readdirSync(join(FIXTURES, agent)).map((name): readonly [StandIn, string] => [agent, name]),
);

test.each(ALL)("a session of %s with %s", async (agent, name) => {
  const id = home.use(agent, name);
  const { view } = await home.read(agent, id);
  const copy = await home.go(`${agent}:${id}`, agent, byStandIn(agent));
  const there = await home.go(`${agent}:${id}`, "codex");
  const back = await home.go(`codex:${there.sessionId}`, agent, byStandIn(agent));
  expect(back.broughtBack).toMatchObject({ agent, sessionId: id });
  const bundle = join(home.home, "session.bundle");
  {
    using output = await openOutputFile(bundle, { force: false, forbidden: [] });
    const packedAt = "2026-11-22T10:00:00.000Z";
    await packSession(`${agent}:${id}`, output, { places: home.places, packedAt });
    output.commit();
  }
  using unpacked = await unpackBundle(bundle);
  const moved = await home.go(unpacked.location, agent, { ...byStandIn(agent), moved: { title: "Moved" } });
  for (const { verification, sessionId } of [copy, back, moved]) {
    expect(verification).toEqual({
      by: expect.stringContaining(agent),
      outcome: "same",
      messages: expect.any(Number),
    });
    expect(saidIn((await home.read(agent, sessionId)).view)).toEqual(saidIn(view));
  }
});

function saidIn(view: readonly Message[]): unknown {
  return view.map(({ role, content }) => ({ role, content: content.map(withoutPlaces) }));
}

/** The structured copy of a result may name the session. */
function withoutPlaces(block: object): object {
  const { native: _native, details: _details, ...rest } = block as Record<string, unknown>;
  return rest;
}

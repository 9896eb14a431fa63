/**
 * Every session that an agent wrote, in every recorded state, goes in all 25 directions: to its own agent as a copy, to
 * each other agent and back, and the same from a bundle. Afterwards, the model of its own agent receives what it
 * received before, and the target's model receives the same from the bundle as from the session itself.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packSession, unpackBundle } from "@continuo/agents/handoff/bundle";
import { AGENT_NAMES, type AgentName, type Message } from "@continuo/core/model";
import { openOutputFile } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { type Home, openHome } from "./homes.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

let home: Home;

beforeEach(() => {
  home = openHome();
});

const ALL = AGENT_NAMES.flatMap((agent) =>
  readdirSync(join(FIXTURES, agent)).map((name): readonly [AgentName, string] => [agent, name]),
);

test.each(ALL)("a session of %s with %s has the same content after every round trip", async (agent, name) => {
  const id = home.use(agent, name);
  const ref = `${agent}:${id}`;
  // Only opencode writes rows of its second generation, so only its texts come back, with its thinking as thinking.
  const isConverted = name === "second-generation";
  const said = (view: readonly Message[]): unknown => (isConverted ? wordsIn(view) : saidIn(view));
  const before = said((await home.read(agent, id)).view);
  const bundle = join(home.home, "session.bundle");
  {
    using output = await openOutputFile(bundle, { force: false, forbidden: [] });
    await packSession(ref, output, { places: home.places, packedAt: "2026-11-22T10:00:00.000Z" });
    output.commit();
  }
  using unpacked = await unpackBundle(bundle);
  for (const to of AGENT_NAMES) {
    const there = await home.go(ref, to);
    const moved = await home.go(unpacked.location, to, { moved: { title: "Moved" } });
    const [direct, packed] = [await viewOf(to, there.sessionId), await viewOf(to, moved.sessionId)].map(
      saidIn,
    );
    expect(packed, `${to}: out of a bundle`).toEqual(direct);
    const back = to === agent ? there : await home.go(`${to}:${there.sessionId}`, agent);
    expect(said(await viewOf(agent, back.sessionId)), `${to}: and back`).toEqual(before);
  }
});

async function viewOf(agent: AgentName, id: string): Promise<readonly Message[]> {
  return (await home.read(agent, id)).view;
}

/** Joins the thinking and the text of each message into one text; calls and results stay unchanged. */
function wordsIn(view: readonly Message[]): unknown {
  return view.map(({ role, content }) => {
    const texts = content.flatMap((block) =>
      block.type === "text" || block.type === "thinking" ? block.text : [],
    );
    const others = content.filter(({ type }) => type !== "text" && type !== "thinking");
    return { role, text: texts.join("\n"), others: others.map(withoutPlaces) };
  });
}

function saidIn(view: readonly Message[]): unknown {
  return view.map(({ role, content }) => ({ role, content: content.map(withoutPlaces) }));
}

/** The structured copy of a result may name the session, and a call its sub-agent. */
function withoutPlaces(block: object): object {
  const {
    native: _native,
    details: _details,
    childSessionId: _child,
    raw: _raw,
    ...rest
  } = block as Record<string, unknown>;
  return rest;
}

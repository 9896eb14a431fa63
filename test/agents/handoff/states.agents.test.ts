/**
 * Sessions in every state that matters to a hand-over, from every source to every target: compacted, branched, with an
 * image, damaged and then repaired. The target verifies and resumes each, and its next request has what the source's
 * model received. Each session also goes back to its own agent.
 */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HOME_VARIABLES, lookUpSession, type Places, repairNativeSession } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saidIn, sourceView } from "../../hand-off/spoken-items.ts";
import { AGENTS, type AgentUnderTest } from "../append/begin.ts";
import { asSentBy } from "../items.ts";
import { openTargets, type Targets } from "./targets.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");

/** The fixture of each agent in this state. */
const STATES = {
  compacted: fixturesOf("compaction"),
  // A session of Copilot has only one branch. The nearest state is a session with an answer that failed, an answer that
  // the person interrupted, and a turn after them.
  branched: {
    ...fixturesOf("branch"),
    codex: "revert",
    gemini: "rewind",
    opencode: "revert",
    copilot: "broken-off",
  },
  "with an image": fixturesOf("image"),
  "damaged and repaired": { ...fixturesOf("parallel-tools"), codex: "paginated" },
} as const satisfies Record<string, Readonly<Record<AgentName, string>>>;

type State = keyof typeof STATES;

function fixturesOf(name: string): Readonly<Record<AgentName, string>> {
  return { claude: name, codex: name, gemini: name, pi: name, opencode: name, copilot: name };
}

let targets: Targets;

beforeAll(async () => {
  targets = await openTargets();
});

afterAll(() => targets?.[Symbol.asyncDispose]());

interface Source {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  /** The home that holds only the source. */
  readonly places: Places;
}

/** The source is a separate copy, because a hand-over to the same agent needs another home. */
async function sourceOf(agent: AgentName, state: State): Promise<Source> {
  const fixture = join(FIXTURES, agent, STATES[state][agent]);
  const home = join(targets.sandbox.root, "sources", `${agent} ${state}`);
  cpSync(join(fixture, "home"), home, { recursive: true });
  const { CONTINUO_HOME = "" } = targets.env;
  const places = { home: targets.sandbox.root, env: { [HOME_VARIABLES[agent]]: home, CONTINUO_HOME } };
  const sessionId = String(JSON.parse(readFileSync(join(fixture, "requests.json"), "utf8")).sessionId);
  const { found } = await lookUpSession(`${agent}:${sessionId}`, { places });
  if (agent === "pi") writeFileSync(found.location, withoutTools(readFileSync(found.location, "utf8")));
  if (state === "damaged and repaired") {
    damage(agent, found.location);
    const { edits } = await repairNativeSession(`${agent}:${sessionId}`, { places, write: "in place" });
    expect(edits).not.toEqual([]);
  }
  return { agent, sessionId, location: found.location, places };
}

/** Removes the tools, because fixtures hold them without their parameters, and pi does not read such tools. */
function withoutTools(lines: string): string {
  return lines.replaceAll(/^.*"toolsAdded".*$/gmu, (line) =>
    JSON.stringify(JSON.parse(line, (key, value) => (key === "toolsAdded" ? undefined : value))),
  );
}

/** A record in the middle is no longer JSON, and the last line of a file is cut off. */
function damage(agent: AgentName, location: string): void {
  if (agent === "opencode") {
    const [file = "", id = ""] = location.split("#");
    using database = new DatabaseSync(file);
    const [part] = database
      .prepare(
        "select id from part where session_id = ? and json_extract(data, '$.type') = 'text' order by id",
      )
      .all(id)
      .slice(1);
    database.prepare(`update part set data = '{"type":' where id = ?`).run(String(part?.id));
    return;
  }
  const lines = readFileSync(location, "utf8").trimEnd().split("\n");
  const at = lines.findLastIndex((line) => /"(?:text|content)":"[^"]/u.test(line));
  lines[at] = (lines[at] ?? "").slice(0, -20);
  writeFileSync(location, `${lines.join("\n")}\n{"type":"us`);
}

/** The homes of all targets and of Continuo, and the source's own home unless the target is the same agent. */
function placesFor(source: Source, to: AgentName): Places {
  const own = source.agent === to ? {} : source.places.env;
  return { home: targets.sandbox.root, env: { ...targets.env, ...own } };
}

/**
 * All pairs together take hours of CPU. So in each state the tests hand each source over to only one other agent, and
 * with `--all-pairs` to every agent.
 */
function targetsOf(from: AgentUnderTest, state: State): readonly AgentUnderTest[] {
  if (process.env.CONTINUO_ALL_PAIRS === "1") return AGENTS;
  const shift = 1 + Object.keys(STATES).indexOf(state);
  const to = AGENTS[(AGENTS.indexOf(from) + shift) % AGENTS.length];
  return to === undefined ? [] : [to];
}

describe.each(Object.keys(STATES) as State[])("a session, %s", (state) => {
  describe.each(AGENTS)("of $agent", (from) => {
    let source: Source;

    beforeAll(async () => {
      source = await sourceOf(from.agent, state);
    });

    test.each(targetsOf(from, state))("is handed over to $agent, and comes back", async (to) => {
      const there = await targets.goOn({ ref: source.location, places: placesFor(source, to.agent), to });
      const view = await sourceView(from.agent, source.sessionId, source.places);
      expect(saidIn(there.items)).toEqual(saidIn(view));
      if (from.agent === to.agent) return;
      const ref = there.made.location ?? "";
      const back = await targets.goOn({ ref, places: placesFor(source, from.agent), to: from });
      expect(back.made.broughtBack).toMatchObject({ agent: from.agent, sessionId: source.sessionId });
      expect(saidIn(back.items.slice(0, -2))).toEqual(saidIn(view.map((item) => asSentBy(from.agent, item))));
    });
  });
});

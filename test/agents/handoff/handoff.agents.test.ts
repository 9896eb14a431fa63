/**
 * Every source by every target: a session that a real agent wrote is handed over, verified by the target
 * itself, and resumed by it; the request that it sends says what the source's model was sent.
 */

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handOff, type Places } from "../../../src/agents/index.ts";
import type { AgentName } from "../../../src/model/index.ts";
import { HOME_VARIABLES, saidIn, sourceView } from "../../hand-off/said.ts";
import { type ModelServer, startModelServer } from "../../model-servers/index.ts";
import { AGENTS, type Begun } from "../append/begin.ts";
import { proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
const CONVERSATIONS: Readonly<Record<AgentName, readonly string[]>> = {
  claude: ["parallel-tools", "image"],
  codex: ["paginated", "image"],
  gemini: ["parallel-tools", "image"],
  pi: ["parallel-tools", "image"],
  opencode: ["parallel-tools", "image"],
};

describe.each(AGENTS)("to $agent", ({ agent: to, tellsErrors, program, open }) => {
  let sandbox: Sandbox;
  let server: ModelServer;
  let begun: Begun;

  beforeAll(async () => {
    sandbox = await makeSandbox();
    server = await startModelServer({});
    begun = await open(sandbox, server.url);
    // opencode makes its database when it first runs.
    if (to === "opencode") await begun.begin("Hello.");
  });

  afterAll(async () => {
    await server?.close();
    await sandbox?.[Symbol.asyncDispose]();
  });

  const others = AGENTS.map(({ agent }) => agent).filter((agent) => agent !== to);
  const cases = others.flatMap((from) => CONVERSATIONS[from].map((name) => ({ from, name })));

  test.each(cases)("from $from: $name", async ({ from, name }) => {
    const { sessionId: id, places } = sourceIn(sandbox, from, name);
    const made = await handOff(`${from}:${id}`, {
      to,
      cwd: sandbox.project,
      places: { home: sandbox.root, env: { ...begun.environment, ...places.env } },
      programs: { [to]: program() },
    });
    expect(made.verification).toMatchObject({ by: expect.stringContaining(to), outcome: "same" });
    const target = { home: sandbox.root, env: begun.environment };
    const written = { sessionId: made.sessionId ?? "", sessionFile: made.location ?? "" };
    const items = await proveResumption({
      agent: to,
      places: target,
      sessionId: written.sessionId,
      tellsErrors,
      server,
      resume: (words) => begun.resume(words, written),
    });
    expect(saidIn(items)).toEqual(saidIn(await sourceView(from, id, places)));
  });
});

/** A copy of a fixture, in a home of its own. */
function sourceIn(
  sandbox: Sandbox,
  from: AgentName,
  name: string,
): { readonly sessionId: string; readonly places: Places } {
  const folder = join(FIXTURES, from, name);
  const copy = join(sandbox.root, "sources", from, name);
  cpSync(join(folder, "home"), copy, { recursive: true });
  const { sessionId } = JSON.parse(readFileSync(join(folder, "requests.json"), "utf8"));
  const env = { [HOME_VARIABLES[from]]: copy, CONTINUO_HOME: join(sandbox.root, "continuo") };
  return { sessionId: String(sessionId), places: { home: sandbox.root, env } };
}

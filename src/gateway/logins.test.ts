/** The logins of agents that an editor offers, and the choice of a person, which lasts until it is revoked. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogInOptions } from "@continuo/agents/conversations";
import { ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { scratchFolder } from "../../test/scratch-folder.ts";
import { createLogins, type Logins, showsLogins } from "./logins.ts";

const { signal } = new AbortController();

/** The logins of a machine on which these agents asked for one when they last ran. */
function loginsOf(agents: readonly string[]): {
  readonly logins: Logins;
  readonly made: LogInOptions[];
  readonly fail: (error: Error) => void;
} {
  const home = scratchFolder("logins");
  mkdirSync(join(home, ".continuo/logins"), { recursive: true });
  for (const agent of agents) {
    const kept = {
      agent,
      authMethods: [
        { id: "key", name: "A key" },
        { id: "web", name: "Browser" },
      ],
    };
    writeFileSync(join(home, `.continuo/logins/${agent}.json`), JSON.stringify(kept));
  }
  const made: LogInOptions[] = [];
  let failure: Error | null = null;
  const logins = createLogins({ home, env: {}, cwd: home }, async (options) => {
    if (failure !== null) throw failure;
    made.push(options);
  });
  return {
    logins,
    made,
    fail: (error) => {
      failure = error;
    },
  };
}

test("each agent that asked for a login offers its own methods, and only a method that was offered is used", async () => {
  const { logins, made } = loginsOf(["codex", "gemini"]);
  await expect(logins.logIn("gemini:key", signal)).rejects.toMatchObject({ code: "invalid" });
  const offered = logins.offer();
  expect(offered.map(({ id, name }) => [id, name])).toEqual([
    ["codex:key", "codex: A key"],
    ["codex:web", "codex: Browser"],
    ["gemini:key", "gemini: A key"],
    ["gemini:web", "gemini: Browser"],
  ]);
  expect([logins.isOffered("gemini"), logins.isOffered("pi")]).toEqual([true, false]);
  await logins.logIn("gemini:web", signal);
  expect(made).toMatchObject([{ agent: "gemini", methodId: "web", signal }]);
});

test("the last login of each agent is its chosen one until the person logs out, and a login that failed is not chosen", async () => {
  const { logins, fail } = loginsOf(["codex", "gemini"]);
  logins.offer();
  const chosen = (): unknown => [logins.chosen("codex"), logins.chosen("gemini")];
  await logins.logIn("gemini:key", signal);
  await logins.logIn("gemini:web", signal);
  expect(chosen()).toEqual([undefined, "web"]);
  logins.forget();
  expect(chosen()).toEqual([undefined, undefined]);
  fail(new ContinuoError("agent_failed", "the agent refused the login"));
  await expect(logins.logIn("codex:key", signal)).rejects.toThrow("refused the login");
  expect(chosen()).toEqual([undefined, undefined]);
});

test("there is no logout while no agent offers a login", () => {
  const { logins } = loginsOf([]);
  expect(logins.offer()).toEqual([]);
  expect(() => logins.forget()).toThrow("auth/logout");
});

test("an editor shows logins if it says so in its capabilities, or in `_meta` before there was a capability", () => {
  expect(showsLogins({ auth: { terminal: true } })).toBe(true);
  expect(showsLogins({ _meta: { "terminal-auth": true } })).toBe(true);
  expect([showsLogins({}), showsLogins({ auth: {} })]).toEqual([false, false]);
});

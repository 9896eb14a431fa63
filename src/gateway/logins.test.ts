/** The logins of agents that an editor offers, and the choice of a person, which lasts until it is revoked. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogInOptions } from "@continuo/agents/conversations";
import { loggedIn as notedIn, noteLoggedIn } from "@continuo/agents/drivers/acp";
import { ContinuoError, type ErrorCode } from "@continuo/core/model";
import { expect, test } from "vitest";
import { scratchFolder } from "../../test/scratch-folder.ts";
import { createLogins, type Logins, showsLogins } from "./logins.ts";

const { signal } = new AbortController();

/** The logins of a machine on which these agents asked for one when they last ran. */
function loginsOf(
  agents: readonly string[],
  { canLogOut = false, loggedIn = [] }: { canLogOut?: boolean; loggedIn?: readonly string[] } = {},
): {
  readonly logins: Logins;
  readonly made: LogInOptions[];
  readonly ended: string[];
  /** Makes each request fail, of one agent or of all; `null` ends this. */
  readonly fail: (error: Error | null, agent?: string) => void;
  /** The logins that the disk names. */
  readonly noted: () => readonly string[];
} {
  const home = scratchFolder("logins");
  mkdirSync(join(home, ".continuo/logins"), { recursive: true });
  for (const agent of loggedIn) noteLoggedIn({ home, env: {} }, agent);
  for (const agent of agents) {
    const kept = {
      agent,
      authMethods: [
        { id: "key", name: "A key" },
        { id: "web", name: "Browser" },
      ],
      ...(canLogOut ? { canLogOut } : {}),
    };
    writeFileSync(join(home, `.continuo/logins/${agent}.json`), JSON.stringify(kept));
  }
  const made: LogInOptions[] = [];
  const failures = new Map<string, Error | null>();
  const failOf = (agent: string): void => {
    const failure = failures.get(agent) ?? failures.get("") ?? null;
    if (failure !== null) throw failure;
  };
  const ended: string[] = [];
  const logins = createLogins(
    { home, env: {}, cwd: home },
    {
      logIn: async (options) => {
        failOf(options.agent);
        made.push(options);
      },
      logOut: async ({ agent }) => {
        ended.push(agent);
        failOf(agent);
      },
    },
  );
  return {
    logins,
    made,
    ended,
    fail: (error, agent = "") => void failures.set(agent, error),
    noted: () => notedIn({ home, env: {} }),
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
  await logins.end("auth/logout", signal);
  expect(chosen()).toEqual([undefined, undefined]);
  fail(new ContinuoError("agent_failed", "the agent refused the login"));
  await expect(logins.logIn("codex:key", signal)).rejects.toThrow("refused the login");
  expect(chosen()).toEqual([undefined, undefined]);
});

test("there is no logout while no agent offers a login", () => {
  const { logins } = loginsOf([]);
  expect(logins.offer()).toEqual([]);
  expect(() => logins.end("auth/logout", signal)).toThrow("auth/logout");
  expect(() => logins.end("logout", signal)).toThrow("logout");
});

test("a logout is claimed where an agent that offers a login can end it, or a login was made through Continuo", () => {
  const canEnd = (...made: Parameters<typeof loginsOf>): boolean => {
    const { logins } = loginsOf(...made);
    logins.offer();
    return logins.canEnd;
  };
  expect(canEnd(["gemini"], { canLogOut: true })).toBe(true);
  expect(canEnd([], { loggedIn: ["gemini"] })).toBe(true);
  expect([canEnd(["gemini"]), canEnd([], { canLogOut: true })]).toEqual([false, false]);
});

test("a logout ends the logins of this connection and of earlier ones, each in its own agent", async () => {
  const { logins, ended } = loginsOf(["codex", "gemini"], { canLogOut: true, loggedIn: ["opencode"] });
  logins.offer();
  await logins.logIn("gemini:key", signal);
  await logins.end("logout", signal);
  expect(ended).toEqual(["gemini", "opencode"]);
});

test("a logout that an agent refuses gives the reason, and every other agent is logged out", async () => {
  const { logins, ended, fail } = loginsOf([], { loggedIn: ["codex", "gemini"] });
  logins.offer();
  fail(new ContinuoError("agent_failed", "the agent refused the logout"));
  await expect(logins.end("logout", signal)).rejects.toThrow(
    "the agent refused the logout; the agent refused the logout",
  );
  expect(ended).toEqual(["codex", "gemini"]);
});

test.each(["not_found", "agent_missing", "unsupported"] as const)(
  "an earlier login that cannot be ended because of %s is an error once, and the others still end",
  async (code) => {
    const { logins, ended, fail, noted } = loginsOf([], { loggedIn: ["codex", "gemini"] });
    fail(new ContinuoError(code, "it is not there"), "codex");
    fail(new ContinuoError("agent_failed", "it is busy"), "gemini");
    await expect(logins.end("logout", signal)).rejects.toMatchObject({ code: "agent_failed" });
    // An agent that only failed is asked again.
    expect(noted()).toEqual(["gemini"]);
    fail(null, "gemini");
    await logins.end("logout", signal);
    expect(ended.toSorted()).toEqual(["codex", "gemini", "gemini"]);
  },
);

test("an agent that keeps its login refuses every logout of the connection, and one that ended it is not asked again", async () => {
  const { logins, ended, fail } = loginsOf(["codex", "gemini"]);
  logins.offer();
  await logins.logIn("codex:key", signal);
  await logins.logIn("gemini:web", signal);
  fail(new ContinuoError("unsupported", "gemini cannot end its login"), "gemini");
  for (let times = 0; times < 2; times++) {
    await expect(logins.end("auth/logout", signal)).rejects.toMatchObject({ code: "unsupported" });
    expect([logins.chosen("codex"), logins.chosen("gemini")]).toEqual([undefined, "web"]);
  }
  expect(ended).toEqual(["codex", "gemini", "gemini"]);
});

test("logouts that fail with one code have this code, and the hint of each agent", async () => {
  const refuse = (agent: string, code: ErrorCode): ContinuoError =>
    new ContinuoError(code, `${agent} keeps its login`, { hint: `Log out in ${agent} itself.` });
  const failed = async (codexCode: ErrorCode, geminiCode: ErrorCode): Promise<unknown> => {
    const { logins, fail } = loginsOf([], { loggedIn: ["codex", "gemini"] });
    fail(refuse("codex", codexCode), "codex");
    fail(refuse("gemini", geminiCode), "gemini");
    return await logins.end("logout", signal).catch((error: unknown) => error);
  };
  expect(await failed("unsupported", "unsupported")).toMatchObject({
    code: "unsupported",
    message: "codex keeps its login; gemini keeps its login",
    hint: "Log out in codex itself. Log out in gemini itself.",
  });
  expect(await failed("unsupported", "not_found")).toMatchObject({ code: "agent_failed" });
});

test("an editor shows logins if it says so in its capabilities, or in `_meta` before there was a capability", () => {
  expect(showsLogins({ auth: { terminal: true } })).toBe(true);
  expect(showsLogins({ _meta: { "terminal-auth": true } })).toBe(true);
  expect([showsLogins({}), showsLogins({ auth: {} })]).toEqual([false, false]);
});

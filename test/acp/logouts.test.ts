/** The end of a login that an agent no longer has, because the person ended it in the agent itself. */

import { expect, test } from "vitest";
import { loggedIn, wantedLogins } from "../../packages/agents/src/drivers/acp/index.ts";
import { hello1 } from "./script.ts";
import { scripted } from "./scripted-program.ts";

const INFO = { name: "scripted-agent", version: "1.0.0" };

test.each([
  ["logout", { ...hello1({}, { auth: { logout: {} } }), authMethods: [{ id: "a-key" }] }],
  ["auth/logout", { protocolVersion: 2, info: INFO, capabilities: {}, authMethods: [{ methodId: "a-key" }] }],
] as const)(
  "an agent that answers %s with its wish for a login is logged out, and offers no login",
  async (method, hello) => {
    const refused = [{ error: { code: -32_000, message: "Authentication required" } }];
    const done = [{ result: {} }];
    const answers = { authenticate: done, "auth/login": done, logout: refused, "auth/logout": refused };
    const { driver, cwd, sent } = scripted({ hello, answers }, { protocol: method === "logout" ? 1 : 2 });
    const places = { home: cwd, env: {} };
    await driver.logIn?.("a-key");
    expect(loggedIn(places)).toEqual(["scripted"]);
    await driver.logOut?.();
    expect(sent().at(-1)?.method).toBe(method);
    expect([loggedIn(places), wantedLogins(places)]).toEqual([[], []]);
  },
);

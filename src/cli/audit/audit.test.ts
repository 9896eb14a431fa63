import { join } from "node:path";
import { openStore } from "@continuo/store";
import { beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { runAudit } from "./audit.ts";
import type { AuditFlags } from "./flags.ts";

const home = scratchFolder("audit");
const url = `sqlite:${join(home, "audit.db")}`;
const SECRET = `sk-ant-api03-${"x".repeat(80)}AA`;

beforeAll(async () => {
  await using store = await openStore(url, { migrate: true });
  for (const label of ["first", "second", `\u001b[31m${SECRET}`]) {
    await store.createToken({ scopes: ["admin"], label });
  }
  await store.createSession({ sessionId: "s" });
  await store.deleteSession("s");
});

interface Printed {
  readonly out: string;
  readonly err: string;
}

async function audit(flags: Partial<AuditFlags>): Promise<Printed> {
  const printed = { out: "", err: "" };
  const stdout = {
    write: (part: string, done?: () => void) => {
      printed.out += part;
      done?.();
      return true;
    },
    on: () => stdout,
    once: () => stdout,
    off: () => stdout,
    removeListener: () => stdout,
  };
  const stderr = {
    write: (part: string) => {
      printed.err += part;
      return true;
    },
  };
  const shell = {
    home,
    cwd: home,
    env: { CONTINUO_HOME: home },
    now: new Date(),
    stdout,
    stderr,
  } as unknown as Shell;
  expect(await runAudit({ store: url, limit: 100, ...flags } as AuditFlags, shell)).toBe(0);
  return printed;
}

test("the table has the oldest act first, without secrets and without characters that control a terminal", async () => {
  const { out, err } = await audit({});
  const lines = out.trimEnd().split("\n").slice(1);
  expect(lines.map((line) => /token_created|session_deleted/u.exec(line)?.[0])).toEqual([
    ...["token_created", "token_created", "token_created", "session_deleted"],
  ]);
  expect(lines.map((line) => /first|second/u.exec(line)?.[0])).toEqual([
    ...["first", "second"],
    undefined,
    undefined,
  ]);
  expect(out).not.toContain(SECRET);
  expect(out).not.toContain("\u001b");
  expect(err).toBe("");
});

test.each([
  ["a table", {}],
  ["JSON", { json: true }],
] as const)("%s names the flag that shows what a limit leaves out", async (_what, form) => {
  const { out, err } = await audit({ limit: 2, ...form });
  expect(err).toBe("These are the newest 2 acts; --all shows every one.\n");
  expect(out).not.toContain("first");
  expect(out).toContain("session_deleted");
  expect((await audit({ limit: 2, all: true, ...form })).err).toBe("");
});

test("filters choose acts and persons, and an empty list is reported as empty", async () => {
  const deleted = JSON.parse((await audit({ what: "session_deleted", json: true })).out);
  expect(deleted).toMatchObject([{ what: "session_deleted", target: "s" }]);
  expect(await audit({ who: "user:nobody" })).toEqual({ out: "", err: "No acts are recorded that match.\n" });
  expect(await audit({ since: "2999-01-01" })).toEqual({
    out: "",
    err: "No acts are recorded that match.\n",
  });
});

test("an act that does not exist is refused with the names of those that do", async () => {
  await expect(audit({ what: "token_create" })).rejects.toMatchObject({
    code: "usage",
    hint: expect.stringContaining("token_created"),
  });
});

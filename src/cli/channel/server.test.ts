import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { accessOf } from "./server.ts";

const home = mkdtempSync(join(tmpdir(), "continuo-access-"));
const shell = { home, cwd: home, env: { CONTINUO_HOME: home } } as unknown as Shell;
beforeAll(() => writeFileSync(join(home, "server-token"), "secret\n", { mode: 0o600 }));
afterAll(() => rmSync(home, { recursive: true }));

const access = (server: string | undefined, users: readonly number[] | null): ReturnType<typeof accessOf> =>
  accessOf(server === undefined ? {} : { server }, shell, async (port) => {
    expect(port).toBe(server === undefined ? 4747 : Number(new URL(server).port));
    return users;
  });

test("the token of this machine goes to a server of this user or of root, and where the system does not tell", async () => {
  const own = process.getuid?.() ?? 0;
  for (const users of [[own], [0], [], null]) {
    expect(await access(undefined, users)).toEqual({ serverUrl: "http://127.0.0.1:4747", token: "secret" });
  }
});

test.runIf(process.getuid !== undefined)(
  "the token of this machine never goes to a program of another user",
  async () => {
    const stranger = (process.getuid?.() ?? 0) + 1;
    for (const server of [undefined, "http://localhost:5000", "http://[::1]:5001"]) {
      await expect(access(server, [stranger])).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringContaining(`uid ${stranger}`),
      });
    }
  },
);

test("a token that is named goes to the server that is named with it", async () => {
  const named = { ...shell, env: { ...shell.env, CONTINUO_TOKEN: "named" } };
  const users = async (): Promise<readonly number[]> => [1];
  const far = { server: "https://continuo.example" };
  expect(await accessOf(far, named, users)).toEqual({
    serverUrl: "https://continuo.example",
    token: "named",
  });
  expect(await accessOf(far, shell, users)).toEqual({ serverUrl: "https://continuo.example" });
});

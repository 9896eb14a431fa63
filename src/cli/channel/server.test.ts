import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { accessOf, callServer } from "./server.ts";

const home = scratchFolder("access");
const shell = { home, cwd: home, env: { CONTINUO_HOME: home } } as unknown as Shell;
beforeAll(() => writeFileSync(join(home, "server-token"), "secret\n", { mode: 0o600 }));

const access = (server: string | undefined, users: readonly number[] | null): ReturnType<typeof accessOf> =>
  accessOf(server === undefined ? {} : { server }, shell, async (port) => {
    expect(port).toBe(server === undefined ? 4747 : Number(new URL(server).port));
    return users;
  });

test("the token of this machine is sent to a server of this user or of root, and if the system does not report the user", async () => {
  const own = process.getuid?.() ?? 0;
  for (const users of [[own], [0], [], null]) {
    expect(await access(undefined, users)).toEqual({ serverUrl: "http://127.0.0.1:4747", token: "secret" });
  }
});

test.runIf(process.getuid !== undefined)(
  "the token of this machine is never sent to a program of another user",
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

const own = process.getuid?.() ?? 0;
const stranger = async (): Promise<readonly number[]> => [own + 1];
const named = { ...shell, env: { ...shell.env, CONTINUO_TOKEN: "named" } };

test("a token that is named is sent to the server that is named with it", async () => {
  const far = { server: "https://continuo.example" };
  expect(await accessOf(far, named, stranger)).toEqual({
    serverUrl: "https://continuo.example",
    token: "named",
  });
  expect(await accessOf(far, shell, stranger)).toEqual({ serverUrl: "https://continuo.example" });
  const chosen = { server: "http://localhost:5000", tokenFile: join(home, "server-token") };
  expect(await accessOf(chosen, shell, stranger)).toEqual({ serverUrl: chosen.server, token: "secret" });
});

test.runIf(process.getuid !== undefined)(
  "a token from CONTINUO_TOKEN, or from a file without a server, is never sent to a program of another user on this machine",
  async () => {
    const hosts = [
      "localhost",
      "127.0.0.1",
      "127.1.2.3",
      "0.0.0.0",
      "[::1]",
      "[::]",
      "a.localhost",
      "localhost.",
    ];
    for (const host of hosts) {
      const asked = accessOf({ server: `http://${host}:5000` }, named, stranger);
      await expect(asked, host).rejects.toMatchObject({ code: "forbidden" });
    }
    await expect(accessOf({}, named, stranger)).rejects.toMatchObject({ code: "forbidden" });
    const file = { tokenFile: join(home, "server-token") };
    await expect(accessOf(file, shell, stranger)).rejects.toMatchObject({ code: "forbidden" });
    const mine = async (): Promise<readonly number[]> => [own];
    expect((await accessOf({ server: "http://localhost:5000" }, named, mine)).token).toBe("named");
  },
);

test("a token is sent to another machine only over TLS, unless CONTINUO_INSECURE allows it", async () => {
  const far = { server: "http://continuo.example:4747" };
  await expect(accessOf(far, named, stranger)).rejects.toMatchObject({
    code: "forbidden",
    message: "a token is not sent to continuo.example:4747 without TLS",
  });
  expect(await accessOf(far, shell, stranger)).toEqual({ serverUrl: far.server });
  const insecure = { ...named, env: { ...named.env, CONTINUO_INSECURE: "1" } };
  expect((await accessOf(far, insecure, stranger)).token).toBe("named");
});

test("a server that redirects is reported as one that redirects, and a token does not follow it", async () => {
  const asked: unknown[] = [];
  const server = createServer(({ url, headers: { authorization } }, response) => {
    asked.push([url, authorization]);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirects = {
    code: "unavailable",
    message: `the server at ${serverUrl} redirects to another address`,
    hint: expect.stringContaining("Name the address to which it redirects"),
  };
  const to = { serverUrl, token: "named" };
  try {
    await expect(callServer(to, "/v1/tokens", { name: "ann" })).rejects.toMatchObject(redirects);
    expect(asked).toEqual([["/v1/tokens", "Bearer named"]]);
  } finally {
    server.close().closeAllConnections();
  }
  await expect(callServer(to, "/v1/tokens")).rejects.toMatchObject({
    code: "unavailable",
    message: `no server answers at ${serverUrl}`,
  });
});

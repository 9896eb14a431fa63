import { createServer } from "node:net";
import { ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { takePort } from "./port.ts";

/** A listener for which these ports are taken. */
function listening(taken: readonly number[], code = "EADDRINUSE"): (port: number) => Promise<number> {
  return async (port) => {
    if (!taken.includes(port)) return port;
    throw new ContinuoError("unavailable", "cannot listen", { cause: Object.assign(new Error(), { code }) });
  };
}

async function take(isDefault: boolean, users: readonly number[] | null): Promise<unknown> {
  const warnings: string[] = [];
  try {
    const port = await takePort(
      { port: 4748, isDefault },
      {
        listen: listening([4748]),
        warn: (line) => void warnings.push(line),
        users: async () => users,
        own: 1000,
      },
    );
    return [port, warnings.length];
  } catch (error) {
    return error;
  }
}

test("a port that another program of this user has is left to it, with a warning about bookmarks", async () => {
  expect(await take(true, [1000])).toEqual([0, 1]);
});

test("a port that a program of another user has is an error that says not to open the address", async () => {
  for (const isDefault of [true, false]) {
    for (const users of [[1001], [1000, 1001], [0]]) {
      expect(await take(isDefault, users)).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("another user"),
        hint: expect.stringContaining("http://127.0.0.1:4748 is not your viewer"),
      });
    }
  }
});

test("a port is never replaced that somebody named", async () => {
  expect(await take(false, [1000])).toMatchObject({ code: "unavailable", details: { port: 4748 } });
});

test("if the system does not tell who has the port, another one is used, with a warning", async () => {
  expect(await take(true, null)).toEqual([0, 1]);
});

test("any other failure to listen is reported as it is", async () => {
  const failing = takePort(
    { port: 80, isDefault: true },
    { listen: listening([80], "EACCES"), warn: () => undefined, own: 1000 },
  );
  await expect(failing).rejects.toThrow("cannot listen");
});

test.runIf(process.platform === "linux")("a real port that this user has is recognised", async () => {
  const other = createServer();
  const { promise: isBound, resolve } = Promise.withResolvers<void>();
  other.listen(0, "127.0.0.1", resolve);
  await isBound;
  const { port } = other.address() as { readonly port: number };
  const taken = listening([port]);
  expect(await takePort({ port, isDefault: true }, { listen: taken, warn: () => undefined })).toBe(0);
  other.close();
});

import type * as crypto from "node:crypto";
import { timingSafeEqual } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";

vi.mock("node:crypto", async (original) => {
  const real = await original<typeof crypto>();
  return { ...real, timingSafeEqual: vi.fn(real.timingSafeEqual) };
});

// A worker keeps modules between test files, so the modules that use the replaced one are loaded again and then
// removed.
vi.resetModules();
const { openStore } = await import("./open-store.ts");
afterAll(() => {
  vi.resetModules();
});

const compare = vi.mocked(timingSafeEqual);
afterEach(() => {
  compare.mockClear();
});

test("hashes of tokens are compared only by timingSafeEqual", async () => {
  await using store = await openStore("memory:");
  const token = await store.createToken({ scopes: ["admin"] });
  // These secrets belong to the same token and are wrong only in their first or last character.
  const prefix = token.secret.length - 43;
  const first = `${token.secret.slice(0, prefix)}${other(token.secret[prefix])}${token.secret.slice(prefix + 1)}`;
  const last = `${token.secret.slice(0, -1)}${other(token.secret.at(-1))}`;
  for (const [secret, isRight] of [
    [token.secret, true],
    [first, false],
    [last, false],
  ] as const) {
    compare.mockClear();
    expect((await store.authenticate(secret)) !== null).toBe(isRight);
    // A wrong secret reaches the comparison too, and both sides are hashes of the same length.
    expect(compare.mock.calls.map((sides) => sides.map(({ byteLength }) => byteLength))).toEqual([[64, 64]]);
    // Only the result of the comparison decides.
    compare.mockReturnValueOnce(!isRight);
    expect((await store.authenticate(secret)) !== null).toBe(!isRight);
  }
});

test("no file of a store contains the secret of a token", async () => {
  const folder = mkdtempSync(join(tmpdir(), "continuo-access-"));
  try {
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    const { secret, tokenId } = await store.createToken({ scopes: ["admin"] });
    expect((await store.authenticate(secret))?.tokenId).toBe(tokenId);
    const bytes = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    expect(bytes.includes(tokenId)).toBe(true);
    expect(bytes.includes(secret.slice(-43))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function other(character: string | undefined): string {
  return character === "A" ? "B" : "A";
}

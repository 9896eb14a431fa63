/**
 * Bundles that are written byte for byte: the files that are unpacked, and the reasons for which a bundle is refused.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { MAX_MANIFEST_BYTES } from "./limits.ts";
import type { Manifest } from "./manifest.ts";
import { unpackBundle } from "./unpack.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const MAIN = `.pi/agent/sessions/--home-dev--/2026-11-22T10-00-00-000Z_${ID}.jsonl`;
const TIME = "2026-11-22T10:00:00.000Z";
const SESSION = JSON.stringify({ type: "session", version: 3, id: ID, timestamp: TIME, cwd: "/home/dev" });

let root: string;
let bundle: string;
beforeEach(() => {
  root = scratchFolder("unpack");
  bundle = join(root, "session.bundle");
});

type Files = Readonly<Record<string, Buffer>>;

const FILES: Files = {
  [MAIN]: Buffer.from(`${SESSION}\n`),
  "empty/one": Buffer.alloc(0),
  // This is more than one step unpacks.
  "large/bytes": Buffer.from(Uint8Array.from({ length: 200_000 }, (_, at) => (at * at) % 251)),
  "empty/two": Buffer.alloc(0),
  "empty/three": Buffer.alloc(0),
};

function manifestOf(files: Files, change: Partial<Manifest> = {}): Manifest {
  return {
    continuoBundle: 1,
    agent: "pi",
    sessionId: ID,
    cwd: "/home/dev",
    title: "A title",
    packedAt: TIME,
    main: MAIN,
    row: null,
    files: Object.entries(files).map(([path, bytes]) => ({
      path,
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    })),
    ...change,
  };
}

function write(...parts: readonly (string | Buffer)[]): void {
  writeFileSync(bundle, gzipSync(Buffer.concat(parts.map((part) => Buffer.from(part)))));
}

function ownScratch(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`continuo-scratch-${process.pid}-`));
}

async function refused(why: string): Promise<void> {
  const before = ownScratch();
  await expect(unpackBundle(bundle)).rejects.toMatchObject({
    code: "corrupt",
    message: `the file is not a whole bundle: ${why}`,
  });
  expect(ownScratch()).toEqual(before);
}

const line = (manifest: object): string => `${JSON.stringify(manifest)}\n`;

test("a bundle is unpacked into a private home, which disposing removes", async () => {
  write(line(manifestOf(FILES)), ...Object.values(FILES));
  const { [Symbol.dispose]: dispose, ...unpacked } = await unpackBundle(bundle);
  const { home } = unpacked.places;
  expect(unpacked).toEqual({
    agent: "pi",
    sessionId: ID,
    cwd: "/home/dev",
    title: "A title",
    packedAt: TIME,
    location: join(home, MAIN),
    places: { home, env: {} },
    workTree: null,
  });
  for (const [path, bytes] of Object.entries(FILES)) {
    expect(readFileSync(join(home, path)).equals(bytes)).toBe(true);
    expect(statSync(join(home, path)).mode & 0o777).toBe(0o600);
  }
  for (const folder of ["", "large", ".pi/agent"])
    expect(statSync(join(home, folder)).mode & 0o777).toBe(0o700);
  dispose();
  expect(existsSync(home)).toBe(false);
});

test("a bundle whose last file is empty may end before it", async () => {
  const files = { "large/bytes": FILES["large/bytes"] as Buffer, ...FILES };
  write(line(manifestOf(files)), ...Object.values(files));
  using unpacked = await unpackBundle(bundle);
  expect(existsSync(join(unpacked.places.home, "empty/three"))).toBe(true);
});

test("a first line of the greatest length is read, and a longer one is refused", async () => {
  const json = JSON.stringify(manifestOf(FILES)).padEnd(MAX_MANIFEST_BYTES);
  write(`${json}\n`, ...Object.values(FILES));
  using unpacked = await unpackBundle(bundle);
  expect(unpacked.sessionId).toBe(ID);
  write(`${json} \n`, ...Object.values(FILES));
  await refused("its first line is too long");
});

describe("a bundle is refused", () => {
  const bytes = Buffer.concat(Object.values(FILES));
  const whole = line(manifestOf(FILES));

  test.each<[string, readonly (string | Buffer)[], string]>([
    ["without a line", [], "it ends early"],
    ["without the end of the first line", [whole.slice(0, -1)], "it ends early"],
    ["without bytes", [whole], "it ends early"],
    ["without the last byte", [whole, bytes.subarray(0, -1)], "it ends early"],
    ["with half of the first file", [whole, bytes.subarray(0, 20)], "it ends early"],
    ["without its second file", [whole, FILES[MAIN] as Buffer], "it ends early"],
    ["with one byte more", [whole, bytes, "x"], "it contains more bytes than its list of files"],
    ["with other bytes", [whole, Buffer.alloc(bytes.length)], `"${MAIN}" differs from the packed file`],
    [
      "with another last byte",
      [whole, bytes.subarray(0, -1), Buffer.from([1 + (bytes.at(-1) ?? 0)])],
      '"large/bytes" differs from the packed file',
    ],
    ["with a first line that is no JSON", ["hello\n"], "its first line is not JSON"],
    [
      "with another hash of an empty file",
      [
        line(
          manifestOf(FILES, {
            files: manifestOf(FILES).files.map((file) =>
              file.path === "empty/three" ? { ...file, sha256: "0".repeat(64) } : file,
            ),
          }),
        ),
        bytes,
      ],
      '"empty/three" differs from the packed file',
    ],
    [
      "with another session than it names",
      [line(manifestOf(FILES, { sessionId: "other" })), bytes],
      "it does not hold the session that it names",
    ],
    [
      "with a main file that is no session",
      [line(manifestOf(FILES, { main: "large/bytes" })), bytes],
      "it does not hold the session that it names",
    ],
    [
      "with a row of a file that has none",
      [line(manifestOf(FILES, { row: ID })), bytes],
      "it does not hold the session that it names",
    ],
  ])("%s", async (_name, parts, why) => {
    write(...parts);
    await refused(why);
  });

  test("if it is not gzip, with the cause", async () => {
    writeFileSync(bundle, "hello");
    await refused("incorrect header check");
    await expect(unpackBundle(bundle)).rejects.toMatchObject({ cause: { code: "Z_DATA_ERROR" } });
  });

  test("if its gzip breaks off", async () => {
    write(whole, bytes);
    writeFileSync(bundle, readFileSync(bundle).subarray(0, -5));
    await refused("unexpected end of file");
  });

  test("if it is not there, or no file", async () => {
    await expect(unpackBundle(bundle)).rejects.toMatchObject({
      code: "not_found",
      message: `there is no file ${bundle}`,
    });
    await expect(unpackBundle(root)).rejects.toMatchObject({
      code: "unreadable",
      message: `cannot read ${root}: it is not a file`,
    });
  });
});

test("unpacking that is aborted ends with the reason", async () => {
  write(line(manifestOf(FILES)), ...Object.values(FILES));
  const reason = new Error("no longer wanted");
  await expect(unpackBundle(bundle, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

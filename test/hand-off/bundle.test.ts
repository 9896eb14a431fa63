/**
 * A native session is packed on one machine and placed on another: two homes, where the second has no file of the
 * first.
 */

import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  HOME_VARIABLES,
  handOff,
  listNativeSessions,
  openNativeSession,
  type Places,
  readNativeSession,
} from "@continuo/agents";
import { unpackBundle } from "@continuo/agents/handoff/bundle";
import { AGENT_NAMES, type AgentName, type SubagentInfo } from "@continuo/core/model";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { tested } from "../tested-agents.ts";
import { expectPacked, fixturesFor, pack, plain } from "./packed-fixtures.ts";
import { saidIn, sourceView } from "./spoken-items.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

let root: string;
/** The machine from which the session comes. */
let here: Places;
/** The machine to which the session goes. */
let there: Places;
let cwd: string;
let bundle: string;

beforeEach(() => {
  root = scratchFolder("bundle");
  cwd = join(root, "other/elsewhere");
  mkdirSync(cwd, { recursive: true });
  here = { home: join(root, "home"), env: {} };
  there = { home: join(root, "other"), env: {} };
  bundle = join(root, "session.bundle");
});

function useFixture(agent: AgentName, name: string): string {
  const folder = join(FIXTURES, agent, name);
  const copy = join(root, "source");
  cpSync(join(folder, "home"), copy, { recursive: true });
  here = { ...here, env: { [HOME_VARIABLES[agent]]: copy } };
  return `${agent}:${JSON.parse(readFileSync(join(folder, "requests.json"), "utf8")).sessionId}`;
}

test.each(fixturesFor("quick"))(
  "a bundle of %s holds every file of %s, and packing changes none of them",
  expectPacked,
);

const CASES = tested(({ recorded }) => recorded.parts);

describe("a bundle on another machine", () => {
  test.each(AGENT_NAMES)(
    "%s: continues in a folder of that machine, with the messages that its model received",
    async (agent) => {
      const ref = useFixture(agent, CASES[agent]);
      const id = ref.slice(agent.length + 1);
      const sent = saidIn(await sourceView(agent, id, here));
      await pack(ref, bundle, here);
      rmSync(join(root, "source"), { recursive: true });
      if (agent === "opencode") {
        cpSync(join(FIXTURES, "opencode/image/home"), join(there.home, ".local/share"), { recursive: true });
      }
      using unpacked = await unpackBundle(bundle);
      const made = await handOff(unpacked.location, { to: agent, cwd, places: there, verifyBy: "own" });
      expect(saidIn(await sourceView(agent, made.sessionId ?? "", there))).toEqual(sent);
      const listed = await listNativeSessions({ places: there, agents: [agent] });
      expect(listed.find(({ sessionId }) => sessionId === made.sessionId)?.cwd).toBe(cwd);
      const [again] = [await handOff(unpacked.location, { to: agent, cwd, places: there, verifyBy: "own" })];
      expect(again.sessionId).not.toBe(made.sessionId);
    },
  );
});

describe("the sub-agents of a session from a bundle", () => {
  test.each<readonly [AgentName, ref: () => string]>([
    ["claude", () => useFixture("claude", "subagent")],
    ["gemini", () => useFixture("gemini", "subagent")],
    ["codex", useCodexCase],
    ["opencode", () => useFixture("opencode", "sub-agent")],
  ])("%s: belong to the new session", async (agent, use) => {
    const ref = use();
    if (agent === "opencode")
      cpSync(join(FIXTURES, "opencode/image/home"), join(there.home, ".local/share"), { recursive: true });
    const before = await subagentsOf(ref, here);
    expect(before.length).toBeGreaterThan(0);
    await pack(ref, bundle, here);
    rmSync(join(root, "source"), { recursive: true });
    using unpacked = await unpackBundle(bundle);
    const moved = { moved: { title: unpacked.title }, cwd, places: there, verifyBy: "own" } as const;
    const made = await handOff(unpacked.location, { ...moved, to: agent });
    expect(made.receipt.records.filter(({ place }) => place.startsWith("sub-agent "))).toEqual(
      before.map(({ id }) => ({ place: `sub-agent ${id}`, kind: "other", outcome: "kept", reason: "" })),
    );
    const after = await subagentsOf(`${agent}:${made.sessionId}`, there);
    // opencode has only one database, so each id occurs there only once.
    const isSameId = agent !== "opencode";
    expect(isSameId ? after : withoutIds(after)).toEqual(isSameId ? before : withoutIds(before));
    const other = await handOff(unpacked.location, { ...moved, to: agent === "claude" ? "pi" : "claude" });
    const left = other.receipt.records.filter(({ place }) => place.startsWith("sub-agent "));
    expect(left.map(({ outcome }) => outcome)).toEqual(before.map(() => "noted"));
  });

  test("name the new session and its folder in each record", async () => {
    await pack(useFixture("claude", "subagent"), bundle, here);
    rmSync(join(root, "source"), { recursive: true });
    using unpacked = await unpackBundle(bundle);
    const moved = { moved: { title: unpacked.title }, cwd, places: there, verifyBy: "own" } as const;
    const { sessionId, location } = await handOff(unpacked.location, { ...moved, to: "claude" });
    const folder = join((location ?? "").replace(/\.jsonl$/u, ""), "subagents");
    const [file = ""] = readdirSync(folder).filter((each) => each.endsWith(".jsonl"));
    const lines = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
    const records = lines.map((line) => JSON.parse(line));
    expect(new Set(records.map((record) => record.sessionId))).toEqual(new Set([sessionId]));
    expect(new Set(records.flatMap((record) => record.cwd ?? []))).toEqual(new Set([cwd]));
  });
});

function withoutIds(facts: unknown): unknown {
  const named = (key: string): boolean => /^(?:id|parentId|toolCallId|location|native|records)$/u.test(key);
  return JSON.parse(JSON.stringify(facts, (key, value) => (named(key) ? undefined : value)));
}

function useCodexCase(): string {
  const copy = join(root, "source");
  cpSync(join(import.meta.dirname, "../formats/codex/sub-agent/home"), copy, { recursive: true });
  here = { ...here, env: { [HOME_VARIABLES.codex]: copy } };
  return "codex:01a20050-baa6-7ff1-8449-3131409c2940";
}

/** Returns the facts of each sub-agent, and its messages. */
async function subagentsOf(
  ref: string,
  places: Places,
): Promise<readonly (Omit<SubagentInfo, "location" | "sizeBytes"> & { readonly said: unknown })[]> {
  using session = await openNativeSession(ref, { places });
  return await Promise.all(
    session.details.subagents.map(async ({ location, sizeBytes: _size, ...known }) => ({
      ...known,
      said: plain((await readNativeSession(location, { places })).messages),
    })),
  );
}

interface Forged {
  readonly files: readonly { readonly path: string; readonly sizeBytes: number; readonly sha256: string }[];
}

/** Changes the manifest and the bytes of the bundle. */
function forge(
  change: (manifest: Forged, bytes: Buffer) => { readonly manifest?: object; readonly bytes?: Buffer },
): void {
  const whole = gunzipSync(readFileSync(bundle));
  const end = whole.indexOf(0x0a);
  const manifest = JSON.parse(whole.subarray(0, end).toString("utf8"));
  const made = change(manifest, whole.subarray(end + 1));
  const line = JSON.stringify({ ...manifest, ...made.manifest });
  const bytes = made.bytes ?? whole.subarray(end + 1);
  writeFileSync(bundle, gzipSync(Buffer.concat([Buffer.from(`${line}\n`), bytes])));
}

describe("a bundle that was not made by packing", () => {
  beforeEach(async () => {
    await pack(useFixture("claude", "text-and-thinking"), bundle, here);
  });

  const paths = [
    "../outside",
    "/etc/outside",
    "a/../../outside",
    "a\\..\\outside",
    "C:/outside",
    "a//b",
    ".",
    "a\0b",
    "a".repeat(300),
    "",
  ];
  test.each(paths)("is refused with a file called %j", async (path) => {
    // Everything else is valid, so that only the name can be refused.
    forge(({ files }, bytes) => ({
      manifest: { files: [...files, ...files.map((file) => ({ ...file, path }))] },
      bytes: Buffer.concat([bytes, bytes]),
    }));
    await expect(unpackBundle(bundle)).rejects.toMatchObject({ code: "corrupt" });
    expect(existsSync(join(root, "outside"))).toBe(false);
  });

  type Change = (manifest: Forged, bytes: Buffer) => { readonly manifest?: object; readonly bytes?: Buffer };
  const changes: Readonly<Record<string, Change>> = {
    "another byte": (_, bytes) => ({ bytes: Buffer.concat([bytes.subarray(0, -1), Buffer.from("x")]) }),
    "more files than it lists": (_, bytes) => ({ bytes: Buffer.concat([bytes, Buffer.from("x")]) }),
    "fewer files than it lists": (_, bytes) => ({ bytes: bytes.subarray(0, -1) }),
    "another session": () => ({ manifest: { sessionId: "../../x" } }),
    "another agent": () => ({ manifest: { agent: "codex" } }),
    "an unknown agent": () => ({ manifest: { agent: "constructor" } }),
    "no file": () => ({ manifest: { files: [] } }),
    "one file twice": ({ files }) => ({ manifest: { files: [...files, ...files] } }),
    "a file below another file": ({ files }, bytes) => ({
      manifest: { files: [...files, ...files.map((file) => ({ ...file, path: `${file.path}/below` }))] },
      bytes: Buffer.concat([bytes, bytes]),
    }),
    "another session of the same agent": () => ({ manifest: { sessionId: randomUUID() } }),
    "a size beyond all limits": ({ files }) => ({
      manifest: { files: files.map((file) => ({ ...file, sizeBytes: 2 ** 50 })) },
    }),
  };
  test.each(Object.entries(changes))("is refused with %s", async (_name, change) => {
    forge(change);
    await expect(unpackBundle(bundle)).rejects.toMatchObject({ code: "corrupt" });
  });

  // A gzip file can consist of several files, so the zeros are packed only once, which saves seconds.
  const ZEROS = Buffer.alloc(1024 * 1024);
  const packedZeros = (times: number): readonly Buffer[] => Array(times).fill(gzipSync(ZEROS));

  test("is refused with a file of zeros without end", async () => {
    const times = 160;
    const hash = createHash("sha256");
    for (let at = 0; at < times; at += 1) hash.update(ZEROS);
    const file = { path: "zeros", sizeBytes: times * ZEROS.length, sha256: hash.digest("hex") };
    forge(({ files }) => ({ manifest: { files: [...files, file] } }));
    writeFileSync(bundle, Buffer.concat([readFileSync(bundle), ...packedZeros(times)]));
    const reason = expect.stringContaining("it expands to more data than any conversation has");
    await expect(unpackBundle(bundle)).rejects.toMatchObject({ code: "corrupt", message: reason });
  });

  test("is refused if its version is newer", async () => {
    forge(() => ({ manifest: { continuoBundle: 2 } }));
    await expect(unpackBundle(bundle)).rejects.toMatchObject({ code: "unsupported" });
  });

  test("is refused if it is cut off at any point, and leaves no file", async () => {
    const whole = readFileSync(bundle);
    for (let length = 0; length < whole.length; length += Math.ceil(whole.length / 40)) {
      writeFileSync(bundle, whole.subarray(0, length));
      await expect(unpackBundle(bundle)).rejects.toMatchObject({ code: "corrupt" });
    }
    const own = `continuo-scratch-${process.pid}-`;
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(own))).toEqual([]);
  });

  test("is refused if it expands without end", async () => {
    writeFileSync(bundle, Buffer.concat([gzipSync("{"), ...packedZeros(80)]));
    await expect(unpackBundle(bundle)).rejects.toMatchObject({ code: "corrupt" });
  });

  test("is refused if it is not gzip, or not a file", async () => {
    writeFileSync(bundle, "hello");
    await expect(unpackBundle(bundle)).rejects.toMatchObject({ code: "corrupt" });
    await expect(unpackBundle(root)).rejects.toMatchObject({ code: "unreadable" });
    await expect(unpackBundle(join(root, "none"))).rejects.toMatchObject({ code: "not_found" });
  });
});

/** A search has the same texts of sessions with and without the lines that an earlier list stored about them. */

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNativeList } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import { NO_MEMO, type SavedSkimMemo } from "@continuo/native/kit";
import { beforeAll, expect, test } from "vitest";
import { makeCorpus } from "../../bench/sessions/corpus.ts";
import type { CatalogSource } from "../../packages/agents/src/catalog/indexed-session.ts";
import { type NativeTexts, nativeTexts } from "../../packages/agents/src/catalog/texts-native.ts";
import { scratchFolder } from "../scratch-folder.ts";

const DAY_MS = 86_400_000;
/** A day later, so that files count as unchanged. */
const NOW_MS = Date.now() + DAY_MS;

let home: string;
beforeAll(async () => {
  home = makeCorpus({ name: "known", sessions: 30, totalBytes: 300_000 }, scratchFolder("known"));
  await readNativeList({ places: places(), memo: memo(), limit: 1 });
});

const places = () => ({ home, cwd: home, env: {} });
const memo = (): SavedSkimMemo => openRows(indexPathOf(places()), NOW_MS);

function noPlace(): never {
  throw new Error("no file is known");
}

const NOTHING_KNOWN: SavedSkimMemo = {
  ...NO_MEMO,
  knownFiles: async () => ({
    placeOf: () => -1,
    pathAt: noPlace,
    lineAt: noPlace,
    fileAt: noPlace,
    keep: () => undefined,
  }),
  expect: async () => undefined,
  save: async () => undefined,
};

async function textsBy(memo: SavedSkimMemo, excluded = ""): Promise<NativeTexts> {
  const isExcluded = (path: string): boolean => excluded !== "" && path.endsWith(excluded);
  return await nativeTexts({
    places: places(),
    nowMs: NOW_MS,
    isExcluded,
    rules: "\nrules",
    memo,
    signal: undefined,
  });
}

const factsOf = ({ key, sessionId, stamp, sizeBytes, changedMs }: CatalogSource) => ({
  key,
  sessionId,
  stamp,
  sizeBytes,
  changedMs,
});
const byKey = (a: CatalogSource, b: CatalogSource): number => (a.key < b.key ? -1 : 1);

/** Returns the sessions that were known. */
async function expectSame(): Promise<NativeTexts["known"]> {
  const [found, { sources, known }] = [await textsBy(NOTHING_KNOWN), await textsBy(memo())];
  expect(found.known).toEqual([]);
  const all = [...sources, ...known.map((one) => one.toSource())];
  expect(all.toSorted(byKey).map(factsOf)).toEqual(found.sources.toSorted(byKey).map(factsOf));
  expect(known.map(({ key, sessionId, stamp }) => ({ key, sessionId, stamp }))).toEqual(
    known.map((one) => one.toSource()).map(({ key, sessionId, stamp }) => ({ key, sessionId, stamp })),
  );
  return known;
}

test("sessions that are known have the keys, ids, stamps, sizes and times of those that are found", async () => {
  const agents = new Set((await expectSame()).map((one) => one.found().agent));
  expect([...agents].sort()).toEqual(["claude", "codex", "gemini", "pi"]);
});

test("a title, an archive mark, a change and an exclusion show in the text of a session that was known", async () => {
  const known = await expectSame();
  const of = (agent: string): string[] =>
    known.flatMap((one) => (one.found().agent === agent ? one.key : []));
  const [titled = "", archived = "", changed = ""] = of("claude");
  for (const [path, name, note] of [
    [titled, "custom-title.json", { customTitle: "The lighthouse" }],
    [archived, "archived.json", { archived: true }],
  ] as const) {
    const folder = path.slice(0, -".jsonl".length);
    mkdirSync(folder);
    writeFileSync(join(folder, name), JSON.stringify(note));
  }
  const codex = known.find((one) => one.found().agent === "codex");
  writeFileSync(
    join(home, ".codex/session_index.jsonl"),
    `${JSON.stringify({ id: codex?.sessionId, thread_name: "The harbour" })}\n`,
  );
  utimesSync(changed, 1_000, 1_000);
  const now = await expectSame();
  const stampOf = (key: string | undefined): string => now.find((one) => one.key === key)?.stamp ?? "gone";
  expect(stampOf(titled)).toContain("The lighthouse");
  expect(stampOf(archived)).toContain('"archived":true');
  expect(stampOf(codex?.key)).toContain("The harbour");
  expect(stampOf(changed)).toBe("gone");
  expect((await textsBy(memo(), titled)).known.map(({ key }) => key)).not.toContain(titled);
});

test("a known session in an excluded place is not among the texts", async () => {
  const all = (await textsBy(memo())).known.map(({ key }) => key);
  const [first = ""] = all;
  const left = (await textsBy(memo(), first)).known.map(({ key }) => key);
  expect(left).toEqual(all.filter((key) => key !== first));
});

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { CASES } from "../cases.ts";
import { casesIn, findAll, toModel } from "../format-cases.ts";

const { reader, folder, placesOf } = CASES.codex;

describe.each(casesIn(folder))("codex format case %s", (name) => {
  const home = join(folder, name, "home");

  test("has the row of a skim, whether of the whole or of the ends, with the first problems of a read", async () => {
    for (const found of await findAll(CASES.codex, home)) {
      const row = await reader.skim(found, { part: "whole" });
      using session = await reader.open(found, placesOf(home), {});
      expect(session.details.problems.slice(0, row.problems.length)).toEqual(row.problems);
      expect(await reader.skim(found, { part: "ends" })).toEqual(row);
    }
  });

  test("reads the same from compressed files", async () => {
    const copy = join(scratchFolder("codex"), ".codex");
    cpSync(home, copy, { recursive: true });
    for (const path of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".jsonl") || !path.includes("rollout-")) continue;
      writeFileSync(join(copy, `${path}.zst`), zstdCompressSync(readFileSync(join(copy, path))));
      rmSync(join(copy, path));
    }
    const expected = JSON.parse(readFileSync(join(folder, name, "expected.json"), "utf8"));
    expect(withoutSizes(await toModel(CASES.codex, copy))).toEqual(withoutSizes(expected));
  });

  test("gives every message with as many records as it came from, and with the same content", async () => {
    for (const found of await findAll(CASES.codex, home)) {
      using session = await reader.open(found, placesOf(home), {});
      const plain = await Array.fromAsync(session.history());
      for (const [at, message] of (await Array.fromAsync(session.history({ native: true }))).entries()) {
        expect(message.metadata.native?.length).toBeGreaterThanOrEqual(message.metadata.records?.length ?? 1);
        expect(message.content).toEqual(plain[at]?.content);
      }
    }
  });
});

/** Compression changes sizes and names; a torn end is reported for both forms. */
function withoutSizes(model: unknown): unknown {
  const text = JSON.stringify(model).replaceAll(".jsonl.zst", ".jsonl");
  return JSON.parse(text.replace(/"sizeBytes":\d+/g, '"sizeBytes":0'));
}

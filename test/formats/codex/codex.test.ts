import { createHash } from "node:crypto";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { codexFormat } from "@continuo/native/codex";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { CASES, expectedOf, findAll, homeOf, placesOf, toModel } from "./model.ts";

const scratch = scratchFolder("codex");

/** A copy of a case that is long past, so that any touch shows. */
function copyOf(name: string): string {
  const home = join(mkdtempSync(join(scratch, "home-")), ".codex");
  cpSync(homeOf(name), home, { recursive: true });
  for (const path of filesOf(home)) utimesSync(path, 1_600_000_000, 1_600_000_000);
  return home;
}

function filesOf(home: string): string[] {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function fingerprint(home: string): unknown {
  return readdirSync(home, { recursive: true })
    .map((name) => join(home, String(name)))
    .sort()
    .map((path) => {
      const { mtimeMs, ctimeMs, size, mode } = statSync(path);
      const hash = statSync(path).isFile()
        ? createHash("sha256").update(readFileSync(path)).digest("hex")
        : "";
      return { path, mtimeMs, ctimeMs, size, mode, hash };
    });
}

describe.each(CASES)("codex format case %s", (name) => {
  test("is read as expected", async () => {
    expect(await toModel(homeOf(name))).toEqual(expectedOf(name));
  });

  test("has the same row whether skimmed or read in full", async () => {
    const home = homeOf(name);
    for (const found of await findAll(home)) {
      const { problems, ...row } = await codexFormat.skim(found, { part: "whole" });
      using session = await codexFormat.open(found, placesOf(home), {});
      expect(session.details).toMatchObject(row);
      expect(session.details.problems.slice(0, problems.length)).toEqual(problems);
      expect(await codexFormat.skim(found, { part: "ends" })).toEqual({ ...row, problems });
    }
  });

  test("is not changed by reading, not in a byte and not in a time stamp", async () => {
    const home = copyOf(name);
    const before = fingerprint(home);
    await toModel(home);
    for (const found of await findAll(home)) {
      await codexFormat.skim(found, { part: "whole" });
      await codexFormat.recognise(found.location, placesOf(home));
      using session = await codexFormat.open(found, placesOf(home), { newestBytes: 2000 });
      await Array.fromAsync(session.entries());
    }
    expect(fingerprint(home)).toEqual(before);
  });

  test("reads the same from compressed files", async () => {
    const home = copyOf(name);
    for (const path of filesOf(home).filter((path) => path.endsWith(".jsonl") && path.includes("rollout-"))) {
      writeFileSync(`${path}.zst`, zstdCompressSync(readFileSync(path)));
      rmSync(path);
    }
    expect(withoutSizes(await toModel(home))).toEqual(withoutSizes(expectedOf(name)));
  });

  test("gives every line as an entry, and every message the records it came from", async () => {
    const home = homeOf(name);
    for (const found of await findAll(home)) {
      using session = await codexFormat.open(found, placesOf(home), {});
      const entries = await Array.fromAsync(session.entries());
      const lines = found.files.flatMap(({ path }) =>
        readFileSync(path, "utf8")
          .split("\n")
          .filter((line) => line.trim() !== ""),
      );
      expect(entries.map(({ value }) => value)).toEqual(lines.map(parseOrNothing));
      expect(session.details.records).toBe(lines.length);
      const plain = await Array.fromAsync(session.history());
      for (const [at, message] of (await Array.fromAsync(session.history({ native: true }))).entries()) {
        expect(message.metadata.native?.length).toBeGreaterThanOrEqual(message.metadata.records?.length ?? 1);
        expect(message.content).toEqual(plain[at]?.content);
      }
    }
  });

  test("has ids that are unique within each history", async () => {
    const home = homeOf(name);
    for (const found of await findAll(home)) {
      using session = await codexFormat.open(found, placesOf(home), {});
      for (const { id, messages } of session.leaves) {
        const ids = (await Array.fromAsync(session.history({ leaf: id }))).map((message) => message.id);
        expect(new Set(ids).size).toBe(messages);
      }
    }
  });
});

function parseOrNothing(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Compression changes sizes and names; a torn end is seen as such in both. */
function withoutSizes(model: unknown): unknown {
  const text = JSON.stringify(model).replaceAll(".jsonl.zst", ".jsonl");
  return JSON.parse(text.replace(/"sizeBytes":\d+/g, '"sizeBytes":0'));
}

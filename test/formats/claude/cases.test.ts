/**
 * For every case folder, the content that is read from the native files equals `expected.json`, and nothing is lost.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeFormat } from "@continuo/native/claude";
import { expect, test } from "vitest";

const CASES = fileURLToPath(new URL("cases/", import.meta.url));
const places = { home: "/nowhere", env: {} };

test.each(readdirSync(CASES))("%s", async (name) => {
  const folder = join(CASES, name);
  const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
  const path = join(folder, `${expected.sessionId}.jsonl`);
  const found = await claudeFormat.recognise(path, places);
  if (found === null) throw new Error("not recognised");
  using session = await claudeFormat.open(found, places, {});
  const history = await Array.fromAsync(session.history());
  const read = {
    sessionId: found.sessionId,
    details: session.details,
    leaves: session.leaves,
    history,
    modelView: claudeFormat.modelView(history).map((message) => message.id),
  };
  expect(JSON.parse(JSON.stringify(read).replaceAll(`${folder}/`, ""))).toEqual(expected);

  const lines = readFileSync(path, "utf8").trim().split("\n");
  const entries = await Array.fromAsync(session.entries());
  expect(entries.map((entry) => entry.value)).toEqual(lines.map((line) => JSON.parse(line)));

  const native = await Array.fromAsync(session.history({ native: true }));
  for (const message of native) {
    const places = message.metadata.records ?? [];
    expect(message.metadata.native).toEqual(
      places.map(({ line }) => JSON.parse(lines[(line ?? 0) - 1] ?? "")),
    );
  }
});

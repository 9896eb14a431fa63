import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openAlone, sessionFilesOf } from "../damaged-home.ts";

test("many problems of a kind are counted beyond a limit", async () => {
  using damaged = await openAlone("codex", Buffer.from(`${"{broken\n".repeat(700)}${"{}\n".repeat(700)}`));
  const { problems } = damaged.session;
  const rest = problems.filter(({ message }) => message.endsWith("more of the same kind"));
  expect(rest.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    "bad_json: 200 more of the same kind",
    "bad_record: 200 more of the same kind",
  ]);
  expect(problems.length).toBeLessThan(1_010);
});

test("a rollout file cut after any line keeps every message", async () => {
  const path = sessionFilesOf("codex").find((each) => each.includes("/legacy/")) ?? "";
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  let before = 0;
  for (let count = 1; count <= lines.length; count++) {
    using damaged = await openAlone("codex", Buffer.from(`${lines.slice(0, count).join("\n")}\n`));
    const { total } = damaged.session.details.messages;
    // A text that was shown counts until its counterpart follows.
    expect(total).toBeGreaterThanOrEqual(before - 1);
    before = total;
  }
  expect(before).toBe(8);
});

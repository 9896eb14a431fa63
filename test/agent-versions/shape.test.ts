import { describe, expect, test } from "vitest";
import { changesBetween, type Shape, ShapeBuilder, stableName } from "../../scripts/agent-versions/shape.ts";

function shapeOf(...records: readonly unknown[]): Shape {
  const builder = new ShapeBuilder();
  for (const record of records) builder.add("line", record);
  return builder.shape();
}

describe("shapes", () => {
  test("tell records of one file apart by their type, and keep words but no ids, sentences or numbers", () => {
    const user = {
      type: "user",
      uuid: "5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a",
      message: { role: "user", content: "Go on." },
    };
    const result = {
      type: "result",
      stop: "end_turn",
      costs: 3,
      parts: [{ type: "text", text: "Two words" }],
    };
    expect(shapeOf(user, result)).toEqual({
      "line<result>": ["object"],
      "line<result>.costs": ["number"],
      "line<result>.parts": ["list"],
      "line<result>.parts[]<text>": ["object"],
      "line<result>.parts[]<text>.text": ["string"],
      "line<result>.parts[]<text>.type": ['"text"'],
      "line<result>.stop": ['"end_turn"'],
      "line<result>.type": ['"result"'],
      "line<user>": ["object"],
      "line<user>.message<user>": ["object"],
      "line<user>.message<user>.content": ["string"],
      "line<user>.message<user>.role": ['"user"'],
      "line<user>.type": ['"user"'],
      "line<user>.uuid": ["string"],
    });
  });

  test("leave out names that are drawn by lot", () => {
    expect(shapeOf({ slug: "velvety-orbiting-pony" })).toEqual(shapeOf({ slug: "valiant-cooking-panda" }));
  });

  test("end at a depth that nobody means", () => {
    let deep: unknown = "end";
    for (let k = 0; k < 10_000; k += 1) deep = [deep];
    expect(Object.keys(shapeOf(deep))).toHaveLength(26);
  });

  test.each([
    [
      "sessions/2026/11/25/rollout-2026-11-25T10-00-00-5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a.jsonl",
      "sessions/*/*/*/rollout-*.jsonl",
    ],
    ["storage/ses_01HZabc/msg_2.json", "storage/*/*.json"],
    ["projects/-home-dev-project", "projects/-home-dev-project"],
    [
      "projects/-tmp-continuo-agents-EJhX4R-project/a.jsonl",
      "projects/-tmp-continuo-agents-*-project/a.jsonl",
    ],
    ["/tmp/continuo-agents-1nKAg2/project", "/tmp/continuo-agents-*/project"],
    ["shell-snapshots/snapshot-zsh-1764124999-1afw2b.sh", "shell-snapshots/snapshot-zsh-*.sh"],
    ["tmp/arg0-linux/codex-arg0Uyn7xD/.lock", "tmp/arg*-linux/codex-arg*/.lock"],
  ])("name %s %s", (name, stable) => {
    expect(stableName(name)).toBe(stable);
  });
});

describe("changes", () => {
  const before = shapeOf({ type: "a", kept: 1, gone: { deep: true }, state: "open" });

  test("tell what is new, gone and other, and of what is new or gone only its top", () => {
    const after = shapeOf({ type: "a", kept: 1, fresh: { deep: { deeper: 1 } }, state: "closed" });
    expect(changesBetween(before, after)).toEqual([
      { path: "line<a>.fresh", before: [], after: ["object"] },
      { path: "line<a>.gone", before: ["object"], after: [] },
      { path: "line<a>.state", before: ['"open"'], after: ['"closed"'] },
    ]);
  });

  test("are none between two runs that differ in ids, numbers and sentences", () => {
    const one = shapeOf({ type: "a", id: "msg_01a", at: 5, said: "One two." });
    expect(changesBetween(one, shapeOf({ type: "a", id: "msg_9zz8", at: 17, said: "Three, four." }))).toEqual(
      [],
    );
  });

  test("are none in the words of a field that holds names", () => {
    const named = (from: number, count: number) =>
      shapeOf(
        ...Array.from({ length: count }, (_, k) => ({
          branch: String.fromCodePoint(97 + from + k).repeat(3),
        })),
      );
    expect(changesBetween(named(0, 5), named(5, 4))).toEqual([]);
    expect(changesBetween(named(0, 4), named(4, 4))).toHaveLength(1);
  });

  test("do not hide a field whose name begins with that of a new one", () => {
    const after = shapeOf({
      type: "a",
      kept: 1,
      keptToo: 1,
      kept2: { x: 1 },
      gone: { deep: true },
      state: "open",
    });
    expect(changesBetween(before, after).map(({ path }) => path)).toEqual([
      "line<a>.kept*",
      "line<a>.keptToo",
    ]);
  });
});

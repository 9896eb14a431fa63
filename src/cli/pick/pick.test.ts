import type { SessionInfo } from "@continuo/core/model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { widthOf } from "../terminal/index.ts";
import { cursorColumn, drawScreen, layOutScreen } from "./draw.ts";
import { filterEntries, toEntries } from "./filter.ts";
import { isBegun, type Key, type KeyName, parseKeys } from "./keys.ts";
import { foldKey, type PickState, searchedFor, startPicking, withFound } from "./state.ts";

const NOW = new Date("2026-11-22T08:00:00.000Z");

function info(sessionId: string, more: Partial<SessionInfo> = {}): SessionInfo {
  return {
    agent: "claude",
    sessionId,
    title: null,
    cwd: null,
    gitBranch: null,
    createdAt: null,
    updatedAt: "2026-11-22T07:00:00.000Z",
    sizeBytes: 1,
    archived: false,
    live: null,
    location: `/${sessionId}`,
    problems: [],
    ...more,
  };
}

const ENTRIES = toEntries([
  info("a1", { title: "Fix the build", cwd: "/home/ann/app" }),
  info("b2", { title: "Grow tea", cwd: "/home/ann/garden", agent: "codex" }),
  info("c3", { title: "Tea, fixed", agent: "pi" }),
]);

const key = (name: KeyName): Key => ({ type: "key", name });
/** One character, or several at once where none of them acts. */
const typed = (text: string): Key => ({ type: "text", text });

/** The state after some keys, and what the last one asked for. */
function press(keys: readonly Key[], from: PickState = startPicking(ENTRIES)) {
  let step: ReturnType<typeof foldKey> = { state: from, effect: null };
  for (const one of keys) step = foldKey(step.state, one, 2);
  return step;
}

describe("keys", () => {
  test.each([
    ["abc", [typed("a"), typed("b"), typed("c")]],
    ["\u001b[A\u001bOB", [key("up"), key("down")]],
    ["a\u001b[5~b", [typed("a"), key("page-up"), typed("b")]],
    ["\r", [key("enter")]],
    ["\u001b", [key("escape")]],
    ["\u001b[200~x", [typed("x")]],
    ["\u001b[1;5C", []],
    ["日本\u007f", [typed("日"), typed("本"), key("backspace")]],
    ["\u0003", [key("interrupt")]],
  ])("%j", (input, expected) => expect(parseKeys(input)).toEqual(expected));

  test("a sequence that is not whole is waited for", () => {
    expect(["\u001b", "\u001b[", "\u001b[5", "a\u001bO"].map(isBegun)).toEqual([true, true, true, true]);
    expect(["", "a", "\u001b[A", "\u001b[5~"].map(isBegun)).toEqual([false, false, false, false]);
  });

  test("property: no input throws, and a control is never text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (input) => {
        for (const one of parseKeys(input)) if (one.type === "text") expect(one.text).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe("the filter", () => {
  test.each([
    ["", ["a1", "b2", "c3"]],
    ["TEA", ["b2", "c3"]],
    ["tea fix", ["c3"]],
    ["codex", ["b2"]],
    ["ann app", ["a1"]],
    ["c3", ["c3"]],
    ["nothing", []],
  ])("%j", (query, ids) =>
    expect(filterEntries(ENTRIES, query).map((entry) => entry.info.sessionId)).toEqual(ids),
  );

  test("property: more words never show more", () => {
    const word = fc.constantFrom("tea", "fix", "a", "codex", "ann", "x");
    fc.assert(
      fc.property(word, word, (one, two) => {
        const both = filterEntries(ENTRIES, `${one} ${two}`);
        expect(filterEntries(filterEntries(ENTRIES, one), two)).toEqual(both);
      }),
    );
  });
});

describe("what a key does", () => {
  test("letters filter, also those that do something in the list", () => {
    expect(press([typed("codex")]).state).toMatchObject({
      query: "codex",
      focus: "filter",
      shown: [ENTRIES[1]],
    });
    expect(press([typed("q")]).effect).toBe(null);
  });

  test("moving goes into the list, where letters act", () => {
    const moved = press([key("down")]);
    expect(moved.state).toMatchObject({ selected: 1, focus: "list" });
    expect(press([typed("q")], moved.state).effect).toEqual({ type: "leave", exitCode: 0 });
    expect(press([typed("c")], moved.state).effect).toEqual({ type: "copy", entry: ENTRIES[1] });
    expect(press([key("tab"), typed("c")], moved.state).state.query).toBe("c");
    expect(press([typed("/"), typed("e")], moved.state).state.query).toBe("e");
  });

  test("export asks for the format; any other key goes back", () => {
    const asked = press([key("down"), typed("e")]);
    expect(asked).toMatchObject({ state: { focus: "format" }, effect: null });
    expect(press([typed("h")], asked.state).effect).toEqual({
      type: "export",
      entry: ENTRIES[1],
      format: "html",
    });
    expect(press([key("escape")], asked.state)).toMatchObject({ state: { focus: "list" }, effect: null });
    expect(press([typed("constructor")], asked.state).effect).toBe(null);
  });

  test("Enter shows what is chosen, and nothing when nothing is there", () => {
    expect(press([typed("tea"), key("enter")]).effect).toEqual({ type: "show", entry: ENTRIES[1] });
    expect(press([typed("nothing"), key("enter")]).effect).toBe(null);
  });

  test("Esc takes back what was typed, then leaves; Ctrl-C leaves with 130", () => {
    const typing = press([typed("tea"), key("escape")]);
    expect(typing).toMatchObject({ state: { query: "", shown: ENTRIES }, effect: null });
    expect(press([key("escape")], typing.state).effect).toEqual({ type: "leave", exitCode: 0 });
    expect(press([typed("tea"), key("interrupt")]).effect).toEqual({ type: "leave", exitCode: 130 });
  });

  test("what was chosen stays chosen while it is shown", () => {
    const chosen = press([key("end"), key("tab"), typed("t")]);
    expect(chosen.state).toMatchObject({ selected: 2 });
    expect(press([typed("ea")], chosen.state).state).toMatchObject({ selected: 1 });
  });

  test("property: the choice is always in the list, whatever is pressed", () => {
    const names: KeyName[] = [
      "up",
      "down",
      "page-up",
      "page-down",
      "home",
      "end",
      "tab",
      "backspace",
      "clear-word",
    ];
    const any = fc.oneof(
      fc.constantFrom(...names).map(key),
      fc.constantFrom("t", "e", "a", "/", "x", "m").map(typed),
    );
    fc.assert(
      fc.property(fc.array(any), (keys) => {
        const { state } = press(keys);
        expect(state.selected).toBeLessThan(Math.max(1, state.shown.length));
        expect(state.selected).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("the screen", () => {
  const paint = (text: string): string => text;
  const plain = (line: string): string => line.replaceAll("\u001b[7m", "").replaceAll("\u001b[27m", "");

  test("the list, the preview, and what the keys do", () => {
    const { state } = press([key("down")]);
    const lines = drawScreen(state, {
      columns: 80,
      rows: 5,
      paint,
      now: NOW,
      home: "/home/ann",
      preview: ["One", "Two"],
    });
    expect(lines).toEqual([
      `>${" ".repeat(73)}3 of 3`,
      " claude   Fix the build         1h ago │ One",
      "\u001b[7m codex    Grow tea              1h ago\u001b[27m │ Two",
      " pi       Tea, fixed            1h ago │ ",
      "Enter show · r resume · e export · c copy id · / filter · q leave",
    ]);
  });

  test("property: never more rows or columns than there are, whatever sessions are called", () => {
    const hostile = toEntries([
      info("x", { title: "\u001b[2J日本語 \u202egnp.exe ".repeat(9) }),
      info("y".repeat(300), { cwd: "/\u0000".repeat(99) }),
      ...Array.from({ length: 30 }, (_, at) => info(`s${at}`, { title: `t${at}` })),
    ]);
    const size = fc.integer({ min: 1, max: 130 });
    fc.assert(
      fc.property(
        size,
        fc.integer({ min: 1, max: 50 }),
        fc.nat(40),
        fc.string(),
        (columns, rows, down, query) => {
          const keys = [
            typed(query.replace(/\p{Cc}/gu, "")),
            ...Array.from({ length: down }, () => key("down")),
          ];
          const { state } = press(keys, startPicking(hostile));
          const lines = drawScreen(state, { columns, rows, paint, now: NOW, home: "/h", preview: [] });
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines.map(plain)) {
            expect(widthOf(line)).toBeLessThanOrEqual(columns);
            expect(line).not.toMatch(/\p{Cc}/u);
          }
          expect(cursorColumn(state, columns)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  test("the chosen row is on the screen", () => {
    const many = startPicking(
      toEntries(Array.from({ length: 5000 }, (_, at) => info(`s${at}`, { title: `title ${at}.` }))),
    );
    for (const down of [0, 1, 2, 100]) {
      const { state } = press(
        Array.from({ length: down }, () => key("page-down")),
        many,
      );
      const lines = drawScreen(state, { columns: 80, rows: 24, paint, now: NOW, home: "/h", preview: [] });
      expect(lines.filter((line) => line.includes("\u001b[7m"))).toEqual([
        expect.stringContaining(`title ${down * 2}.`),
      ]);
    }
  });

  test("a narrow terminal shows only the list", () => {
    expect(layOutScreen(59, 10)).toEqual({ listColumns: 59, previewColumns: 0, bodyRows: 8 });
    expect(layOutScreen(80, 24)).toEqual({ listColumns: 38, previewColumns: 39, bodyRows: 22 });
  });
});

describe("a search of the messages", () => {
  const [first, second] = ENTRIES;
  if (first === undefined || second === undefined) throw new Error("no entries");

  test("begins with /, shows what was found last until the next search ends, and ends with the /", () => {
    const { state } = press([typed("/t"), typed("e")]);
    expect([searchedFor(state), state.shown]).toEqual(["te", []]);
    const found = withFound(state, "te", [second]);
    expect(press([typed("a")], found).state).toMatchObject({ query: "/tea", shown: [second] });
    const back = press([key("clear"), typed("fix")], found).state;
    expect([searchedFor(back), back.shown]).toEqual([null, filterEntries(ENTRIES, "fix")]);
  });

  test("what comes after the / was taken away is not shown", () => {
    const { state } = press([typed("x")]);
    expect(withFound(state, "te", [first])).toEqual(state);
  });
});

import type { SessionInfo } from "@continuo/core/model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { widthOf } from "../terminal/index.ts";
import { LIST_KEYS, menuOf } from "./actions.ts";
import { cursorOf, drawScreen, layOutScreen } from "./draw.ts";
import { filterEntries, toEntries } from "./filter.ts";
import { isBegun, type Key, type KeyName, parseKeys } from "./keys.ts";
import { foldKey, type PickState, searchedFor, startPicking, withFound, withList } from "./state.ts";

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
/** One character, or several at once if none of them is an action. */
const typed = (text: string): Key => ({ type: "text", text });

/** The state after some keys, and the request of the last key. */
function press(keys: readonly Key[], from: PickState = startPicking(ENTRIES)) {
  let step: ReturnType<typeof foldKey> = { state: from, effect: null };
  for (const one of keys) step = foldKey(step.state, one, { page: 2, cwd: "/home/ann" });
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

  test("an incomplete sequence waits for its rest", () => {
    expect(["\u001b", "\u001b[", "\u001b[5", "a\u001bO"].map(isBegun)).toEqual([true, true, true, true]);
    expect(["", "a", "\u001b[A", "\u001b[5~"].map(isBegun)).toEqual([false, false, false, false]);
  });

  test("no input throws, and a control character is never treated as text", () => {
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
    ["bld", ["a1"]],
    ["bulid", ["a1"]],
    ["gardeen", ["b2"]],
    ["agent:pi", ["c3"]],
    ["project:app", ["a1"]],
    ["title:garden", []],
    ["branch:main", []],
  ])("%j", (query, ids) =>
    expect(filterEntries(ENTRIES, query).map((entry) => entry.info.sessionId)).toEqual(ids),
  );

  test("more words never show more sessions", () => {
    const word = fc.constantFrom("tea", "fix", "a", "codex", "ann", "x");
    fc.assert(
      fc.property(word, word, (one, two) => {
        const both = filterEntries(ENTRIES, `${one} ${two}`);
        expect(new Set(filterEntries(filterEntries(ENTRIES, one), two))).toEqual(new Set(both));
      }),
    );
  });
});

test.each([
  ["prject26", ["1"]],
  ["project62", []],
  ["project2", ["1"]],
  ["proj12", ["2"]],
  ["abcd1", []],
])("a number in a word matches only as a whole, and an id only exactly: %s", (query, ids) => {
  const entries = toEntries([
    info("1", { cwd: "/home/ann/project-26" }),
    info("2", { cwd: "/home/ann/project-12" }),
    info("ab-cd-1", { title: "Other" }),
  ]);
  expect(filterEntries(entries, query).map((entry) => entry.info.sessionId)).toEqual(ids);
});

test("exact matches come before similar ones, and the beginning of an id before all others", () => {
  const entries = toEntries([
    info("1", { title: "A basket" }),
    info("2", { title: "bskt" }),
    info("bskt-3", { title: "Other" }),
  ]);
  expect(filterEntries(entries, "bskt").map((entry) => entry.info.sessionId)).toEqual(["bskt-3", "2", "1"]);
});

describe("what a key does", () => {
  test("letters filter, also those that are actions in the list", () => {
    expect(press([typed("codex")]).state).toMatchObject({
      query: "codex",
      focus: "filter",
      shown: [ENTRIES[1]],
    });
    expect(press([typed("q")]).effect).toBe(null);
  });

  test("moving focuses the list, where letters are actions", () => {
    const moved = press([key("down")]);
    expect(moved.state).toMatchObject({ selected: 1, focus: "list" });
    expect(press([typed("q")], moved.state).effect).toEqual({ type: "leave", exitCode: 0 });
    expect(press([typed("y")], moved.state).effect).toMatchObject({ action: "copy", entries: [ENTRIES[1]] });
    expect(press([typed("r")], moved.state).effect).toEqual({ type: "resume", entry: ENTRIES[1] });
    expect(press([typed("c")], moved.state).effect).toEqual({ type: "chat", entry: ENTRIES[1] });
    expect(press([key("tab"), typed("c")], moved.state).state.query).toBe("c");
    expect(press([typed("/"), typed("e")], moved.state).state.query).toBe("/e");
  });

  test("a menu breaks no line between a key and what it does", () => {
    const { state } = press([key("down"), typed("h")]);
    const items = menuOf("handoff", "this session", 0).items.map((item) => `${item.key} ${item.label}`);
    for (let columns = 50; columns <= 120; columns++) {
      const drawing = {
        columns,
        rows: 20,
        paint: (text: string) => text,
        now: NOW,
        home: "/home/ann",
        preview: [],
      };
      const lines = drawScreen(state, drawing);
      for (const item of [...items, "Esc back"]) {
        expect([columns, item, lines.some((line) => line.includes(item))]).toEqual([columns, item, true]);
      }
    }
  });

  test("a letter without an action does nothing, and a message says how to type", () => {
    const moved = press([key("down"), typed("x")]);
    expect(moved.effect).toBe(null);
    expect(moved.state).toMatchObject({ query: "", message: expect.stringContaining("Tab types") });
    expect(press([typed("constructor")], moved.state).effect).toBe(null);
  });

  test.each([
    ["e", "h", { action: "export", value: "html" }],
    ["h", "x", { action: "handoff", value: "codex" }],
    ["f", "y", { action: "fork", value: "yes" }],
    ["d", "y", { action: "delete", value: "yes" }],
  ])("%s asks before it acts; any other key goes back", (letter, answer, effect) => {
    const asked = press([key("down"), typed(letter)]);
    expect(asked).toMatchObject({ state: { overlay: { type: "menu" } }, effect: null });
    expect(press([typed(answer)], asked.state).effect).toEqual({
      type: "perform",
      entries: [ENTRIES[1]],
      ...effect,
    });
    for (const other of [key("escape"), key("enter"), typed("n"), typed("constructor")]) {
      expect(press([other], asked.state)).toMatchObject({ state: { overlay: null }, effect: null });
    }
  });

  test("n edits the title; Esc keeps the old one", () => {
    const editing = press([key("down"), typed("n"), key("backspace"), typed("q")]);
    expect(editing.state.overlay).toEqual({ type: "title", text: "Grow teq" });
    expect(press([key("enter")], editing.state).effect).toMatchObject({
      action: "rename",
      value: "Grow teq",
    });
    expect(press([key("escape")], editing.state)).toMatchObject({ state: { overlay: null }, effect: null });
    expect(press([key("clear"), key("enter")], editing.state).effect).toBe(null);
  });

  test("Space selects several sessions for one act, * selects all that are shown, and Esc selects none", () => {
    const some = press([key("tab"), typed(" "), typed(" ")]);
    expect(press([typed("y")], some.state).effect).toMatchObject({ entries: [ENTRIES[0], ENTRIES[1]] });
    expect(press([typed("*"), typed("y")], some.state).effect).toMatchObject({ entries: ENTRIES });
    expect(press([key("escape"), typed("y")], some.state).effect).toMatchObject({ entries: [ENTRIES[2]] });
  });

  test("a shows one agent after the other, and . shows only the folder", () => {
    const agents = [1, 2, 3, 4].map((times) => {
      const keys = Array.from({ length: times }, () => typed("a"));
      return press([key("tab"), ...keys]).state.shown.map((entry) => entry.info.sessionId);
    });
    expect(agents).toEqual([["a1"], ["b2"], ["c3"], ["a1", "b2", "c3"]]);
    const here = press([key("tab"), typed(".")]);
    expect(here.state.shown).toEqual([ENTRIES[0], ENTRIES[1]]);
    expect(press([key("escape")], here.state)).toMatchObject({ state: { folder: null }, effect: null });
  });

  test("? shows the keys until the next key, and is typed after other text", () => {
    const shown = press([typed("?")]);
    expect(shown.state.overlay).toEqual({ type: "help" });
    expect(press([typed("q")], shown.state)).toMatchObject({ state: { overlay: null }, effect: null });
    expect(press([typed("t"), typed("?")]).state).toMatchObject({ query: "t?", overlay: null });
  });

  test("every key of the help has an effect", () => {
    for (const one of LIST_KEYS) {
      const pressed = one.key === "Enter" ? key("enter") : one.key === "Tab" ? key("tab") : typed(one.key);
      const before = press([key("down")]).state;
      const { state, effect } = press([one.key === "Space" ? typed(" ") : pressed], before);
      // If the session is not hidden, the key reports that.
      const said = one.key === "b" ? expect.stringContaining("mark !") : null;
      expect([one.key, effect !== null || state !== before, state.message]).toEqual([one.key, true, said]);
    }
  });

  test("if a command needs one session, Enter returns it, and no key changes a session", () => {
    const purpose = { type: "choose", verb: "show", many: false } as const;
    const asked = startPicking(ENTRIES, { purpose });
    expect(press([key("down"), key("enter")], asked).effect).toEqual({ type: "take", entries: [ENTRIES[1]] });
    for (const letter of ["r", "h", "d", "c", "n", "f", "e", "u", " "]) {
      expect(press([key("down"), typed(letter)], asked)).toMatchObject({
        state: { overlay: null, marked: new Set() },
        effect: null,
      });
    }
    const many = startPicking(ENTRIES, { purpose: { ...purpose, many: true } });
    expect(press([key("tab"), typed(" "), typed(" "), key("enter")], many).effect).toEqual({
      type: "take",
      entries: [ENTRIES[0], ENTRIES[1]],
    });
  });

  test("Enter opens the chosen session, and does nothing in an empty list", () => {
    expect(press([typed("tea"), key("enter")]).effect).toEqual({ type: "open", entry: ENTRIES[1] });
    expect(press([typed("nothing"), key("enter")]).effect).toBe(null);
  });

  test("a list that is read again keeps the chosen session and the selected sessions that still exist", () => {
    const { state } = press([key("tab"), typed(" "), key("down")]);
    const fewer = withList(state, ENTRIES.slice(1));
    expect(fewer).toMatchObject({ selected: 1, marked: new Set(), shown: ENTRIES.slice(1) });
    expect(withList(state, ENTRIES, "/b2").selected).toBe(1);
  });

  test("Esc first returns from the actions, and then leaves", () => {
    const acting = press([key("tab"), key("escape")]);
    expect(acting).toMatchObject({ state: { focus: "filter" }, effect: null });
    expect(press([key("escape")], acting.state).effect).toEqual({ type: "leave", exitCode: 0 });
  });

  test("Esc first removes the typed text, and then leaves; Ctrl-C leaves with 130", () => {
    const typing = press([typed("tea"), key("escape")]);
    expect(typing).toMatchObject({ state: { query: "", shown: ENTRIES }, effect: null });
    expect(press([key("escape")], typing.state).effect).toEqual({ type: "leave", exitCode: 0 });
    expect(press([typed("tea"), key("interrupt")]).effect).toEqual({ type: "leave", exitCode: 130 });
  });

  test("the chosen session stays chosen while it is shown", () => {
    const chosen = press([key("end"), key("tab"), typed("t")]);
    expect(chosen.state).toMatchObject({ selected: 2 });
    expect(press([typed("ea")], chosen.state).state).toMatchObject({ selected: 1 });
  });

  test("the chosen session is always in the list, whatever key is pressed", () => {
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
      fc.constantFrom("t", "e", "a", "/", "x", "m", "d", "h", ".", "*", " ", "?", "s").map(typed),
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

  test("the screen has the list with projects, the preview below it, and the keys", () => {
    const { state } = press([key("down")]);
    const preview = ["One", "Two", "Three", "Four", "Five"];
    const lines = drawScreen(state, { columns: 60, rows: 14, paint, now: NOW, home: "/home/ann", preview });
    expect(lines).toEqual([
      `>${" ".repeat(53)}3 of 3`,
      " claude   Fix the build                    app            1h",
      "\u001b[7m codex    Grow tea                         garden         1h\u001b[27m",
      " pi       Tea, fixed                                      1h",
      "",
      "",
      "",
      "",
      `── ~/garden · 1h ago · b2 ${"─".repeat(34)}`,
      "One",
      "Two",
      "Three",
      "Four",
      "Enter open · r resume · h hand over · d delete · ? keys",
    ]);
  });

  test("a wide terminal has the preview beside the list", () => {
    const { state } = press([key("down")]);
    const drawing = { columns: 100, rows: 4, paint, now: NOW, home: "/home/ann", preview: ["One", "Two"] };
    expect(drawScreen(state, drawing).slice(1, 3).map(plain)).toEqual([
      " claude   Fix the build            app            1h │ One",
      " codex    Grow tea                 garden         1h │ Two",
    ]);
  });

  test.each([50, 80, 120])("at %d columns every question and every message fits", (columns) => {
    const drawing = { columns, rows: 20, paint, now: NOW, home: "/h", preview: [] };
    for (const letter of ["h", "e", "f", "d"]) {
      const { state } = press([key("down"), typed(letter)]);
      const lines = drawScreen(state, drawing);
      expect(lines).toHaveLength(20);
      expect(lines.slice(-3).join("\n")).toMatch(/[:?].*Esc\s+back$/su);
    }
    const help = drawScreen(press([typed("?")]).state, drawing).join("\n");
    for (const { key: name, help: text } of LIST_KEYS) expect(help).toContain(`${name}  ${text}`);
  });

  test("a screen never has more rows or columns than the terminal, whatever the titles of the sessions are", () => {
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
          expect(cursorOf(state, { columns, rows })?.column ?? 1).toBeLessThanOrEqual(columns);
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

  test("a low terminal shows only the list", () => {
    const { previewColumns, previewRows, listRows } = layOutScreen(80, 10);
    expect([previewColumns, previewRows, listRows]).toEqual([0, 0, 8]);
  });
});

describe("a search of the messages", () => {
  const [first, second] = ENTRIES;
  if (first === undefined || second === undefined) throw new Error("no entries");

  test("a search begins with /, shows the last results until the next search ends, and ends when the / is removed", () => {
    const { state } = press([typed("/t"), typed("e")]);
    expect([searchedFor(state), state.shown]).toEqual(["te", []]);
    const found = withFound(state, "te", [second]);
    expect(press([typed("a")], found).state).toMatchObject({ query: "/tea", shown: [second] });
    const back = press([key("clear"), typed("fix")], found).state;
    expect([searchedFor(back), back.shown]).toEqual([null, filterEntries(ENTRIES, "fix")]);
  });

  test("results that arrive after the / was removed are not shown", () => {
    const { state } = press([typed("x")]);
    expect(withFound(state, "te", [first])).toEqual(state);
  });
});

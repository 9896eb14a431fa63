import type { MachineSession } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import {
  type Filters,
  filtersIn,
  listLink,
  NO_FILTERS,
  placesIn,
  queryOf,
  sinceOf,
  toItems,
  withPlaces,
} from "./sessions.ts";
import { foldChanged } from "./sessions-changed.ts";

const NOW = new Date(2026, 10, 23, 12, 0);

function row(key: string, more: Partial<MachineSession> = {}): MachineSession {
  return {
    key,
    agent: "claude",
    sessionId: key,
    title: key,
    cwd: "/a",
    gitBranch: null,
    createdAt: null,
    updatedAt: NOW.toISOString(),
    sizeBytes: 1,
    live: null,
    archived: false,
    trashId: null,
    marks: { pinned: false, tags: [] },
    place: null,
    problems: [],
    model: null,
    turns: null,
    tokens: null,
    costUsd: null,
    facts: null,
    forkedFrom: null,
    ...more,
  };
}

const at = (day: number, hour: number): string => new Date(2026, 10, day, hour).toISOString();
const keys = (rows: readonly MachineSession[]): string[] => rows.map(({ key }) => key);

const SET: readonly (readonly [string, Partial<Filters>])[] = [
  ["#/", {}],
  ["#/?text=tea+%26+%23%3F%25%2F", { text: "tea & #?%/" }],
  ["#/?agents=claude%2Cpi&time=week", { agents: ["claude", "pi"], time: "week" }],
  ["#/?sort=largest", { sort: "largest" }],
  ["#/?project=%2Fhome%2Fann%2Fa+b&shown=deleted", { project: "/home/ann/a b", shown: "deleted" }],
];

test.each(SET)("the address %s gives its filters, and the filters give this address", (link, set) => {
  const all = { ...NO_FILTERS, ...set };
  expect([listLink(all), filtersIn(link)]).toEqual([link, all]);
});

test.each(["", "#/?", "#/?time=toString&shown=x&agents=,&sort=size", "#/session/x", "#/?unknown=1"])(
  "an address that names no filter has none: %j",
  (hash) => expect(filtersIn(hash)).toEqual(NO_FILTERS),
);

test("sessions are below their day and, within it, below their project, each in the order of the list", () => {
  const rows = [
    row("a", { updatedAt: at(23, 11), cwd: "/x" }),
    row("b", { updatedAt: at(23, 10), cwd: "/y" }),
    row("c", { updatedAt: at(23, 9), cwd: "/x" }),
    row("d", { updatedAt: at(22, 9), cwd: null }),
  ];
  expect(toItems(rows, false).map((item) => (item.type === "session" ? item.key : item.type))).toEqual([
    ...["day", "project", "a", "c", "project", "b"],
    ...["day", "project", "d"],
  ]);
  expect(toItems(rows, true).map(({ key }) => key)).toEqual(["a", "b", "c", "d"]);
});

const plain = { filters: NO_FILTERS, now: NOW, oldest: null };

test("a change replaces rows, adds new ones at their place, and removes rows that no longer exist", () => {
  const rows = [
    row("a", { updatedAt: at(23, 11) }),
    row("b", { updatedAt: at(23, 10) }),
    row("c", { updatedAt: at(23, 9) }),
  ];
  const change = {
    sessions: [row("c", { updatedAt: at(23, 12) }), row("n", { updatedAt: at(23, 10) })],
    gone: ["b"],
  };
  expect(keys(foldChanged(rows, change, plain))).toEqual(["c", "a", "n"]);
});

test("a row that the filters exclude is not added, and is removed when it changes", () => {
  const filters = { ...NO_FILTERS, agents: ["codex"], project: "SHOP", time: "day" as const };
  const fits = row("a", { agent: "codex", cwd: "/my/shop" });
  const change = {
    sessions: [
      fits,
      row("b", { cwd: "/my/shop" }),
      row("c", { agent: "codex" }),
      row("d", { ...fits, key: "d", updatedAt: at(22, 9) }),
      row("e", { ...fits, key: "e", archived: true }),
      row("f", { ...fits, key: "f", trashId: "t" }),
    ],
    gone: [],
  };
  expect(keys(foldChanged([], change, { ...plain, filters }))).toEqual(["a"]);
  const moved = { sessions: [row("a", { ...fits, archived: true })], gone: [] };
  expect(foldChanged([fits], moved, { ...plain, filters })).toEqual([]);
});

test("a row that is older than the last loaded one arrives with its page", () => {
  const change = { sessions: [row("old", { updatedAt: at(1, 1) })], gone: [] };
  expect(foldChanged([], change, { ...plain, oldest: at(2, 1) })).toEqual([]);
});

test("found sessions keep their order and their excerpt, and none is added", () => {
  const match = { messageId: "m", turn: 3, turns: 1, excerpt: [] };
  const rows = [row("a", { updatedAt: at(1, 1), match }), row("b", { match })];
  const change = { sessions: [row("a", { title: "new" }), row("n")], gone: [] };
  const filters = { ...NO_FILTERS, text: "words" };
  expect(foldChanged(rows, change, { ...plain, filters })).toEqual([
    row("a", { title: "new", match }),
    rows[1],
  ]);
});

test("a request to the server has the chosen filters, and no others", () => {
  expect(queryOf(NO_FILTERS, NOW)).toEqual({ archived: "exclude", part: "conversations" });
  expect(
    queryOf(
      {
        agents: ["pi"],
        project: "p",
        time: "week",
        text: " t ",
        pinned: true,
        tags: ["a", "b"],
        shown: "deleted",
        sort: "title",
      },
      NOW,
    ),
  ).toEqual({
    agent: ["pi"],
    project: "p",
    since: sinceOf("week", NOW),
    text: "t",
    pinned: "only",
    tag: ["a", "b"],
    archived: "exclude",
    deleted: "only",
    sort: "title",
  });
  expect(sinceOf("week", NOW)).toBe(new Date(2026, 10, 17).toISOString());
});

test("a search includes sessions of channels, and each part of the list is requested by its name", () => {
  expect(queryOf({ ...NO_FILTERS, text: "tea" }, NOW)).toEqual({ archived: "exclude", text: "tea" });
  expect(queryOf({ ...NO_FILTERS, shown: "live" }, NOW)).toEqual({ archived: "exclude", part: "live" });
});

test("pinned rows are above the days, and a row that is pinned in another place joins them", () => {
  const [a, b] = [row("a"), row("b", { updatedAt: at(1, 1) })];
  const pinned = row("b", { ...b, marks: { pinned: true, tags: [] } });
  const rows = foldChanged([a, b], { sessions: [pinned], gone: [] }, plain);
  expect(rows).toEqual([pinned, a]);
  expect(toItems(rows, false).map(({ type, key }) => `${type} ${key}`)).toEqual([
    "pinned pinned",
    "session b",
    expect.stringMatching(/^day /u),
    expect.stringMatching(/^project /u),
    "session a",
  ]);
});

test("a row that no longer has the tag of the list leaves it", () => {
  const tagged = row("a", { marks: { pinned: false, tags: ["tea"] } });
  const filters = { ...NO_FILTERS, tags: ["tea"] };
  expect(foldChanged([tagged], { sessions: [row("a")], gone: [] }, { ...plain, filters })).toEqual([]);
  expect(foldChanged([], { sessions: [tagged], gone: [] }, { ...plain, filters })).toEqual([tagged]);
});

test.each([
  { at: null, chosen: null },
  { at: "claude:4bf3", chosen: null },
  { at: null, chosen: [] },
  { at: "codex:a/b?c=d&e#f", chosen: ["claude:4bf3", "trash:x,y", "continuo:ü%20"] },
])("the rows in the address of the list are read back: %j", (places) => {
  for (const link of ["#/", listLink({ ...NO_FILTERS, text: "a=b&at=c", shown: "deleted" })]) {
    const address = withPlaces(link, places);
    expect(placesIn(address)).toEqual(places);
    expect(listLink(filtersIn(address))).toBe(link);
  }
});

test("an address names at most a hundred chosen rows", () => {
  const chosen = Array.from({ length: 300 }, (_, at) => `claude:${at}`);
  expect(placesIn(withPlaces("#/", { at: null, chosen })).chosen).toHaveLength(100);
  const long = `#/?${chosen.map((key) => `chosen=${key}`).join("&")}`;
  expect(placesIn(long).chosen).toHaveLength(100);
});

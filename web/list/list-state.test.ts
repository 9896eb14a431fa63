import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { type Filters, NO_FILTERS } from "../state/sessions.ts";
import { filters, readAddress, selected, setFilters, writePlaces } from "./list-state.ts";

const place = { hash: "#/", pathname: "/" };
/** The addresses of the browser's history, and the number of the present one. */
let steps: string[] = [];
let at = 0;

function write(address: string): void {
  steps = [...steps.slice(0, at), address];
  place.hash = address;
}

/** Goes back or forward. The event that makes the list read the address follows a moment later. */
function go(by: number): void {
  at += by;
  place.hash = steps[at] ?? "";
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("location", place);
  vi.stubGlobal("history", {
    replaceState: (_: null, __: string, address: string) => write(address),
    pushState: (_: null, __: string, address: string) => {
      at += 1;
      write(address);
    },
  });
  [steps, at] = [["#/"], 0];
  place.hash = "#/";
  readAddress();
});
afterAll(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function shown(changed: Partial<Filters>): void {
  expect(filters.value).toEqual({ ...NO_FILTERS, ...changed });
}

test("an address that the list has not read yet keeps its filters and its row", () => {
  setFilters({ agents: ["codex"] });
  readAddress();
  selected.value = "codex:1";
  writePlaces();
  expect(steps).toEqual(["#/", "#/?agents=codex&at=codex%3A1"]);
  setFilters({ agents: ["pi"] });
  readAddress();
  selected.value = "pi:1";
  go(-1);
  // The timer of the row before can end in this moment.
  writePlaces();
  expect(place.hash).toBe("#/?agents=codex&at=codex%3A1");
  readAddress();
  shown({ agents: ["codex"] });
  expect(selected.value).toBe("codex:1");
});

test("the address of another page, which is not shown yet, does not change the filters", () => {
  setFilters({ agents: ["codex"] });
  readAddress();
  history.pushState(null, "", "#/session/codex%3A1");
  readAddress();
  shown({ agents: ["codex"] });
  go(-1);
  writePlaces();
  readAddress();
  shown({ agents: ["codex"] });
  expect(steps[1]).toMatch(/^#\/\?agents=codex/u);
});

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { keepNumbered, numbered } from "./numbers.ts";

let home: string;

beforeEach(() => {
  home = fs.mkdtempSync(join(tmpdir(), "continuo-numbers-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  fs.rmSync(home, { recursive: true });
});

function shellAfter(days: number): Shell {
  const now = new Date(Date.now() + days * 86_400_000);
  return { home, cwd: home, env: { CONTINUO_HOME: home }, now } as unknown as Shell;
}

test("a number names the entry of the last list", () => {
  keepNumbered("rows", [{ session: "a" }, { session: "b" }], shellAfter(0));
  expect([0, 1, 2, 3].map((number) => numbered("rows", number, shellAfter(0)))).toEqual([
    null,
    { session: "a" },
    { session: "b" },
    null,
  ]);
});

test("a number of an old list names nothing, because another process may have the number of its shell", () => {
  keepNumbered("rows", [{ session: "a" }], shellAfter(0));
  expect(numbered("rows", 1, shellAfter(6))).toEqual({ session: "a" });
  expect(numbered("rows", 1, shellAfter(8))).toBeNull();
});

test.each([["readdirSync"], ["statSync"], ["fsyncSync"]] as const)(
  "if %s fails, the numbers of a list are not stored, and the numbers of the list before are removed",
  (call) => {
    keepNumbered("rows", [{ session: "before" }], shellAfter(0));
    const spy = vi.spyOn(fs, call).mockImplementation(() => {
      throw Object.assign(new Error("disk"), { code: "EIO", syscall: "read" });
    });
    syncBuiltinESMExports();
    keepNumbered("rows", [{ session: "after" }], shellAfter(0));
    spy.mockRestore();
    syncBuiltinESMExports();
    expect(numbered("rows", 1, shellAfter(0))).not.toEqual({ session: "before" });
  },
);

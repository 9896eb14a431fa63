import { expect, test } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { assertTls, clearTextWarning, HAS_PAGE_NAMES, newPageName, reporterTo } from "./work.ts";

test.runIf(HAS_PAGE_NAMES)("the name of each page has 128 random bits", () => {
  const names = new Set(Array.from({ length: 100 }, () => newPageName() ?? ""));
  expect(names.size).toBe(100);
  for (const name of names) expect(name).toMatch(/^continuo-[0-9a-f]{32}\.localhost$/u);
  // No digit of 32 is the same in all of them.
  for (let at = 9; at < 41; at++) expect(new Set([...names].map((name) => name[at])).size).toBeGreaterThan(1);
});

test("a server that other machines reach without TLS prints a warning with the flag for its proxy", () => {
  expect(clearTextWarning(false, undefined)).toContain("--public-url https://");
  expect(clearTextWarning(false, "http://team.example")).toContain("without TLS");
  expect(clearTextWarning(false, "https://team.example")).toBeNull();
  expect(clearTextWarning(true, undefined)).toBeNull();
});

test("a report of the server cannot begin a line with text of others, and cannot control the terminal", () => {
  let printed = "";
  const stderr = {
    write: (text: string) => {
      printed += text;
    },
  };
  const report = reporterTo({ stderr } as unknown as Shell);
  report(
    "request failed: Error: evil\nwarning: forged\r\nwarning: again\rand \u2028more \u001b[31m\n    at place",
  );
  expect(printed.match(/^\S.*$/gmu)).toEqual(["request failed: Error: evil"]);
  expect(printed.split("\n")).toHaveLength(5);
  expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
  expect(printed).toContain("        at place");
});

test("a server is for other machines only if it knows the address at which they reach it, including the word http or https", () => {
  for (const publicUrl of ["https://team.example", "http://team.example"]) {
    expect(() => assertTls("0.0.0.0", { isLoopback: false, publicUrl })).not.toThrow();
  }
  expect(() => assertTls("127.0.0.1", { isLoopback: true, publicUrl: undefined })).not.toThrow();
  expect(() => assertTls("0.0.0.0", { isLoopback: false, publicUrl: undefined })).toThrow(
    expect.objectContaining({ code: "usage", hint: expect.stringContaining("--public-url https://") }),
  );
});

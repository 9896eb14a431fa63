import { expect, test } from "vitest";
import { parseTrace } from "./trace.ts";

test("calls are in the order of their ends, also those that calls of other threads cut in two", () => {
  const trace = `7 write(3, "\\x61", 1 <unfinished ...>
8 fsync(4) = 0
7 <... write resumed>) = 1`;
  expect(parseTrace(trace).map(({ name, begin, end }) => [name, begin, end])).toEqual([
    ["fsync", 1, 1],
    ["write", 0, 2],
  ]);
});

test("a file that gets the number of one that another thread is closing is not the closed one", () => {
  const trace = `7 close(22 <unfinished ...>
8 openat(AT_FDCWD, "\\x61", O_RDONLY) = 22
7 <... close resumed>) = 0
8 fsync(22) = 0`;
  expect(parseTrace(trace).map(({ name }) => name)).toEqual(["close", "openat", "fsync"]);
});

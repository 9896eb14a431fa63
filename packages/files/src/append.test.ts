import fs, { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { isContinuoError } from "@continuo/core/model";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { appendLines, stateOfFile } from "./append.ts";

const { writeSync, fsyncSync } = fs;
let scratch: string;
let file: string;

beforeEach(() => {
  scratch = scratchFolder("append");
  file = join(scratch, "session.jsonl");
  writeFileSync(file, "first\n");
});
afterEach(() => {
  patch({ writeSync, fsyncSync });
});

function patch(calls: Readonly<Record<string, unknown>>): void {
  Object.assign(fs, calls);
  syncBuiltinESMExports();
}

const text = (): string => readFileSync(file, "utf8");
const ours = Buffer.from("ours\n");

function errorOf(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return isContinuoError(error) ? [error.code, error.details?.isWritten] : (error as Error).message;
  }
  return null;
}

/** An agent appends its own line just before each write of ours. */
function agentWritesFirst(line: string, after: () => void = () => undefined): void {
  patch({
    writeSync: (fd: number, bytes: Buffer, ...rest: number[]) => {
      appendFileSync(file, line);
      const count = writeSync(fd, bytes, ...rest);
      after();
      return count;
    },
  });
}

test("a line that an agent appends at the same time stays, and so does ours", () => {
  agentWritesFirst("the agent's\n");
  appendLines(file, ours);
  expect(text()).toBe("first\nthe agent's\nours\n");
});

test("if the order counts, our line is removed again and the agent's line stays", () => {
  const after = stateOfFile(file);
  agentWritesFirst("the agent's\n");
  expect(errorOf(() => appendLines(file, ours, { after }))).toEqual(["conflict", false]);
  expect(text()).toBe("first\nthe agent's\n");
});

test("nothing is appended to a file that changed since it was read", () => {
  const after = stateOfFile(file);
  appendFileSync(file, "the agent's\n");
  expect(errorOf(() => appendLines(file, ours, { after }))).toEqual(["conflict", false]);
  expect(text()).toBe("first\nthe agent's\n");
});

test("if an agent writes before and after our line, its lines stay, and the error says that ours is between them", () => {
  const after = stateOfFile(file);
  agentWritesFirst("the agent's\n", () => appendFileSync(file, "and one more\n"));
  expect(errorOf(() => appendLines(file, ours, { after }))).toEqual(["conflict", true]);
  expect(text()).toBe("first\nthe agent's\nours\nand one more\n");
});

test("a write that fails half way is taken back", () => {
  let writes = 0;
  patch({
    writeSync: (fd: number, bytes: Buffer) => {
      writes += 1;
      if (writes > 1) throw new Error("no space");
      return writeSync(fd, bytes, 0, 2);
    },
  });
  expect(errorOf(() => appendLines(file, ours))).toBe("no space");
  expect(text()).toBe("first\n");
});

test("a write that fails half way cuts nothing that an agent appended since", () => {
  patch({
    fsyncSync: () => {
      appendFileSync(file, "the agent's\n");
      throw new Error("no disk");
    },
  });
  expect(errorOf(() => appendLines(file, ours))).toBe("no disk");
  expect(text()).toBe("first\nours\nthe agent's\n");
});

test("appended lines begin on a new line after a torn one", () => {
  writeFileSync(file, "first\nto");
  appendLines(file, ours);
  expect(text()).toBe("first\nto\nours\n");
});

test("the lines are on disk when the call returns", () => {
  const calls: string[] = [];
  patch({
    writeSync: (fd: number, bytes: Buffer, ...rest: number[]) => {
      calls.push("write");
      return writeSync(fd, bytes, ...rest);
    },
    fsyncSync: (fd: number) => {
      calls.push("fsync");
      fsyncSync(fd);
    },
  });
  appendLines(file, ours);
  expect(calls).toEqual(["write", "fsync"]);
});

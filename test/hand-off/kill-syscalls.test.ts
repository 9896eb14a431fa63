import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { killAt, killPointsOf } from "./kill-syscalls.ts";

test("kills at system calls fail if strace is missing, instead of counting each run as killed", () => {
  const scratch = scratchFolder("kill-syscalls");
  const run = { argv: ["-e", "0"], env: { PATH: scratch }, below: scratch };
  expect(() => killPointsOf(run, scratch)).toThrow("strace");
  expect(() => killAt({ call: "write", nth: 1, isAfterEnd: false }, run, scratch)).toThrow("strace");
});

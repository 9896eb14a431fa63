import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { isRunning, placeOfThisProcess, processStartOf } from "@continuo/files";
import { expect, onTestFinished, test } from "vitest";
import { createMark, endLeftPrograms } from "./left-programs.ts";
import { MARK_VARIABLE } from "./orphans.ts";

const { namespace } = placeOfThisProcess();

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
}

async function start(
  script: string,
  { mark = "", uid }: { mark?: string; uid?: number } = {},
): Promise<Started> {
  const child = spawn("sh", ["-c", `${script} echo ready; while :; do sleep 1; done`], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, [MARK_VARIABLE]: mark },
    ...(uid === undefined ? {} : { uid }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return { child, pid: child.pid ?? 0 };
}

const markOf = (pid: number, start: string | null, place = namespace): string =>
  `0f0e0d0c-0000-4000-8000-000000000000/${pid}/${start}/${place}`;

/** The mark of a process that was killed. */
async function deadMark(place = namespace): Promise<string> {
  const { child, pid } = await start("");
  const mark = markOf(pid, processStartOf(pid), place);
  child.kill("SIGKILL");
  await once(child, "exit");
  return mark;
}

const onLinux = test.runIf(process.platform === "linux");

onLinux("a program whose starter was killed is gone, even if it ignores SIGTERM", async () => {
  const mark = await deadMark();
  const polite = await start("", { mark });
  const deaf = await start("trap '' TERM;", { mark });
  await endLeftPrograms();
  expect([polite, deaf].map(({ pid }) => isRunning(pid))).toEqual([false, false]);
});

onLinux("a program whose starter's number was given to another process is gone", async () => {
  const { pid } = await start("", { mark: markOf(process.pid, "1") });
  await endLeftPrograms();
  expect(isRunning(pid)).toBe(false);
});

onLinux("programs of living starters, of other namespaces and without a starter keep running", async () => {
  const marks = [createMark(), await deadMark("pid:[1]"), "0f0e0d0c-0000-4000-8000-000000000000", ""];
  const started = await Promise.all(marks.map((mark) => start("", { mark })));
  await endLeftPrograms();
  expect(started.map(({ pid }) => isRunning(pid))).toEqual([true, true, true, true]);
});

test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "a program of another user keeps running after its starter was killed",
  async () => {
    const { pid } = await start("", { mark: await deadMark(), uid: 65_534 });
    await endLeftPrograms();
    expect(isRunning(pid)).toBe(true);
  },
);

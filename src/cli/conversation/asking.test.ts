import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import type { PermissionRequest } from "../../model/index.ts";
import type { Shell } from "../terminal/index.ts";
import { createAsking } from "./asking.ts";
import { Teller } from "./teller.ts";

afterEach(() => {
  vi.useRealTimers();
});

const request: PermissionRequest = { approvalId: "p", toolName: "Bash", readOnly: false, options: [] };

test("a question is on the screen when what it is about is, also where that comes seconds later", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stdout = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80, rows: 24 });
  const onExit = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  const shell = { stdout, env: { TERM: "xterm", NO_COLOR: "1" }, onExit } as unknown as Shell;
  const teller = new Teller(shell, stdout as unknown as NodeJS.WriteStream);
  let screen = "";
  stdout.on("data", (text: string) => {
    screen += text;
  });
  const key = Promise.withResolvers<string>();
  const asking = createAsking({ teller, nextKey: () => key.promise, timeLimitMs: () => 60_000 });
  teller.begin("robot");
  const answer = asking(request, { signal: new AbortController().signal });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(screen).not.toContain("allow Bash?");
  void teller.tell({ type: "tool_call", toolCallId: "1", toolName: "Bash", toolInput: { command: "make" } });
  void teller.tell({ type: "permission_request", ...request });
  await expect.poll(() => screen).toContain("allow Bash?");
  key.resolve("y");
  expect(await answer).toMatchObject({ outcome: "granted" });
  expect(screen.indexOf("make")).toBeGreaterThan(-1);
  expect(screen.indexOf("make")).toBeLessThan(screen.indexOf("allow Bash?"));
  await teller.end();
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { PermissionDecision, PermissionRequest } from "@continuo/core/model";
import { afterEach, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { createPermissionPrompt } from "./permission-prompt.ts";
import { TurnPrinter } from "./turn-printer.ts";

afterEach(() => {
  vi.useRealTimers();
});

const request: PermissionRequest = { approvalId: "p", toolName: "Bash", readOnly: false, options: [] };

test("a question is shown only after the call that it is about, even if the call arrives seconds later", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stdout = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80, rows: 24 });
  const onExit = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  const shell = { stdout, env: { TERM: "xterm", NO_COLOR: "1" }, onExit } as unknown as Shell;
  const teller = new TurnPrinter(shell, stdout as unknown as NodeJS.WriteStream);
  let screen = "";
  stdout.on("data", (text: string) => {
    screen += text;
  });
  const key = Promise.withResolvers<string>();
  const asking = createPermissionPrompt({ teller, nextKey: () => key.promise, timeLimitMs: () => 60_000 });
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

/** Asks a question with scripted keys; returns the screen, the decision and the number of unused keys. */
async function answered(
  asked: PermissionRequest,
  keys: readonly string[],
): Promise<{ readonly screen: string; readonly decision: PermissionDecision; readonly left: number }> {
  const stdout = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80, rows: 24 });
  const onExit = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  const shell = { stdout, env: { TERM: "xterm", NO_COLOR: "1" }, onExit } as unknown as Shell;
  let screen = "";
  stdout.on("data", (text: string) => {
    screen += text;
  });
  const teller = new TurnPrinter(shell, stdout as unknown as NodeJS.WriteStream);
  const pressed = [...keys];
  const nextKey = async (): Promise<string> => pressed.shift() ?? "n";
  const asking = createPermissionPrompt({ teller, nextKey, timeLimitMs: () => 60_000 });
  teller.begin("robot");
  void teller.tell({ type: "permission_request", ...asked });
  const decision = await asking(asked, { signal: new AbortController().signal });
  await teller.end();
  return { screen, decision, left: pressed.length };
}

const long = { command: Array.from({ length: 60 }, (_, at) => `echo ${at}`).join("\n") };
const once = [{ id: "1", name: "Allow", kind: "allow_once" as const }];

test("yes counts only after the whole request was shown", async () => {
  const asked = { ...request, toolInput: long, options: once };
  const hasty = await answered(asked, ["y", "y", "n"]);
  expect(hasty).toMatchObject({ decision: { outcome: "denied" }, left: 0 });
  expect(hasty.screen).not.toContain("echo 59");
  const patient = await answered(asked, ["y", "v", "y"]);
  expect(patient).toMatchObject({ decision: { outcome: "granted", optionId: "1" }, left: 0 });
  expect(patient.screen).toContain("echo 59");
});

test("a denial can have a reason if the agent reads it", async () => {
  const asked: PermissionRequest = { ...request, readsReason: true };
  const typed = ["c", "use", " makx", "\u007f", "e", "\r"];
  expect((await answered(asked, typed)).decision).toEqual({
    outcome: "denied",
    by: "person",
    reason: "use make",
  });
  expect((await answered(asked, ["c", "x", "\u001b", "y"])).decision).toMatchObject({ outcome: "granted" });
  expect((await answered(request, ["c", "y"])).decision).toMatchObject({ outcome: "granted" });
});

test("a question about an edit shows the line numbers in the file", async () => {
  const folder = scratchFolder("edit");
  const file = join(folder, "a.txt");
  writeFileSync(file, Array.from({ length: 120 }, (_, at) => `line ${at + 1}\n`).join(""));
  const toolInput = {
    file_path: file,
    old_string: "line 99\nline 100\n",
    new_string: "line 99\nhundred\n",
  };
  const { screen } = await answered({ ...request, toolCallId: "1", toolName: "Edit", toolInput }, ["y"]);
  expect(screen).toContain(" 99   line 99");
  expect(screen).toContain("100 - line 100");
  expect(screen).toContain("100 + hundred");
});

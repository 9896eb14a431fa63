/** Several processes append to one session, and some of them are killed. */

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSessionAdapter, type Places } from "@continuo/agents";
import { beforeEach, describe, expect, test } from "vitest";
import type { AdapterFormat, Message } from "../../src/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const APPENDER = await bundledProgram("test/hand-off/appender.ts");
const DATABASE = join(
  import.meta.dirname,
  "../fixtures/opencode/text-and-thinking/home/opencode/opencode.db",
);
const FORMATS: readonly AdapterFormat[] = ["ccsdk", "codex", "pi-agent", "gemini", "opencode"];

let home: string;
let places: Places;

beforeEach(() => {
  home = scratchFolder("processes");
  places = { home, env: {} };
  const data = join(home, ".local", "share", "opencode");
  mkdirSync(data, { recursive: true });
  copyFileSync(DATABASE, join(data, "opencode.db"));
});

interface Begun {
  readonly file: string;
  readonly id: string;
}

async function begin(format: AdapterFormat): Promise<Begun> {
  await using adapter = openSessionAdapter({ format, places, create: { cwd: join(home, "project") } });
  await adapter.appendUserMessage("Begin.");
  return { file: adapter.sessionFile, id: (await adapter.getMetadata()).sessionId };
}

interface Appending {
  readonly format: AdapterFormat;
  readonly begun: Begun;
  readonly name: string;
  readonly count: number;
  /** The number of acknowledged results after which the process is killed. */
  readonly killAfter?: number;
}

/** The ids that the process acknowledged. */
async function append({ format, begun, name, count, killAfter }: Appending): Promise<string[]> {
  const args = [APPENDER, format, begun.file, begun.id, home, name, String(count)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (killAfter !== undefined && stdout.split("\n").length > killAfter) child.kill("SIGKILL");
  });
  const code = await new Promise((done) => child.once("close", done));
  if (killAfter === undefined) expect(code).toBe(0);
  return stdout.split("\n").slice(0, -1);
}

async function historyOf(format: AdapterFormat, { file, id }: Begun): Promise<Message[]> {
  await using adapter = openSessionAdapter({ format, sessionFile: file, sessionId: id, places });
  return (await adapter.loadHistory()).filter(
    ({ role, origin }) => role !== "system" && origin !== "injected",
  );
}

describe.each(FORMATS)("%s", (format) => {
  test("eight processes: no message is lost, and each call is directly followed by its result", async () => {
    const begun = await begin(format);
    const names = Array.from({ length: 8 }, (_, at) => `p${at}`);
    const acknowledged = await Promise.all(names.map((name) => append({ format, begun, name, count: 3 })));
    const history = await historyOf(format, begun);
    const ids = history.flatMap((message) => (message.role === "tool" ? [message.id] : []));
    expect(ids.toSorted()).toEqual(acknowledged.flat().toSorted());
    expect(history.filter(({ role }) => role === "user")).toHaveLength(25);
    for (const [at, message] of history.entries()) {
      for (const block of message.content) {
        if (block.type === "tool_call") expect(history[at + 1]?.toolCallId).toBe(block.id);
      }
    }
    for (const name of names) {
      const asked = history.flatMap(({ content: [block] }) =>
        block?.type === "text" && block.text.startsWith(`asked ${name}_`) ? [block.text] : [],
      );
      expect(asked).toEqual([0, 1, 2].map((at) => `asked ${name}_${at}`));
    }
  });

  test("everything that a killed process acknowledged is in the session, and the next process continues it", async () => {
    const begun = await begin(format);
    const first = await append({ format, begun, name: "killed", count: 1000, killAfter: 3 });
    const second = await append({ format, begun, name: "next", count: 1 });
    const ids = (await historyOf(format, begun)).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...first, ...second]));
  });
});

/**
 * docs/guides/channels.md is followed from an empty folder: its files are saved, its commands are run, and they print
 * the output of the guide.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const GUIDE = readFileSync(join(ROOT, "docs/guides/channels.md"), "utf8");

const folder = scratchFolder("channels-guide");
let server = "";
const started: ChildProcess[] = [];

interface Command {
  readonly child: ChildProcess;
  /** Both outputs so far. */
  readonly text: () => string;
  readonly ended: Promise<number | null>;
}

/** Runs a line of the guide. `at` replaces the usual port by a port of the test. */
function type(line: string, at: readonly string[] = []): Command {
  expect(GUIDE).toContain(`\n${line}\n`);
  const [program = "", ...words] = (line.match(/"[^"]*"|[^\s"]+/gu) ?? []).map((word) =>
    word.replaceAll('"', ""),
  );
  const arrow = words.indexOf(">");
  const args = [...(arrow === -1 ? words : words.slice(0, arrow)), ...at];
  const node =
    program === "npx" ? [join(folder, "node_modules/continuo/bin/continuo.js"), ...args.slice(1)] : args;
  const home = join(folder, "home");
  const env = { PATH: process.env.PATH, HOME: home, ...(server === "" ? {} : { CONTINUO_SERVER: server }) };
  const child = spawn(process.execPath, node, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      const file = arrow === -1 ? undefined : words[arrow + 1];
      if (file !== undefined) writeFileSync(join(folder, file), text);
      resolve(code);
    });
  });
  return { child, text: () => text, ended };
}

async function done(command: Command): Promise<string> {
  expect([await command.ended, command.text()]).toEqual([0, expect.any(String)]);
  return command.text();
}

async function stop({ child, ended }: Command): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

beforeAll(() => {
  mkdirSync(join(folder, "home"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/continuo"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [, name = "", code = ""] of GUIDE.matchAll(
    /Save this as `([\w-]+\.ts)`[\s\S]*?```ts\n([\s\S]*?)```/gu,
  )) {
    writeFileSync(join(folder, name), code);
  }
});
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

test("the guide is followed from its beginning to its end", async () => {
  const serving = type("npx continuo serve --store sqlite:./chat.db", ["--listen", "127.0.0.1:0"]);
  await expect.poll(serving.text).toContain("listens on http:");
  server = /http:\S+/u.exec(serving.text())?.[0] ?? "";
  const create =
    "npx continuo token create --store sqlite:./chat.db --scope channel:support:read,write --handle";
  for (const handle of ["bot", "ann"]) await done(type(`${create} ${handle} > ${handle}.token`));

  const bot = type("node bot.ts");
  await expect.poll(bot.text).toContain("the bot is there");
  expect(await done(type("node ask.ts where is my parcel"))).toBe("You asked: @bot where is my parcel \n");

  await stop(bot);
  const slow = type("node bot.ts 3000");
  const asking = type("node ask.ts where is my parcel");
  await expect.poll(asking.text).toContain("You ");
  await stop(slow);
  await expect.poll(asking.text).toContain("… (interrupted)\n");
  const again = type("node bot.ts");
  expect(await done(asking)).toMatch(/interrupted\)\nYou asked: @bot where is my parcel \n$/u);

  await done(type('npx continuo channel send support "We close at five today." --as desk'));
  expect(await done(type("node catch-up.ts"))).toContain("desk, ");
  expect(await done(type("node catch-up.ts"))).toBe("nothing was missed\n");
  await stop(again);
  await stop(serving);
}, 300_000);

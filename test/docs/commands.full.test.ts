/** The commands with curl that the documents show, and the function of a job's folder: each is used as it is written. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { startModelServer, text } from "../model-servers/index.ts";
import { fromSource } from "./example-source.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PRODUCTS = read("docs/guides/products.md");
/** The folder is inside of the repository, so that packages are found. */
const FOLDER = mkdtempSync(join(import.meta.dirname, ".commands-"));
const run = promisify(execFile);
const SOON = { timeout: 60_000, interval: 50 };

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(FOLDER, { recursive: true });
});

/** The blocks of a language after a title. */
function blocksOf(document: string, language: string, title: string): readonly string[] {
  const section = document.split(`\n${title}\n`)[1]?.split("\n## ")[0] ?? "";
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gmu"));
  return [...blocks].map(([, block = ""]) => block);
}

interface Started {
  readonly home: string;
  /** The first line that matches. */
  readonly line: string;
}

async function start(name: string, args: readonly string[], line: RegExp, env: Record<string, string> = {}) {
  const home = join(FOLDER, name);
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return await new Promise<Started>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
    createInterface(child.stdout).on("line", (one) => {
      if (line.test(one)) resolve({ home, line: one });
    });
  });
}

/** Runs commands in a shell as a person types them; `-f` makes curl fail where the server refuses. */
async function type(commands: string, home: string): Promise<string> {
  const lines = commands.replaceAll(/^curl /gmu, "curl -sSf --max-time 60 ");
  const env = { PATH: process.env.PATH, HOME: home };
  const { stdout, stderr } = await run("sh", ["-euc", lines], { env });
  expect([commands, stderr]).toEqual([commands, ""]);
  return stdout;
}

test("the commands of docs/server.md make a channel, store a message and read it", async () => {
  const [, block = ""] = /^```sh\n(continuo serve [\s\S]*?)^```$/mu.exec(read("docs/server.md")) ?? [];
  const [serve = "", ...others] = block.split("\n");
  expect(serve).toMatch(/^continuo serve /u);
  const program = [join(ROOT, "bin/continuo.js"), "serve", "--listen", "127.0.0.1:0"];
  const { home, line } = await start("server", program, /listens on http:/u);
  const url = /http:\/\/[\w.:]+/u.exec(line)?.[0] ?? "";
  const commands = others.join("\n");
  expect(commands.match(/^curl /gmu)).toHaveLength(3);
  const printed = await type(commands.replaceAll("http://127.0.0.1:4747", url), home);
  expect(JSON.parse(printed)).toMatchObject([{ type: "message_sent", data: { content: "hello" } }]);
});

/** Starts the program of a section, and returns what types its commands. */
async function startProduct(
  title: string,
  change: (code: string) => string,
  env: Record<string, string> = {},
) {
  const name = title.replaceAll(/\W/gu, "-");
  const [code = "", ...rest] = blocksOf(PRODUCTS, "ts", title);
  mkdirSync(join(FOLDER, name), { recursive: true });
  writeFileSync(join(FOLDER, name, "program.ts"), fromSource(change(code)));
  for (const [at, block] of rest.entries())
    writeFileSync(join(FOLDER, name, `part-${at}.ts`), fromSource(block));
  const { home, line } = await start(name, ["program.ts"], /^port \d+$/u, env);
  const address = `127.0.0.1:${line.slice("port ".length)}`;
  const commands = blocksOf(PRODUCTS, "sh", title).join("");
  return {
    home,
    address,
    commands,
    type: (text: string) => type(text.replaceAll("localhost:8080", address), home),
  };
}

test("the command of the support desk gets the answer of the model as a stream", async () => {
  await using models = await startModelServer({
    turns: [{ user: "order", answers: [[text("It is on its way.")]] }],
  });
  const desk = await startProduct("## A support desk", (code) => code, { MODEL_URL: `${models.url}/v1` });
  const printed = await desk.type(desk.commands);
  expect(printed).toContain("on its way");
  expect(printed).toMatch(/data: \[DONE\]\n\n$/u);
});

test("the commands of a coding agent behind HTTP start a job in its own folder, and answer its question", async () => {
  const ask = {
    toolCall: { toolCallId: "t1", title: "make", kind: "execute", rawInput: { command: "make" } },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  };
  const script = join(FOLDER, "script.json");
  writeFileSync(script, JSON.stringify({ prompts: { "*": [{ ask }, chunk("It is made."), DONE] } }));
  const command = JSON.stringify([process.execPath, SCRIPTED_AGENT, script]);
  const jobs = await startProduct("## A coding agent behind HTTP", (code) => {
    // A scripted program replaces Claude Code, and `authorize` returns the function of the second sample too.
    const changed = code
      .replace('coding("claude", {', `coding("scripted", { command: ${command},`)
      .replace("approve: true, by }", "approve: true, by, newSession }");
    expect(changed).toContain("by, newSession }");
    return `import { newSession } from "./part-0.ts";\n${changed}`;
  });
  const [send = "", follow = "", list = "", answer = ""] = jobs.commands.trimEnd().split("\n");
  expect(JSON.parse(await jobs.type(send))).toMatchObject({ sessionId: "ann:build-1" });
  expect(existsSync(join(jobs.home, "jobs/ann/build-1"))).toBe(true);
  await expect.poll(async () => JSON.parse(await jobs.type(list)), SOON).toHaveLength(1);
  const [{ id }] = JSON.parse(await jobs.type(list));
  expect(JSON.parse(await jobs.type(answer.replace("/ID ", `/${id} `)))).toMatchObject({
    status: "granted",
    by: "ann",
  });
  expect(await jobs.type(follow)).toContain("It is made.");

  const refused = await fetch(`http://${jobs.address}/v1/sessions/ann:../messages`, {
    method: "POST",
    headers: { authorization: "Bearer ann" },
    body: JSON.stringify({ text: "Mend the build." }),
  });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("a job is named like ann:build-1"),
  ]);
});

/** The output of `list`: filters, the order, and the last lines about rows that are not shown. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CODEX_ID, createHome, type Home, type Run, writeSessions } from "./home.ts";
import { runInProcess } from "./in-process.ts";

let home: Home;

beforeAll(() => {
  home = createHome();
  const shop = join(home.path, "Shop");
  for (const folder of ["Shop/web", "Shop-old"]) home.write(`${folder}/.keep`, "");
  write("one", { cwd: shop, branch: "main", day: 1, words: 10, typed: "Carrots" });
  write("two", { cwd: join(shop, "web"), branch: "feature/Pay", day: 2, words: 500, typed: "Apples" });
  write("old", { cwd: join(home.path, "Shop-old"), branch: "main", day: 3, words: 1, typed: "Bread" });
  write("nil", { cwd: shop, branch: "main", day: 4, words: 0, typed: null });
  for (let at = 0; at < 30; at++) {
    write(`n${at}`, { cwd: "/elsewhere", branch: "dev", day: 5, words: 1, typed: `Number ${at}` });
  }
  codex("sessions/2025/01/06", { id: "1", day: 6 });
  codex("archived_sessions", { id: "2", day: 7 });
});
afterAll(() => home[Symbol.dispose]());

interface Written {
  readonly cwd: string;
  readonly branch: string;
  readonly day: number;
  readonly words: number;
  /** The prompt; `null` for a session without a message. */
  readonly typed: string | null;
}

function write(name: string, { cwd, branch, day, words, typed }: Written): void {
  const id = `${Buffer.from(name.padEnd(4)).toString("hex")}-0000-4000-8000-000000000000`;
  const shared = {
    isSidechain: false,
    userType: "external",
    cwd,
    sessionId: id,
    version: "2.1.330",
    gitBranch: branch,
  };
  const timestamp = `2025-01-0${day}T10:00:00.000Z`;
  const said = { ...shared, type: "user", uuid: "u", parentUuid: null, timestamp };
  const record =
    typed === null
      ? {
          ...shared,
          type: "system",
          uuid: "s",
          parentUuid: null,
          timestamp,
          subtype: "informational",
          content: "x",
        }
      : { ...said, message: { role: "user", content: `${typed}\n${"more ".repeat(words)}` } };
  const folder = cwd.replace(/[^a-zA-Z0-9]/gu, "-");
  home.write(`.claude/projects/${folder}/${id}.jsonl`, `${JSON.stringify(record)}\n`);
}

function codex(folder: string, { id, day }: { readonly id: string; readonly day: number }): void {
  const sessionId = `01999999-1111-7222-8333-00000000000${id}`;
  const timestamp = `2025-01-0${day}T08:00:00.000Z`;
  const meta = {
    id: sessionId,
    timestamp,
    cwd: "/tool",
    originator: "codex_exec",
    cli_version: "0.169.0",
    source: "cli",
  };
  const item = { type: "message", role: "user", content: [{ type: "input_text", text: `Codex ${id}` }] };
  const message = { type: "user_message", message: `Codex ${id}` };
  const lines = [
    { timestamp, type: "session_meta", payload: meta },
    { timestamp, type: "event_msg", payload: message },
    { timestamp, type: "response_item", payload: item },
  ];
  const path = `.codex/${folder}/rollout-2025-01-0${day}T08-00-00-${sessionId}.jsonl`;
  home.write(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const list = async (...args: string[]): Promise<Run> => await runInProcess(home, ["list", ...args]);

/** Returns the first word of each title. */
async function titles(...args: string[]): Promise<readonly string[]> {
  const { code, stdout } = await list("--json", ...args);
  expect(code).toBe(0);
  const rows = JSON.parse(stdout) as readonly { readonly title: string | null }[];
  return rows.map(({ title }) => title?.split(" ")[0] ?? "");
}

test("--json prints every session, or at most --limit sessions", async () => {
  expect(await titles()).toHaveLength(35);
  expect(await titles("--limit", "3")).toHaveLength(3);
});

test("--project and --branch find parts of the folder and of the branch, in any letter case", async () => {
  expect(await titles("--project", "shop/w")).toEqual(["Apples"]);
  expect(await titles("--project", "SHOP", "--branch", "MAIN")).toEqual(["", "Bread", "Carrots"]);
  expect(await titles("--branch", "pay")).toEqual(["Apples"]);
});

test("--cwd and --here include the folders below, but no folder that only has the same beginning of its name; --exact takes only the folder itself", async () => {
  const shop = join(home.path, "Shop");
  expect(await titles("--cwd", shop)).toEqual(["", "Apples", "Carrots"]);
  expect(await titles("--cwd", shop, "--exact")).toEqual(["", "Carrots"]);
  const here = await runInProcess(home, ["list", "--here"], { cwd: join(shop, "web") });
  expect(here.stdout).toContain("Apples");
  expect(here.stdout).not.toContain("Carrots");
  expect(await titles("--cwd", "/")).toHaveLength(35);
});

test("--since and --until limit the time: sessions at the time of --since are listed, those at the time of --until are not", async () => {
  const times = ["--since", "2025-01-02T10:00:00Z", "--until", "2025-01-04T10:00:00Z"];
  expect(await titles(...times)).toEqual(["Bread", "Apples"]);
});

test("--sort orders all sessions before the limit cuts them", async () => {
  expect(await titles("--sort", "title", "--limit", "4")).toEqual(["Apples", "Bread", "Carrots", "Codex"]);
  expect(await titles("--sort", "size", "--limit", "1")).toEqual(["Apples"]);
  expect(await titles("--sort", "updated", "--limit", "1")).toEqual(["Codex"]);
  expect(await titles("--sort", "agent", "--branch", "main")).toEqual(["", "Bread", "Carrots"]);
  expect((await list("--sort", "colour")).code).toBe(2);
});

test("an agent can be given as an argument or with --agent, in any letter case", async () => {
  expect(await titles("codex")).toEqual(["Codex"]);
  expect(await titles("--agent", "CODEX")).toEqual(["Codex"]);
  expect(await titles("codex", "Claude")).toHaveLength(35);
  expect((await list("codx")).code).not.toBe(0);
});

test("--model finds sessions by a model that answered, in any letter case, and also from the index", async () => {
  const answered = createHome();
  writeSessions(answered);
  const of = async (model: string): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await runInProcess(answered, ["list", "--model", model]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout.split("\n").slice(1, -1);
  };
  for (let times = 0; times < 2; times++) {
    const rows = await of("MODEL-a");
    expect(rows.map((row) => row.split("\t")[0])).toEqual(["claude", "claude"]);
  }
  expect(await of("codex-next")).toEqual([]);
  answered[Symbol.dispose]();
});

test("in every command, a number names a row of the last list in this terminal; a list in a pipe does not change the numbers", async () => {
  const seen = createHome();
  writeSessions(seen);
  expect((await runInProcess(seen, ["info", "1"])).code).toBe(3);
  // Two ids begin with 4, but a number is never read as the beginning of an id.
  for (const number of ["4", "5"]) {
    expect((await runInProcess(seen, ["info", number])).stderr).toContain(
      `there is no row ${number} in the last`,
    );
  }
  expect((await runInProcess(seen, ["chat", "--resume", "4", "Hello"])).stderr).toContain(
    "there is no row 4",
  );
  const { stdout } = await runInProcess(seen, ["list"], { columns: 100 });
  expect(stdout).toMatch(/^ *# {2}agent.*\n *1 {2}codex .*\n *2 {2}claude /u);
  await runInProcess(seen, ["list", "--agent", "claude"]);
  expect((await runInProcess(seen, ["info", "1"])).stdout).toContain(CODEX_ID);
  expect((await runInProcess(seen, ["rename", "2", "Second"])).stdout).toBe("renamed  Second\n");
  expect((await runInProcess(seen, ["show", "7"])).code).toBe(3);
  await runInProcess(seen, ["list", "--agent", "claude"], { columns: 100 });
  expect((await runInProcess(seen, ["info", "1"])).stdout).toContain("Second");
  seen[Symbol.dispose]();
});

test("standard output in a pipe gets only the table; the last lines are printed to standard error", async () => {
  const { stdout, stderr } = await list("--limit", "2");
  expect(stdout.split("\n").map((line) => line.split("\t").length)).toEqual([7, 7, 7, 1]);
  expect(stderr).toBe("33 more: --all shows them\n1 archived: --archived shows them\n");
});

test("the last lines count the sessions that are not shown, and only those that match the filters", async () => {
  expect((await list()).stderr).toContain("1 archived: --archived shows them");
  const until = (await list("--until", "2025-01-06")).stderr;
  expect(until).toContain("13 more: --all shows them");
  expect(until).toContain("1 empty: --empty shows them");
  expect(until).not.toContain("archived");
  const shop = (await list("--project", "Shop")).stderr;
  expect(shop).toContain("1 empty: --empty shows them");
  expect(shop).not.toContain("archived");
  const bread = (await list("--title", "bread")).stderr;
  expect(bread).not.toMatch(/: --/u);
  expect((await list("--since", "2025-01-07")).stdout).toContain("1 archived");
  expect((await list("--since", "2025-01-08")).stdout).not.toContain("archived");
});

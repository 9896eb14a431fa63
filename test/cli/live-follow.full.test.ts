/** `continuo live export --follow` and `--channel`, as a person uses them with a running server. */

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLive } from "@continuo/core/client/live";
import { expect, test } from "vitest";
import { type Background, background } from "./background.ts";
import { createHome, type Home, run } from "./home.ts";

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly process: Background;
}

async function startServer(home: Home, listen = "127.0.0.1:0"): Promise<Server> {
  const store = `sqlite:${join(home.path, "notes.db")}`;
  const server = background(home, ["serve", "--store", store, "--listen", listen, "--no-auth"]);
  const url = /http:\S+/u.exec(await server.line("listens on"))?.[0] ?? "";
  return { url, process: server, [Symbol.asyncDispose]: () => server.kill("SIGTERM") };
}

interface Viewing {
  readonly key: string;
  readonly videoId: string;
  readonly title: string;
  readonly remarks: Readonly<Record<number, string>>;
}

/** Makes a whole viewing, and resolves when its notes are written. */
async function watch(serverUrl: string, { key, videoId, title, remarks }: Viewing): Promise<void> {
  const client = await openLive({ serverUrl, key, videoId, title, continues: "video" });
  for (const [ms, text] of Object.entries(remarks)) {
    await client.add({ type: "remark_added", text, mediaTimeMs: Number(ms) });
  }
  await client.end();
  client.close();
}

const WITHIN = { timeout: 60_000, interval: 100 };

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}

test("files follow the notes through kills of both programs, and no edit of the person is lost", async () => {
  using home = createHome();
  const server = await startServer(home);
  const port = new URL(server.url).port;
  const vault = join(home.path, "vault");
  const follow = (): Background =>
    background(home, ["live", "export", "--follow", vault], { CONTINUO_SERVER: server.url });
  const first = follow();
  await first.line("following the notes");
  const title = "../A talk: boats?";
  await watch(server.url, {
    key: "a",
    videoId: "youtube:aaa",
    title,
    remarks: { 65000: "The harbour opens at dawn." },
  });
  await watch(server.url, {
    key: "b",
    videoId: "youtube:bbb",
    title,
    remarks: { 0: "Another film with this title." },
  });
  await expect.poll(() => filesIn(vault), WITHIN).toEqual(["A talk boats 2.md", "A talk boats.md"]);
  const text = (name: string): string => readFileSync(join(vault, name), "utf8");
  expect(text("A talk boats.md")).toContain(
    "- [1:05](https://www.youtube.com/watch?v=aaa&t=65s) The harbour opens",
  );
  expect(text("A talk boats 2.md")).toContain("Another film");
  await first.kill("SIGKILL");

  // The person moves and edits the file while neither program runs, and then both programs start again.
  mkdirSync(join(vault, "seen"));
  const moved = join("seen", "Boats.md");
  renameSync(join(vault, "A talk boats.md"), join(vault, moved));
  writeFileSync(join(vault, moved), `My words above.\n${text(moved)}My words below.`);
  await server.process.kill("SIGKILL");
  await using second = follow();
  const ended = second.line("no server answers");
  await ended;
  await second.kill("SIGTERM");
  await using again = await startServer(home, `127.0.0.1:${port}`);
  await using third = follow();
  await watch(again.url, {
    key: "c",
    videoId: "youtube:aaa",
    title,
    remarks: { 130000: "Boats leave with the tide." },
  });
  await expect
    .poll(() => text(moved), WITHIN)
    .toContain("[2:10](https://www.youtube.com/watch?v=aaa&t=130s) Boats leave");
  expect(text(moved)).toMatch(
    /^My words above\.\n[\s\S]*The harbour[\s\S]*Boats leave[\s\S]*\nMy words below\.$/u,
  );
  expect(text(moved).match(/continuo:notes/gu)).toHaveLength(1);
  expect(filesIn(vault)).toEqual(["A talk boats 2.md", "seen", moved]);

  // The server stops and starts again while the command runs.
  await again.process.kill("SIGKILL");
  await third.line("waiting until it answers");
  await using last = await startServer(home, `127.0.0.1:${port}`);
  await third.line("the server answers again");
  await watch(last.url, {
    key: "d",
    videoId: "youtube:bbb",
    title,
    remarks: { 5000: "Its second viewing." },
  });
  await expect.poll(() => text("A talk boats 2.md"), WITHIN).toContain("Its second viewing.");
  expect(text("A talk boats 2.md")).toContain("Another film");
});

test("in the file that the demonstration writes, the page of a session comes before its notes", async () => {
  using home = createHome();
  await using server = await startServer(home);
  const vault = join(home.path, "vault");
  await using _command = background(home, ["live", "export", "--follow", vault], {
    CONTINUO_SERVER: server.url,
  });
  expect((await run(home, ["live", "demo", "--speed", "100", "--server", server.url])).code).toBe(0);
  const file = join(vault, "The harbour.md");
  await expect
    .poll(() => (existsSync(file) ? readFileSync(file, "utf8") : ""), WITHIN)
    .toMatch(/# The harbour\n[\s\S]*## Summary\n\n- \*\*[\s\S]*## Chapters\n[\s\S]*\n\n## Notes\n\n- \*\*/u);
});

test("the command waits for a folder that disappeared, and completes its files when it is back", async () => {
  using home = createHome();
  await using server = await startServer(home);
  const vault = join(home.path, "vault");
  const env = { CONTINUO_SERVER: server.url };
  await using command = background(home, ["live", "export", "--follow", vault], env);
  await watch(server.url, { key: "a", videoId: "v-1", title: "One", remarks: { 0: "The first note." } });
  await command.line("One.md: 1 note");
  rmSync(vault, { recursive: true });
  await watch(server.url, { key: "b", videoId: "v-2", title: "Two", remarks: { 0: "The second note." } });
  await command.line("vault: it does not exist");
  expect(readdirSync(home.path)).not.toContain("vault");
  mkdirSync(vault);
  await expect.poll(() => filesIn(vault), WITHIN).toEqual(["One.md", "Two.md"]);
});

test("a channel gets each note once, even if the command is killed and starts again", async () => {
  using home = createHome();
  await using server = await startServer(home);
  const env = { CONTINUO_SERVER: server.url };
  const post = (): Background => background(home, ["live", "export", "--channel", "team"], env);
  const messages = async (): Promise<readonly string[]> => {
    const { stdout } = await run(home, ["channel", "export", "team"], { env });
    const events = stdout.split("\n").filter((line) => line !== "");
    return events
      .map(
        (line) => JSON.parse(line) as { readonly type: string; readonly data: { readonly content: string } },
      )
      .flatMap(({ type, data }) => (type === "message_sent" ? [data.content] : []));
  };
  const first = post();
  await watch(server.url, {
    key: "a",
    videoId: "youtube:aaa",
    title: "Boats",
    remarks: { 65000: "Ask @claude of dawn." },
  });
  await first.line("#team: 1 note of Boats");
  await first.kill("SIGKILL");
  await using second = post();
  await watch(server.url, {
    key: "b",
    videoId: "youtube:aaa",
    title: "Boats",
    remarks: { 0: "Boats leave with the tide." },
  });
  await second.line("#team: 1 note of Boats");
  expect(await messages()).toEqual([
    "1:05  Ask ＠claude of dawn.\nBoats: https://www.youtube.com/watch?v=aaa&t=65s",
    "0:00  Boats leave with the tide.\nBoats: https://www.youtube.com/watch?v=aaa&t=0s",
  ]);
});

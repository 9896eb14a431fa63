/** `continuo live …`, as a person uses it. */

import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inflateRawSync } from "node:zlib";
import { openLive } from "@continuo/core/client/live";
import { expect, test } from "vitest";
import { background, serve } from "./background.ts";
import { createHome, run } from "./home.ts";

test("the demonstration needs no server, no browser and no model, and prints notes", async () => {
  using home = createHome();
  const { code, stdout, stderr } = await run(home, ["live", "demo", "--speed", "100"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("narrator: The harbour of this town was built in 1872");
  expect(stdout).toMatch(/The session is closed\. Its \d+ notes:\n\n0:00/u);
  const json = await run(home, ["live", "demo", "--speed", "100", "--json"]);
  const frames = json.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(frames[0]?.type).toBe("hello");
  expect(frames.at(-1)).toMatchObject({ type: "end", session: { state: "closed", depth: 0 } });
});

test("sessions of a server are listed and verified, their notes are printed, and an undamaged one is not repaired", async () => {
  using home = createHome();
  const { server, env } = await serve(home);
  await using _server = server;
  expect(
    (await run(home, ["live", "demo", "--speed", "100", "--server", env.CONTINUO_SERVER ?? ""])).code,
  ).toBe(0);
  const listed = await run(home, ["live", "list", "--json"], { env });
  const { sessions } = JSON.parse(listed.stdout) as { sessions: { key: string; state: string }[] };
  expect(sessions).toMatchObject([{ state: "closed" }]);
  const key = sessions[0]?.key ?? "";
  expect((await run(home, ["live", "list"], { env })).stdout).toContain(key);
  expect((await run(home, ["live", "verify", key], { env })).stdout).toContain(
    "events are as they were written",
  );
  expect((await run(home, ["live", "notes", key], { env })).stdout).toMatch(/^0:00/u);
  const repair = await run(home, ["live", "repair", key], { env });
  expect([repair.code, repair.stderr]).toEqual([5, expect.stringContaining("closed, and not degraded")]);
  expect((await run(home, ["live", "notes", "nowhere"], { env })).code).toBe(3);
});

test("a changed byte hides no note; verify names the damaged event, and repair leaves it out", async () => {
  using home = createHome();
  const file = join(home.path, "notes.db");
  const server = background(home, [
    "serve",
    "--store",
    `sqlite:${file}`,
    "--listen",
    "127.0.0.1:0",
    "--no-auth",
  ]);
  await using _server = server;
  const url = /http:\S+/u.exec(await server.line("listens on"))?.[0] ?? "";
  const env = { CONTINUO_SERVER: url };
  const client = await openLive({ serverUrl: url, key: "k", videoId: "v" });
  await client.add({ type: "remark_added", text: "The harbour opens at dawn.", mediaTimeMs: 0 });
  await client.add({ type: "remark_added", text: "Boats leave with the tide.", mediaTimeMs: 60_000 });
  client.close();
  const notes = (): ReturnType<typeof run> => run(home, ["live", "notes", "k"], { env });
  await expect.poll(async () => (await notes()).stdout, { timeout: 30_000 }).toContain("tide");
  const database = new DatabaseSync(file);
  database.exec("update events set payload = replace(payload, 'tide', 'king') where type = 'remark_added'");
  database.close();

  const verified = await run(home, ["live", "verify", "k"], { env });
  expect([verified.code, verified.stdout]).toEqual([
    4,
    expect.stringMatching(/the event \d+ was changed after it was written/u),
  ]);
  expect(verified.stderr).toContain("`continuo live repair k`");
  expect((await run(home, ["live", "list"], { env })).stdout).toContain("degraded");
  expect((await notes()).stdout).toMatch(
    /^0:00 {2}The harbour.*\n1:00 \(from damaged events: \d+\) {2}Boats leave/u,
  );
  const exported = (await run(home, ["live", "export", "k"], { env })).stdout;
  expect(exported).toContain("Boats leave with the tide");
  expect(exported).not.toContain("king");
  const repaired = await run(home, ["live", "repair", "k"], { env });
  expect(repaired.stdout).toMatch(
    /^put aside the event \d+ \(remark_added\): .*\nrepaired; the session is /u,
  );
  expect((await run(home, ["live", "verify", "k"], { env })).stdout).toContain("1 put aside by a repair");
});

test("a note is removed, and restored by the command that is printed", async () => {
  using home = createHome();
  const { server, env } = await serve(home);
  await using _server = server;
  const token = readFileSync(join(home.path, ".continuo", "server-token"), "utf8").trim();
  const client = await openLive({ serverUrl: env.CONTINUO_SERVER ?? "", token, key: "my tab", videoId: "v" });
  await client.add({ type: "remark_added", text: "The harbour opens at dawn.", mediaTimeMs: 0 });
  const live = (...args: readonly string[]): ReturnType<typeof run> => run(home, ["live", ...args], { env });
  const notes = async (): Promise<string> => (await live("notes", "my tab", "--ids")).stdout;
  await expect.poll(notes, { timeout: 30_000 }).toContain("The harbour");
  const before = await notes();
  const [noteId = ""] = before.split(" ");
  const removed = await live("remove", "my tab", noteId);
  expect(removed.stdout).toBe(`removed; \`continuo live undo 'my tab' ${noteId}\` brings it back\n`);
  expect(await notes()).toBe("");
  expect((await live("undo", "my tab", noteId)).stdout).toBe("undone\n");
  expect(await notes()).toBe(before);
  expect((await live("undo", "my tab", noteId)).code).toBe(5);
  client.close();
});

test("a session and its video are removed, and restored by the commands that are printed", async () => {
  using home = createHome();
  const { server, env } = await serve(home);
  await using _server = server;
  const token = readFileSync(join(home.path, ".continuo", "server-token"), "utf8").trim();
  const client = await openLive({ serverUrl: env.CONTINUO_SERVER ?? "", token, key: "my tab", videoId: "v" });
  await client.add({ type: "remark_added", text: "The harbour opens at dawn.", mediaTimeMs: 0 });
  await client.end();
  client.close();
  const live = (...args: readonly string[]): ReturnType<typeof run> => run(home, ["live", ...args], { env });
  for (const flag of ["--session", "--video"]) {
    const removed = await live("remove", "my tab", flag);
    expect(removed.stdout).toMatch(
      new RegExp(
        `^removed 1 session; until 2\\S+Z, \`continuo live undo 'my tab' ${flag}\` brings it back\n$`,
        "u",
      ),
    );
    expect((await live("list")).stdout).toBe("");
    expect((await live("list", "--removed")).stdout).toMatch(/^until \S+Z {2}my tab\n$/u);
    const hidden = await live("notes", "my tab");
    expect([hidden.code, hidden.stderr]).toEqual([3, expect.stringContaining("was removed")]);
    expect((await live("undo", "my tab", flag)).stdout).toBe("brought back my tab\n");
    expect((await live("notes", "my tab")).stdout).toContain("The harbour");
  }
  expect((await live("undo", "my tab", "--session")).code).toBe(3);
  for (const wrong of [[], ["n", "--session"], ["--session", "--video"]])
    expect((await live("remove", "my tab", ...wrong)).code).toBe(2);
});

test("text from others cannot control the terminal", async () => {
  using home = createHome();
  const server = background(home, ["serve", "--listen", "127.0.0.1:0", "--no-auth"]);
  await using _server = server;
  const url = /http:\S+/u.exec(await server.line("listens on"))?.[0] ?? "";
  const client = await openLive({ serverUrl: url, key: "a\u001b[2Jb", videoId: "v" });
  await client.add({ type: "transcript_added", text: "one two \u001b[31mthree\nfour", mediaTimeMs: 0 });
  await client.end();
  client.close();
  const env = { CONTINUO_SERVER: url };
  for (const args of [
    ["live", "list"],
    ["live", "notes", "a\u001b[2Jb"],
  ]) {
    const { code, stdout } = await run(home, args, { env });
    expect(code).toBe(0);
    expect(stdout).not.toContain("\u001b");
  }
});

test("a session is replayed and exported as Markdown, HTML, JSON and a ZIP archive that only the user can read", async () => {
  using home = createHome();
  const server = background(home, ["serve", "--listen", "127.0.0.1:0", "--no-auth"]);
  await using _server = server;
  const url = /http:\S+/u.exec(await server.line("listens on"))?.[0] ?? "";
  const env = { CONTINUO_SERVER: url };
  const client = await openLive({ serverUrl: url, key: "k", videoId: "v" });
  const full = await client.addPicture(Buffer.from(LARGE), "image/webp");
  // The picture is so large that it is stored in a separate file, which is lost afterwards.
  const lost = await client.addPicture(Buffer.alloc(300_000), "image/png");
  const thumbnail = await client.addPicture(Buffer.from(SMALL), "image/avif");
  const { sequences } = await client.add(
    { type: "transcript_added", text: SAID, mediaTimeMs: 0, lang: "en" },
    { type: "frame_captured", mediaTimeMs: 0, full, thumbnail },
    { type: "frame_captured", mediaTimeMs: 1, full: lost },
  );
  await client.end();
  client.close();
  for (const name of readdirSync(home.path, { recursive: true, encoding: "utf8" })) {
    if (/-blobs\/..\/./u.test(name)) rmSync(join(home.path, name));
  }
  expect((await run(home, ["live", "replay", "k"], { env })).stdout).toBe("1 of 1 agree: 100 %\n");
  expect((await run(home, ["live", "replay", "k", "--model", "--json"], { env })).stdout).toContain(
    '"agreement":1',
  );
  expect((await run(home, ["live", "replay", "k", "--model"], { env })).stdout).toBe(
    "1 of 1 agree: 100 %\npage: no model wrote one, so it is not written again\n",
  );
  const bare = await run(home, ["live", "replay", "k", "--model", "--without-context"], { env });
  expect([bare.code, bare.stdout]).toEqual([
    0,
    expect.stringMatching(/^the writer wrote no note without its context\n/u),
  ]);
  expect((await run(home, ["live", "export", "k"], { env })).stdout).toContain(SAID);
  for (const format of ["html", "json", "zip"]) {
    const file = join(home.path, `out.${format}`);
    const { code, stderr } = await run(home, ["live", "export", "k", "--output", file], { env });
    const leftOut = "left out: 1 picture (removed, damaged, or over 32 MB)\n";
    expect([code, stderr]).toEqual([
      0,
      `wrote 1 note and 3 pieces of evidence\n${format === "zip" ? leftOut : ""}`,
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(home, ["live", "export", "k", "--output", file], { env })).code).toBe(5);
  }
  const html = readFileSync(join(home.path, "out.html"), "utf8");
  expect(html).toContain(SAID);
  expect(JSON.parse(readFileSync(join(home.path, "out.json"), "utf8"))).toMatchObject({
    session: { key: "k", state: "closed" },
    notes: [{ text: SAID, status: "written" }],
    evidence: [
      { type: "transcript_added", sequence: sequences[0], data: { text: SAID } },
      { type: "frame_captured", sequence: sequences[1], data: { full: { hash: full.hash } } },
      { type: "frame_captured", sequence: sequences[2], data: { full: { hash: lost.hash } } },
    ],
  });
  const archive = unpacked(readFileSync(join(home.path, "out.zip")));
  const [frame = ""] = /frames\/[\d-]+\.\d{3}(?=-full\.webp)/u.exec(archive["notes.md"] ?? "") ?? [];
  expect(Object.keys(archive)).toEqual([
    ...["notes.html", "session.json", "evidence.jsonl"],
    ...[`${frame}-full.webp`, `${frame}-thumbnail.avif`, "notes.md"],
  ]);
  // The page contains each of its pictures once.
  const embedded = `data:image/avif;base64,${Buffer.from(SMALL).toString("base64")}`;
  expect(html.split(embedded)).toHaveLength(2);
  expect(html.split("<img")).toHaveLength(2);
  expect(archive["notes.html"]).toBe(html);
  expect(archive[`${frame}-full.webp`]).toBe(LARGE);
  expect(archive[`${frame}-thumbnail.avif`]).toBe(SMALL);
  expect(archive["evidence.jsonl"]?.trimEnd().split("\n")).toHaveLength(3);
});

const SAID = "The harbour opens at dawn.";
/** The pictures begin with the bytes of their types. */
const LARGE = "RIFF....WEBP a large picture";
const SMALL = "....ftyp a small one";

/** Returns the entries of an archive's directory, as text. */
function unpacked(archive: Buffer): Readonly<Record<string, string>> {
  const entries: Record<string, string> = {};
  let at = archive.readUInt32LE(archive.length - 6);
  for (let left = archive.readUInt16LE(archive.length - 12); left > 0; left--) {
    const [nameSize, packedSize] = [archive.readUInt16LE(at + 28), archive.readUInt32LE(at + 20)];
    const data = archive.readUInt32LE(at + 42) + 30 + nameSize;
    const bytes = archive.subarray(data, data + packedSize);
    const isPacked = archive.readUInt16LE(at + 10) === 8;
    const name = archive.subarray(at + 46, at + 46 + nameSize).toString();
    entries[name] = (isPacked ? inflateRawSync(bytes) : bytes).toString();
    at += 46 + nameSize;
  }
  return entries;
}

/** `continuo live …`, as a person uses it. */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLive } from "../../src/client/live/index.ts";
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

test("sessions of a server are listed and verified, their notes are printed, and a sound one is not repaired", async () => {
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

test("what others said cannot control the terminal", async () => {
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
  await client.add({
    type: "transcript_added",
    text: "The harbour opens at dawn.",
    mediaTimeMs: 0,
    lang: "en",
  });
  await client.end();
  client.close();
  expect((await run(home, ["live", "replay", "k"], { env })).stdout).toBe("1 of 1 agree: 100 %\n");
  expect((await run(home, ["live", "replay", "k", "--model", "--json"], { env })).stdout).toContain(
    '"agreement":1',
  );
  expect((await run(home, ["live", "export", "k"], { env })).stdout).toContain("The harbour opens at dawn.");
  for (const format of ["html", "json", "zip"]) {
    const file = join(home.path, `out.${format}`);
    expect((await run(home, ["live", "export", "k", "--output", file], { env })).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(home, ["live", "export", "k", "--output", file], { env })).code).toBe(5);
  }
  expect(readFileSync(join(home.path, "out.zip")).subarray(0, 2).toString()).toBe("PK");
});

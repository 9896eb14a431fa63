/** `continuo serve` as a process, and `continuo token` while it runs. */

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, expect, test } from "vitest";
import { AhpClient } from "../ahp/client.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledCommand } from "../sizes/shared-programs.ts";
import { CLAUDE_ID, claudeFile, claudeText, type Run } from "./home.ts";
import { runHere } from "./in-process.ts";

let command: string;
const home = scratchFolder("serve");
const bin = join(home, "bin");
const env = {
  PATH: `${bin}:${process.env.PATH ?? ""}`,
  HOME: home,
  CONTINUO_HOME: home,
  DISPLAY: ":0",
  TERMINAL: "xterm",
};
const running = new Set<ChildProcess>();
beforeAll(async () => {
  command = await bundledCommand();
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

interface Served {
  readonly url: string;
  readonly tokenFile: string | null;
  readonly editorSocket: string | null;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

async function serve(...flags: string[]): Promise<Served> {
  const args = [command, "serve", "--listen", "127.0.0.1:0", "--json", ...flags];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", () => reject(new Error("serve ended")));
  });
  return { ...(JSON.parse(line) as Pick<Served, "url" | "tokenFile" | "editorSocket">), child, ended };
}

/** Runs a command that ends, with the home of the server. */
function run(...args: string[]): Promise<Run> {
  return runHere({ path: home }, args, { env });
}

function get(url: string, token?: string, method = "GET"): Promise<Response> {
  return fetch(url, { method, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
}

test("serve creates a private token once, and ends with 0 on SIGTERM, after it asked live streams to reconnect", async () => {
  const first = await serve();
  expect(first.tokenFile).toBe(join(home, "server-token"));
  expect(statSync(first.tokenFile ?? "").mode & 0o777).toBe(0o600);
  const token = readFileSync(first.tokenFile ?? "", "utf8").trim();
  expect((await get(`${first.url}/v1/stream/channels/team`, token, "PUT")).status).toBe(201);
  expect((await get(`${first.url}/healthz`)).status).toBe(200);
  expect((await get(`${first.url}/readyz`)).status).toBe(200);
  const sse = await get(`${first.url}/v1/stream/channels/team?offset=-1&live=sse`, token);
  const text = sse.text();
  first.child.kill("SIGTERM");
  expect(await text).toContain("retry: 1000");
  expect(await first.ended).toBe(0);
  const second = await serve();
  expect(readFileSync(second.tokenFile ?? "", "utf8").trim()).toBe(token);
  expect((await get(`${second.url}/v1/stream/channels/team`, token)).status).toBe(200);
  second.child.kill("SIGINT");
  expect(await second.ended).toBe(0);
});

test("a token is created, listed without its secret, used and revoked while the server runs", async () => {
  const { url } = await serve();
  const made = await run(
    "token",
    "create",
    "--scope",
    "channel:team:read,write",
    "--handle",
    "ada",
    "--expires",
    "1h",
  );
  expect(made.code).toBe(0);
  const secret = made.stdout.trim();
  expect((await get(`${url}/v1/stream/channels/team`, secret)).status).toBe(200);
  expect((await get(`${url}/v1/stream/channels/other`, secret)).status).toBe(403);
  const list = await run("token", "list", "--json");
  expect(list.stdout).not.toContain(secret.slice(-20));
  const tokens = JSON.parse(list.stdout) as readonly {
    tokenId: string;
    handle: string | null;
    state: string;
  }[];
  const ada = tokens.find(({ handle }) => handle === "ada");
  expect(ada?.state).toBe("active");
  // A page of this server, with the token of this machine.
  const page = await run("view", "--no-open", "--json", `${url}/#/channels/team`);
  const opened = new URL((JSON.parse(page.stdout) as { readonly url: string }).url);
  expect([opened.hostname, opened.port, opened.hash]).toEqual([
    expect.stringMatching(/^continuo-[\da-f]{32}\.localhost$/u),
    new URL(url).port,
    expect.stringMatching(/^#code=continuo_.*\/channels\/team$/u),
  ]);
  const listed = await (await run("token", "list")).stdout;
  expect(listed).toContain("channel:team:read,write");
  expect(listed).toMatch(/continuo:loopback .*\n {2}\S+ +active .*code of a page/u);
  expect((await run("token", "revoke", ada?.tokenId ?? "")).code).toBe(0);
  await expect
    .poll(async () => (await get(`${url}/v1/stream/channels/team`, secret)).status, { timeout: 10_000 })
    .toBe(401);
});

test("serve without tokens prints a warning, and works only on loopback", async () => {
  const { url, tokenFile, child } = await serve("--no-auth");
  let err = "";
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  expect(tokenFile).toBe(null);
  expect((await get(`${url}/v1/stream/open`, undefined, "PUT")).status).toBe(201);
  await expect.poll(() => err, { timeout: 10_000 }).toContain("warning: no token is required");
  const refused = await run("serve", "--no-auth", "--listen", "0.0.0.0:0");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("loopback")]);
  const unprotected = await run("serve", "--listen", "0.0.0.0:0");
  expect([unprotected.code, unprotected.stderr]).toEqual([2, expect.stringContaining("without TLS")]);
});

test("an editor reaches the agent host through a private socket of serve, until serve ends, but not behind a proxy", async () => {
  for (const flags of [[], ["--no-auth"]]) {
    const { editorSocket, tokenFile, child, ended } = await serve(...flags);
    expect([editorSocket, tokenFile === null]).toEqual([join(home, "viewer/vscode"), flags.length > 0]);
    expect(statSync(join(home, "viewer")).mode & 0o777).toBe(0o700);
    const editor = new AhpClient(`unix:${editorSocket}`, "no token", "editor");
    await editor.open();
    expect(await editor.ask("listSessions", { channel: "ahp-root://" })).toMatchObject({ items: [] });
    editor.cut();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(existsSync(editorSocket ?? "")).toBe(false);
  }
  expect((await serve("--public-url", "http://continuo.example")).editorSocket).toBe(null);
});

test("a token file that others can read, or that has a token of another store, is refused", async () => {
  const file = join(home, "other-token");
  writeFileSync(file, "continuo_x_y\n");
  chmodSync(file, 0o644);
  const readable = await run("serve", "--listen", "127.0.0.1:0", "--token-file", file);
  expect([readable.code, readable.stderr]).toEqual([
    2,
    expect.stringContaining("can be read by other users"),
  ]);
  chmodSync(file, 0o600);
  const foreign = await run("serve", "--listen", "127.0.0.1:0", "--token-file", file);
  expect([foreign.code, foreign.stderr]).toEqual([5, expect.stringContaining("not known to this store")]);
  expect(readFileSync(file, "utf8")).toBe("continuo_x_y\n");
});

test("limits come from continuo.yaml in the home, and from flags, which have priority", async () => {
  const file = join(home, "continuo.yaml");
  writeFileSync(file, "server: { limits: { request_bytes: 2000, blob_bytes: 10 } }\n");
  try {
    const { url, tokenFile } = await serve("--limit", "request_bytes=1024");
    const token = readFileSync(tokenFile ?? "", "utf8").trim();
    await get(`${url}/v1/stream/limited`, token, "PUT");
    const post = async (path: string, size: number): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
      return (await fetch(`${url}${path}`, { method: "POST", headers, body: new Uint8Array(size) })).status;
    };
    expect(await post("/v1/stream/limited", 1_024)).toBe(204);
    expect(await post("/v1/stream/limited", 1_025)).toBe(413);
    expect(await post("/v1/blobs", 11)).toBe(413);
    writeFileSync(file, "server: { limits: { request_bytes: 1 } }\n");
    const refused = await run("serve", "--listen", "127.0.0.1:0");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("continuo.yaml:1")]);
  } finally {
    rmSync(file);
  }
});

test("flags without an effect are usage errors", async () => {
  for (const args of [
    ["serve", "--listen", "4747"],
    ["serve", "--listen", "127.0.0.1:99999"],
    ["serve", "--origin", "https://app.example/"],
    ["serve", "--origin", "*"],
    ["serve", "--origin", "chrome-extension://"],
    ["serve", "--origin", "chrome-extension://abc/x"],
    ["serve", "--public-url", "ftp://x"],
    ["serve", "--limit", "conections=5"],
    ["serve", "--limit", "connections=0"],
    ["serve", "--limit", "connections"],
    ["token", "create"],
    ["token", "create", "--scope", "everything"],
    ["token", "create", "--scope", "channel:team:read,write"],
    ["token", "create", "--scope", "admin", "--expires", "soon"],
    ["token", "create", "--scope", "admin", "--handle", "a:b"],
    ["token", "create", "--scope", "admin", "--label", "continuo:page"],
  ]) {
    expect([args.join(" "), (await run(...args)).code]).toEqual([args.join(" "), 2]);
  }
});

test("a server opens terminals on its screen, unless --public-url says that others reach it", async () => {
  const line = { uuid: "u1", parent: null, role: "user", content: "Hi", time: "10:00:00" } as const;
  const file = join(home, claudeFile(CLAUDE_ID));
  for (const folder of [bin, dirname(file)]) mkdirSync(folder, { recursive: true });
  writeFileSync(file, claudeText(CLAUDE_ID, [line]).replaceAll("/home/ann/app", home));
  writeFileSync(join(bin, "xterm"), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 });
  writeFileSync(join(bin, "claude"), "#!/bin/sh\n", { mode: 0o755 });
  const asked = async ({ url, tokenFile }: Served): Promise<readonly unknown[]> => {
    const authorization = `Bearer ${readFileSync(tokenFile ?? "", "utf8").trim()}`;
    const session = `${url}/v1/machine/sessions/claude:${CLAUDE_ID}`;
    const offer = await fetch(`${session}/resume`, { headers: { authorization } });
    const headers = { authorization, "content-type": "application/json" };
    const opened = await fetch(`${session}/terminal`, { method: "POST", headers, body: "{}" });
    return [((await offer.json()) as { readonly terminal: unknown }).terminal, opened.status];
  };
  expect(await asked(await serve())).toEqual(["xterm", 200]);
  expect(await asked(await serve("--public-url", "https://continuo.example"))).toEqual([null, 501]);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { viewerFolderOf } from "../sockets/index.ts";
import { answerCommands, askRunning, type ViewerRequest } from "./running-viewer.ts";

let home: string;
let places: { readonly home: string; readonly env: Record<string, string> };
beforeEach(() => {
  home = scratchFolder("c-run");
  places = { home, env: { CONTINUO_HOME: home } };
});

const REQUEST: ViewerRequest = { work: "w", access: "write" };
const VIEWER = { origin: "http://127.0.0.1:4748", code: "c" };

const answering = (more: Partial<ViewerRequest> = {}, code = "c"): Promise<AsyncDisposable> =>
  answerCommands(
    { ...REQUEST, ...more },
    async ({ access }) => ({ ...VIEWER, code: `${code} ${access}` }),
    places,
  );
const askedFor = async (more: Partial<ViewerRequest> = {}): Promise<string | null> =>
  (await askRunning({ ...REQUEST, ...more }, places))?.code ?? null;

test("a command gets an address from the viewer that runs, by a socket that only its user can reach", async () => {
  await using _viewer = await answering();
  expect(await askRunning(REQUEST, places)).toEqual({ ...VIEWER, code: "c write" });
  expect(await askedFor({ access: "read" })).toBe("c read");
  expect(statSync(viewerFolderOf(places)).mode & 0o777).toBe(0o700);
});

test("a command gets nothing without a viewer, after its end, from one of another store and for more than one offers", async () => {
  expect(await askedFor()).toBeNull();
  {
    await using _viewer = await answering({ access: "read" });
    expect([await askedFor(), await askedFor({ access: "read", work: "other" })]).toEqual([null, null]);
    expect(await askedFor({ access: "read" })).toBe("c read");
  }
  expect(await askedFor()).toBeNull();
  expect(readdirSync(viewerFolderOf(places))).toEqual([]);
});

test("the socket of a viewer that was killed is taken over, and that of one that runs is not", async () => {
  const path = join(viewerFolderOf(places), "socket");
  const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  await once(spawn(process.execPath, ["-e", script], { stdio: "ignore" }), "exit");
  expect(existsSync(path)).toBe(true);
  await using _first = await answering();
  {
    await using _second = await answering({}, "second");
    expect(await askedFor()).toBe("c write");
  }
  expect(await askedFor()).toBe("c write");
});

test("what is no wish gets no answer, and ends no viewer", async () => {
  await using _viewer = await answering();
  for (const said of ["", "{}", "x".repeat(10_000), JSON.stringify({ ...REQUEST, more: 1 })]) {
    const socket = connect(join(viewerFolderOf(places), "socket"));
    socket.on("error", () => undefined).end(said);
    let heard = "";
    socket.setEncoding("utf8").on("data", (part) => {
      heard += part;
    });
    await new Promise((resolve) => socket.once("close", resolve));
    expect(heard).toBe("");
  }
  expect(await askedFor()).toBe("c write");
});

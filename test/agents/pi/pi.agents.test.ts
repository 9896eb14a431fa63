/**
 * The real pi holds conversations. Continuo reads the files that it wrote and computes what the model receives when
 * they are resumed; then pi resumes them. The tests run in order and continue each other's sessions.
 */

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatOf, listNativeSessions, openNativeSession, type Places } from "@continuo/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asText, type ModelServer, startModelServer } from "../../model-servers/index.ts";
import { isWanted, PINNED } from "../install.ts";
import { type Item, normaliseView } from "../items.ts";
import { PICTURE } from "../picture.ts";
import { countKinds, expectUnchangedByReading, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { FILES, SAID, SCRIPT, SUMMARY } from "./conversation.ts";
import { entryIdsIn, openPi, type Pi, type PiTalk, type PiVersion } from "./driver.ts";
import { createOwnReader, type OwnReader } from "./own-reader.ts";

const CASES = fileURLToPath(new URL("../../formats/pi/", import.meta.url));
const VERSIONS = (["pi", "pi087", "pi073"] as const).filter((version) => isWanted(PINNED[version]));

let sandbox: Sandbox;
let server: ModelServer;
let pi: Pi;
let places: Places;
let own: OwnReader;

async function setUp(version: PiVersion): Promise<void> {
  sandbox = await makeSandbox();
  for (const [path, content] of FILES) await sandbox.write(path, content);
  await sandbox.write("project/leaf.png", Buffer.from(PICTURE, "base64"));
  server = await startModelServer(SCRIPT);
  pi = await openPi(sandbox, server.url, version);
  places = { home: sandbox.root, env: { PI_CODING_AGENT_DIR: pi.home } };
  own = createOwnReader(sandbox, pi, version);
}

async function tearDown(): Promise<void> {
  await server?.close();
  await sandbox?.[Symbol.asyncDispose]();
}

/** Sends prompts in a new session and returns its file. */
async function hold(talk: (talk: PiTalk) => Promise<void>): Promise<string> {
  await using started = pi.talk();
  await talk(started);
  return await started.sessionFile();
}

/** Resumes a session with pi and compares. */
async function prove(file: string): Promise<readonly Item[]> {
  const sessionId = await idOf(file);
  const resume = async (words: string): Promise<void> => {
    await using talk = pi.talk({ session: file });
    await talk.say(words);
  };
  return await proveResumption({ agent: "pi", places, sessionId, server, resume });
}

async function idOf(file: string): Promise<string> {
  return asText(JSON.parse((await readFile(file, "utf8")).split("\n")[0] ?? "").id);
}

/** Returns the items that both readers can know: without thinking, and without results that only an API requires. */
async function compared(file: string, theirs: readonly Item[]): Promise<void> {
  using session = await openNativeSession(file, { places });
  const history = await Array.fromAsync(session.history());
  const view = (await formatOf("pi")).modelView(history).filter((message) => message.metadata.records);
  const ours = normaliseView(view, { tellsErrors: true });
  expect(ours.filter((item) => item.kind !== "thinking" && item.kind !== "other")).toEqual(theirs);
}

describe.each(VERSIONS)("%s", (version) => {
  beforeAll(() => setUp(version));
  afterAll(tearDown);

  let main = "";

  test("text, thinking, parallel calls, errors, images", async () => {
    main = await hold(async (talk) => {
      await talk.say(SAID.compare);
      await talk.request("set_session_name", { name: "Two notes" });
      await talk.say(SAID.look, [{ mimeType: "image/png", data: PICTURE }]);
      await talk.say(SAID.lookYourself);
    });
    const items = await prove(main);
    expect(countKinds(items)).toMatchObject({ thinking: 2, call: 5, result: 5, image: 2 });
  });

  test("a fork, which does not change its source session", async () => {
    const before = await readFile(main);
    await using talk = pi.talk({ session: main });
    const entryId = (await entryIdsIn(main)).get(SAID.lookYourself) ?? "";
    await talk.request("fork", { entryId });
    await talk.say(SAID.instead);
    const fork = await talk.sessionFile();
    expect(await readFile(main)).toEqual(before);
    expect(countKinds(await prove(fork))).toMatchObject({ call: 4, image: 1 });
    using session = await openNativeSession(fork, { places });
    expect(session.details.forkedFrom).toBe(await idOf(main));
    expect(session.problems).toEqual([]);
  });

  test("a fork after a label: 0.73.1 loses the messages before the label, and Continuo reports it", async () => {
    const fork = await hold(async (talk) => {
      await talk.say(SAID.compare);
      const ids = await entryIdsIn(await talk.sessionFile());
      await talk.extension("label", { on: ids.get(SAID.compare) ?? "", label: "here" });
      await talk.say(SAID.more);
      await talk.say(SAID.instead);
      const entryId = (await entryIdsIn(await talk.sessionFile())).get(SAID.instead) ?? "";
      await talk.request("fork", { entryId });
      await talk.say(SAID.after);
    });
    const items = await prove(fork);
    const isCut = version === "pi073";
    expect(items[0]).toEqual({ kind: "text", role: "user", text: isCut ? SAID.more : SAID.compare });
    using session = await openNativeSession(fork, { places });
    expect(session.problems.map(({ code }) => code)).toEqual(isCut ? ["dangling_parent"] : []);
  });

  test("branches: the person went back twice, the second time with a summary and a label", async () => {
    const file = await hold(async (talk) => {
      await talk.say(SAID.compare);
      await talk.say(SAID.more);
      const to = (await entryIdsIn(await talk.sessionFile())).get("One says first, the other second.") ?? "";
      await talk.extension("label", { on: to, label: "the answer" });
      await talk.extension("go", { to });
      await talk.say(SAID.instead);
      await talk.extension("go", { to, summarize: true });
      await talk.say(SAID.after);
    });
    const items = await prove(file);
    expect(items.filter((item) => item.kind === "text" && item.text.includes(SUMMARY))).toHaveLength(1);
    using session = await openNativeSession(file, { places });
    expect(session.leaves).toHaveLength(3);
    expect(session.problems).toEqual([]);
  });

  test("two compactions, with turns after them", async () => {
    const file = await hold(async (talk) => {
      for (const words of [SAID.compare, SAID.more, SAID.instead]) await talk.say(words);
      await talk.request("compact");
      for (const words of [SAID.after, SAID.more]) await talk.say(words);
      await talk.request("compact");
      await talk.say(SAID.instead);
    });
    const items = await prove(file);
    expect(items[0]).toMatchObject({ kind: "text", text: expect.stringContaining(SUMMARY) });
    expect(items.length).toBeLessThan(8);
  });

  test("notes of an extension, shell commands", async () => {
    const file = await hold(async (talk) => {
      await talk.say(SAID.more);
      await talk.extension("note", { text: "A note from outside." });
      await talk.extension("state", { data: [1] });
      await talk.request("bash", { command: "cat one.txt; exit 4" });
      await talk.say(SAID.instead);
    });
    const items = await prove(file);
    expect(items).toContainEqual({ kind: "text", role: "user", text: "A note from outside." });
    expect(items).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining("The first note.") }),
    );
  });

  if (version !== "pi073")
    test("messages that are hidden from the model, and messages that are edited for it", async () => {
      const file = await hold(async (talk) => {
        await talk.say(SAID.more);
        await talk.request("bash", { command: "echo hidden", excludeFromContext: true });
        await talk.say(SAID.instead);
        const ids = await entryIdsIn(await talk.sessionFile());
        const replacement = { content: "Less." };
        await talk.extension("edit", { target: ids.get(SAID.more) ?? "", replacement });
        await talk.extension("edit", { target: ids.get("Something else, then.") ?? "", replacement: null });
        await talk.say(SAID.after);
      });
      const texts = (await prove(file)).map((item) => (item.kind === "text" ? item.text : item.kind));
      expect(texts).toEqual([
        "Less.",
        expect.any(String),
        SAID.instead,
        SAID.after,
        "We compared two notes.",
      ]);
    });

  test("an answer that failed, one that was interrupted, and a call that never ended", async () => {
    const file = await hold(async (talk) => {
      await talk.say(SAID.refused);
      const before = server.conversation().length;
      const said = talk.say(SAID.silent);
      while (server.conversation().length < before + 2) await new Promise((look) => setTimeout(look, 20));
      await talk.request("abort");
      await said;
    });
    expect(countKinds(await prove(file))).toMatchObject({ text: 2, call: 1, result: 1 });
    await using talk = pi.talk({ session: file });
    await talk.sayInVain(SAID.long);
    const items = await prove(file);
    expect(items.at(-1)).toMatchObject({ kind: "result", text: "No result provided" });
    using session = await openNativeSession(file, { places });
    expect(session.problems.map(({ code }) => code)).toEqual(["call_without_result"]);
  });

  if (version === "pi")
    test("thinking of another model is not sent on", async () => {
      const file = await hold(async (talk) => {
        await talk.say(SAID.compare);
        await talk.request("set_model", { provider: "scripted", modelId: "scripted-2" });
        await talk.say(SAID.more);
      });
      expect(countKinds(await prove(file))).not.toHaveProperty("thinking");
    });

  test("pi's own list has the same sessions, titles and folders", async () => {
    const theirs = await own.list();
    const ours = await listNativeSessions({ agents: ["pi"], places });
    const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
    expect(ours.map(({ sessionId, title, cwd }) => ({ id: sessionId, title, cwd })).sort(byId)).toEqual(
      theirs.toSorted(byId),
    );
    expect(theirs.length).toBeGreaterThan(5);
  });

  test("pi's own reader finds the same branch and the same messages", async () => {
    for (const { location } of await listNativeSessions({ agents: ["pi"], places })) {
      const theirs = await own.read(await readFile(location));
      using session = await openNativeSession(location, { places });
      expect(session.details.sessionId).toBe(theirs.id);
      const entries = await Array.fromAsync(session.entries());
      expect(entries.filter((entry) => entry.active).map((entry) => entry.id)).toEqual(theirs.path);
      await compared(location, theirs.items);
    }
  });

  if (version === "pi")
    test("pi's own reader reads the same in sessions written by hand", async () => {
      const files = readdirSync(CASES, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith(".jsonl"),
      );
      // pi would follow the circle in the damaged session for ever.
      for (const name of files.filter((name) => !name.startsWith("damaged/"))) {
        const theirs = await own.read(await readFile(join(CASES, name)));
        using session = await openNativeSession(join(CASES, name), { places });
        const active = (await Array.fromAsync(session.entries())).filter((entry) => entry.active);
        expect({ name, length: active.length }).toEqual({ name, length: theirs.path.length });
        await compared(join(CASES, name), theirs.items);
      }
      expect(files.length).toBeGreaterThan(9);
    });

  test("commands change nothing in a home of sessions that are 200 days old", async () => {
    const home = { path: pi.home, variable: "PI_CODING_AGENT_DIR" };
    // `check` of all sessions finds the call that never ended.
    await expectUnchangedByReading(sandbox, home, { sessionId: await idOf(main), checkCode: 4 });
  });
});

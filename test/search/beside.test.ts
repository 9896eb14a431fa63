/** The index follows all data outside of the session's own files on which a session's text and row depend. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Places } from "@continuo/agents";
import { updateTexts } from "@continuo/agents/catalog";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";
import { contentOf, LATER } from "./grown-home.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("beside");
});

/** Updates the index, and compares it with a new one. */
async function expectSame(home: Places): Promise<void> {
  const places = (name: string): Places => ({
    ...home,
    env: { ...home.env, CONTINUO_HOME: join(scratch, name) },
  });
  await updateTexts({ places: places("kept"), nowMs: LATER });
  rmSync(join(scratch, "anew"), { recursive: true, force: true });
  await updateTexts({ places: places("anew"), nowMs: LATER });
  expect(await contentOf(places("kept"))).toEqual(await contentOf(places("anew")));
}

/** The states of a file. */
const STATES = {
  whole: (path, bytes) => writeFileSync(path, bytes),
  half: (path, bytes) => writeFileSync(path, bytes.subarray(0, bytes.length >> 1)),
  empty: (path) => writeFileSync(path, ""),
  gone: (path) => rmSync(path, { force: true }),
  archived: (path, bytes) => {
    rmSync(path, { force: true });
    mkdirSync(archiveOf(path), { recursive: true });
    writeFileSync(join(archiveOf(path), basename(path)), bytes);
  },
} satisfies Readonly<Record<string, (path: string, bytes: Buffer) => void>>;

type State = keyof typeof STATES;

function archiveOf(path: string): string {
  return join(path.slice(0, path.indexOf("/sessions/")), "archived_sessions");
}

test("the index of a fork of Codex is right after its first file is lost, emptied, moved and restored", async () => {
  const { places, sessions } = await copyHome(scratch, ["codex", "fork"]);
  const files = sessions.map(({ location }) => ({ location, bytes: readFileSync(location) }));
  const change = async (file: number, state: State): Promise<void> => {
    const { location, bytes } = files[file] ?? { location: "", bytes: Buffer.alloc(0) };
    rmSync(join(archiveOf(location), basename(location)), { force: true });
    STATES[state](location, bytes);
    await expectSame(places);
  };
  for (const file of files.keys()) {
    for (const state of ["gone", "empty"] as const) {
      await change(file, state);
      await change(file, "whole");
    }
  }
  const changes = fc.array(
    fc.tuple(fc.nat({ max: files.length - 1 }), fc.constantFrom(...(Object.keys(STATES) as State[]))),
    { minLength: 2, maxLength: 4, size: "max" },
  );
  const property = fc.asyncProperty(changes, async (all) => {
    for (const [file, state] of all) await change(file, state);
  });
  await fc.assert(property, { numRuns: rounds(8) });
});

test.each([
  [
    ["codex", "title"],
    (location: string, id: string, title: string) =>
      writeFileSync(
        join(location.slice(0, location.indexOf("/sessions/")), "session_index.jsonl"),
        `${JSON.stringify({ id, thread_name: title })}\n`,
      ),
  ],
  [
    ["claude", "text-and-thinking"],
    (location: string, _: string, title: string) => {
      const folder = location.replace(/\.jsonl$/u, "");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "custom-title.json"), JSON.stringify({ customTitle: title }));
    },
  ],
] as const)(
  "a title that is given to a session of %s outside of its file shows in the index",
  async (one, rename) => {
    const { places, sessions } = await copyHome(scratch, one);
    const [session] = sessions;
    if (session === undefined) throw new Error("no session");
    await expectSame(places);
    for (const title of ["The first name", "Another name"]) {
      rename(session.location, session.sessionId, title);
      await expectSame(places);
      const kept = { ...places, env: { ...places.env, CONTINUO_HOME: join(scratch, "kept") } };
      expect(JSON.stringify(await contentOf(kept))).toContain(title);
    }
  },
);

test("a session of Claude Code that is archived beside its file is archived in the index", async () => {
  const { places, sessions } = await copyHome(scratch, ["claude", "text-and-thinking"]);
  await expectSame(places);
  const folder = sessions[0]?.location.replace(/\.jsonl$/u, "") ?? "";
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "archived.json"), '{"archived":true}');
  await expectSame(places);
});

test("a session of Gemini CLI whose project's folder is renamed has that folder in the index", async () => {
  const { places, sessions } = await copyHome(scratch, ["gemini", "text-and-thinking"]);
  await expectSame(places);
  const owner = join(dirname(dirname(sessions[0]?.location ?? "")), ".project_root");
  writeFileSync(owner, "/somewhere/else");
  await expectSame(places);
});

/** The facts of a long session that a server has before it reads the session. */

import { utimesSync } from "node:fs";
import { join } from "node:path";
import type { KnownSession, Outline, SessionHead } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { CLAUDE_ID, claudeFile } from "../cli/home.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS } from "../web/long-session.ts";
import { openMachine } from "./open-machine.ts";

const KEY = `/v1/machine/sessions/claude:${LONG_ID}`;

test("the next server knows the head and the outline of a long session, until the session changes", async () => {
  const home = homeWithLongSession("Everything that was seen. ".repeat(50_000));
  const file = join(home.path, claudeFile(LONG_ID));
  // A file that changed a moment ago may change again without a new time, so facts are stored only two seconds later.
  utimesSync(file, new Date("2026-07-01T12:00:00Z"), new Date("2026-07-01T12:00:00Z"));
  await using first = await openMachine(home);
  const known = (machine: typeof first): Promise<KnownSession> => machine.json(`${KEY}/known`);
  expect(await known(first)).toMatchObject({
    session: { key: `claude:${LONG_ID}` },
    head: null,
    outline: null,
  });
  // `handedOverFrom` is left out, because it is looked up among all other sessions.
  const { handedOverFrom: _, ...head }: SessionHead = await first.json(KEY);
  const read = (): Promise<Outline> => first.json(`${KEY}/outline?limit=500`);
  const outline = await read();
  expect(outline.total).toBe(LONG_TURNS);
  await using next = await openMachine(home);
  const isKnown = async (): Promise<unknown> => {
    await first.json(KEY);
    await read();
    // An earlier part of the outline does not replace its end.
    await first.json(`${KEY}/outline?limit=5&before=9`);
    const { head: knownHead, outline: knownOutline } = await known(next);
    return { head: knownHead, outline: knownOutline };
  };
  await expect.poll(isKnown).toEqual({ head, outline });
  const reader = await next.token(["machine:read"]);
  const shown = (await (await next.get(`${KEY}/known`, reader)).json()) as KnownSession;
  expect(shown.head?.readOnly).toBe("This page may only read.");
  await next.post(`${KEY}/marks`, { pinned: true });
  const pinned = await known(next);
  expect([pinned.session, pinned.head?.session].map((one) => one?.marks.pinned)).toEqual([true, true]);
  utimesSync(file, new Date("2026-07-01T13:00:00Z"), new Date("2026-07-01T13:00:00Z"));
  expect(await known(next)).toMatchObject({ head: null, outline: null });
});

test("a short session is read at once, and nothing of it is kept", async () => {
  await using machine = await openMachine();
  const key = `/v1/machine/sessions/claude:${CLAUDE_ID}`;
  await machine.json(key);
  expect(await machine.json(`${key}/known`)).toMatchObject({ head: null, outline: null });
});

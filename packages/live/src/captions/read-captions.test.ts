/** The captions of an outline, when a person changed the language of the captions while the video played. */

import { present } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { outlinePlace, readListed } from "./read-captions.ts";

test("the captions of an outline are of the newest listed language, also those listed before a change", async () => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const list = async (lang: string, startMs: number, text: string): Promise<void> => {
    const data = { lang, cues: [{ startMs, endMs: startMs + 2_000, text }] };
    await store.append(sessionId, [{ type: "captions_listed", actor: { kind: "system" }, data }]);
  };
  await list("en", 0, "Fold the dough.");
  await list("de", 0, "Den Teig falten.");
  await list("en", 4_000, "Let it rest.");
  const place = { sessions: [sessionId], isOfVideo: () => true };
  expect(await readListed(store, place)).toMatchObject({
    lang: "en",
    cues: [
      { startMs: 0, endMs: 2_000, text: "Fold the dough." },
      { startMs: 4_000, endMs: 6_000, text: "Let it rest." },
    ],
  });
});

test("an outline has the captions of earlier sessions of the same video, and none of the video before in the tab", async () => {
  await using store = await openStore("memory:");
  const open = async (sessionId: string, live: object): Promise<void> => {
    const { parentId } = live as { readonly parentId?: string };
    const metadata = { live: { key: "tab", ...live } };
    await store.createSession({ sessionId, metadata, ...present({ parentId }) });
  };
  await open("first", { videoId: "bread" });
  await open("again", { videoId: "bread", continues: "video", parentId: "first" });
  await open("next", { videoId: "cake", continues: "key", parentId: "again" });
  expect((await outlinePlace(store, "again")).sessions).toEqual(["again", "first"]);
  expect((await outlinePlace(store, "next")).sessions).toEqual(["next"]);
});

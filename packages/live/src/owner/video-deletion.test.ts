/** The sessions of a video are deleted with it. */

import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { deleteVideo } from "./video-deletion.ts";

test("a deleted video takes its own sessions with it, and no session of a video with a similar id", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  for (const videoId of ["talk", "talk-2", "my-talk"]) {
    await store.createSession({ sessionId: videoId, status: "active", metadata: { live: { videoId } } });
  }
  await store.createSession({ sessionId: "other", status: "active", metadata: {} });
  const forgotten: string[] = [];
  expect(await deleteVideo(store, "talk", async (sessionId) => void forgotten.push(sessionId))).toBe(1);
  expect(forgotten).toEqual(["talk"]);
  const left = (await store.listSessions({})).items.map(({ sessionId }) => sessionId);
  expect(left.toSorted()).toEqual(["my-talk", "other", "talk-2"]);
});

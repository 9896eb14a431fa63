/** Accessibility of the viewer: axe checks its pages in both themes, on a wide and on a narrow screen. */

import type { NewEvent, Store } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLAUDE_ID } from "../cli/home.ts";
import { liveTest } from "../live/live-session.ts";
import { violations } from "./axe.ts";
import { homeWithLongSession, LONG_ID, sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
  await fill(viewer.machine.store);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

/** A channel with a thread and a message that was interrupted, and a continuous session with a note of two versions. */
async function fill(store: Store): Promise<void> {
  const said = (id: string, more: object = {}): NewEvent => ({
    id,
    type: "message_sent",
    actor: { kind: id === "a" ? "person" : "agent", id: id === "a" ? "ann" : "claude" },
    data: { messageId: id, content: `The words of ${id}, with \`code\``, ...more },
  });
  const replies = ["b", "c", "d", "e"].map((id) => said(id, { replyTo: "a" }));
  const lost = { messageId: "f", content: "half", handle: "claude", reason: "the writer disappeared" };
  await store.createLog({ logId: "channels/team" });
  await store.append("channels/team", [
    ...[said("a"), ...replies, said("f", { state: "open" })],
    { type: "message_interrupted", actor: { kind: "system" }, data: lost },
  ]);
  await using live = await liveTest({ store });
  await live.service.open("k", { videoId: "talk" });
  const words = { type: "transcript_added", text: "The harbour opens", mediaTimeMs: 1_000 } as const;
  await live.send("k", words, { type: "frame_captured", mediaTimeMs: 2_000, description: "A pier" });
  await live.clock.advance(13_000);
  const [note] = await live.service.notes("k");
  await live.service.operate("k", note?.noteId ?? "", { operation: "accept" });
}

const OTHER_PAGES = [
  ["health", ".judgement :text('No session is hidden')"],
  ["channels", ".channel-line"],
  ["channels/team", ".post-note.warn"],
  ["live", ".channel-line"],
  ["live/k", ".note-card .evidence"],
] as const;

describe("accessibility", () => {
  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 360],
    ["dark", 360],
  ] as const)(
    "axe finds nothing in the list, a session, channels and continuous sessions, %s at %i px",
    async (theme, width) => {
      const { page, errors } = await viewer.open("/", { theme, width });
      await page.waitForSelector(".row");
      expect(await violations(page)).toEqual([]);
      await page.goto(`${viewer.machine.url}/#${sessionAddress(CLAUDE_ID)}`);
      await page.waitForSelector(".row-text");
      await page.waitForSelector(".facts bdi");
      expect(await violations(page)).toEqual([]);
      for (const tab of ["files", "details"]) {
        await page.goto(`${viewer.machine.url}/#${sessionAddress(LONG_ID)}/${tab}`);
        await page.waitForSelector(tab === "files" ? ".diff" : ".page-body .fields");
        expect(await violations(page)).toEqual([]);
      }
      for (const [place, shown] of OTHER_PAGES) {
        await page.goto(`${viewer.machine.url}/#/${place}`);
        await page.waitForSelector(shown);
        expect([place, await violations(page)]).toEqual([place, []]);
      }
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});

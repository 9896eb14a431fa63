/**
 * The look of the pages: pictures of them in both themes and three widths, compared with those in `pictures/`.
 */

import type { NewEvent, Store } from "@continuo/core/model";
import type { SessionsAtRisk } from "@continuo/core/wire/machine";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID } from "../cli/home.ts";
import { liveTest } from "../live/live-session.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer, signIn } from "./open-viewer.ts";
import { addFonts, openPictureBrowser } from "./picture-browser.ts";
import { Pictures } from "./pictures.ts";
import { SAMPLE_ID, sampleHome } from "./sample-home.ts";

const NOW = new Date("2025-01-06T12:00:00Z");

let viewer: OpenViewer;
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  const { browser } = stack.use(await openPictureBrowser());
  // Stored events get the time that the pictures show.
  const store = { now: () => NOW.getTime() };
  viewer = stack.use(await openViewer(sampleHome(), { browser, store }));
  await fill(viewer.machine.store);
});
afterAll(async () => {
  await stack.disposeAsync();
});

/** A channel with threads and a message that was interrupted, and a continuous session with notes. */
async function fill(store: Store): Promise<void> {
  const said = (id: string, who: string, content: string, more: object = {}): NewEvent => ({
    id,
    type: "message_sent",
    actor: { kind: who === "ann" ? "person" : "agent", id: who },
    data: { messageId: id, content, ...more },
  });
  const lost = {
    messageId: "f",
    content: "The times of white tea are",
    handle: "claude",
    reason: "the writer disappeared",
  };
  await store.createLog({ logId: "channels/tea" });
  await store.append("channels/tea", [
    said("a", "ann", "Which teas have no time yet?"),
    said("b", "claude", "Oolong and white tea: `src/brew.ts` knows **two** of four.", { replyTo: "a" }),
    said("c", "codex", "I look at the packets.", { replyTo: "a" }),
    said("d", "ann", "Thank you. Then we ask the shop."),
    said("e", "ann", "They open at ten."),
    said("f", "claude", "", { state: "open" }),
    { type: "message_interrupted", actor: { kind: "system" }, data: lost },
  ]);
  await using live = await liveTest({ store, startMs: NOW.getTime() });
  await live.service.open("harbour", { videoId: "harbour" });
  await live.send(
    "harbour",
    {
      type: "transcript_added",
      text: "The harbour opens at six, and the first boats go out.",
      mediaTimeMs: 1_000,
    },
    { type: "frame_captured", mediaTimeMs: 2_000, description: "A pier with three boats" },
  );
  await live.clock.advance(13_000);
  await live.send("harbour", { type: "transcript_added", text: "Then they come back.", mediaTimeMs: 14_000 });
  await live.clock.advance(13_000);
  const [note] = await live.service.notes("harbour");
  await live.service.operate("harbour", note?.noteId ?? "", { operation: "accept" });
}

const METRICS = `continuo_connections_open 3
continuo_requests_total{status="200"} 1204
continuo_requests_total{status="500"} 2
`;

const AT_RISK: SessionsAtRisk = {
  hidden: [
    {
      key: `claude:${SAMPLE_ID}`,
      agent: "claude",
      location: `/home/ann/.claude/projects/-home-ann-tea/${SAMPLE_ID}.jsonl`,
      title: "The timer is wrong for black tea",
      means: "It lies in the folder of another project than the one that its records name.",
      bringsBack: "The file moves to the folder of its project.",
      changes: "Its place.",
      detail: "It lies in -home-ann-tea, and its records name /home/ann/app.",
      canBeDone: true,
      command: null,
    },
  ],
  hiddenCount: 1,
  due: {
    days: 5,
    sessions: 3,
    withoutCopy: 2,
    rules: [
      {
        agent: "claude",
        rule: "cleanupPeriodDays is 30",
        sessions: 3,
        withoutCopy: 2,
        firstAt: "2025-01-08T09:30:00.000Z",
      },
    ],
  },
  isGuarded: false,
  notices: [],
};

const SAMPLE = sessionAddress(SAMPLE_ID);

/** A comparison of the two branches of a session. */
const COMPARED = `/compare/claude%3A${CLAUDE_ID}/claude%3A${CLAUDE_ID}?branch2=a2`;

const PAGES = [
  // Its rows are complete after their sessions were read.
  ["list", "/", ".rows:not(:has(.row:not(:has(.damaged)) .turns:empty)) .title"],
  ["session", `${SAMPLE}/turn/1`, ".turn-foot"],
  ["files", `${SAMPLE}/files`, ".diff"],
  ["compare", COMPARED, ".compare-cell.right .turn-foot"],
  ["channel", "/channels/tea", ".post-note.warn"],
  ["live", "/live/harbour", ".note-card .evidence"],
  ["health", "/health", ".hidden-session button"],
] as const;

const SCREENS = [
  [360, 640],
  [1024, 680],
  [1920, 720],
] as const;

async function openPage(): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await viewer.browser.newContext({
    timezoneId: "UTC",
    locale: "en-GB",
    reducedMotion: "reduce",
    deviceScaleFactor: 1,
    // The list folds its filters depending on its first width.
    viewport: { width: SCREENS[0][0], height: SCREENS[0][1] },
  });
  await context.clock.setFixedTime(NOW);
  await addFonts(context);
  // The numbers of a server that just started differ each time.
  await context.route("**/metrics", (route) => route.fulfill({ body: METRICS }));
  // The paths of a scratch home differ each time. The page accepts an answer only with the proof of its server.
  await context.route("**/v1/machine/at-risk", async (route) => {
    await route.fulfill({ response: await route.fetch(), json: AT_RISK });
  });
  const page = await context.newPage();
  await signIn(page, viewer.machine, "/");
  await page.evaluate("document.fonts.ready.then(() => undefined)");
  return { context, page };
}

test("the pages look as in their pictures, in both themes, on three screens", async () => {
  const pictures = new Pictures();
  const { context, page } = await openPage();
  for (const [width, height] of SCREENS) {
    await page.setViewportSize({ width, height });
    for (const [name, place, shown] of PAGES) {
      await page.evaluate(`location.hash = "#${place}"`);
      await page.waitForSelector(shown, { state: "attached" });
      await page.mouse.move(0, 0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await pictures.compare(page, `${name}-${width}-${colorScheme}`);
      }
    }
  }
  await context.close();
  expect(pictures.failures).toEqual([]);
});

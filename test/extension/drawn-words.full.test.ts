/**
 * Captions that a page draws word by word: each word is captured when it appears, so that the pause before it is known.
 */

import { expect, test } from "vitest";
import { openSite, openViewer, play } from "./harness.ts";
import { keysOf, serve } from "./served.ts";

const WORDS = "the harbour opens at dawn boats leave with the tide the lamp is lit at dusk".split(" ");
/** Sentences end after the fifth and the tenth word, with a pause of a third of a second. */
const PAUSES = new Set([5, 10]);
const TIMES: readonly number[] = WORDS.map(
  (_, n) => 600 + n * 260 + 330 * [...PAUSES].filter((at) => at <= n).length,
);

/**
 * The elements in which YouTube shows its captions over the picture, with a script that adds one word after the other.
 */
const PLAYER = `<!doctype html><title>Drawn words</title>
<div class="html5-video-player" style="position:relative;width:640px">
<div class="html5-video-container"><video src="/harbour.webm" width="640" muted></video></div>
<div class="ytp-caption-window-container" style="position:absolute;left:8px;right:8px;bottom:24px"><span class="ytp-caption-segment"></span></div></div>
<script>
  const [words, times] = ${JSON.stringify([WORDS, TIMES])};
  const video = document.querySelector("video");
  globalThis.drawn = [];
  const draw = () => {
    while (!video.paused && drawn.length < words.length && video.currentTime * 1000 >= times[drawn.length]) {
      document.querySelector("span").append((drawn.length === 0 ? "" : " ") + words[drawn.length]);
      drawn.push(Math.round(video.currentTime * 1000));
    }
    requestAnimationFrame(draw);
  };
  draw();
</script>`;

interface Site {
  readonly name: string;
  readonly hostName: string;
  readonly videoId: string;
  /** A person must switch on the reading of this site's texts. */
  readonly pageCaptions: boolean;
}

const SITES: readonly Site[] = [
  { name: "YouTube", hostName: "www.youtube-nocookie.com", videoId: "youtube:harbour", pageCaptions: false },
  { name: "another site", hostName: "127.0.0.1", videoId: "harbour.webm", pageCaptions: true },
];

test.each(SITES)(
  "a word that $name draws has the time at which it was drawn, and not the time of the next check of the page",
  async ({ hostName, videoId, pageCaptions }) => {
    await using site = await openSite();
    site.pages.set("/embed/harbour", PLAYER);
    await using served = await serve();
    await using viewer = await openViewer(site, served, {
      sources: { frames: false, pageCaptions },
      hostName,
    });
    const page = await viewer.context.newPage();
    await page.goto(`${site.url.replace("127.0.0.1", hostName)}/embed/harbour`);
    await expect.poll(() => keysOf(served)).toEqual([expect.stringContaining(videoId)]);
    const [key = ""] = await keysOf(served);
    await play(page, { fromMs: 0, toMs: (TIMES.at(-1) ?? 0) + 1_500, rate: 1 });
    const drawn = (await page.evaluate("drawn")) as readonly number[];
    expect(drawn).toHaveLength(WORDS.length);
    const heard = async (): Promise<readonly { readonly text: string; readonly mediaTimeMs: number }[]> =>
      (await served.events(key))
        .filter(({ type }) => type === "transcript_added")
        .map(({ data }) => data as { readonly text: string; readonly mediaTimeMs: number });
    await expect.poll(async () => (await heard()).map(({ text }) => text).join(" ")).toBe(WORDS.join(" "));
    // On a busy machine two words may be read together, but most are read one by one.
    let at = 0;
    const lateMs = (await heard()).map(({ text, mediaTimeMs }) => {
      const late = mediaTimeMs - (drawn[at] ?? 0);
      at += text.split(" ").length;
      return late;
    });
    expect(lateMs.length).toBeGreaterThan(WORDS.length / 2);
    expect(Math.min(...lateMs), lateMs.join(", ")).toBeGreaterThanOrEqual(0);
    expect(
      lateMs.toSorted((a, b) => a - b)[Math.floor(lateMs.length / 2)],
      lateMs.join(", "),
    ).toBeLessThanOrEqual(100);
  },
);

/**
 * Draws the video of `extension/example/` in headless Chromium, which records it in real time: `node scripts/clip.ts`.
 * A lighthouse, the sun over the sea, ships; each of eight scenes has its own colours and takes three seconds.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../test/cli/browser.ts";

const SECONDS = 24;

/** Code that runs in the page. It is a string, because a script does not have the types of a browser. */
const RECORD = `async (seconds) => {
    const canvas = document.createElement("canvas");
    canvas.width = 320; canvas.height = 180; document.body.append(canvas);
    const context = canvas.getContext("2d");
    const scenes = [
      ["#1b2a49", "#28507a", "Dawn"], ["#f2a65a", "#b5563c", "Sunrise"], ["#8ecae6", "#219ebc", "Morning"],
      ["#e9f5db", "#588157", "The green hill"], ["#ffd166", "#06849b", "Noon"], ["#ef476f", "#5b2a86", "Evening"],
      ["#3d405b", "#22223b", "Dusk"], ["#0b0c10", "#1f2833", "Night"]];
    const draw = (time) => {
      const [sky, sea, name] = scenes[Math.min(scenes.length - 1, Math.floor(time / 3))];
      context.fillStyle = sky; context.fillRect(0, 0, 320, 110);
      context.fillStyle = sea; context.fillRect(0, 110, 320, 70);
      context.fillStyle = "#fff8e7"; context.beginPath();
      context.arc(30 + time * 11, 80 - Math.sin(time / 8) * 50, 14, 0, 7); context.fill();
      context.fillStyle = "#f1faee"; context.fillRect(250, 50, 18, 65);
      context.fillStyle = "#c1121f"; context.fillRect(250, 68, 18, 10); context.fillRect(246, 40, 26, 12);
      context.fillStyle = "#6b4226"; context.fillRect(20 + (time * 7) % 200, 120, 44, 9);
      context.fillStyle = "#ffffff"; context.fillRect(40 + (time * 7) % 200, 98, 3, 22);
      context.font = "16px sans-serif"; context.fillText(name, 12, 170);
    };
    draw(0);
    const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: "video/webm;codecs=vp8", videoBitsPerSecond: 60000 });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
    recorder.start();
    const began = performance.now();
    for (;;) {
      const time = (performance.now() - began) / 1000;
      if (time >= seconds) break;
      draw(time);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
}`;

const browser = await openBrowser();
try {
  const page = await browser.newPage();
  const base64 = await page.evaluate<string>(`(${RECORD})(${SECONDS})`);
  const file = join(import.meta.dirname, "../extension/example/harbour.webm");
  const bytes = Buffer.from(base64, "base64");
  writeFileSync(file, bytes);
  process.stdout.write(`${file}: ${bytes.length} bytes\n`);
} finally {
  await browser.close();
}

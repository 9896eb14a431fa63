/** Asks for the microphone once: only a tab can show the browser's question, and neither a panel nor a worker can. */

import { browser } from "wxt/browser";
import { parseSettings } from "../../messages/messages.ts";

const status = document.querySelector("#status");

async function askForMicrophone(): Promise<string> {
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    for (const track of stream.getTracks()) track.stop();
  } catch {
    return "The microphone was not allowed. Allow it in the address bar, and load this page again.";
  }
  const { settings } = await browser.storage.local.get("settings");
  const before = parseSettings(settings);
  // The engine tries again when the settings change.
  await browser.storage.local.set({ settings: { ...before, microphoneAskedAtMs: Date.now() } });
  return "The microphone is on while a video records. You can close this tab.";
}

if (status !== null) status.textContent = await askForMicrophone();

/** Two windows of the real VS Code and a bare client on one session, whose connections break often. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { createTalkHome, SCRIPT } from "../cli/talk.ts";
import { ownSession } from "../machine/open-chat.ts";
import { AhpClient } from "./client.ts";
import { startProxy } from "./proxy.ts";
import { startViewer } from "./viewer-socket.ts";
import { openVscode } from "./vscode.ts";

/** This pause spreads the bare client's reconnects over the turn, while the windows wait to reconnect. */
const BETWEEN_CUTS_MS = 100;
const TITLE = "A talk with the robot";
/** This answer is slow enough that connections break in the middle of it. */
const ANSWER = [
  chunk("I think"),
  { waitMs: 200 },
  chunk(" about it."),
  { waitMs: 200 },
  chunk(" The answer to $WORDS."),
  DONE,
] as const;

/**
 * @param turns the number of turns; in each, the connections of both windows break once
 * @param cuts the number of times that the bare client loses its connection in a turn
 */
export async function cutWindows({ turns, cuts }: { turns: number; cuts: number }): Promise<void> {
  const said = Array.from({ length: turns }, (_, at) => `say number ${at}`);
  const home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, "*": ANSWER } });
  const uri = (await ownSession(home, TITLE)).replace(":", ":/");
  const project = join(home.path, "project");
  await using viewer = await startViewer(home.path, project);
  using bare = new AhpClient(`unix:${viewer.socket}`, "", "bare");
  await bare.open();
  const chat = await bare.look(uri);
  await using proxy = await startProxy(viewer.socket, chat);
  await using vscode = await openVscode(proxy.socket, project);
  const windows = [await vscode.window(), await vscode.window()];
  for (const window of windows) await window.open(TITLE);
  const areBack = { timeout: 60_000 };
  const folded = () => [...proxy.windows.values()].filter((one) => one.chat !== null);
  await expect.poll(() => folded().length, areBack).toBe(2);
  const { connected } = proxy;
  for (const [at, text] of said.entries()) {
    // A prompt that was not accepted is lost with its connection.
    await bare.echo(bare.say(chat, text, `turn-${at}`));
    proxy.cut();
    for (let cut = 0; cut < cuts; cut++) {
      bare.cut();
      await bare.reconnect();
      await sleep(BETWEEN_CUTS_MS);
    }
    await bare.until(() => bare.chat(chat).turns.length === at + 1);
    await expect.poll(() => proxy.connected, areBack).toBe(connected);
  }
  expect(bare.faults).toEqual([]);
  expect(bare.chat(chat).turns.map(({ message }) => message.text)).toEqual(said);
  using fresh = new AhpClient(`unix:${viewer.socket}`, "", "fresh");
  await fresh.open();
  await fresh.look(uri);
  expect(bare.chat(chat)).toEqual(fresh.chat(chat));
  for (const one of folded()) {
    await expect.poll(() => one.chat?.turns.length, areBack).toBe(turns);
    expect(one.chat?.turns).toEqual(fresh.chat(chat).turns);
    expect(one.reconnects).toBeGreaterThanOrEqual(turns);
  }
  for (const { conversation } of windows) {
    const shown = async (): Promise<number> =>
      (await conversation.innerText()).split(`The answer to ${said.at(-1)}.`).length - 1;
    await expect.poll(shown, areBack).toBe(1);
  }
}

/**
 * Two windows of the real VS Code and a bare client on one session, whose connections break often, or whose host is killed
 * in the middle of turns.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { createTalkHome, SCRIPT } from "../cli/talk.ts";
import { ownSession } from "../machine/open-chat.ts";
import { createRandom } from "../store/harness/random.ts";
import { AhpClient, promptsIn } from "./client.ts";
import { type HostProxy, startProxy, type WindowState } from "./proxy.ts";
import { startViewer } from "./viewer-socket.ts";
import { openVscode, type VscodeWindow } from "./vscode.ts";

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

/** The host is killed at most this long after it accepted a prompt; an answer needs less. */
const LATEST_KILL_MS = 1_500;
/** VS Code tries again 1, 3, 7, 15, 31 and 61 seconds after it lost its host. */
const ARE_BACK = { timeout: 120_000 };

interface CutTurns {
  /** In each, the connections of both windows break once. */
  readonly turns: number;
  /** The number of times that the bare client loses its connection in a turn. */
  readonly cuts: number;
}

export async function cutWindows({ turns, cuts }: CutTurns): Promise<void> {
  const said = Array.from({ length: turns }, (_, at) => `say number ${at}`);
  await using room = await openRoom();
  const { bare, chat, proxy } = room;
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
    await expect.poll(() => proxy.connected, ARE_BACK).toBe(connected);
  }
  expect(bare.chat(chat).turns.map(({ message }) => message.text)).toEqual(said);
  await room.expectSame();
  for (const { reconnects } of windowsOf(proxy)) expect(reconnects).toBeGreaterThanOrEqual(turns);
  await room.expectShown(`The answer to ${said.at(-1)}.`);
}

/**
 * All clients reconnect to the host after each kill. Each prompt that was accepted is there once, and in all clients. Then
 * a window sends a prompt, and the other one shows its answer.
 */
export async function killHosts({ kills, seed }: { kills: number; seed: number }): Promise<void> {
  const random = createRandom(seed);
  const said = Array.from({ length: kills }, (_, at) => `say number ${at}`);
  await using room = await openRoom();
  const { bare, chat, proxy } = room;
  const { connected } = proxy;
  for (const text of said) {
    const { rejectionReason } = await bare.echo(bare.say(chat, text, text.replaceAll(" ", "-")));
    expect(rejectionReason).toBeUndefined();
    await sleep(random.below(LATEST_KILL_MS));
    bare.cut();
    await room.killHost();
    expect(await bare.reconnect()).toBe("snapshot");
    await bare.until(() => bare.chat(chat).activeTurn === undefined);
    expect(promptsIn(bare.chat(chat)).filter((prompt) => prompt === text)).toEqual([text]);
    await expect.poll(() => proxy.connected, ARE_BACK).toBe(connected);
  }
  await room.windows[0]?.say("say the end");
  const last = (): object | undefined => bare.chat(chat).turns.at(-1);
  await expect.poll(last, ARE_BACK).toMatchObject({ message: { text: "say the end" }, state: "complete" });
  expect(promptsIn(bare.chat(chat))).toEqual([...said, "say the end"]);
  await room.expectSame();
  // After interrupted turns, the agent also gets and repeats those turns.
  await room.expectShown("The new message:say the end.");
}

interface Room extends AsyncDisposable {
  readonly bare: AhpClient;
  readonly chat: string;
  readonly proxy: HostProxy;
  readonly windows: readonly VscodeWindow[];
  /** Kills the host and starts another one in its place. */
  killHost(): Promise<void>;
  /** Compares the states of all clients with that of a client that comes now. */
  expectSame(): Promise<void>;
  /** Both windows show these words of an answer once. */
  expectShown(words: string): Promise<void>;
}

/** Opens the session in a bare client and in two windows, whose connections go through a proxy. */
async function openRoom(): Promise<Room> {
  await using stack = new AsyncDisposableStack();
  const home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, "*": ANSWER } });
  const uri = (await ownSession(home, TITLE)).replace(":", ":/");
  const project = join(home.path, "project");
  let viewer = await startViewer(home.path, project);
  stack.defer(() => viewer.kill());
  const bare = stack.use(new AhpClient(`unix:${viewer.socket}`, "", "bare"));
  await bare.open();
  const chat = await bare.look(uri);
  const proxy = stack.use(await startProxy(viewer.socket, chat));
  const vscode = stack.use(await openVscode(proxy.socket, project));
  const windows = [await vscode.window(), await vscode.window()];
  for (const window of windows) await window.open(TITLE);
  await expect.poll(() => windowsOf(proxy).length, ARE_BACK).toBe(2);
  const held = stack.move();
  return {
    bare,
    chat,
    proxy,
    windows,
    async killHost() {
      await viewer.kill();
      viewer = await startViewer(home.path, project);
    },
    async expectSame() {
      expect(bare.faults).toEqual([]);
      using fresh = new AhpClient(`unix:${viewer.socket}`, "", "fresh");
      await fresh.open();
      await fresh.look(uri);
      expect(bare.chat(chat)).toEqual(fresh.chat(chat));
      const { turns } = fresh.chat(chat);
      for (const one of windowsOf(proxy)) {
        await expect.poll(() => one.chat?.turns.length, ARE_BACK).toBe(turns.length);
        expect(one.chat?.turns).toEqual(turns);
      }
    },
    expectShown: (words) => expectShown(windows, words),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** The windows that have the chat open. */
function windowsOf(proxy: HostProxy): readonly WindowState[] {
  return [...proxy.windows.values()].filter((one) => one.chat !== null);
}

async function expectShown(windows: readonly VscodeWindow[], words: string): Promise<void> {
  for (const { conversation } of windows) {
    const shown = async (): Promise<number> => (await conversation.innerText()).split(words).length - 1;
    await expect.poll(shown, ARE_BACK).toBe(1);
  }
}

/** An editor sends pictures, files and links before it knows which agent accepts them. */

import { join } from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { afterEach, expect, test } from "vitest";
import { chunk, DONE, hello1, type Json } from "../acp/script.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor, spokenIn } from "./editor.ts";

let home: TalkHome;
afterEach(() => home[Symbol.dispose]());

const PICTURE: ContentBlock = { type: "image", mimeType: "image/png", data: "aGVsbG8=" };
const LINK: ContentBlock = { type: "resource_link", uri: "file:///work/a.ts", name: "a.ts" };
const WORDS: ContentBlock = { type: "text", text: "look at this" };

async function begun(promptCapabilities: Json): Promise<{ readonly editor: Editor; readonly id: string }> {
  home = createTalkHome({
    hello: hello1({ resume: {} }, { loadSession: true, promptCapabilities }),
    answers: { "session/resume": [{ result: {} }] },
    prompts: { "*": [chunk("I see."), DONE] },
  });
  const editor = await openEditor(home);
  const cwd = join(home.path, "project");
  const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  return { editor, id: sessionId };
}

const say = ({ editor, id }: { editor: Editor; id: string }, ...prompt: readonly ContentBlock[]) =>
  editor.agent.request("session/prompt", { sessionId: id, prompt: [...prompt] });

test("a picture reaches an agent that takes pictures", async () => {
  const at = await begun({ image: true });
  await using _ = at.editor;
  expect(await say(at, WORDS, PICTURE)).toEqual({ stopReason: "end_turn" });
  expect(home.sent("session/prompt")).toMatchObject([{ prompt: [WORDS, PICTURE] }]);
});

test("a picture for an agent that accepts none is refused by name, and the next prompt is answered", async () => {
  const at = await begun({});
  await using _ = at.editor;
  await expect(say(at, WORDS, PICTURE)).rejects.toThrow(/^\S+ does not take pictures in a prompt/u);
  expect(home.sent("session/prompt")).toEqual([]);
  at.editor.take();
  expect(await say(at, WORDS)).toEqual({ stopReason: "end_turn" });
  expect(spokenIn(at.editor.take())).toBe("I see.");
});

test("the refusal of a part has the code and the hint of Continuo, and the number of the protocol for it", async () => {
  const at = await begun({});
  await using _ = at.editor;
  const hint = "Choose another agent, or send the prompt without it.";
  await expect(say(at, WORDS, PICTURE)).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining(hint),
    data: { code: "unsupported", hint },
  });
});

test("a sound, which the gateway does not claim to take, is refused and not dropped", async () => {
  const at = await begun({ image: true, audio: true, embeddedContext: true });
  await using _ = at.editor;
  const sound: ContentBlock = { type: "audio", mimeType: "audio/wav", data: "aGVsbG8=" };
  await expect(say(at, WORDS, sound)).rejects.toThrow(/does not take content of the type "audio"/u);
  expect(home.sent("session/prompt")).toEqual([]);
});

test("a link reaches every agent, because every agent of the protocol must accept links", async () => {
  const at = await begun({});
  await using _ = at.editor;
  expect(await say(at, WORDS, LINK)).toEqual({ stopReason: "end_turn" });
  expect(home.sent("session/prompt")).toMatchObject([{ prompt: [WORDS, LINK] }]);
});

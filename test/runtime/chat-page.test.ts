/** `toHtml({ view: "chat" })`: a chat for the people who take part in it, whatever its messages contain. */

import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { afterEach, expect, test } from "vitest";
import { ScriptedAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
afterEach(() => c.close());

const HOSTILE = '</title><script>alert(1)</script><img src=x onerror="alert(2)">';

test("the page of a chat has its messages and no tools, and markup in a message is text", async () => {
  const turn = [
    { think: "a secret thought" },
    { call: "lookup", id: "c1", input: { secret: "argument" }, result: "a secret result" },
    { stream: ["**It rains.** [x](javascript:alert(3)) ", HOSTILE], messageId: "m1" },
  ];
  c = await openContinuo("memory:", { agents: [new ScriptedAgent({ turns: [turn] })] });
  const session = c.session("ann", { create: true, title: HOSTILE });
  await session.send(`Weather? ${HOSTILE}`, { id: "q1" }).result();
  await session.append("message_sent", { content: "a secret instruction", role: "system" });
  const html = await session.toHtml({ view: "chat" });
  expect(html).toContain("<strong>It rains.</strong>");
  expect(html).toContain("Weather? &lt;/title&gt;&lt;script&gt;");
  expect(html).not.toMatch(/<script|<img|href="javascript|secret|lookup/u);
  expect(html.match(/<title>/gu)).toHaveLength(1);
  expect(html).toContain("default-src 'none'");
  await expect(session.toHtml({ view: "all" } as never)).rejects.toMatchObject({ code: "usage" });
  const handler = c.handler({ authorize: () => ({ sessions: ["ann"], access: "read" }) });
  const page = await handler(new Request("http://localhost/v1/sessions/ann/chat/html"));
  expect([page.status, await page.text()]).toEqual([200, html]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await handler(new Request("http://localhost/v1/sessions/ben/chat/html"))).status).toBe(404);
});

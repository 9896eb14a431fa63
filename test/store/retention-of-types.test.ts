import { openStore } from "@continuo/store";
import { expect, test } from "vitest";

test("event types of the application have the retention that the store was opened with, in every view", async () => {
  await using store = await openStore("memory:", {
    retention: { "acme.ping": "supplementary", "custom:cursor": "supplementary", "acme.sale": "critical" },
  });
  const retentions = async (of: typeof store): Promise<readonly string[]> => {
    const { logId } = await of.createLog();
    const events = await of.append(logId, [
      { type: "acme.ping", data: 1 },
      { type: "acme.ping", data: 1, retention: "critical" },
      { type: "acme.sale", data: 1 },
      { type: "acme.other", data: 1 },
      { type: "custom", data: { name: "cursor" } },
      { type: "custom", data: { name: "acme.ping" } },
      { type: "custom", data: null },
      { type: "cursor", data: { name: "cursor" } },
    ]);
    expect((await of.verify(logId)).ok).toBe(true);
    return events.map((event) => event.retention);
  };
  const expected = [
    "supplementary",
    "critical",
    "critical",
    "critical",
    "supplementary",
    "critical",
    "critical",
    "critical",
  ];
  expect(await retentions(store)).toEqual(expected);
  expect(await retentions(store.forWorkspace("other"))).toEqual(expected);
});

test("a retention for one of Continuo's own types, or an invalid retention, is refused", async () => {
  for (const retention of [{ message_sent: "supplementary" }, { mine: "forever" }, { "": "critical" }]) {
    await expect(openStore("memory:", { retention: retention as never })).rejects.toMatchObject({
      code: "invalid",
    });
  }
});

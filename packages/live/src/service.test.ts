/** The start of the service of continuous sessions. */

import { openStore } from "@continuo/store";
import { expect, test, vi } from "vitest";

test("a service that owns sessions loads the tables of words when it is made, and not in a turn with other work", async () => {
  vi.resetModules();
  const made = vi.spyOn(Intl, "Segmenter");
  try {
    const { LiveService } = await import("./service.ts");
    await using store = await openStore("memory:");
    new LiveService({ store, role: "reader" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(made).not.toHaveBeenCalled();
    new LiveService({ store });
    expect(made).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(made).toHaveBeenCalledTimes(1));
  } finally {
    made.mockRestore();
  }
});

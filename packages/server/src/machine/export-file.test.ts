import type { LookUpHit } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { createExportFile } from "./export-file.ts";
import type { MachineOptions } from "./options.ts";

test.each([
  'a"; filename="evil.sh',
  "a\r\nset-cookie: x=1",
  "../../etc/passwd",
  "a\0\u202Egpj.exe",
  "x".repeat(999),
])(
  "the export of a session with the id %j has a name of letters, digits, dots and dashes",
  async (sessionId) => {
    const hit = { kind: "own", row: { agent: "continuo", sessionId } } as unknown as LookUpHit;
    const options = { exportTo: async () => undefined } as unknown as MachineOptions;
    const { fileName, body } = createExportFile(hit, { format: "md" }, options);
    expect(fileName).toMatch(/^continuo-[\w.-]{1,191}\.md$/u);
    await body.cancel();
  },
);

import type { LookUpHit } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { createExportArchive } from "./export-file.ts";
import type { MachineOptions } from "./options.ts";

/** The names in the directory at the end of an archive (APPNOTE 4.3.12). */
function namesIn(archive: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = archive.indexOf("PK\x01\x02"); at !== -1; at = archive.indexOf("PK\x01\x02", at + 4)) {
    names.push(archive.toString("utf8", at + 46, at + 46 + archive.readUInt16LE(at + 28)));
  }
  return names;
}

function hitOf(sessionId: string): LookUpHit {
  return { kind: "native", native: { found: { agent: "claude", sessionId } } } as unknown as LookUpHit;
}

test("two sessions with one id become two files of an archive, and no id leads out of its folder", async () => {
  async function* hits(): AsyncGenerator<LookUpHit, void, void> {
    yield* ["4bf3", "4bf3", "../../etc/x"].map(hitOf);
  }
  const options = {
    exportTo: async (_hit: LookUpHit, _wish: unknown, write: (text: string) => Promise<void>) =>
      await write("Tea?"),
  } as unknown as MachineOptions;
  const { body } = createExportArchive(hits(), { format: "md" } as never, options);
  const archive = Buffer.from(
    await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
  );
  expect(namesIn(archive)).toEqual(["claude-4bf3.md", "1-claude-4bf3.md", "claude-.._.._etc_x.md"]);
});

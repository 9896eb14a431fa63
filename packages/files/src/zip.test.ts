import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { zipChunks } from "./zip.ts";

test("an archive names its entries in its directory, and each entry gives its bytes back", async () => {
  const entries = [
    { name: "notes.md", bytes: Buffer.from("a".repeat(1_000)) },
    { name: "frames/ä.jpg", bytes: Buffer.from([1, 2, 3]), method: "store" as const },
  ];
  const chunks: Uint8Array[] = [];
  for await (const chunk of zipChunks(entries)) chunks.push(chunk);
  const archive = Buffer.concat(chunks);
  const end = archive.length - 22;
  expect([archive.readUInt32LE(end), archive.readUInt16LE(end + 10)]).toEqual([0x06054b50, 2]);
  let at = archive.readUInt32LE(end + 16);
  for (const { name, bytes } of entries) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50);
    const method = archive.readUInt16LE(at + 10);
    const packedSize = archive.readUInt32LE(at + 20);
    const nameSize = archive.readUInt16LE(at + 28);
    expect(archive.subarray(at + 46, at + 46 + nameSize).toString()).toBe(name);
    const local = archive.readUInt32LE(at + 42);
    expect(archive.readUInt32LE(local)).toBe(0x04034b50);
    const data = archive.subarray(local + 30 + nameSize, local + 30 + nameSize + packedSize);
    expect(method === 8 ? inflateRawSync(data) : data).toEqual(bytes);
    at += 46 + nameSize;
  }
  expect(at).toBe(end);
});
